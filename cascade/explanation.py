"""Why a question was answered as it was: what ``explain``, ``ask``, ``serve`` and ``report`` show.

JSON form; what is not known is left out, except ``answer``, which is null where the verdict is "unknown"::

    {"id": "qa1-test-1-3", "line": 3, "question": "Where is she?",
     "expected": "mill", "expected_support": [1],
     "answer": "mill", "best": "mill", "verdict": "sure", "reasons": [],
     "support": [1], "facts": ["Ada went to the mill."], "facts_learned": true,
     "score": 0.8, "margin": 1.1, "support_score": 0.5, "support_margin": 1.0,

     "story": [{"line": 1, "text": "Ada went to the mill.", "chosen": 1, and its reading}, …],
     "reading": {the reading of the question},
     "why": {"support": [GROUP, …], "answer": [GROUP, …]},
     "state": {"says": "…", "stays": [{"entity": "kite", "anchor": "Ada", "line": 1, "until": 4, "why": "…",
                                       "decisive": true}, …]},
     "runner_up": {"support": [2], "score": 0.1, "why": [GROUP, …]},
     "candidates": [{"answer": "mill", "score": 0.8}, …]}

    GROUP {"group": "recency", "weight": 0.4, "features": [{"words": "…", "weight": 0.3}, …],
           "others": {"count": 17, "weight": 0.1}}

``state`` is what the learned state of the world says about the question, and what it had of the story: what
every entity was with or at, since which line and until which, by which learned operation. It is left out
where no state is tracked. The first paragraph of it is the short form. `annotated` says what a reading is.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from babi_cascade.cascade.annotated import AnnotatedSentence, annotate
from babi_cascade.cascade.doubt import Verdict
from babi_cascade.cascade.prediction import Prediction
from babi_cascade.cascade.settings import MOST_FACTS
from babi_cascade.features.support_encoder import FACTS

if TYPE_CHECKING:
    from babi_cascade.cascade.estimator import Cascade
    from babi_cascade.features.world.world import Stay, World
    from babi_cascade.pipeline.read import ReadQuestion

TOP = 5
"""Features of a group that are named to people; the others are summed up."""

DETAILS = ("story", "reading", "why", "candidates", "runner_up", "state")
"""What the short form leaves out."""

Record = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Contribution:
    """One feature's part of a score, in words."""

    group: str
    words: str
    weight: float


@dataclass(frozen=True, slots=True)
class GroupShare:
    """A feature group's part of a score, and the features it consists of, weightiest first."""

    name: str
    weight: float
    parts: tuple[Contribution, ...]

    def to_json(self, top: int | None = None) -> Record:
        """Return the JSON form; with ``top`` only so many features are named and the others summed up."""
        record: Record = {
            "group": self.name,
            "weight": _figure(self.weight, top),
            "features": [
                {"words": part.words, "weight": _figure(part.weight, top)}
                for part in self.parts[:top]
            ],
        }
        others = () if top is None else self.parts[top:]
        if others:
            weight = _figure(sum(part.weight for part in others), top)
            record["others"] = {"count": len(others), "weight": weight}
        return record


@dataclass(frozen=True, slots=True)
class RunnerUp:
    """The second best choice of facts: line numbers, score, and the features that add up to it."""

    support: tuple[int, ...]
    score: float
    contributions: tuple[Contribution, ...]


@dataclass(frozen=True, slots=True)
class Candidate:
    """What could have been answered, and its score; ``part`` of the answer where it has several."""

    answer: str
    score: float
    part: str = ""


@dataclass(frozen=True, slots=True)
class Tracked:
    """What the state of the world says about a question, and every pointer of the story."""

    says: str
    stays: tuple[Stay, ...]
    decisive: frozenset[int]
    lines: tuple[int, ...]

    def to_json(self) -> Record:
        """Return the JSON form."""
        stays = [
            {
                "entity": stay.entity,
                "anchor": stay.anchor,
                "line": self.lines[stay.begins],
                "until": None if stay.ends is None else self.lines[stay.ends],
                "why": stay.why,
                "decisive": stay.begins in self.decisive,
            }
            for stay in self.stays
        ]
        return {"says": self.says, "stays": stays}


