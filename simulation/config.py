"""Tasks without code: a TOML file that says what happens, what is asked and how many facts it takes.

A task is either put together from actions and questions::

    name = "gifts-and-places"
    actions = ["go", "get", "drop", "give"]
    questions = ["where_thing", "who_gave"]       # or a table of weights: { where_thing = 2, who_gave = 1 }
    supporting_facts = [1, 3]                     # or one number
    distractors = 1
    languages = ["en", "hn"]

    [told]                                        # how moves are told, as shares of all moves
    pronoun = 0.3
    together = 0.2

or is one of the 20 with other numbers::

    name = "longer-paths"
    like = "path-finding"
    supporting_facts = 3
    places = 9
"""

from __future__ import annotations

import copy
import re
from collections.abc import Mapping
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

from babi_cascade.simulation.errors import SimulationError
from babi_cascade.simulation.lexicon_file import read_toml, refuse_unknown_keys
from babi_cascade.simulation.setting import Knobs
from babi_cascade.simulation.tasks import TASKS
from babi_cascade.simulation.tasks.base import Task
from babi_cascade.simulation.tasks.composed import (
    ABOUT_THINGS,
    GIFTS,
    KINDS,
    MORE_KINDS,
    WAYS,
    ComposedTask,
    Telling,
)
from babi_cascade.simulation.tasks.path_finding import PathFinding
from babi_cascade.simulation.tasks.size_reasoning import LongChains, SizeReasoning
from babi_cascade.simulation.telling import LANGUAGES

ACTIONS = ("go", "get", "drop", "give")
KNOBS = (
    "people", "places", "things", "questions_per_story", "statements_per_question", "distractors",
    "distance", "synonyms", "descriptions", "introductions", "pronoun_distance",
)  # fmt: skip
COMMON = ("name", "number", "languages", "supporting_facts", *KNOBS)
ONLY_COMPOSED = ("actions", "questions", "told", "there")


@dataclass(frozen=True)
class Config:
    """A task of a user's own, the languages it is told in, and its knobs."""

    task: Task
    languages: tuple[str, ...]
    knobs: Knobs
    table: Mapping[str, Any]


def load_config(path: Path) -> Config:
    """Read a task from a TOML file; whatever is wrong with it is said with the key."""
    table = read_toml(path)
    refuse_unknown_keys(table, (*COMMON, *ONLY_COMPOSED, "like"), str(path))
    reader = Reader(path, table)
    name = reader.text("name", r"[a-z0-9]+(-[a-z0-9]+)*", "small letters, digits and hyphens")
    number = reader.whole("number", 21, 9999) or 21
    languages = reader.choices("languages", LANGUAGES, ("en",))
    knobs = Knobs(**reader.knobs())
    task = varied_task(reader, name) if "like" in table else composed_task(reader, name)
    task.number = number
    return Config(task, languages, knobs, table)


def composed_task(reader: Reader, name: str) -> ComposedTask:
    """Put a task together."""
    for key in ("actions", "questions"):
        if key not in reader.table:
            raise reader.error(key, "is missing; a task needs actions and questions, or like")
    actions = reader.choices("actions", ACTIONS, ())
    if "go" not in actions:
        raise reader.error("actions", "lacks 'go', without which nobody's place is ever told")
    for action, needed in (("drop", "get"), ("give", "get")):
        if action in actions and needed not in actions:
            raise reader.error(
                "actions", f"has {action!r} without {needed!r}: nobody ever has a thing"
            )
    questions = reader.weights("questions", (*KINDS, *MORE_KINDS))
    for kind in questions:
        needs = (
            "give"
            if kind in GIFTS
            else "get"
            if kind in ABOUT_THINGS or "carried" in kind
            else "go"
        )
        if needs not in actions:
            raise reader.error(
                "questions", f"has {kind!r}, which never arises without the action {needs!r}"
            )
    least, most = reader.span("supporting_facts", (1, 1000))
    task = ComposedTask(
        name=name,
        actions=actions,
        questions=questions,
        least_support=least,
        most_support=most,
        telling=Telling(**reader.shares("told", tuple(f.name for f in fields(Telling)))),
        there_share=reader.shares("there", ("get", "drop")),
    )
    special = task.telling
    if sum(getattr(special, way) for way in WAYS) > 1 + 1e-9:
        raise reader.error("told", f"has shares of {', '.join(WAYS)} that exceed 1 in all")
    return task


def varied_task(reader: Reader, name: str) -> Task:
    """Take one of the 20 tasks with other numbers."""
    known = {task.name: task for task in TASKS.values()}
    like = reader.table["like"]
    if not isinstance(like, str) or like not in known:
        raise reader.error("like", f"is {like!r}, expected one of {', '.join(known)}")
    for key in ONLY_COMPOSED:
        if key in reader.table:
            raise reader.error(key, "cannot be given together with like")
    base = known[like]
    task = copy.copy(base)
    if "supporting_facts" in reader.table:
        count = reader.whole("supporting_facts", 1, 20) or 1
        if isinstance(task, PathFinding):
            task.steps = count
        elif isinstance(task, SizeReasoning):
            if count != 2:
                task = LongChains()
                task.chain = count
        else:
            raise reader.error("supporting_facts", f"cannot be {count} in a task like {like!r}")
    for key in KNOBS:
        means = task.knobs | {"distractors", "synonyms"}
        if "people" in task.knobs:
            means |= {"descriptions", "introductions"}
        if key in reader.table and key not in means:
            raise reader.error(key, f"means nothing to a task like {like!r}")
    task.name = name
    task.lexicon_key = str(base.number)
    return task


