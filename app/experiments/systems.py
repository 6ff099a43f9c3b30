"""The systems that are trained and tested: the cascade, and the paper's others by their names."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import cache
from typing import TYPE_CHECKING, Any, ClassVar, Protocol

from babi_cascade.app.experiments.interrupt import stopping_for_good
from babi_cascade.app.results.records import Imputed, StageResult
from babi_cascade.cascade.prediction import Prediction
from babi_cascade.cascade.settings import AUTO, Settings, Supervision
from babi_cascade.comparison import SYSTEMS, make_system
from babi_cascade.errors import UserError
from babi_cascade.features.presets import PRESETS
from babi_cascade.pipeline.read import StoryReader

if TYPE_CHECKING:
    from babi_cascade.cascade.imputation import Imputation

CASCADE = "cascade"
ALL = "all"

Hear = Callable[[str], None] | None
"""Hears how the training goes."""

Predict = Callable[[Sequence[Any]], list[Prediction]]


@dataclass(frozen=True, slots=True)
class Trained:
    """What answers; ``given_facts`` answers when it is told the true facts, ``here`` is where it learned."""

    predict: Predict
    finds_facts: bool = True
    given_facts: Predict | None = None
    support_stage: StageResult | None = None
    answer_stage: StageResult | None = None
    imputation: Imputed | None = None
    here: bool = True
    sentences_read: Callable[[], float | None] | None = None


class System(Protocol):
    """A system and its parameters; it can be sent to another process or machine."""

    @property
    def name(self) -> str:
        """What a table calls it."""
        ...

    @property
    def reads(self) -> bool:
        """Whether it wants its questions annotated."""
        ...

    def reader(self, stages: StoryReader | None) -> StoryReader | None:
        """Return what reads for it, of the stages that there are; None if it wants nothing read."""
        ...

    @property
    def packages(self) -> tuple[str, ...]:
        """Packages whose version can change a score, beside those that everything here needs."""
        ...

    def check(self) -> None:
        """Say now that something is not known or not installed."""
        ...

    def seeded(self, seed: int) -> System:
        """Return the system with another seed."""
        ...

    def to_json(self) -> dict[str, Any]:
        """Return its name and all parameters that can change a score."""
        ...

    def warm_up(self) -> None:
        """Make machine code before the clock starts."""
        ...

    def train(self, asked: Sequence[Any], hear: Hear = None) -> Trained:
        """Learn from questions."""
        ...


@dataclass(frozen=True, slots=True)
class CascadeSystem:
    """Our own, with any settings."""

    settings: Settings = field(default_factory=Settings)

    reads: ClassVar[bool] = True
    packages: ClassVar[tuple[str, ...]] = ()

    @property
    def name(self) -> str:
        """What a table calls it: by its preset."""
        return f"{CASCADE}-{self.settings.preset}"

    def reader(self, stages: StoryReader | None) -> StoryReader | None:
        """Return the stages, replacing the mentions that the settings say."""
        _, mentions = self.settings.looks_at
        return None if stages is None else stages.replacing(mentions)

    def check(self) -> None:
        """Say now that a group, a preset or a learner does not exist."""
        self.settings.check()

    def seeded(self, seed: int) -> CascadeSystem:
        """Return the system with another seed."""
        return replace(self, settings=replace(self.settings, seed=seed))

    def to_json(self) -> dict[str, Any]:
        """Return the settings, with the names of the feature groups that are in use."""
        return {"system": CASCADE, "parameters": self.settings.resolved().to_json()}

    def warm_up(self) -> None:
        """Make the kernels of this preset."""
        warm_up(self.settings.preset, self.settings.supervision)

    def train(self, asked: Sequence[Any], hear: Hear = None) -> Trained:
        """Learn from questions that were read."""
        from babi_cascade.cascade import Cascade

        cascade = Cascade(**asdict(self.settings))
        with stopping_for_good():
            cascade.fit_read(asked)
        return Trained(
            cascade.answer_read,
            True,
            lambda known: cascade.answer_read(known, gold_support=True),
            stage_result(cascade.support_stage_),
            stage_result(cascade.answer_stage_),
            imputed(cascade.imputation_),
        )


@dataclass(frozen=True, slots=True)
class NamedSystem:
    """One of the paper's other systems."""

    name: str
    seed: int = 0

    reads: ClassVar[bool] = False

    def reader(self, stages: StoryReader | None) -> StoryReader | None:
        """Return nothing: it learns from the words as they were told."""
        return None

    @property
    def packages(self) -> tuple[str, ...]:
        """What it learns with."""
        return make_system(self.name).packages

    def check(self) -> None:
        """Say now that what it needs is not installed."""
        make_system(self.name)

    def seeded(self, seed: int) -> NamedSystem:
        """Return the system with another seed."""
        return replace(self, seed=seed)

    def to_json(self) -> dict[str, Any]:
        """Return every parameter, those that the name stands for and those that it leaves."""
        params = make_system(self.name, seed=self.seed).get_params()
        del params["progress"]
        return {"system": self.name, "parameters": params}

    def warm_up(self) -> None:
        """Do nothing: there are no kernels."""

    def train(self, asked: Sequence[Any], hear: Hear = None) -> Trained:
        """Learn from questions as they were told."""
        made = make_system(self.name, seed=self.seed, progress=hear)
        made.fit(asked)
        return Trained(made.answer, made.finds_facts)


