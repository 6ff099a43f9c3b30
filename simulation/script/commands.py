"""From the text of a script to actions: splitting, names, and the forms of commands."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from babi_cascade.simulation.actions import Action
from babi_cascade.simulation.errors import SimulationError

MOST_TURNS = 10_000
"""How often somebody may ``act`` in one command."""

ARTICLES = frozenset({"the", "a", "an"})
RESERVED = ("before", "did", "does", "from", "in", "is", "of", "on", "than", "to", "was", "will")
"""Words between names: without them ``get from box`` would get a thing called "from"."""

NAME = re.compile(r"[^\W_](?:[\w'-]*[^\W_])?")
SHOWN = 80
"""How many characters of a command or word a message repeats."""


class NotUnderstoodError(SimulationError):
    """The text is no command or question; the message says what was expected."""


class Command(NamedTuple):
    """One command or question as written, and where it stands in the script."""

    text: str
    line: int
    position: int

    @property
    def is_question(self) -> bool:
        """Whether it asks something."""
        return self.text.endswith("?")


class Word(NamedTuple):
    """A word as written and the name it stands for; an article has no name."""

    written: str
    name: str


class Turns(NamedTuple):
    """``ACTOR act [N]``: the actor acts by himself or herself, so many times."""

    actor: str
    turns: int


class LongNames:
    """Names of several words that were declared, so that they need no underscores."""

    def __init__(self, names: Iterable[str]) -> None:
        self._by_first: dict[str, list[tuple[str, ...]]] = {}
        for name in sorted((name for name in names if "_" in name), key=len, reverse=True):
            parts = tuple(name.split("_"))
            self._by_first.setdefault(parts[0], []).append(parts)

    def end(self, words: list[Word], start: int) -> int:
        """Return where the name that starts there ends: after one word if it is not long."""
        for parts in self._by_first.get(words[start].name, ()):
            end, found = start, 0
            while found < len(parts) and end < len(words) and words[end].name in ("", parts[found]):
                found += bool(words[end].name)
                end += 1
            if found == len(parts):
                return end
        return start + 1


def commands_of(script: str) -> Iterator[Command]:
    """Split a script at semicolons, line ends and after question marks; ``#`` starts a comment."""
    for number, line in enumerate(re.split(r"\r\n|\r|\n", script), start=1):
        pieces = re.split(r";|(?<=\?)(?!\?)", line.partition("#")[0])
        texts = (" ".join(piece.split()) for piece in pieces)
        for position, text in enumerate((text for text in texts if text), start=1):
            yield Command(text, number, position)


def name_of(text: str, *, any_word: bool = False) -> str:
    """Return the name that is written: lower case, without articles, words joined by underscores.

    ``any_word`` lets a reserved word pass: a lamp can be "on".
    """
    words = re.split(r"[\s_]+", text.strip().lower())
    name = "_".join(word for word in words if word not in ARTICLES)
    if not NAME.fullmatch(name) or (name in RESERVED and not any_word):
        raise NotUnderstoodError(
            f"{clipped(text)!r} is no name; expected letters and digits, hyphens or underscores "
            f"between them, and none of the words {', '.join((*sorted(ARTICLES), *RESERVED))}"
        )
    return name


def words_of(text: str, long_names: LongNames) -> list[Word]:
    """Split a command or question into words; a declared long name is one of them."""
    plain = []
    for written in text.rstrip("?. ").split():
        if not NAME.fullmatch(written):
            raise NotUnderstoodError(
                f"{clipped(written)!r} is no word; expected letters and digits, and hyphens or "
                "underscores between them"
            )
        name = re.sub("_+", "_", written.lower())
        plain.append(Word(written.replace("_", " "), "" if name in ARTICLES else name))
    words: list[Word] = []
    start = 0
    while start < len(plain):
        end = long_names.end(plain, start)
        written = " ".join(word.written for word in plain[start:end])
        words.append(Word(written, "_".join(word.name for word in plain[start:end] if word.name)))
        start = end
    return words


