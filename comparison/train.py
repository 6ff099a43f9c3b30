"""Gradient training that the neural systems share: settings and epochs chosen on held-out training stories.

Settings are searched one parameter after the other, the others staying at the best so far. Each is trained
on a part of the stories until the rest shows no progress. The best one is trained again on all stories, for
as many epochs as it needed. A setting that gets every held-out question right ends the search. Where there
are many questions, as of all tasks together, settings are compared on a part of them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, fields, replace
from typing import Any, Generic, Protocol, TypeVar

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from babi_cascade.cascade.training import held_out
from babi_cascade.errors import UserError

BATCH_FOR_SCORING = 256

ENOUGH_TO_COMPARE = 2000
"""Settings are compared on at most so many training questions (and a quarter as many held-out ones)."""

STEPS = 10_000
"""No training makes more steps than this; only with many questions are these fewer than the epochs say."""


@dataclass(frozen=True, slots=True)
class Hyperparameters:
    """What is chosen on held-out stories; ``margin`` means nothing to a system without one."""

    rate: float
    margin: float
    dimension: int


@dataclass(frozen=True, slots=True)
class Choices:
    """The values to choose from, the first of each to begin with."""

    rate: Sequence[float]
    margin: Sequence[float]
    dimension: Sequence[int]

    @property
    def first(self) -> Hyperparameters:
        """The setting to begin with."""
        return Hyperparameters(self.rate[0], self.margin[0], self.dimension[0])

    def check(self) -> None:
        """Refuse values that nothing can be trained with."""
        for field in fields(self):
            values = getattr(self, field.name)
            if not values or min(values) <= 0:
                raise UserError(
                    f"{field.name}s: found {values!r}, expected one or more numbers above 0"
                )


@dataclass(frozen=True, slots=True)
class Schedule:
    """How long to train: at most ``epochs``, until ``patience`` of them brought nothing held out.

    ``block`` batches of drawn examples are sorted by size, so that a batch has little padding. That saves
    time where padding costs much, and is not free: batches of like stories make poorer steps.
    """

    epochs: int
    patience: int
    batch: int
    seed: int
    progress: Callable[[str], None] | None = None
    block: int = 1


class Learner(Protocol):
    """Something with weights that can say how wrong and how right it is on examples."""

    @property
    def module(self) -> nn.Module:
        """Return what has the weights."""
        ...

    @property
    def sizes(self) -> Tensor:
        """Return for each example how long its arrays are; the longest of a batch sets the padding."""
        ...

    def loss(self, rows: Tensor) -> Tensor:
        """Return the sum of the losses of some examples."""
        ...

    def right(self, rows: Tensor) -> Tensor:
        """Return for each of some examples whether it is done right."""
        ...


Kind = TypeVar("Kind", bound=Learner)


@dataclass(frozen=True, slots=True)
class TrainedLearner(Generic[Kind]):
    """A trained learner, and how it was chosen; ``held_out`` is its share right there, None if not tried."""

    learner: Kind
    setting: Hyperparameters
    epochs: int
    held_out: float | None

    def to_json(self) -> dict[str, Any]:
        """Return everything but the learner."""
        return {"setting": asdict(self.setting), "epochs": self.epochs, "held_out": self.held_out}


def train_best(
    make: Callable[[Hyperparameters], Kind], choices: Choices, stories: NDArray[np.int64],
    schedule: Schedule, name: str,
) -> TrainedLearner[Kind]:  # fmt: skip
    """Choose a setting and a number of epochs, then train on everything.

    ``make`` returns an untrained learner, the same one for the same setting; ``stories`` says which story
    each example comes from; ``name`` is for messages.
    """
    everything = torch.arange(len(stories))
    parts = held_out(stories, schedule.seed)
    with one_thread():
        if parts is None:  # a single question: nothing to choose on
            learner = make(choices.first)
            _run(learner, everything, choices.first, schedule, schedule.epochs)
            return TrainedLearner(learner, choices.first, schedule.epochs, None)
        train, deciding = (torch.from_numpy(part) for part in parts)
        some = _sample(train, ENOUGH_TO_COMPARE, schedule.seed)
        judging = _sample(deciding, ENOUGH_TO_COMPARE // 4, schedule.seed)

        def tried(setting: Hyperparameters) -> TrainedLearner[Kind]:
            return _try(make(setting), setting, some, judging, schedule, name)

        best = _search(tried, choices)
        if len(some) < len(train):  # more questions need another number of epochs
            best = _try(make(best.setting), best.setting, train, deciding, schedule, name)
        learner = make(best.setting)
        _tell(schedule, f"{name}, {_described(best.setting)}: {best.epochs} epochs on all stories")
        _run(learner, everything, best.setting, schedule, best.epochs)
        if _judge(learner, deciding)[0] < (best.held_out or 0.0):
            # An unlucky run: it was trained on these questions, and still knows them less well than one
            # that was not.
            _tell(schedule, f"{name}: not as good as before, the earlier weights are kept")
            return best
        return TrainedLearner(learner, best.setting, best.epochs, best.held_out)


def weights_of(module: nn.Module, prefix: str = "") -> dict[str, NDArray[Any]]:
    """Return the weights of a network as arrays for a file."""
    return {prefix + name: value.numpy() for name, value in module.state_dict().items()}


def load_weights(module: nn.Module, arrays: Mapping[str, NDArray[Any]], prefix: str = "") -> None:
    """Take over what `weights_of` returned; names without the prefix are those of another network."""
    own = {k.removeprefix(prefix): v for k, v in arrays.items() if k.startswith(prefix)}
    module.load_state_dict({k: torch.from_numpy(np.array(v)) for k, v in own.items()})


@contextmanager
def one_thread() -> Iterator[None]:
    """Compute with one thread: small arrays gain nothing by more, and sums come out the same everywhere."""
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(before)


def slices(rows: Tensor, size: int) -> Iterator[Tensor]:
    """Cut examples into batches; the last one may be smaller."""
    for start in range(0, len(rows), size):
        yield rows[start : start + size]


def batches(
    rows: Tensor, sizes: Tensor, schedule: Schedule, generator: torch.Generator
) -> list[Tensor]:
    """Draw examples without putting back; a block is sorted by size, its batches come in any order."""
    shuffled = rows[torch.randperm(len(rows), generator=generator)]
    if schedule.block == 1:
        return list(slices(shuffled, schedule.batch))
    parts = [
        part
        for block in slices(shuffled, schedule.block * schedule.batch)
        for part in slices(block[sizes[block].argsort(stable=True)], schedule.batch)
    ]
    return [parts[place] for place in torch.randperm(len(parts), generator=generator).tolist()]


def seeded(seed: int) -> torch.Generator:
    """Return a source of random numbers of its own, so that nothing else can disturb it."""
    return torch.Generator().manual_seed(seed)


def _sample(rows: Tensor, most: int, seed: int) -> Tensor:
    """Return some of the examples, all of them if they are few."""
    if len(rows) <= most:
        return rows
    return rows[torch.randperm(len(rows), generator=seeded(seed))[:most]]


def _search(
    tried: Callable[[Hyperparameters], TrainedLearner[Kind]], choices: Choices
) -> TrainedLearner[Kind]:
    """Return the best of the settings that differ from the best so far in one parameter."""
    best = tried(choices.first)
    for field in fields(choices):
        begun = best.setting
        for value in getattr(choices, field.name)[1:]:
            if best.held_out == 1.0:
                return best
            other = tried(replace(begun, **{field.name: value}))
            # losses with different margins cannot be compared: only the share right counts
            if (other.held_out or 0.0) > (best.held_out or 0.0):
                best = other
    return best


def _try(
    learner: Kind,
    setting: Hyperparameters,
    train: Tensor,
    deciding: Tensor,
    schedule: Schedule,
    name: str,
) -> TrainedLearner[Kind]:
    """Train until the held-out examples show no progress; go back to the best epoch."""
    best, lowest, seen, progressed = (-1.0, 0.0), float("inf"), 0, 0
    state: dict[str, Tensor] = {}
    for epoch, loss in _epochs(learner, train, setting, schedule, schedule.epochs):
        key = _judge(learner, deciding)
        if key > best:
            best, seen, progressed = key, epoch, epoch
            state = {k: v.clone() for k, v in learner.module.state_dict().items()}
        if -key[1] < lowest:  # a smaller loss promises something, even if nothing more is right yet
            lowest, progressed = -key[1], epoch
        told = (
            f"epoch {epoch}, loss {loss:.4g}, {100 * key[0]:.1f} % of the held-out questions right"
        )
        _tell(schedule, f"{name}, {_described(setting)}: {told}")
        if epoch - progressed >= schedule.patience or loss == 0.0:  # without a loss nothing changes
            break
    learner.module.load_state_dict(state)
    return TrainedLearner(learner, setting, seen, best[0])


def _run(
    learner: Learner, rows: Tensor, setting: Hyperparameters, schedule: Schedule, epochs: int
) -> None:
    for _ in _epochs(learner, rows, setting, schedule, epochs):
        pass


def _epochs(
    learner: Learner, rows: Tensor, setting: Hyperparameters, schedule: Schedule, epochs: int
) -> Iterator[tuple[int, float]]:
    """Train; yield after each epoch its number and the mean loss."""
    optimizer = torch.optim.Adam(learner.module.parameters(), lr=setting.rate)
    generator = seeded(schedule.seed)
    in_an_epoch = -(-len(rows) // schedule.batch)
    for epoch in range(1, min(epochs, max(STEPS // in_an_epoch, 1)) + 1):
        total = 0.0
        for part in batches(rows, learner.sizes, schedule, generator):
            optimizer.zero_grad(set_to_none=True)
            loss = learner.loss(part)
            torch.autograd.backward(loss / len(part))
            optimizer.step()
            total += loss.item()
        yield epoch, total / len(rows)


@torch.no_grad()
def _judge(learner: Learner, rows: Tensor) -> tuple[float, float]:
    """Return the share right and the negative mean loss: the larger, the better."""
    right, loss = 0.0, 0.0
    for part in slices(rows, BATCH_FOR_SCORING):
        right += learner.right(part).sum().item()
        loss += learner.loss(part).item()
    return right / len(rows), -loss / len(rows)


def _tell(schedule: Schedule, text: str) -> None:
    if schedule.progress is not None:
        schedule.progress(text)


def _described(setting: Hyperparameters) -> str:
    return f"rate {setting.rate:g}, margin {setting.margin:g}, dimension {setting.dimension}"
