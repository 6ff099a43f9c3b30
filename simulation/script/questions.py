"""Questions about a script, answered from the world and its history, never from the told text."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import NamedTuple

from babi_cascade.simulation.rules import steps_between
from babi_cascade.simulation.script.commands import NotUnderstoodError, Word, with_slots
from babi_cascade.simulation.script.story import Story
from babi_cascade.simulation.script.wording import Wording

UNKNOWN = "unknown"
NUMBERS = (
    "none", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten",
)  # fmt: skip
LETTERS = {"north": "n", "south": "s", "east": "e", "west": "w"}


class Asking(NamedTuple):
    """The story that is asked about, the words of its names, and the names in the question."""

    story: Story
    words: Wording
    names: dict[str, str]

    def of_kind(self, role: str, *kinds: str) -> str | None:
        """Return the name in a role if it is known and of one of the kinds."""
        name = self.names[role]
        return name if self.story.kind_of(name) in kinds else None


class Form(NamedTuple):
    """A form of question: how it is written, its pattern, and what answers it."""

    usage: str
    pattern: re.Pattern[str]
    answer: Callable[[Asking], str]


def answer_to(question: list[Word], story: Story, words: Wording) -> str:
    """Return the true answer, or raise ``NotUnderstoodError`` with the forms of questions."""
    text = " ".join(word.name for word in question if word.name)
    for form in QUESTIONS:
        found = form.pattern.fullmatch(text)
        if found is not None:
            names = {role: name for role, name in found.groupdict().items() if name is not None}
            return form.answer(Asking(story, words, names))
    raise NotUnderstoodError("expected one of: " + " ".join(form.usage for form in QUESTIONS))


def tidied(question: list[Word], story: Story, words: Wording) -> str:
    """Return the question as it was put, with capitals where they belong and one question mark."""
    shown = (
        words.word(word.name) if story.kind_of(word.name) == "actor" else word.written
        for word in question
    )
    text = " ".join(shown)
    return text[:1].upper() + text[1:] + "?"


def _where(asked: Asking) -> str:
    place = _place(asked, "x")
    return UNKNOWN if place is None else asked.words.word(place)


def _is_in(asked: Asking) -> str:
    inner, outer = asked.names["x"], asked.of_kind("place", "place", "thing")
    if _place(asked, "x") is None or outer is None:
        return UNKNOWN
    seen = inner
    while seen in asked.story.world.inside:
        seen = asked.story.world.inside[seen]
        if seen == outer:
            return "yes"
    return "no"


def _carried(asked: Asking) -> list[str] | None:
    actor = asked.of_kind("a", "actor")
    return None if actor is None else asked.story.world.carried_by(actor)


def _what_carried(asked: Asking) -> str:
    held = _carried(asked)
    if held is None:
        return UNKNOWN
    return ",".join(asked.words.word(thing) for thing in held) or "nothing"


def _how_many(asked: Asking) -> str:
    held = _carried(asked)
    if held is None:
        return UNKNOWN
    return NUMBERS[len(held)] if len(held) < len(NUMBERS) else str(len(held))


def _who_has(asked: Asking) -> str:
    thing = asked.of_kind("t", "thing")
    if thing is None:
        return UNKNOWN
    holder = asked.story.world.holder_of(thing)
    return "nobody" if holder is None else asked.words.word(holder)


def _where_before(asked: Asking) -> str:
    """Where it was before it was last in that place."""
    visited = asked.story.visited.get(asked.names["x"], [])
    for before, after in zip(visited[-2::-1], visited[:0:-1], strict=True):
        if after == asked.names["place"]:
            return asked.words.word(before)
    return UNKNOWN


def _gift(asked: Asking, part: str, if_none: str) -> str:
    """Return one part of the latest gift that the question describes."""
    kinds = {"a": "actor", "b": "actor", "t": "thing"}
    if any(asked.of_kind(role, kinds[role]) is None for role in asked.names):
        return UNKNOWN
    parts = {"a": "giver", "b": "receiver", "t": "thing"}
    for gift in reversed(asked.story.gifts):
        if all(getattr(gift, parts[role]) == name for role, name in asked.names.items()):
            return asked.words.word(getattr(gift, part))
    return if_none


def _who_gave(asked: Asking) -> str:
    return _gift(asked, "giver", "nobody")


def _who_received(asked: Asking) -> str:
    return _gift(asked, "receiver", "nobody")


def _what_given(asked: Asking) -> str:
    return _gift(asked, "thing", "nothing")


def _neighbour(asked: Asking) -> str:
    places = asked.story.world.places
    if asked.names["place"] not in places or not asked.story.world.has_map:
        return UNKNOWN
    neighbour = places[asked.names["place"]].get(asked.names["direction"])
    return "nothing" if neighbour is None else asked.words.word(neighbour)


def _which_way(asked: Asking) -> str:
    places = asked.story.world.places
    start, goal = asked.names["p"], asked.names["q"]
    if start not in places or goal not in places or not asked.story.world.has_map:
        return UNKNOWN
    way = asked.story.world.path(start, goal)
    if way is None:
        return "no way"
    return ",".join(LETTERS.get(step, step) for step in way) or "nowhere"


def _colour(asked: Asking) -> str:
    thing = asked.of_kind("t", "thing")
    colour = None if thing is None else asked.story.world.things[thing].colour
    return UNKNOWN if colour is None else colour.replace("_", " ")


def _is_smaller(asked: Asking, small: str, big: str) -> bool | None:
    """Compare two things; None when nobody said how big they are.

    A thing that no file describes has no known size, but what lies in a container is smaller.
    """
    story = asked.story
    things = story.world.things
    if small not in things or big not in things:
        return None
    if not {small, big} & story.invented:
        return things[small].size < things[big].size
    if small == big:
        return False
    for inner, outer in ((small, big), (big, small)):
        seen = story.world.inside[inner]
        while seen in things and things[seen].container and not things[seen].supporter:
            if seen == outer:
                return inner == small
            seen = story.world.inside[seen]
    return None


def _is_bigger(asked: Asking) -> str:
    return _yes_or_no(_is_smaller(asked, asked.names["b"], asked.names["a"]))


def _does_fit(asked: Asking) -> str:
    return _yes_or_no(_is_smaller(asked, asked.names["a"], asked.names["b"]))


def _yes_or_no(truth: bool | None) -> str:
    return UNKNOWN if truth is None else ("yes" if truth else "no")


def _why_went(asked: Asking) -> str:
    return _why(asked, "go")


def _why_got(asked: Asking) -> str:
    return _why(asked, "get")


def _why(asked: Asking, verb: str) -> str:
    """Return the state that drove the latest such action; unknown when it was never done."""
    key = (asked.names["a"], verb, asked.names["x"])
    if key not in asked.story.motives:
        return UNKNOWN
    return (asked.story.motives[key] or "no reason").replace("_", " ")


def _where_will_go(asked: Asking) -> str:
    """Where the rules lead: to the end of the way, not only to its next step."""
    actor = asked.story.actor(asked.names["a"])
    if actor is None:
        return UNKNOWN
    world = asked.story.world
    here = world.inside.get(actor.name)
    for aim in asked.story.aims(actor):
        if aim.place == here:
            return "nowhere"
        if steps_between(world, here, aim.place) is not None:
            return asked.words.word(aim.place)
    return UNKNOWN


def _place(asked: Asking, role: str) -> str | None:
    """Return the place of somebody or something, if it is known."""
    name, world = asked.names[role], asked.story.world
    return world.place_of(name) if name in world.inside else None


QUESTIONS = tuple(
    Form(usage, with_slots(form), answer)
    for usage, form, answer in (
        ("where is X?", "where (?:is )?{x}", _where),
        ("is X in PLACE?", "is {x} in {place}", _is_in),
        ("what is A carrying?", "what is {a} carrying", _what_carried),
        (
            "how many objects is A carrying?",
            "how many (?:objects|things) is {a} carrying",
            _how_many,
        ),
        ("who has THING?", "who has {t}", _who_has),
        ("where was X before PLACE?", "where was {x} before {place}", _where_before),
        ("who gave THING [to B]?", "who gave {t}(?: to {b})?", _who_gave),
        ("who received THING?", "who received {t}", _who_received),
        ("who did A give THING to?", "who did {a} give {t} to", _who_received),
        ("what did A give to B?", "what did {a} give to {b}", _what_given),
        (
            "what is north|south|east|west of PLACE?",
            "what is (?P<direction>north|south|east|west) of {place}",
            _neighbour,
        ),
        ("what is above|below PLACE?", "what is (?P<direction>above|below) {place}", _neighbour),
        ("how do you go from P to Q?", "how do you go from {p} to {q}", _which_way),
        ("what color is THING?", "what colou?r is {t}", _colour),
        ("is A bigger than B?", "is {a} bigger than {b}", _is_bigger),
        ("does A fit in B?", "does {a} fit in(?:side)? {b}", _does_fit),
        ("why did A go to PLACE?", "why did {a} go to {x}", _why_went),
        ("why did A get THING?", "why did {a} get {x}", _why_got),
        ("where will A go?", "where will {a} go", _where_will_go),
    )
)
