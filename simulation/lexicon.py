"""The words of a language: entities and their forms, casts, templates; and a user's own words.

A lexicon is a TOML file (``data/lexicons/en.toml`` explains the format). ``Lexicon.for_task`` applies
what a task says differently; ``Lexicon.with_words`` replaces names, places, things or verbs by those of
a user's file, so that a model can be tested on words it never saw.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from importlib import resources
from pathlib import Path
from typing import Any

from simulation.errors import SimulationError

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

ENTITY_KINDS = (
    "people", "rooms", "things", "animals", "species", "colours",
    "shapes", "boxes", "states", "times", "values",
)  # fmt: skip
PHRASE_TABLES = ("groups", "statements", "questions")
TASK_KEYS = ("pad", "casts", "words", *PHRASE_TABLES)

Forms = dict[str, tuple[str, ...]]
"""The forms of one entity: form name → its spellings, all equally likely."""

Phrases = dict[str, dict[str, tuple[str, ...]]]
"""Templates or group phrases: name → agreement ("f", "m", "pl", or "" for all) → alternatives."""


@dataclass(frozen=True)
class Entity:
    """One person, place, thing or value: its kind, its word forms, and its gender if it has one."""

    id: str
    kind: str
    forms: Forms
    gender: str = ""
    room: str = ""
    thing: str = ""


@dataclass(frozen=True)
class Lexicon:
    """Entities, casts and phrases of one language."""

    language: str
    entities: dict[str, Entity]
    casts: dict[str, tuple[str, ...]]
    groups: Phrases
    statements: Phrases
    questions: Phrases
    pad: str = ""
    verb_forms: tuple[str, ...] = ()
    capitals: bool = True
    tasks: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    source: str = "lexicon"

    def of_kind(self, kind: str) -> list[str]:
        """Return the ids of all entities of a kind, those of the standard cast first."""
        cast = self.casts.get(kind, ())
        rest = [e.id for e in self.entities.values() if e.kind == kind and e.id not in cast]
        return [*cast, *rest]

    def for_task(self, key: str) -> Lexicon:
        """Return the lexicon as one task uses it."""
        special = self.tasks.get(key)
        if special is None:
            return self
        where = f"{self.source}: [tasks.{key}]"
        refuse_unknown_keys(special, TASK_KEYS, where)
        entities = dict(self.entities)
        for name, value in special.get("words", {}).items():
            if name not in entities:
                raise SimulationError(
                    f"{where}: words.{name} changes an entity that does not exist"
                )
            old = entities[name]
            forms = forms_of(value, f"{where} words.{name}")
            entities[name] = replace(old, forms={**old.forms, **forms})
        casts = {**self.casts, **casts_of(special.get("casts", {}), entities, where)}
        phrases: dict[str, Any] = {
            table: {
                **getattr(self, table),
                **phrases_of(special.get(table, {}), f"{where} {table}"),
            }
            for table in PHRASE_TABLES
        }
        return replace(
            self, entities=entities, casts=casts, pad=special.get("pad", self.pad), **phrases
        )

    def with_words(self, path: Path) -> Lexicon:
        """Return a lexicon in which the words of a user's file take the place of its own.

        The file may hold lists of ``people``, ``rooms``, ``things``, ``animals``, ``species``,
        ``colours``, ``shapes``, ``boxes``, ``states`` (whole lists are replaced, for every task) and
        tables ``groups``, ``statements``, ``questions`` (single entries are replaced).
        """
        table = read_toml(path)
        lists = tuple(kind for kind in ENTITY_KINDS if kind not in ("times", "values"))
        refuse_unknown_keys(table, (*lists, *PHRASE_TABLES), str(path))
        entities, casts = dict(self.entities), dict(self.casts)
        replaced: set[str] = set()
        for kind in lists:
            if kind not in table:
                continue
            new = entities_of_list(kind, table[kind], str(path))
            entities = {k: e for k, e in entities.items() if e.kind != kind}
            taken = sorted(set(new) & set(entities))
            if taken:
                raise SimulationError(
                    f"{path}: {kind}: the word {taken[0].replace('_', ' ')!r} is already the name of one "
                    f"of the {entities[taken[0]].kind}; expected words that differ from all others"
                )
            entities.update(new)
            replaced.add(kind)
            if kind == "boxes":
                casts["small_boxes"], casts["large_boxes"] = tuple(new)[:2], tuple(new)[2:]
            else:
                casts[kind] = tuple(new)
        phrases: dict[str, Any] = {
            name: {**getattr(self, name), **phrases_of(table.get(name, {}), f"{path}: {name}")}
            for name in PHRASE_TABLES
        }
        unknown = {
            f"{name}.{key}" for name in PHRASE_TABLES for key in table.get(name, {})
            if key not in getattr(self, name)
        }  # fmt: skip
        if unknown:
            raise SimulationError(
                f"{path}: {sorted(unknown)[0]} is no phrase of the language {self.language}"
            )
        tasks = {
            key: {
                part: {k: v for k, v in value.items() if k not in replaced and k in (
                    entities if part == "words" else value)}
                if part in ("casts", "words") else value
                for part, value in special.items()
            }
            for key, special in self.tasks.items()
        }  # fmt: skip
        changed = replace(
            self, entities=entities, casts=casts, tasks=tasks, source=str(path), **phrases
        )
        for key in ("", *tasks):
            check_casts(changed.for_task(key))
        return changed


def load_lexicon(language: str) -> Lexicon:
    """Return a shipped lexicon by the name of its language."""
    shipped = resources.files("data") / "lexicons" / f"{language}.toml"
    if not re.fullmatch(r"[a-z]+", language) or not shipped.is_file():
        known = sorted(
            entry.name[:-5]
            for entry in (resources.files("data") / "lexicons").iterdir()
            if entry.name.endswith(".toml")
        )
        raise SimulationError(f"no language {language!r}; expected one of {', '.join(known)}")
    return lexicon_of(tomllib.loads(shipped.read_text(encoding="utf-8")), f"{language}.toml")


def lexicon_of(table: Mapping[str, Any], source: str) -> Lexicon:
    """Build a lexicon from a parsed file."""
    refuse_unknown_keys(
        table,
        (
            "language",
            "verb_forms",
            "capitals",
            "pad",
            "casts",
            "tasks",
            *ENTITY_KINDS,
            *PHRASE_TABLES,
        ),
        source,
    )
    entities: dict[str, Entity] = {}
    for kind in ENTITY_KINDS:
        for name, value in table.get(kind, {}).items():
            where = f"{source}: {kind}.{name}"
            if name in entities:
                raise SimulationError(
                    f"{where}: the id is taken by one of the {entities[name].kind}"
                )
            entities[name] = entity_of(name, kind, value, where)
    lexicon = Lexicon(
        language=str(table.get("language", source)),
        entities=entities,
        casts=casts_of(table.get("casts", {}), entities, source),
        groups=phrases_of(table.get("groups", {}), f"{source}: groups"),
        statements=phrases_of(table.get("statements", {}), f"{source}: statements"),
        questions=phrases_of(table.get("questions", {}), f"{source}: questions"),
        pad=str(table.get("pad", "")),
        verb_forms=tuple(table.get("verb_forms", ())),
        capitals=bool(table.get("capitals", True)),
        tasks=table.get("tasks", {}),
        source=source,
    )
    for key in ("", *lexicon.tasks):
        check_casts(lexicon.for_task(key))
    return lexicon


def read_toml(path: Path) -> dict[str, Any]:
    """Read a user's TOML file; whatever is wrong with it becomes one clear line."""
    try:
        table: dict[str, Any] = tomllib.loads(path.read_text(encoding="utf-8-sig"))
        return table
    except OSError as error:
        raise SimulationError(f"{path}: cannot be read: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise SimulationError(f"{path}: not UTF-8 text at byte {error.start}") from error
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise SimulationError(f"{path}: not a TOML file: {error}") from error


def refuse_unknown_keys(table: object, known: tuple[str, ...], where: str) -> None:
    """Refuse a table that is none, or a key that nobody reads (it is nearly always a typing error)."""
    if not isinstance(table, Mapping):
        raise SimulationError(f"{where}: found {type(table).__name__}, expected a table")
    for key in table:
        if key not in known:
            raise SimulationError(
                f"{where}: unknown key {key!r}; expected one of {', '.join(known)}"
            )


def entity_of(name: str, kind: str, value: object, where: str) -> Entity:
    """Build one entity from its word or its table of forms."""
    table = {"word": value} if isinstance(value, (str, list)) else value
    if not isinstance(table, Mapping) or "word" not in table:
        raise SimulationError(f"{where}: found {value!r}, expected a word or a table with `word`")
    special = {key: str(table[key]) for key in ("gender", "room", "thing") if key in table}
    if special.get("gender", "f") not in ("f", "m"):
        raise SimulationError(f"{where}: gender is {special['gender']!r}, expected 'f' or 'm'")
    if kind == "people" and "gender" not in special:
        raise SimulationError(f"{where}: a person needs a gender, 'f' or 'm'")
    if kind == "states" and not {"room", "thing"} <= special.keys():
        raise SimulationError(
            f"{where}: a state needs a `room` to go to and a `thing` to get there"
        )
    forms = forms_of({key: v for key, v in table.items() if key not in special}, where)
    return Entity(name, kind, forms, **special)


def entities_of_list(kind: str, items: object, where: str) -> dict[str, Entity]:
    """Build the entities of a user's list; ids are made from the words."""
    if not isinstance(items, list):
        raise SimulationError(f"{where}: {kind} is {items!r}, expected a list")
    out: dict[str, Entity] = {}
    for position, item in enumerate(items, start=1):
        place = f"{where}: {kind}, entry {position}"
        word = item.get("word") if isinstance(item, Mapping) else item
        if not isinstance(word, str):
            raise SimulationError(
                f"{place}: found {item!r}, expected a word or a table with `word`"
            )
        name = re.sub(r"\W+", "_", word.strip().lower())
        if name in out:
            raise SimulationError(f"{place}: {word!r} is there twice")
        out[name] = entity_of(name, kind, item, place)
    return out


def forms_of(value: object, where: str) -> Forms:
    """Normalise "word", ["spelling", …] or {form = …} to form → spellings."""
    table = value if isinstance(value, Mapping) else {"word": value}
    forms: Forms = {}
    for form, spelled in table.items():
        spellings = tuple(spelled) if isinstance(spelled, list) else (spelled,)
        for text in spellings:
            if not isinstance(text, str) or not text.strip() or re.search(r"[\t\n\r,{}]", text):
                raise SimulationError(
                    f"{where}: {form} is {text!r}, expected a word without commas, tabs, line ends or braces"
                )
        forms[str(form)] = spellings
    return forms


def phrases_of(table: object, where: str) -> Phrases:
    """Normalise lists and agreement tables of phrases."""
    if not isinstance(table, Mapping):
        raise SimulationError(f"{where}: found {table!r}, expected a table")
    phrases: Phrases = {}
    for name, value in table.items():
        by_agreement = value if isinstance(value, Mapping) else {"": value}
        for agreement, items in by_agreement.items():
            good = isinstance(items, list) and items and all(
                isinstance(i, str) and i.strip() and not re.search(r"[\t\n\r]", i) for i in items
            )  # fmt: skip
            if agreement not in ("", "f", "m", "pl") or not good:
                raise SimulationError(
                    f"{where}.{name}: found {value!r}, expected a list of phrases or a table of such lists "
                    "for f, m and pl"
                )
        phrases[name] = {str(a): tuple(items) for a, items in by_agreement.items()}
    return phrases


def casts_of(
    table: Mapping[str, Any], entities: Mapping[str, Entity], where: str
) -> dict[str, tuple[str, ...]]:
    """Read casts and make sure that their members exist."""
    casts = {}
    for name, members in table.items():
        for member in members:
            if member not in entities:
                raise SimulationError(f"{where}: cast {name} names {member!r}, which is no entity")
        casts[name] = tuple(members)
    return casts


SMALLEST_CASTS = {
    "people": 2, "rooms": 3, "things": 1, "animals": 2, "species": 2, "colours": 2,
    "shapes": 3, "small_boxes": 0, "large_boxes": 3, "states": 1, "times": 2,
}  # fmt: skip


def check_casts(lexicon: Lexicon) -> None:
    """Refuse casts too small to tell a story with, and states that lead nowhere."""
    for name, least in SMALLEST_CASTS.items():
        if len(lexicon.casts.get(name, ())) < least:
            found = len(lexicon.casts.get(name, ()))
            raise SimulationError(f"{lexicon.source}: {found} {name}, expected at least {least}")
    for state in lexicon.casts["states"]:
        entity = lexicon.entities[state]
        for role, kind in ((entity.room, "rooms"), (entity.thing, "things")):
            known = lexicon.entities.get(role)
            if known is None or known.kind != kind:
                raise SimulationError(
                    f"{lexicon.source}: the state {state!r} points to {role!r}, which is none of the {kind}; "
                    f"give new `states` together with new rooms and things"
                )
