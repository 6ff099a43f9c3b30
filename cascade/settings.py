"""The settings of a cascade: the one place where they stand.

The parameters of `Cascade`, the options of the commands, the model file, the record of a result and its
signature are all made from this class. It is imported to show the help of a command, so it imports
nothing heavy.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import Field, dataclass, field, fields, replace
from typing import TYPE_CHECKING, Any, Literal

from babi_cascade.errors import UserError
from babi_cascade.features.presets import (
    DEFAULT_PRESET,
    LOOKS_AT,
    REPLACED,
    ROLES,
    STATE_GROUPS,
    Mentions,
    Roles,
)

if TYPE_CHECKING:
    from babi_cascade.features.registry import Chosen

OWN = "bcfw"
"""The learner that is ours."""

MOST_FACTS = 3
"""What ``max_facts`` can be; more facts are a chain, which training decides about."""

State = Literal["learned", "none"]
"""Whether the state of the world is tracked."""

LEARNED: State = "learned"
NO_STATE: State = "none"

Supervision = Literal["auto", "facts", "answers"]
"""What training learns the supporting facts from."""

AUTO: Supervision = "auto"
FACTS: Supervision = "facts"
ANSWERS: Supervision = "answers"
SUPERVISION = (AUTO, FACTS, ANSWERS)

CHOICES: dict[str, tuple[str, ...]] = {
    "roles": ROLES,
    "replace": REPLACED,
    "supervision": SUPERVISION,
    "state": (LEARNED, NO_STATE),
}
"""The settings that are one of a few words."""

HELP = "help"
"""Where a setting says what it does, in the words of a command's option; one that does not has no option."""


class SettingsError(UserError):
    """Settings that there are none of, or that do not fit together."""


