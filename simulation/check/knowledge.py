"""What a careful reader knows after a story, question by question.

Every function reads a list of (line, event) facts from the beginning and answers from them alone, so
that it can be asked about the whole story or about the supporting facts only. ``None`` means: not known.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from babi_cascade.simulation.events import Event
from babi_cascade.simulation.world import OPPOSITE, STEP

SIDES = ("above", "below", "left", "right")
NUMBERS = ("none", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")


class Fact(NamedTuple):
    """A statement and its line number; pronouns are already resolved."""

    line: int
    event: Event


Facts = Sequence[Fact]
Answer = tuple[str, ...] | None


def reader_answer(facts: Facts, question: Event, goals: dict[str, tuple[str, str]]) -> Answer:
    """Return the answer that follows from the facts, or None when none does.

    ``goals`` is common sense: where people in a mental state go and what they get there.
    """
    kind = question.predicate
    if kind in ("where_will_go", "why_went", "why_got"):
        return _motive(facts, question, goals)
    for prefix, suffix, function in (
        ("what_is_", "", _what_is),
        ("", "_of_what", _of_what),
    ):
        if kind.startswith(prefix) and kind.endswith(suffix) and kind not in ANSWERS:
            return function(facts, question)
    return ANSWERS[kind](facts, question)


def contradictions(facts: Facts) -> list[str]:
    """Return what cannot be true at once: on a map, in an order of sizes, or about who has what."""
    found = [*_map_contradictions(facts), *_size_contradictions(facts)]
    return found + _holding_contradictions(facts)


def shared_cells(facts: Facts) -> list[str]:
    """Return the groups of places that fall on one cell of the map (odd, but not a contradiction)."""
    notes = []
    for component in _components(facts):
        cells: dict[tuple[int, int], list[str]] = {}
        for name, cell in component.items():
            cells.setdefault(cell, []).append(name)
        notes += [
            f"{' and '.join(names)} fall on one cell of the map"
            for names in cells.values()
            if len(names) > 1
        ]
    return notes


# --- who is where -----------------------------------------------------------------------------------


def _where_person(facts: Facts, question: Event) -> Answer:
    room = _room_of(facts, question.who[0])
    return (room,) if room else None


def _room_of(facts: Facts, person: str) -> str | None:
    for _, event in reversed(facts):
        if person in event.who and _tells_place(event):
            return _told_place(event)
    return None


def _tells_place(event: Event) -> bool:
    """Say whether a statement says where its people are: they go or are there, or do something there."""
    return event.predicate in ("go", "be_in") or bool(event.who and event.where)


def _person_in_room(facts: Facts, question: Event) -> Answer:
    for _, event in reversed(facts):
        if question.who[0] in event.who and _tells_place(event):
            if event.alternatives:
                return ("maybe",) if question.where in event.alternatives else ("no",)
            same = event.where == question.where
            if event.negated:
                return ("no",) if same else None
            return ("yes",) if same else ("no",)
    return None


def _where_person_before(facts: Facts, question: Event) -> Answer:
    """Return the room before the latest visit to the room asked about."""
    return _before(_day(facts, question.who[0]), question.where or "")


def _where_person_after(facts: Facts, question: Event) -> Answer:
    """Return the room after the latest visit to the room asked about."""
    rooms = _day(facts, question.who[0])
    for position in range(len(rooms) - 1, -1, -1):
        if rooms[position] == question.where:
            after = rooms[position + 1] if position + 1 < len(rooms) else None
            return (after,) if after else None
    return None


def _where_at_time(facts: Facts, question: Event) -> Answer:
    rooms = {
        e.where for _, e in facts if question.who == e.who and e.when == question.when and e.where
    }
    return (rooms.pop(),) if len(rooms) == 1 else None


def _day(facts: Facts, person: str) -> list[str | None]:
    """Return the rooms in which somebody was, one after the other, by the clock if it is told."""
    day = [event for _, event in facts if person in event.who and _tells_place(event)]
    if all(event.when in TIMES for event in day):
        day.sort(key=lambda event: TIMES.index(event.when or ""))
    rooms = [_told_place(event) for event in day]
    return [
        room
        for room, last in zip(rooms, [None, *rooms], strict=False)
        if room is None or room != last
    ]


TIMES = ("yesterday", "morning", "afternoon", "evening")


def _told_place(event: Event) -> str | None:
    """Return the room in which a move or state puts somebody, None when it leaves that open."""
    return None if event.negated or event.alternatives else event.where


def _before(rooms: list[str | None], room: str) -> Answer:
    """Return what stands before the last occurrence of the room; None when that is not known."""
    for position in range(len(rooms) - 1, 0, -1):
        if rooms[position] == room:
            before = rooms[position - 1]
            return (before,) if before else None
    return None


# --- who has what, and where it is -------------------------------------------------------------------


def _journey(facts: Facts, thing: str) -> list[str | None]:
    """Return the rooms in which the thing has been, None where the room is not known.

    Who drops or gives away a thing that nobody was told to have got must have had it all along.
    """
    touches = [event for _, event in facts if event.what == thing and event.who]
    holder = ""
    if touches and touches[0].predicate in ("drop", "give"):
        holder = touches[0].who[0]
    rooms: list[str | None] = []
    at: dict[str, str | None] = {}
    for _, event in facts:
        if event.who and event.what and event.where:
            at[event.who[0]] = event.where
        if event.predicate in ("go", "be_in") and event.who:
            for person in event.who:
                at[person] = _told_place(event)
                if person == holder:
                    rooms.append(at[person])
        elif event.what == thing and event.predicate == "lie_in":
            holder = ""
            if rooms[-1:] != [event.where]:
                rooms.append(event.where)
        elif event.what == thing and event.pronoun and not event.who:  # it means nobody known
            holder = ""
            rooms.append(None)
        elif event.what == thing and event.predicate in ("get", "give", "drop"):
            holder = {"get": event.who[0], "give": event.to or "", "drop": ""}[event.predicate]
            here = at.get(event.who[0])
            if not rooms or (here and rooms[-1] != here):
                rooms.append(here)
    if holder and at.get(holder) is not None and (not rooms or rooms[-1] != at[holder]):
        rooms.append(at[holder])
    return rooms


def _where_thing(facts: Facts, question: Event) -> Answer:
    if not any(event.what == question.what and (event.who or event.where) for _, event in facts):
        return None
    rooms = _journey(facts, question.what or "")
    return (rooms[-1],) if rooms and rooms[-1] else None


def _thing_in_room(facts: Facts, question: Event) -> Answer:
    room = _where_thing(facts, question)
    return None if room is None else ("yes",) if room == (question.where,) else ("no",)


def _where_thing_before(facts: Facts, question: Event) -> Answer:
    if not any(event.what == question.what and event.who for _, event in facts):
        return None
    return _before(_journey(facts, question.what or ""), question.where or "")


def _holder_of(facts: Facts, thing: str) -> str | None:
    """Return who has a thing by what was said of it last: "" for nobody, None where nothing was."""
    for _, event in reversed(facts):
        if event.what == thing and event.predicate in ("get", "give", "drop", "lie_in"):
            if event.predicate == "get":
                return event.who[0] if event.who else None  # a pronoun that means nobody known
            return event.to or ""
    return None


def _who_has(facts: Facts, question: Event) -> Answer:
    holder = _holder_of(facts, question.what or "")
    return None if holder is None else (holder or "nobody",)


def _has_thing(facts: Facts, question: Event) -> Answer:
    holder = _holder_of(facts, question.what or "")
    return None if holder is None else ("yes",) if holder == question.who[0] else ("no",)


def _who_did(facts: Facts, question: Event) -> Answer:
    """Return who got or dropped a thing last."""
    done = question.predicate.removeprefix("who_")
    for _, event in reversed(facts):
        if event.what == question.what and event.predicate == done:
            return (event.who[0],) if event.who else None
    return None


def _what_got(facts: Facts, question: Event) -> Answer:
    for _, event in reversed(facts):
        if event.who == question.who and event.predicate == "get":
            return (event.what or "",)
    return None


def _person_was_in(facts: Facts, question: Event) -> Answer:
    """Say whether somebody was said to be in a room or to go there, at any time."""
    rooms = _day(facts, question.who[0])
    if not rooms or None in rooms:
        return None
    return ("yes",) if question.where in rooms else ("no",)


def _who_in_room(facts: Facts, question: Event) -> Answer:
    """Return the one who is in a room; None when there are several, or somebody may be there."""
    people = dict.fromkeys(person for _, event in facts for person in event.who)
    rooms = {person: _room_of(facts, person) for person in people if _day(facts, person)}
    there = tuple(person for person, room in rooms.items() if room == question.where)
    return there if len(there) == 1 and None not in rooms.values() else None


def _what_in_room(facts: Facts, question: Event) -> Answer:
    """Return the one thing that lies in a room."""
    things = dict.fromkeys(event.what for _, event in facts if event.what)
    there = tuple(
        thing
        for thing in things
        if thing
        and not _holder_of(facts, thing)
        and _journey(facts, thing)[-1:] == [question.where]
    )
    return there if len(there) == 1 else None


def _held(facts: Facts, person: str) -> tuple[str, ...] | None:
    """Return what a person holds, in the order in which each thing first came into his or her hands."""
    held: dict[str, bool] = {}
    for _, event in facts:
        if event.what and event.who and event.predicate in ("get", "drop", "give"):
            if event.predicate == "give" and event.to == person:
                held[event.what] = True
            elif event.who[0] == person:
                held[event.what] = event.predicate == "get"
    return tuple(thing for thing, has in held.items() if has) if held else None


def _what_carried(facts: Facts, question: Event) -> Answer:
    held = _held(facts, question.who[0])
    return None if held is None else held or ("nothing",)


def _how_many_carried(facts: Facts, question: Event) -> Answer:
    held = _held(facts, question.who[0])
    return None if held is None else (NUMBERS[len(held)],)


def _gift(facts: Facts, question: Event) -> Answer:
    """Return the asked participant of the latest gift that fits the question."""
    for _, event in reversed(facts):
        if (
            event.predicate == "give"
            and event.who
            and question.who in ((), event.who)
            and question.what in (None, event.what)
            and question.to in (None, event.to)
        ):
            asked = {
                "what_given": event.what,
                "who_gave": event.who[0],
                "who_gave_to": event.who[0],
            }
            return (asked.get(question.predicate, event.to) or "",)
    return None


def _holding_contradictions(facts: Facts) -> list[str]:
    """Return the statements in which somebody handles what is known to be in other hands or elsewhere."""
    found: list[str] = []
    holder: dict[str, str] = {}
    lying: dict[str, str | None] = {}
    at: dict[str, str | None] = {}
    for line, event in facts:
        if event.predicate in ("go", "be_in") and event.who:
            at.update({person: _told_place(event) for person in event.who})
            continue
        thing = event.what
        if event.predicate == "lie_in" and thing is not None:
            if holder.get(thing):
                found.append(f"line {line}: the {thing} lies there, but {holder[thing]} has it")
            lying[thing] = event.where
        if event.predicate not in ("get", "drop", "give") or thing is None:
            continue
        if event.where:
            at[event.who[0]] = event.where
        person, here = event.who[0], at.get(event.who[0])
        if event.predicate == "get":
            if holder.get(thing):
                found.append(f"line {line}: {person} gets the {thing}, which {holder[thing]} has")
            elif here and lying.get(thing) and lying[thing] != here:
                found.append(
                    f"line {line}: {person} gets the {thing} in the {here}, but it is in the {lying[thing]}"
                )
            holder[thing] = person
        elif holder.get(thing, person) != person:
            who = holder[thing] or "nobody"
            found.append(f"line {line}: {person} parts with the {thing}, which {who} has")
        if event.predicate == "give":
            holder[thing] = event.to or ""
        elif event.predicate == "drop":
            holder[thing], lying[thing] = "", here
    return found


# --- maps and sizes -----------------------------------------------------------------------------------


def _relations(facts: Facts) -> list[tuple[int, str, str, str]]:
    return [
        (line, event.what, event.predicate, event.other)
        for line, event in facts
        if event.predicate in STEP and event.what and event.other
    ]


class _Plan:
    """A map that grows statement by statement: parts that hang together, each member with its cell."""

    def __init__(self) -> None:
        self.part: dict[str, dict[str, tuple[int, int]]] = {}

    def add(self, subject: str, relation: str, reference: str) -> bool:
        """Put a relation on the map; say whether it agrees with what is there."""
        dx, dy = STEP[relation]
        ours = self.part.setdefault(reference, {reference: (0, 0)})
        theirs = self.part.setdefault(subject, {subject: (0, 0)})
        x, y = ours[reference][0] + dx, ours[reference][1] + dy
        if ours is theirs:
            return ours[subject] == (x, y)
        shift_x, shift_y = x - theirs[subject][0], y - theirs[subject][1]
        for name, cell in theirs.items():
            ours[name] = (cell[0] + shift_x, cell[1] + shift_y)
            self.part[name] = ours
        return True


def _components(facts: Facts) -> list[dict[str, tuple[int, int]]]:
    """Return the connected parts of the map, each member with its cell."""
    plan = _Plan()
    for _, subject, relation, reference in _relations(facts):
        plan.add(subject, relation, reference)
    return list({id(part): part for part in plan.part.values()}.values())


def _map_contradictions(facts: Facts) -> list[str]:
    plan = _Plan()
    return [
        f"line {line}: the {subject} cannot be {relation} of the {reference} on the map so far"
        for line, subject, relation, reference in _relations(facts)
        if not plan.add(subject, relation, reference)
    ]


def _what_is(facts: Facts, question: Event) -> Answer:
    relation = question.predicate.removeprefix("what_is_")
    return _related(facts, relation, question.other or "")


def _of_what(facts: Facts, question: Event) -> Answer:
    relation = question.predicate.removesuffix("_of_what")
    return _related(facts, OPPOSITE[relation], question.what or "")


def _related(facts: Facts, relation: str, reference: str) -> Answer:
    """Return the one that is said to lie in that direction of the reference; None when not exactly one."""
    found = {
        subject if told == relation else other
        for _, subject, told, other in _relations(facts)
        if (told, other) == (relation, reference)
        or (told, subject) == (OPPOSITE[relation], reference)
    }
    return tuple(found) if len(found) == 1 else None


def _position(facts: Facts, question: Event) -> Answer:
    relation = question.predicate.removeprefix("is_")
    for cells in _components(facts):
        if question.what in cells and question.other in cells:
            dx, dy = (
                a - b for a, b in zip(cells[question.what], cells[question.other], strict=True)
            )
            step = STEP[relation]
            return ("yes",) if dx * step[0] + dy * step[1] > 0 else ("no",)
    return None


def _which_way(facts: Facts, question: Event) -> Answer:
    """Return the one shortest way; None when there is none or more than one."""
    exits: dict[str, dict[str, str]] = {}
    for _, subject, relation, reference in _relations(facts):
        exits.setdefault(reference, {})[relation] = subject
        exits.setdefault(subject, {})[OPPOSITE[relation]] = reference
    ways: dict[str, list[tuple[str, ...]]] = {question.what or "": [()]}
    frontier = [question.what or ""]
    while frontier and question.other not in ways:
        reached: dict[str, list[tuple[str, ...]]] = {}
        for place in frontier:
            for direction, neighbour in exits.get(place, {}).items():
                if neighbour not in ways:
                    steps = [(*way, direction) for way in ways[place]]
                    reached.setdefault(neighbour, []).extend(steps)
        ways.update(reached)
        frontier = list(reached)
    found = ways.get(question.other or "", [])
    return found[0] if len(found) == 1 and found[0] else None


def _comparisons(facts: Facts) -> list[tuple[int, str, str]]:
    """Return (line, bigger, smaller) for every comparison."""
    return [
        (line, event.what, event.other)
        if event.predicate == "bigger"
        else (line, event.other, event.what)
        for line, event in facts
        if event.predicate in ("bigger", "fit") and event.what and event.other
    ]


def _is_bigger(smaller: dict[str, set[str]], big: str, small: str) -> bool:
    """Say whether a chain of comparisons leads from the one down to the other."""
    seen: set[str] = set()
    stack = [big]
    while stack:
        for thing in smaller.get(stack.pop(), set()) - seen:
            seen.add(thing)
            stack.append(thing)
    return small in seen


def _size_contradictions(facts: Facts) -> list[str]:
    found = []
    smaller: dict[str, set[str]] = {}
    for line, big, small in _comparisons(facts):
        if big == small or _is_bigger(smaller, small, big):
            found.append(
                f"line {line}: the {big} cannot be bigger than the {small} by what was said so far"
            )
        else:
            smaller.setdefault(big, set()).add(small)
    return found


def _size(facts: Facts, question: Event) -> Answer:
    smaller: dict[str, set[str]] = {}
    for _, big, small in _comparisons(facts):
        smaller.setdefault(big, set()).add(small)
    first, second = question.what or "", question.other or ""
    if question.predicate == "does_fit":
        first, second = second, first
    if _is_bigger(smaller, first, second):
        return ("yes",)
    return ("no",) if _is_bigger(smaller, second, first) else None


# --- kinds, colours, motives -----------------------------------------------------------------------------


def _kind_of(facts: Facts, person: str) -> str | None:
    for _, event in facts:
        if event.predicate == "be_a" and person in event.who:
            return event.other
    return None


REMARKS = {"kind": "be_a", "state": "feel"}


def _remarked(facts: Facts, question: Event) -> Answer:
    """Answer what was said of somebody in so many words: what, whether, and of whom."""
    asks, _, said = question.predicate.partition("_of_")
    of = {e.who[0]: e.other for _, e in facts if e.predicate == REMARKS[said] and e.who and e.other}
    if asks == "who":
        found = tuple(person for person, other in of.items() if other == question.other)
        return found if len(found) == 1 else None
    other = of.get(question.who[0])
    if other is None or asks == "what":
        return None if other is None else (other,)
    return ("yes",) if other == question.other else ("no",)


def _afraid_of_what(facts: Facts, question: Event) -> Answer:
    kind = _kind_of(facts, question.who[0])
    for _, event in facts:
        if event.predicate == "fear" and event.what == kind and kind and event.other:
            return (event.other,)
    return None


def _which_colour(facts: Facts, question: Event) -> Answer:
    """Return the colour that was told, or that of the fellow of the same species who was introduced last."""
    kind = _kind_of(facts, question.who[0])
    colours = {e.who[0]: e.other for _, e in facts if e.predicate == "be_coloured" and e.who}
    own = colours.get(question.who[0])
    if own is not None:
        return (own,)
    for _, event in reversed(facts):
        if event.predicate == "be_a" and event.other == kind and event.who != question.who:
            colour = colours.get(event.who[0])
            return (colour,) if colour else None
    return None


def _motive(facts: Facts, question: Event, goals: dict[str, tuple[str, str]]) -> Answer:
    for _, event in facts:
        if event.predicate == "feel" and event.who == question.who and event.other in goals:
            room, thing = goals[event.other]
            if question.predicate == "where_will_go":
                return (room,)
            if question.where == room or question.what == thing:
                return (event.other,)
    return None


ANSWERS: dict[str, Callable[[Facts, Event], Answer]] = {
    "where_person": _where_person,
    "where_thing": _where_thing,
    "where_person_before": _where_person_before,
    "where_person_after": _where_person_after,
    "where_at_time": _where_at_time,
    "where_thing_before": _where_thing_before,
    "person_in_room": _person_in_room,
    "thing_in_room": _thing_in_room,
    "how_many_carried": _how_many_carried,
    "what_carried": _what_carried,
    "what_given": _gift,
    "who_gave": _gift,
    "who_gave_to": _gift,
    "who_received": _gift,
    "who_given_to": _gift,
    "who_has": _who_has,
    "has_thing": _has_thing,
    "who_get": _who_did,
    "who_drop": _who_did,
    "what_got": _what_got,
    "person_was_in": _person_was_in,
    "who_in_room": _who_in_room,
    "what_in_room": _what_in_room,
    **{f"{asks}_of_{said}": _remarked for asks in ("what", "who", "whether") for said in REMARKS},
    "afraid_of_what": _afraid_of_what,
    "which_colour": _which_colour,
    "is_bigger": _size,
    "does_fit": _size,
    "which_way": _which_way,
    **{f"is_{side}": _position for side in SIDES},
}
