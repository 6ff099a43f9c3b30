"""The words of a language: entities and their forms, casts, templates; and a user's own words.

A lexicon is a TOML file (``data/lexicons/en.toml`` explains the format). ``Lexicon.for_task`` applies
what a task says differently; ``Lexicon.with_words`` replaces names, places, things or verbs by those of
a user's file, so that a model can be tested on words it never saw.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from importlib import resources
from pathlib import Path
from typing import Any

from babi_cascade.simulation.errors import SimulationError
from babi_cascade.simulation.lexicon_file import (
    Entity,
    Phrases,
    casts_of,
    check_phrase,
    entities_of_list,
    entity_of,
    forms_of,
    parse_toml,
    phrases_of,
    read_toml,
    refuse_unknown_keys,
    roles_in,
)

ENTITY_KINDS = (
    "people", "rooms", "things", "animals", "species", "colours",
    "shapes", "boxes", "states", "times", "values",
)  # fmt: skip
RELEASED = "released"
"""The wording of the released files; others are laid over it."""

PHRASE_TABLES = ("groups", "statements", "questions")
TASK_KEYS = ("pad", "casts", "words", *PHRASE_TABLES)


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
    wording: str = RELEASED
    default_forms: Mapping[str, str] = field(default_factory=dict)

    def spellings(self, entity: Entity, form: str) -> tuple[str, ...]:
        """Return how an entity is spelled in a form; nothing when it has no such form."""
        words = entity.forms["word"]
        if form == "lower":
            return tuple(word.lower() for word in words)
        if form in self.default_forms and form not in entity.forms:
            return tuple(self.default_forms[form].replace("{word}", word) for word in words)
        return entity.forms.get(form, ())

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
        tables ``groups``, ``statements``, ``questions`` (single entries are replaced). An entry of a
        list is a word, a list of synonyms, or a table with ``word`` and other forms; the first synonym
        is the one that answers use.
        """
        table = read_toml(path)
        lists = tuple(kind for kind in ENTITY_KINDS if kind not in ("times", "values"))
        refuse_unknown_keys(table, (*lists, *PHRASE_TABLES), str(path))
        entities, casts = dict(self.entities), dict(self.casts)
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
            refuse_shared_spellings(entities, new, self.verb_forms, f"{path}: {kind}")
            casts.update(recast(kind, tuple(new), self.casts))
        phrases: dict[str, Any] = {}
        for name in PHRASE_TABLES:
            own = phrases_of(table.get(name, {}), f"{path}: {name}")
            for key in own:
                if key not in getattr(self, name):
                    raise SimulationError(
                        f"{path}: {name}.{key} is no phrase of the language {self.language}; expected "
                        f"one of {', '.join(getattr(self, name))}"
                    )
                needed = roles_in(getattr(self, name)[key])
                check_phrase(key, own[key], needed, set(self.groups), f"{path}: {name}")
            phrases[name] = {**getattr(self, name), **own}
        tasks = {key: self._respecialised(special, table, casts, entities)
                 for key, special in self.tasks.items()}  # fmt: skip
        changed = replace(
            self, entities=entities, casts=casts, tasks=tasks, source=str(path), **phrases
        )
        for key in ("", *tasks):
            check_casts(changed.for_task(key))
        return changed

    def _respecialised(
        self, special: Mapping[str, Any], table: Mapping[str, Any],
        casts: Mapping[str, tuple[str, ...]], entities: Mapping[str, Entity],
    ) -> dict[str, Any]:  # fmt: skip
        """Carry what a task says differently over to a user's words.

        A task keeps the size of its casts; its own words and phrases give way where the user has some.
        """
        changed: dict[str, Any] = dict(special)
        changed["casts"] = {
            name: [entity.id for entity in entities.values() if entity.kind == name][: len(members)]
            if name in table else members
            for name, members in special.get("casts", {}).items()
            if name in table or all(member in entities for member in members)
        }  # fmt: skip
        changed["words"] = {k: v for k, v in special.get("words", {}).items() if k in entities}
        for name in PHRASE_TABLES:
            kept = {k: v for k, v in special.get(name, {}).items() if k not in table.get(name, {})}
            changed[name] = kept
        return changed