@dataclass(frozen=True, slots=True)
class Settings:
    """What a user chooses about the system that learns.

    Parameters
    ----------
    preset : which feature groups; "extended" looks at who is who, "paper" has those of appendix B,
        "paper-plus" has them with more of what the tree says
    features : these groups instead of the preset's; with "+" before its name, a group is added to them
    without : less these groups
    roles : what an argument is told with: "propbank", the role of the labeller; "relations", how it hangs on
        its predicate in the tree; "none"; None for what the preset looks at
    replace : which mentions give way to the first mention of their entity before roles are labelled:
        "pronouns" or "all"; None for those of the preset
    learner : "bcfw" (our own), or one of those that `svm.external` names
    supervision : "auto" uses the supporting facts that training questions name and learns the others from the
        answers; "facts" wants every question to name them; "answers" looks at none
    state : "learned" lets the groups "state" and "answer-state" look at a state of the world whose rules are
        learned from the answers; "none" leaves them out
    cost : the C of both stages; None lets the program choose it on held-out training stories
    gap : relative duality gap at which training stops
    max_facts : at most so many facts are selected; None lets the groups decide
    seed : order of the training examples and choice of the held-out stories
    """

    preset: str = field(
        default=DEFAULT_PRESET,
        metadata={
            HELP: "A choice of feature groups: extended, paper (those of appendix B) or paper-plus."
        },
    )
    features: tuple[str, ...] | None = field(
        default=None,
        metadata={HELP: "These feature groups instead, e.g. a,b; +a adds one to the preset."},
    )
    without: tuple[str, ...] = field(default=(), metadata={HELP: "Less these feature groups."})
    roles: Roles | None = field(
        default=None,
        metadata={
            HELP: "What an argument is told with: propbank (the labeller's role), relations (of the tree) or "
            "none.  [default: propbank for paper, else relations]"
        },
    )
    replace: Mentions | None = field(
        default=None,
        metadata={
            HELP: "Which mentions the first one of their entity replaces: pronouns or all.  "
            "[default: all for paper, else pronouns]"
        },
    )
    learner: str = field(
        default=OWN,
        metadata={
            HELP: f"What solves the SVMs: {OWN} (ours), pystruct-oneslack, pystruct-frankwolfe, "
            "pystruct-subgradient or dlib."
        },
    )
    supervision: Supervision = field(
        default=AUTO,
        metadata={
            HELP: "What supporting facts are learned from: facts (every training question names them), "
            "answers (labels are not looked at), or auto (labels where they are, answers elsewhere)."
        },
    )
    state: State = field(
        default=LEARNED,
        metadata={
            HELP: "learned: who is where and has what is tracked, by rules learned from the answers; or none."
        },
    )
    max_facts: int | None = field(
        default=None,
        metadata={
            HELP: f"At most so many facts are selected; {MOST_FACTS} is the paper's limit.  "
            "[default: learned]"
        },
    )
    cost: float | None = field(
        default=None,
        metadata={HELP: "C of both stages.  [default: chosen on held-out training stories]"},
    )
    gap: float = 1e-3
    seed: int = 0

    @property
    def groups(self) -> Chosen:
        """The feature groups that are in use."""
        from babi_cascade.features.registry import choose

        chosen = choose(self.preset, self.features, self.without)
        if self.state == LEARNED or not set(STATE_GROUPS) & set(chosen.names):
            return chosen
        return choose(features=[name for name in chosen.names if name not in STATE_GROUPS])

    @property
    def looks_at(self) -> tuple[Roles, Mentions]:
        """What arguments are told with, and which mentions are replaced."""
        roles, mentions = LOOKS_AT[self.preset]
        return self.roles or roles, self.replace or mentions

    def resolved(self) -> Settings:
        """Return the same settings with all that the preset decides written out."""
        groups = self.groups.names
        roles, mentions = self.looks_at
        return replace(self, features=groups, without=(), roles=roles, replace=mentions)

    def check(self) -> None:
        """Say now rather than after an hour of other work that something chosen does not exist.

        What the user named may be in another package; settings from a file should have their `groups` looked
        up first, which lets nobody join.
        """
        from babi_cascade.features.registry import join

        Settings.from_json(self.to_json())
        for name in (*(self.features or ()), *self.without):
            join(name.removeprefix("+"))
        _ = self.groups
        if self.learner != OWN:
            from babi_cascade.svm.errors import SvmError
            from babi_cascade.svm.external import external_learner

            try:
                external_learner(self.learner).check()
            except SvmError as error:
                raise SettingsError(f"--learner: {error}; our own is {OWN}") from error

    def to_json(self) -> dict[str, Any]:
        """Return the JSON form."""
        every = {each.name: getattr(self, each.name) for each in fields(self)}
        return {k: list(v) if isinstance(v, tuple) else v for k, v in every.items()}

    @classmethod
    def from_json(cls, record: Any) -> Settings:
        """Read the JSON form; whatever is of another kind than it should be is refused."""
        every = {each.name: each for each in fields(cls)}
        if not isinstance(record, Mapping) or set(record) != set(every):
            found = sorted(map(str, record)) if isinstance(record, Mapping) else []
            raise SettingsError(
                f"found the settings {', '.join(found)[:200]!a}, expected {', '.join(every)}"
            )
        for name, value in record.items():
            if not _fits(every[name], value):
                raise SettingsError(
                    f"{name}: found {value!r:.40}, expected {_expected(every[name])}"
                )
        given: dict[str, Any] = {
            k: tuple(v) if isinstance(v, list) else v for k, v in record.items()
        }
        return cls(**given)


def _expected(setting: Field[Any]) -> str:
    kind, _, none = str(setting.type).partition(" | ")
    said = "a number above 0" if kind == "float" else _WORDS.get(kind, kind)
    if setting.name in CHOICES:
        said = f"one of {', '.join(CHOICES[setting.name])}"
    if setting.name == "max_facts":
        said = f"1 to {MOST_FACTS}"
    return f"{said}, or None" if none else said


_WORDS = {"str": "a text", "int": "a whole number", "tuple[str, ...]": "a list of names"}


def _fits(setting: Field[Any], value: Any) -> bool:
    kind = str(setting.type)
    if value is None:
        return kind.endswith("| None")
    if setting.name in CHOICES:
        return value in CHOICES[setting.name]
    if kind.startswith("tuple"):
        return isinstance(value, list) and all(isinstance(each, str) for each in value)
    if setting.name == "max_facts":
        return type(value) is int and 1 <= value <= MOST_FACTS
    if kind.startswith("float"):
        # A whole number of hundreds of digits has no place in a float.
        good = type(value) is int or (type(value) is float and math.isfinite(value))
        return good and 0 < value < 2**53
    return type(value).__name__ == kind
