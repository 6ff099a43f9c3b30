"""The loop shared by tagger and parser: Stanza's update step under a warm-up and linear decay.

Stanza's own loops wait for the dev score to stall; on a CPU with a fixed budget a learning rate that
reaches zero when the budget ends gets further. The budget is a number of steps; ``minutes`` cuts it
short on a slow machine, and the learning rate then follows the clock. A checkpoint every few minutes
holds all that a step depends on, so that a run that was stopped goes on as if it had not been.
"""

from __future__ import annotations

import logging
import random
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

MINUTES_BETWEEN_CHECKPOINTS = 3
MEAN_EVERY = 4
MEAN_STEP = 0.01

log = logging.getLogger("training")


@dataclass(frozen=True, slots=True)
class Budget:
    """How long to train, and how fast to learn."""

    steps: int
    peak_lr: float
    minutes: float = 1e9
    warmup: float = 0.03
    decay: bool = True


def length_bucketed(
    lengths: Sequence[int], tokens_per_batch: int, rng: random.Random
) -> Iterator[list[int]]:
    """Endless batches of sentence indices of about the same length (little padding), reshuffled
    every epoch; the noise keeps the batches from being the same in every epoch."""
    while True:
        order = sorted(range(len(lengths)), key=lambda i: lengths[i] * (1 + 0.1 * rng.random()))
        batches, batch, size = list[list[int]](), list[int](), 0
        for index in order:
            if batch and size + lengths[index] > tokens_per_batch:
                batches.append(batch)
                batch, size = [], 0
            batch.append(index)
            size += lengths[index]
        batches.append(batch)
        rng.shuffle(batches)
        yield from batches


def learning_rate(progress: float, budget: Budget) -> float:
    """The rate at ``progress`` (0 to 1): linear up to the peak, then linear down to zero."""
    if progress < budget.warmup:
        return budget.peak_lr * (progress + 1e-3) / (budget.warmup + 1e-3)
    if not budget.decay:
        return budget.peak_lr
    return budget.peak_lr * max(0.0, 1 - progress) / (1 - budget.warmup)


@dataclass(frozen=True, slots=True)
class Trainable:
    """What the loop needs of a model: its weights, its optimizers, one step, and a dev score
    (which is told how much of the budget is spent).

    From the share ``average_from`` of the budget on, a running mean of the weights is kept; it is
    what is measured from there on and what is left in the end.
    """

    name: str
    module: Any
    optimizers: dict[str, Any]
    update: Callable[[Any], float]
    evaluate: Callable[[float], str]
    average_from: float = 2.0


def train(
    model: Trainable,
    indices: Iterator[list[int]],
    collate: Callable[[list[int]], Any],
    budget: Budget,
    checkpoint: Path,
    evaluations: int = 6,
) -> dict[str, str | float]:
    """Step until the budget is spent, logging loss and dev scores; what was spent is returned, for
    the model card. The state is kept in ``checkpoint`` and training goes on from there."""
    mean: dict[str, Tensor] = {}
    step, before = _restored(checkpoint, model, mean)
    for _ in range(step):
        next(indices)
    start = saved = time.monotonic()
    done, total, seen = _progress(step, before, budget), 0.0, 0
    next_evaluation = (int(done * evaluations) + 1) / evaluations
    while done < 1:
        rate = learning_rate(done, budget)
        for optimizer in model.optimizers.values():
            for group in optimizer.param_groups:
                group["lr"] = rate
        total += float(model.update(collate(next(indices))))
        step, seen = step + 1, seen + 1
        now = time.monotonic()
        elapsed = before + (now - start) / 60
        done = _progress(step, elapsed, budget)
        if done >= model.average_from and step % MEAN_EVERY == 0:
            _average(mean, model.module)
        if step % 100 == 0:
            left = elapsed / done - elapsed
            log.info("%s step %d/%d loss %.3f lr %.5f, %.1f min, about %.1f left",
                     model.name, step, budget.steps, total / seen, rate, elapsed, left)  # fmt: skip
            total, seen = 0.0, 0
        if done >= next_evaluation or done >= 1:
            next_evaluation += 1 / evaluations
            log.info("%s step %d dev %s", model.name, step, model.evaluate(done))
            if mean:
                own = _exchanged(model.module, mean)
                log.info("%s step %d mean %s", model.name, step, model.evaluate(done))
                if done < 1:
                    _exchanged(model.module, own)
        if now - saved > 60 * MINUTES_BETWEEN_CHECKPOINTS and done < 1:
            _keep(checkpoint, model, mean, step, elapsed)
            saved = now
    checkpoint.unlink(missing_ok=True)
    elapsed = before + (time.monotonic() - start) / 60
    return {"name": model.name, "steps": step, "minutes": elapsed}


def _progress(step: int, elapsed: float, budget: Budget) -> float:
    return max(step / budget.steps, elapsed / budget.minutes)


def _average(mean: dict[str, Tensor], module: Any) -> None:
    """Bring the mean nearer to the weights; the first ones are the first mean."""
    for name, weight in module.named_parameters():
        if name in mean:
            mean[name].lerp_(weight.detach(), MEAN_STEP)
        elif weight.requires_grad:
            mean[name] = weight.detach().clone()


def _exchanged(module: Any, weights: dict[str, Tensor]) -> dict[str, Tensor]:
    """Put other weights into the module; its own are returned."""
    own = {}
    for name, weight in module.named_parameters():
        if name in weights:
            own[name] = weight.detach().clone()
            weight.data.copy_(weights[name])
    return own


def _keep(path: Path, model: Trainable, mean: dict[str, Tensor], step: int, elapsed: float) -> None:
    """Write the state of the training whole or not at all."""
    _, numbers, _ = random.getstate()
    state = {
        "step": step,
        "elapsed": elapsed,
        "module": model.module.state_dict(),
        "optimizers": {name: each.state_dict() for name, each in model.optimizers.items()},
        "mean": mean,
        "torch": torch.get_rng_state(),
        "random": torch.tensor(numbers, dtype=torch.int64),
    }
    partial = path.with_name(path.name + ".part")
    torch.save(state, partial)
    partial.replace(path)


def _restored(path: Path, model: Trainable, mean: dict[str, Tensor]) -> tuple[int, float]:
    """Steps and minutes done before, with the model and the random numbers as they were then."""
    if not path.is_file():
        return 0, 0.0
    state = torch.load(path, weights_only=True)
    model.module.load_state_dict(state["module"])
    for name, optimizer in model.optimizers.items():
        optimizer.load_state_dict(state["optimizers"][name])
    mean.update(state["mean"])
    torch.set_rng_state(state["torch"])
    random.setstate((3, tuple(state["random"].tolist()), None))
    log.info("%s: goes on after step %d", model.name, state["step"])
    return int(state["step"]), float(state["elapsed"])