def refuse_shared_spellings(
    entities: Mapping[str, Entity], new: Iterable[str], verb_forms: tuple[str, ...], where: str
) -> None:
    """Refuse new entities that are spelled or described like others: a reader could not tell them apart."""
    spelled: dict[str, str] = {}
    fresh = set(new)
    for name in sorted(entities, key=fresh.__contains__):  # those that were there come first
        entity = entities[name]
        forms = (words for form, words in entity.forms.items() if form not in verb_forms)
        for word in (text.lower() for texts in (*forms, entity.descriptions) for text in texts):
            other = spelled.setdefault(word, name)
            if other != name and name in fresh:
                raise SimulationError(
                    f"{where}: the word {word!r} of {name!r} is already a word of {other!r} of the "
                    f"{entities[other].kind}; expected words that differ from all others"
                )


def recast(
    kind: str, new: tuple[str, ...], casts: Mapping[str, tuple[str, ...]]
) -> dict[str, tuple[str, ...]]:
    """Fill the casts of a kind with new members; as many as before, the rest stands by."""
    if kind == "boxes":
        small, large = len(casts["small_boxes"]), len(casts["large_boxes"])
        return {"small_boxes": new[:small], "large_boxes": new[small : small + large]}
    return {kind: new[: len(casts[kind])]}


def load_lexicon(language: str, wording: str = RELEASED) -> Lexicon:
    """Return a shipped lexicon by the name of its language, with another wording laid over it."""
    shipped = resources.files("babi_cascade.data") / "lexicons" / f"{language}.toml"
    if not re.fullmatch(r"[a-z]+", language) or not shipped.is_file():
        known = sorted(
            entry.name[:-5]
            for entry in (resources.files("babi_cascade.data") / "lexicons").iterdir()
            if entry.name.endswith(".toml")
        )
        raise SimulationError(f"no language {language!r}; expected one of {', '.join(known)}")
    table = parse_toml(shipped.read_text(encoding="utf-8"), shipped.name)
    if wording == RELEASED:
        return lexicon_of(table, shipped.name)
    over = wording_table(wording)
    if over["language"] != language:
        raise SimulationError(
            f"the wording {wording!r} is one of the language {over['language']!r}, not of {language!r}"
        )
    return replace(lexicon_of(laid_over(table, over), shipped.name), wording=wording)


def wordings() -> tuple[str, ...]:
    """Return the names of all wordings, that of the released files first."""
    shipped = (resources.files("babi_cascade.data") / "wordings").iterdir()
    return (RELEASED, *sorted(e.name[:-5] for e in shipped if e.name.endswith(".toml")))


def wording_table(wording: str) -> dict[str, Any]:
    """Return what a wording changes."""
    if wording not in wordings():
        raise SimulationError(f"no wording {wording!r}; expected one of {', '.join(wordings())}")
    shipped = resources.files("babi_cascade.data") / "wordings" / f"{wording}.toml"
    table = parse_toml(shipped.read_text(encoding="utf-8"), shipped.name)
    below = table.pop("over", None)
    return table if below is None else laid_over(wording_table(below), table)


def laid_over(table: Mapping[str, Any], over: Mapping[str, Any]) -> dict[str, Any]:
    """Return a table in which the values of another one take the place of its own, key by key."""
    merged = dict(table)
    for key, value in over.items():
        old = merged.get(key)
        if isinstance(value, Mapping) and isinstance(old, Mapping):
            value = laid_over(old, value)
        merged[key] = value
    return merged


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
            "default_forms",
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
        default_forms=table.get("default_forms", {}),
    )
    people = [entity.id for entity in entities.values() if entity.descriptions]
    refuse_shared_spellings(entities, people, lexicon.verb_forms, source)
    for key in ("", *lexicon.tasks):
        check_casts(lexicon.for_task(key))
    return lexicon


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
