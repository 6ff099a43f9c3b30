"""The feature groups by name, and the presets. A new group is one file and one line here."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from features.group import AttributeGroup, DifferenceGroup
from features.pair_distance import PairDistance
from features.pair_order import PairOrder
from features.question_words import QuestionWords
from features.verb_argument_pairs import VerbArgumentPairs
from features.verb_pairs import VerbPairs
from features.word_pairs import WordPairs

Group = AttributeGroup | DifferenceGroup | QuestionWords

SUPPORT_GROUPS: dict[str, Callable[[], AttributeGroup | DifferenceGroup]] = {
    "word-pairs": WordPairs,
    "pair-distance": PairDistance,
    "pair-order": PairOrder,
    "verb-pairs": VerbPairs,
    "verb-argument-pairs": VerbArgumentPairs,
}
"""How a supporting fact is recognised."""

ANSWER_GROUPS: dict[str, Callable[[], AttributeGroup | QuestionWords]] = {
    "answer-question-words": QuestionWords,
    "answer-word-pairs": WordPairs,
    "answer-verb-pairs": VerbPairs,
    "answer-verb-argument-pairs": VerbArgumentPairs,
}
"""How an answer is recognised, each conjoined with the answer."""

PRESETS: dict[str, tuple[str, ...]] = {"paper": (*SUPPORT_GROUPS, *ANSWER_GROUPS)}


class FeatureError(ValueError):
    """A feature group or preset that is not there; the text lists those that are."""


@dataclass(frozen=True, slots=True)
class Chosen:
    """The groups of a run, by stage, in the order of the registry."""

    support: tuple[str, ...]
    answer: tuple[str, ...]

    @property
    def names(self) -> tuple[str, ...]:
        """All names, support stage first."""
        return self.support + self.answer


def choose(
    preset: str = "paper", features: Sequence[str] | None = None, without: Sequence[str] = ()
) -> Chosen:
    """Return the groups of a preset, or only ``features``, less those of ``without``.

    A name of the support stage also stands for the same group of the answer stage only where it is
    written with ``answer-``. At least one group must be left in each stage.
    """
    if preset not in PRESETS:
        raise FeatureError(f"preset: found {preset!r}, expected one of {', '.join(PRESETS)}")
    known = (*SUPPORT_GROUPS, *ANSWER_GROUPS)
    for name in (*(features or ()), *without):
        if name not in known:
            raise FeatureError(f"feature group: found {name!r}, expected one of {', '.join(known)}")
    kept = [
        name for name in (PRESETS[preset] if features is None else features) if name not in without
    ]
    support = tuple(name for name in SUPPORT_GROUPS if name in kept)
    answer = tuple(name for name in ANSWER_GROUPS if name in kept)
    for stage, names, every in (
        ("support", support, SUPPORT_GROUPS), ("answer", answer, ANSWER_GROUPS),
    ):  # fmt: skip
        if not names:
            raise FeatureError(
                f"no feature group is left for the {stage} stage; keep one of {', '.join(every)}"
            )
    return Chosen(support, answer)