class Reader:
    """Takes typed values out of a table and says which key is wrong."""

    def __init__(self, path: Path, table: Mapping[str, Any]) -> None:
        self.path = path
        self.table = table

    def error(self, key: str, what: str) -> SimulationError:
        """Return the error for a key."""
        return SimulationError(f"{self.path}: {key} {what}")

    def text(self, key: str, pattern: str, expected: str) -> str:
        """Return a text that must be there and match."""
        value = self.table.get(key)
        if not isinstance(value, str) or not re.fullmatch(pattern, value) or len(value) > 60:
            found = "is missing" if value is None else f"is {value!r}"
            raise self.error(key, f"{found}, expected {expected}")
        return value

    def whole(self, key: str, least: int, most: int) -> int | None:
        """Return a whole number in a range, or None when it is not given."""
        value = self.table.get(key)
        if value is None:
            return None
        if not isinstance(value, int) or isinstance(value, bool) or not least <= value <= most:
            raise self.error(key, f"is {value!r}, expected a whole number from {least} to {most}")
        return value

    def span(self, key: str, default: tuple[int, int], most: int = 10_000) -> tuple[int, int]:
        """Return one whole number or two as a range."""
        value = self.table.get(key)
        if value is None:
            return default
        pair = value if isinstance(value, list) else [value, value]
        numbers = all(isinstance(n, int) and not isinstance(n, bool) and n >= 1 for n in pair)
        if len(pair) != 2 or not numbers or pair[0] > pair[1] or pair[1] > most:
            raise self.error(
                key, f"is {value!r}, expected a number or [smallest, largest], from 1 to {most}"
            )
        return pair[0], pair[1]

    def choices(
        self, key: str, allowed: tuple[str, ...], default: tuple[str, ...]
    ) -> tuple[str, ...]:
        """Return a list of different words out of those allowed."""
        value = self.table.get(key)
        if value is None:
            return default
        if not isinstance(value, list) or not value:
            raise self.error(key, f"is {value!r}, expected a list out of {', '.join(allowed)}")
        for item in value:
            if item not in allowed:
                raise self.error(key, f"has {item!r}, expected one of {', '.join(allowed)}")
        return tuple(dict.fromkeys(value))

    def weights(self, key: str, allowed: tuple[str, ...]) -> dict[str, float]:
        """Return weights, from a list (all equal) or a table."""
        value = self.table.get(key)
        if isinstance(value, Mapping):
            self.choices_of(key, list(value), allowed)
            for item, weight in value.items():
                if not self._is_share(weight, 1e6) or not weight:
                    raise self.error(f"{key}.{item}", f"is {weight!r}, expected a weight above 0")
            if value:
                return {item: float(weight) for item, weight in value.items()}
        return dict.fromkeys(self.choices(key, allowed, ()), 1.0)

    def choices_of(self, key: str, names: list[str], allowed: tuple[str, ...]) -> None:
        """Refuse names that are not allowed."""
        for name in names:
            if name not in allowed:
                raise self.error(key, f"has {name!r}, expected one of {', '.join(allowed)}")

    def shares(self, key: str, allowed: tuple[str, ...]) -> dict[str, float]:
        """Return a table of shares between 0 and 1."""
        value = self.table.get(key, {})
        if not isinstance(value, Mapping):
            raise self.error(key, f"is {value!r}, expected a table of {', '.join(allowed)}")
        self.choices_of(key, list(value), allowed)
        for name, share in value.items():
            if not self._is_share(share, 1):
                raise self.error(f"{key}.{name}", f"is {share!r}, expected a number from 0 to 1")
        return {name: float(share) for name, share in value.items()}

    def knobs(self) -> dict[str, Any]:
        """Return the knobs that are given."""
        limits = {
            "people": (2, 1000),
            "places": (3, 1000),
            "things": (1, 10),
            "distractors": (0, 10_000),
        }
        given: dict[str, Any] = {}
        for key in KNOBS:
            if key not in self.table:
                continue
            if key == "distance":
                given[key] = self.span(key, (1, 5))
            elif key == "pronoun_distance":
                given[key] = self.span(key, (1, 1), 100)
            elif key == "descriptions":
                if not self._is_share(self.table[key], 1):
                    raise self.error(key, f"is {self.table[key]!r}, expected a number from 0 to 1")
                given[key] = float(self.table[key])
            elif key in ("synonyms", "introductions"):
                if not isinstance(self.table[key], bool):
                    raise self.error(key, f"is {self.table[key]!r}, expected true or false")
                given[key] = self.table[key]
            else:
                given[key] = self.whole(key, *limits.get(key, (1, 10_000)))
        return given

    @staticmethod
    def _is_share(value: object, most: float) -> bool:
        return (
            isinstance(value, (int, float)) and not isinstance(value, bool) and 0 <= value <= most
        )