def action_of(words: list[Word]) -> Action | Turns:
    """Read a command; raise ``NotUnderstoodError`` with the form that was expected."""
    names = [word.name for word in words if word.name]
    if len(names) < 2 or names[1] not in FORMS:
        found = "nothing" if len(names) < 2 else repr(clipped(names[1]))
        hint = "; a name of several words needs underscores" if len(names) > 2 else ""
        raise NotUnderstoodError(
            f"expected an actor and then one of {', '.join(FORMS)}, but found {found} after the "
            f"first name{hint}"
        )
    actor, verb, rest = names[0], names[1], " ".join(names[2:])
    if actor in RESERVED:
        raise NotUnderstoodError(f"expected the name of an actor, but found {actor!r}")
    usage, patterns = FORMS[verb]
    for pattern, full_verb in patterns:
        found_form = pattern.fullmatch(rest)
        if found_form is not None:
            given = found_form.groupdict()
            if verb == "act":
                return Turns(actor, _turns(given["count"]))
            target = given.get("target") or (actor if verb == "set" else "")
            return Action(actor, full_verb, given.get("thing", ""), target, given.get("state", ""))
    raise NotUnderstoodError(f"expected {usage}")


def clipped(text: str) -> str:
    """Return the text, or its beginning when it is too long to be repeated in a message."""
    return text if len(text) <= SHOWN else text[: SHOWN - 1] + "…"


def with_slots(form: str) -> re.Pattern[str]:
    """Compile a form in which ``{role}`` stands for one name."""
    name = rf"(?!(?:{'|'.join(RESERVED)})(?!\S))\S+"
    return re.compile(re.sub(r"\{(\w+)\}", lambda slot: f"(?P<{slot[1]}>{name})", form))


def _turns(count: str | None) -> int:
    if count is None:
        return 1
    # The length is looked at first: Python refuses to read a number of thousands of digits.
    if not re.fullmatch(r"[0-9]{1,9}", count) or not 1 <= int(count) <= MOST_TURNS:
        raise NotUnderstoodError(
            f"act {clipped(count)}: expected a number of turns from 1 to {MOST_TURNS}"
        )
    return int(count)


FORMS: dict[str, tuple[str, tuple[tuple[re.Pattern[str], str], ...]]] = {
    "go": ("ACTOR go PLACE", ((with_slots("(?:to )?{target}"), "go"),)),
    "get": (
        "ACTOR get THING, or ACTOR get THING from THING",
        ((with_slots("{thing}"), "get"), (with_slots("{thing} from {target}"), "get_from")),
    ),
    "put": (
        "ACTOR put THING in THING, or ACTOR put THING on THING",
        (
            (with_slots("{thing} in {target}"), "put_in"),
            (with_slots("{thing} on {target}"), "put_on"),
        ),
    ),
    "give": (
        "ACTOR give THING to ACTOR",
        ((with_slots("{thing} to {target}"), "give"), (with_slots("{target} {thing}"), "give")),
    ),
    "drop": ("ACTOR drop THING", ((with_slots("{thing}"), "drop"),)),
    # A state may be any word: the lamp is "on".
    "set": (
        "ACTOR set STATE, or ACTOR set THING STATE, or ACTOR set ACTOR STATE",
        ((with_slots(r"(?:{target} )?(?P<state>\S+)"), "set"),),
    ),
    "look": ("ACTOR look", ((with_slots(""), "look"),)),
    "inventory": ("ACTOR inventory", ((with_slots(""), "inventory"),)),
    "examine": ("ACTOR examine THING", ((with_slots("{thing}"), "examine"),)),
    "act": (
        f"ACTOR act, or ACTOR act N with a number of turns from 1 to {MOST_TURNS}",
        ((re.compile(r"(?P<count>\S+)?"), "act"),),
    ),
}
"""For each verb how it is used, and the patterns of what follows it with the action they mean."""