@dataclass(frozen=True, slots=True, repr=False)
class Explanation:
    """A question, how it was read, how it was answered, and why.

    Attributes
    ----------
    asked : the question as the cascade saw it; its ``source`` is the question as it was given
    prediction : the best answer with its facts, and how sure it is
    support, answer : the features behind both choices, weightiest first; each list adds up to its score
    runner_up : the second best choice of facts, None if there is none
    candidates : the answers that were compared, the best first
    facts, question : the sentences of the story and the question, with what the reading stages made of them
    state : what the state of the world says, None if none is tracked
    """

    asked: ReadQuestion
    prediction: Prediction
    support: tuple[Contribution, ...]
    answer: tuple[Contribution, ...]
    runner_up: RunnerUp | None
    candidates: tuple[Candidate, ...]
    facts: tuple[AnnotatedSentence, ...]
    question: AnnotatedSentence
    state: Tracked | None = None

    def __repr__(self) -> str:
        said = self.prediction
        return (
            f"<Explanation: {self.asked.source.text!r}, {said.answer!r} ({self.verdict.level}), facts "
            f"{list(said.support)}; to_json() has everything>"
        )

    @property
    def verdict(self) -> Verdict:
        """How sure the best answer is, with the doubts in words."""
        assert self.prediction.verdict is not None
        return self.prediction.verdict

    @property
    def reply(self) -> str | None:
        """The answer that may be given, None where it is not known what is asked."""
        return self.prediction.answer if self.verdict.known else None

    @property
    def right(self) -> bool | None:
        """Whether the reply is the expected answer; None if none is expected."""
        expected = self.asked.source.answer
        return None if expected is None else self.reply == expected

    @property
    def chosen(self) -> tuple[AnnotatedSentence, ...]:
        """The chosen facts, in the order in which they were chosen."""
        by_line = {fact.line: fact for fact in self.facts}
        return tuple(by_line[line] for line in self.prediction.support)

    @property
    def other_candidates(self) -> tuple[Candidate, ...]:
        """The candidates less the answer itself; parts of an answer are all among them."""
        best = self.prediction.answer
        return tuple(each for each in self.candidates if each.part or each.answer != best)

    def to_json(self, *, short: bool = False, top: int | None = None) -> Record:
        """Return the JSON form.

        ``short`` leaves out story and reasons. ``top`` is for pages: so many features of each group, the
        others summed up, and no more digits than anybody reads; without it all features with all digits.
        """
        source, found = self.asked.source, self.prediction.to_json()
        record: Record = {
            "id": found.pop("id", None),
            "line": source.line,
            "question": source.text,
            "expected": source.answer,
            "expected_support": None if source.support is None else list(source.support),
            "answer": self.reply,
            "best": found.pop("answer", None),
            "verdict": found.pop("verdict"),
            "reasons": found.pop("reasons", []),
            "support": found.pop("support"),
            "facts": [fact.text for fact in self.chosen],
            "facts_learned": found.pop("facts_learned", None),
            **found,
        }
        record = {
            name: value for name, value in record.items() if value is not None or name == "answer"
        }
        if short:
            return record
        order = {line: place for place, line in enumerate(self.prediction.support, start=1)}
        story = [
            fact.to_json() | ({"chosen": order[fact.line]} if fact.line in order else {})
            for fact in self.facts
        ]
        record |= {
            "story": story,
            "reading": self.question.reading(),
            "why": {"support": _why(self.support, top), "answer": _why(self.answer, top)},
            "candidates": [
                {"answer": each.answer, "score": _figure(each.score, top)}
                | ({"part": each.part} if each.part else {})
                for each in self.candidates
            ],
        }
        if self.state is not None:
            record["state"] = self.state.to_json()
        second = self.runner_up
        if second is not None:
            record["runner_up"] = {
                "support": list(second.support),
                "score": _figure(second.score, top),
                "why": _why(second.contributions, top),
            }
        return record


def explain(cascade: Cascade, asked: ReadQuestion) -> Explanation:
    """Answer a question that was read, and say why."""
    (prediction,) = cascade.judged([asked])
    lines = [fact.line for fact in asked.source.facts]
    positions = tuple(lines.index(line) for line in prediction.support)
    support_stage, answer_stage = cascade.support_stage_, cascade.answer_stage_
    second = support_stage.runner_up(asked)
    runner_up = None
    if second is not None:
        facts = tuple(lines[i] for i in second.positions)
        parts = support_stage.explain(asked, second.positions)
        runner_up = RunnerUp(facts, second.score, _contributions(parts, facts))
    support = support_stage.explain(asked, positions)
    answer = _contributions(
        answer_stage.explain(asked, positions, prediction.answer), prediction.support
    )
    *story, question = annotate(cascade, asked)
    return Explanation(
        asked=asked,
        prediction=prediction,
        support=_contributions(support, prediction.support),
        answer=answer,
        runner_up=runner_up,
        candidates=tuple(Candidate(*each) for each in answer_stage.candidates(asked, positions)),
        facts=tuple(story),
        question=question,
        state=_tracked(support_stage.encoder.world, asked, lines),
    )


def _tracked(world: World | None, asked: ReadQuestion, lines: Sequence[int]) -> Tracked | None:
    if world is None:
        return None
    said = world.says(asked)
    decisive = frozenset() if said is None else frozenset(position for position, _ in said.made)
    says = "" if said is None else said.in_words
    return Tracked(says, world.stays(asked), decisive, tuple(lines))


def by_group(parts: Sequence[Contribution]) -> list[GroupShare]:
    """Return the shares of the groups, the weightiest first."""
    groups: dict[str, list[Contribution]] = {}
    for part in parts:
        groups.setdefault(part.group, []).append(part)
    shares = [
        GroupShare(name, sum(part.weight for part in own), tuple(own))
        for name, own in groups.items()
    ]
    return sorted(shares, key=lambda share: (-abs(share.weight), share.name))


def _figure(value: float, top: int | None) -> float:
    return value if top is None else round(value, 6)


def _why(parts: Sequence[Contribution], top: int | None) -> list[Record]:
    return [share.to_json(top) for share in by_group(parts)]


def _contributions(
    parts: list[tuple[str, str, float]], facts: Sequence[int]
) -> tuple[Contribution, ...]:
    """Order features by their weight; those that say the same are added up.

    A fact is called by its line, "fact 7", not by its slot.
    """
    named = [
        (f"the {slot}", f"fact {line}")
        for slot, line in zip(FACTS[:MOST_FACTS], facts, strict=False)
    ]
    found: dict[tuple[str, str], float] = {}
    for group, words, weight in parts:
        for slot, name in named:
            words = words.replace(slot, name)
        found[group, words] = found.get((group, words), 0.0) + weight
    ordered = sorted(found.items(), key=lambda part: (-abs(part[1]), part[0]))
    return tuple(Contribution(group, words, weight) for (group, words), weight in ordered)
