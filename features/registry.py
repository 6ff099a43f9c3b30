"""The feature groups by name, and the presets. A new group is one file and one line here."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from babi_cascade.errors import UserError
from babi_cascade.features.adjacency import Adjacency
from babi_cascade.features.answer_case import ContextGroup, CopyGroup
from babi_cascade.features.answer_fillers import AnswerFillers
from babi_cascade.features.copying import Copying
from babi_cascade.features.extended_group import SelectionGroup
from babi_cascade.features.group import AttributeGroup, DifferenceGroup
from babi_cascade.features.identity import FactPairs, Identity
from babi_cascade.features.last_mentions import LastMentions
from babi_cascade.features.length import LengthBias
from babi_cascade.features.nearest import Nearest
from babi_cascade.features.pair_distance import PairDistance
from babi_cascade.features.pair_order import PairOrder
from babi_cascade.features.presets import DEFAULT_PRESET, EXTENDED, PAPER
from babi_cascade.features.question_words import QuestionWords
from babi_cascade.features.recency import Recency
from babi_cascade.features.role_agnostic import RoleAgnostic
from babi_cascade.features.role_signature import RoleSignature
from babi_cascade.features.times import Times
from babi_cascade.features.verb_argument_pairs import VerbArgumentPairs
from babi_cascade.features.verb_pairs import VerbPairs
from babi_cascade.features.word_pairs import WordPairs

Group = AttributeGroup | DifferenceGroup | QuestionWords | SelectionGroup | ContextGroup | CopyGroup

PAPER_SUPPORT: dict[str, Callable[[], AttributeGroup | DifferenceGroup]] = {
    "word-pairs": WordPairs,
    "pair-distance": PairDistance,
    "pair-order": PairOrder,
    "verb-pairs": VerbPairs,
    "verb-argument-pairs": VerbArgumentPairs,
}
"""How a supporting fact is recognised in appendix B: attributes of two sentences, pair by pair."""

PAPER_ANSWER: dict[str, Callable[[], AttributeGroup | QuestionWords]] = {
    "answer-question-words": QuestionWords,
    "answer-word-pairs": WordPairs,
    "answer-verb-pairs": VerbPairs,
    "answer-verb-argument-pairs": VerbArgumentPairs,
}
"""How an answer is recognised in appendix B, each conjoined with the answer."""

EXTENDED_SUPPORT: dict[str, Callable[[], SelectionGroup]] = {
    "role-signature": RoleSignature,
    "recency": Recency,
    "nearest": Nearest,
    "role-agnostic": RoleAgnostic,
    "times": Times,
    "adjacency": Adjacency,
    "length": LengthBias,
}
"""How a supporting fact is recognised by who is who in it and by what came later."""

EXTENDED_ANSWER: dict[str, Callable[[], ContextGroup | CopyGroup]] = {
    "answer-copy": Copying,
    "answer-identity": Identity,
    "answer-fact-pairs": FactPairs,
    "answer-fillers": AnswerFillers,
    "answer-last-mentions": LastMentions,
}
"""How an answer is recognised by where it stands in the facts, and by what these say."""


@dataclass(frozen=True, slots=True)
class Preset:
    """The groups of the two stages, and what the preset is."""

    description: str
    support: Mapping[str, Callable[[], Any]]
    answer: Mapping[str, Callable[[], Any]]


PRESETS: dict[str, Preset] = {
    EXTENDED: Preset("role equality, recency, copying: passes all tasks", EXTENDED_SUPPORT,
                     EXTENDED_ANSWER),
    PAPER: Preset("the groups of appendix B", PAPER_SUPPORT, PAPER_ANSWER),
}  # fmt: skip


class FeatureError(UserError):
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
    preset: str = DEFAULT_PRESET,
    features: Sequence[str] | None = None,
    without: Sequence[str] = (),
) -> Chosen:
    """Return the groups of a preset, or only ``features`` of them, less those of ``without``.

    A name of the support stage also stands for the same group of the answer stage only where it is
    written with ``answer-``. At least one group must be left in each stage.
    """
    if preset not in PRESETS:
        raise FeatureError(f"preset: found {preset!r}, expected one of {', '.join(PRESETS)}")
    stages = PRESETS[preset]
    known = (*stages.support, *stages.answer)
    for name in (*(features or ()), *without):
        if name not in known:
            others = [p for p, other in PRESETS.items() if name in (*other.support, *other.answer)]
            hint = f"; it is a group of the preset {others[0]}" if others else ""
            raise FeatureError(
                f"feature group: found {name!r}, expected one of {', '.join(known)} "
                f"(preset {preset}){hint}"
            )
    kept = [name for name in (known if features is None else features) if name not in without]
    support = tuple(name for name in stages.support if name in kept)
    answer = tuple(name for name in stages.answer if name in kept)
    for stage, names, every in (
        ("support", support, stages.support), ("answer", answer, stages.answer),
    ):  # fmt: skip
        if not names:
            raise FeatureError(
                f"no feature group is left for the {stage} stage; keep one of {', '.join(every)}"
            )
    return Chosen(support, answer)
