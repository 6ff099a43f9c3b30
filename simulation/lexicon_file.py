"""Reading lexicons and other TOML files: every mistake becomes one line that names the file and the key."""

from __future__ import annotations

import re
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from importlib import resources
from pathlib import Path
from typing import Any

from babi_cascade.simulation.errors import SimulationError

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

SLOT_NAME = re.compile(r"\{(\w+)(?::\w+)?\}")

Forms = dict[str, tuple[str, ...]]
"""The forms of one entity: form name → its spellings, all equally likely."""

Phrases = dict[str, dict[str, tuple[str, ...]]]
"""Templates or group phrases: name → agreement ("f", "m", "pl", or "" for all) → alternatives."""


@dataclass(frozen=True)
class Entity:
    """One person, place, thing or value: its kind, its word forms, and its gender if it has one.

    ``descriptions`` are what a person may be called once the name is known ("the old man").
    """

    id: str
    kind: str
    forms: Forms
    gender: str = ""
    room: str = ""
    thing: str = ""
    descriptions: tuple[str, ...] = ()


def sample(named: str | Path, ending: str = ".toml") -> Path:
    """Return a path as it is, or that of the sample that ships under a bare name; a file comes first."""
    path = Path(named)
    if path.name == str(named) and not path.exists():
        shipped = resources.files("babi_cascade.data") / "samples" / f"{named}{ending}"
        if shipped.is_file():
            return Path(str(shipped))
    return path


def read_toml(path: Path) -> dict[str, Any]:
    """Read a user's TOML file; whatever is wrong with it becomes one clear line."""
    try:
        text = path.read_text(encoding="utf-8-sig")
    except OSError as error:
        raise SimulationError(f"{path}: cannot be read: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise SimulationError(f"{path}: not UTF-8 text at byte {error.start}") from error
    return parse_toml(text, str(path))


def parse_toml(text: str, source: str) -> dict[str, Any]:
    """Parse TOML."""
    try:
        table: dict[str, Any] = tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise SimulationError(f"{source}: not a TOML file: {error}") from error
    return table


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
    if "descriptions" in table and kind != "people":
        raise SimulationError(f"{where}: descriptions are for people, not for {kind}")
    used = (*special, "descriptions")
    forms = forms_of({key: v for key, v in table.items() if key not in used}, where)
    descriptions = descriptions_of(table.get("descriptions", []), where)
    return Entity(name, kind, forms, **special, descriptions=descriptions)


def descriptions_of(value: object, where: str) -> tuple[str, ...]:
    """Read what a person may be called beside the name."""
    if not isinstance(value, list):
        raise SimulationError(
            f'{where}: descriptions is {value!r}, expected a list such as ["the old man"]'
        )
    return forms_of({"descriptions": value}, where)["descriptions"] if value else ()


def entities_of_list(kind: str, items: object, where: str) -> dict[str, Entity]:
    """Build the entities of a user's list; ids are made from the words."""
    if not isinstance(items, list):
        raise SimulationError(f"{where}: {kind} is {items!r}, expected a list")
    out: dict[str, Entity] = {}
    for position, item in enumerate(items, start=1):
        place = f"{where}: {kind}, entry {position}"
        word = item.get("word") if isinstance(item, Mapping) else item
        if isinstance(word, list) and word:
            word = word[0]  # synonyms: the first one is what answers say
        if not isinstance(word, str):
            raise SimulationError(
                f"{place}: found {item!r}, expected a word, a list of synonyms or a table with `word`"
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
        spellings = tuple(spelled) if isinstance(spelled, list) and spelled else (spelled,)
        for text in spellings:
            if not isinstance(text, str) or not text.strip() or re.search(r"[\t\n\r,{}]", text):
                raise SimulationError(
                    f"{where}: {form} is {text!r}, expected a word without commas, tabs, line ends or braces"
                )
            if [other.lower() for other in spellings if isinstance(other, str)].count(
                text.lower()
            ) > 1:
                raise SimulationError(f"{where}: {form} has {text!r} twice")
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


def roles_in(phrases: Mapping[str, tuple[str, ...]]) -> set[str]:
    """Return the slots of phrases, without their forms."""
    return {
        slot for items in phrases.values() for item in items for slot in SLOT_NAME.findall(item)
    }


def check_phrase(
    name: str,
    phrases: Mapping[str, tuple[str, ...]],
    needed: set[str],
    groups: set[str],
    where: str,
) -> None:
    """Refuse a phrase of a user that has stray braces, unknown slots, or lacks a role of the original."""
    for items in phrases.values():
        for item in items:
            if re.search(r"[{}]", SLOT_NAME.sub("", item)):
                raise SimulationError(
                    f"{where}.{name}: found {item!r}, expected slots such as {{who}}"
                )
            slots = set(SLOT_NAME.findall(item))
            missing, unknown = sorted(needed - groups - slots), sorted(slots - needed - groups)
            if missing or unknown:
                what = f"has {{{unknown[0]}}}" if unknown else f"lacks {{{missing[0]}}}"
                roles = ", ".join(f"{{{role}}}" for role in sorted(needed - groups)) or "no role"
                raise SimulationError(
                    f"{where}.{name}: {item!r} {what}; expected {roles}, and groups"
                )


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