def system_names() -> tuple[str, ...]:
    """Return all names, in the order of Table 3: weakly supervised, external resources, memory networks."""
    weak = [name for name in SYSTEMS if not name.startswith("memnn")]
    strong = [name for name in SYSTEMS if name.startswith("memnn")]
    return (*weak, *(f"{CASCADE}-{preset}" for preset in PRESETS), *strong)


def system_called(name: str, cost: float | None = None, supervision: Supervision = AUTO) -> System:
    """Return a system by its name; ``cost`` is the C of a cascade, None to choose it.

    The paper's other systems learn from what they learn from, whatever ``supervision`` says.
    """
    if name not in system_names():
        raise UserError(f"system: found {name!r}, expected one of {', '.join(system_names())}")
    if name in SYSTEMS:
        return NamedSystem(name)
    preset = name.removeprefix(f"{CASCADE}-")
    return CascadeSystem(Settings(preset=preset, cost=cost, supervision=supervision))


def systems_called(
    names: str, cost: float | None = None, supervision: Supervision = AUTO
) -> tuple[System, ...]:
    """Read a list of names separated by commas, or "all"; each system comes once, as first named."""
    listed = [name.strip() for name in names.split(",") if name.strip()]
    if ALL in listed:
        listed = [*system_names()]
    if not listed:
        raise UserError(f"system: found none, expected some of {', '.join(system_names())}")
    return tuple(system_called(name, cost, supervision) for name in dict.fromkeys(listed))


def imputed(learned: Imputation | None) -> Imputed | None:
    """Return what a record keeps of facts that were learned from answers."""
    if learned is None:
        return None
    return Imputed(
        learned.n_told, learned.n_imputed, learned.likelihood, learned.explained, learned.held_out
    )


def stage_result(stage: Any) -> StageResult:
    """Return how the training of a stage ended."""
    return StageResult(
        float(stage.cost_), float(stage.gap_), bool(stage.converged_), int(stage.n_features_),
        float(stage.seconds_), float(stage.fitted_.right), int(stage.fitted_.n_held_out),
    )  # fmt: skip


def _tell_compilation(text: str) -> None:
    from babi_cascade.cascade.training import COMPILING

    if text == COMPILING:
        print(text, file=sys.stderr)


@cache
def warm_up(preset: str, supervision: Supervision = AUTO) -> None:
    """Train and ask a cascade about nothing in particular, once in a process for each preset.

    The kernels of the SVM are compiled at their first call and kept on disk; loading them takes a moment too.
    Without this the first task would seem to take longer than it does, and several processes would compile
    the same.
    """
    from babi_cascade.cascade import Cascade
    from babi_cascade.pipeline.stories import Question, Sentence

    facts = tuple(Sentence(line, f"{word} is here.") for line, word in enumerate("abcd", start=1))
    questions = [
        Question(5, f"where is {word}?", answer, (line,), facts)
        for line, (word, answer) in enumerate(zip("abcd", "xyxy", strict=True), start=1)
    ]
    # What contradicts itself needs more passes, and so all kernels.
    questions += [replace(question, answer="x", support=(1,)) for question in questions]
    system = Cascade(preset=preset, supervision=supervision, progress=_tell_compilation)
    with stopping_for_good():
        for cost in (None, 1.0):
            system.set_params(cost=cost).fit(questions)
    system.predict(questions)
