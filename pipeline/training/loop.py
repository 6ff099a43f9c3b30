"""The loop shared by tagger and parser: Stanza's update step under a warm-up and linear decay.

Stanza's own loops wait for the dev score to stall; on a CPU with a fixed budget a learning rate that
reaches zero when the budget ends gets further. The budget is a number of steps; ``minutes`` cuts it
short on a slow machine, and the learning rate then follows the clock.
"""

from __future__ import annotations

import logging
import random
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

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


def train(
    update: Callable[[Any], float],
    optimizers: dict[str, Any],
    batches: Iterator[Any],
    budget: Budget,
    evaluate: Callable[[], str],
    evaluations: int = 6,
    name: str = "",
) -> dict[str, str | float]:
    """Run ``update`` on ``batches`` until the budget is spent, logging loss and dev scores; what was
    spent is returned, for the model card."""
    start, done, total, seen = time.monotonic(), 0.0, 0.0, 0
    next_evaluation = 1 / evaluations
    step = 0
    while done < 1:
        rate = learning_rate(done, budget)
        for optimizer in optimizers.values():
            for group in optimizer.param_groups:
                group["lr"] = rate
        total += float(update(next(batches)))
        step, seen = step + 1, seen + 1
        elapsed = (time.monotonic() - start) / 60
        done = max(step / budget.steps, elapsed / budget.minutes)
        if step % 100 == 0:
            left = elapsed / done - elapsed
            log.info("%s step %d/%d loss %.3f lr %.5f, %.1f min, about %.1f left",
                     name, step, budget.steps, total / seen, rate, elapsed, left)  # fmt: skip
            total, seen = 0.0, 0
        if done >= next_evaluation or done >= 1:
            next_evaluation += 1 / evaluations
            log.info("%s step %d dev %s", name, step, evaluate())
    return {"name": name, "steps": step, "minutes": (time.monotonic() - start) / 60}
