"""A task put together from parts: actions, ways of telling, kinds of questions, number of supporting facts.

The answers come from the world. The supporting facts are a smallest set of told facts from which the
independent reader of ``simulation.check`` draws the same answer; if the two ever disagree, the story is
refused rather than written.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import ClassVar

from babi_cascade.simulation.check.knowledge import Answer, Fact, reader_answer
from babi_cascade.simulation.check.order import reasoning_order
from babi_cascade.simulation.check.pronouns import Told, resolved
from babi_cascade.simulation.check.proof import WHOLE_HISTORY
from babi_cascade.simulation.dice import Dice
from babi_cascade.simulation.errors import SimulationError
from babi_cascade.simulation.events import Asked, Event
from babi_cascade.simulation.tasks.chronicle import Chronicle
from babi_cascade.simulation.tasks.counting import NUMBERS
from babi_cascade.simulation.tasks.moving import MovingTask, Query

KINDS = (
    "where_person", "where_thing", "where_person_before", "where_thing_before", "person_in_room",
    "thing_in_room", "how_many_carried", "what_carried", "what_given", "who_gave", "who_gave_to",
    "who_received", "who_given_to",
)  # fmt: skip
MORE_KINDS = (
    "who_has", "has_thing", "who_get", "who_drop", "what_got",
    "person_was_in", "who_in_room", "what_in_room", "what_of_kind", "who_of_kind", "whether_of_kind",
    "what_of_state", "who_of_state", "whether_of_state", "which_colour",
)  # fmt: skip
"""What no task asks, or not of this."""

REMARKS = {"kind": "be_a", "state": "feel", "colour": "be_coloured"}
"""What may be said of somebody once and for all, by the end of the name of the questions about it."""

ABOUT_THINGS = (
    "where_thing", "where_thing_before", "thing_in_room", "who_has", "has_thing", "who_get", "who_drop",
    "what_got", "what_in_room",
)  # fmt: skip
GIFTS = ("what_given", "who_gave", "who_gave_to", "who_received", "who_given_to")
WAYS = ("together", "state", "negated", "either", "lying", "remark")
"""How a step may be told that is not drawn by the common rules."""

STUBBORN = 12
"""How many attempts a kind of question is waited for before another one is drawn."""

DRAWS = 20
"""How many questions are tried before two more statements are made."""


@dataclass(frozen=True)
class Telling:
    """How moves are told: the share of each way; what is left is told as a plain move.

    ``lying`` is the share of statements that say where a thing lies, ``placed`` of those about getting and
    dropping that say where it was, ``remark`` that of statements that say what somebody is,
    ``deed_pronoun`` that of deeds told of *he* or *she* where one can.
    """

    pronoun: float = 0.0
    together: float = 0.0
    state: float = 0.0
    negated: float = 0.0
    either: float = 0.0
    lying: float = 0.0
    placed: float = 0.0
    remark: float = 0.0
    deed_pronoun: float = 0.0


@dataclass(kw_only=True)
class ComposedTask(MovingTask):
    """A task of people who move and carry things, by a user's description."""

    name: str
    actions: tuple[str, ...]
    questions: dict[str, float]
    least_support: int = 1
    most_support: int = 1000
    telling: Telling = field(default_factory=Telling)
    there_share: dict[str, float] = field(default_factory=dict)
    first_gift: bool = False
    attempts: int = 60
    beginnings: int = 4
    knobs: ClassVar[frozenset[str]] = MovingTask.knobs | {"pronoun_distance"}

    def happen(self, chronicle: Chronicle, statements: int) -> None:
        """Let things happen; a move may be told in other words."""
        chronicle.follow_everybody()
        told = 0
        while told < statements:
            told += self.move(chronicle) if self.moves(chronicle) else self.other(chronicle)

    def moves(self, chronicle: Chronicle) -> bool:
        """Say whether the next step is a special move rather than one drawn by the common rules."""
        special = self.telling
        total = sum(getattr(special, way) for way in WAYS)
        share = 1.0 if set(self.actions) == {"go"} else 0.6
        return chronicle.dice.chance(total * share)

    def other(self, chronicle: Chronicle) -> int:
        """Take one step by the common rules, and perhaps another move under a pronoun."""
        chronicle.step(self.actions, self.there_share, self.telling.placed)
        self.call_by_pronoun(chronicle.draft.lines, chronicle)
        return 1 + self.again(chronicle)

    def call_by_pronoun(self, lines: list[Event | Asked], chronicle: Chronicle) -> None:
        """Tell what somebody does with a thing under a pronoun, if the statement before names the same."""
        *_, before, last = (None, None, *lines)
        if not (isinstance(before, Event) and isinstance(last, Event) and last.what):
            return
        plain = before.who == last.who and not before.pronoun and not (last.there or last.where)
        if plain and self.telling.deed_pronoun and chronicle.dice.chance(self.telling.deed_pronoun):
            lines[-1] = last._replace(pronoun=True)

    def move(self, chronicle: Chronicle) -> int:
        """Move somebody and tell it in a special way."""
        dice, special = chronicle.dice, self.telling
        way = weighted({way: getattr(special, way) for way in WAYS}, dice)
        if way == "lying":
            return self.find(chronicle)
        if way == "remark":
            return self.remark(chronicle)
        people = tuple(dice.sample(chronicle.setting.people, 2 if way == "together" else 1))
        left = chronicle.world.inside[people[0]]
        room = chronicle.other_room(*people)
        for person in people:
            chronicle.move(person, room)
        event = Event("go" if way == "together" else "be_in", who=people, where=room)
        if way == "negated":
            event = event._replace(where=left, negated=True)
        if way == "either":
            rooms = dice.shuffled([room, chronicle.other_room(people[0])])
            event = event._replace(where=None, alternatives=tuple(rooms))
        chronicle.tell(event)
        return 1 + (self.again(chronicle) if way == "together" else 0)

    def find(self, chronicle: Chronicle) -> int:
        """Tell where something lies that nobody has; 0 where somebody has everything."""
        world = chronicle.world
        lying = [
            thing
            for thing, place in world.inside.items()
            if thing in world.things and place in world.places
        ]
        if not lying:
            return 0
        thing = chronicle.dice.pick(lying)
        chronicle.tell_of_thing(Event("lie_in", what=thing, where=world.inside[thing]))
        return 1

    def remark(self, chronicle: Chronicle) -> int:
        """Say what somebody is, each of it once; 0 where it was said before."""
        dice, setting = chronicle.dice, chronicle.setting
        person = dice.pick(setting.people)
        predicate = dice.pick(list(REMARKS.values()))
        if any((fact.kind, fact.person) == (predicate, person) for fact in chronicle.facts):
            return 0
        words = {"be_a": setting.species, "feel": setting.states, "be_coloured": setting.colours}
        chronicle.tell(Event(predicate, who=(person,), other=dice.pick(words[predicate])))
        return 1

    def again(self, chronicle: Chronicle) -> int:
        """Let whoever has just gone somewhere go on under a pronoun, with the given share."""
        last = chronicle.draft.lines[-1]
        if not isinstance(last, Event) or last.predicate != "go" or last.pronoun:
            return 0
        if not chronicle.dice.chance(self.telling.pronoun):
            return 0
        between = chronicle.step_aside(last.who)
        room = chronicle.other_room(*last.who)
        for person in last.who:
            chronicle.move(person, room)
        chronicle.tell(Event("go", who=last.who, where=room, pronoun=True))
        return between + 1

    def query(self, chronicle: Chronicle) -> Query | None:
        """Draw questions about recent facts until one has a known answer and the right support.

        The kind is drawn once for each question, so that rare kinds get their share; only after several
        attempts in vain another one is drawn.
        """
        recent = chronicle.window()
        if chronicle.wish_age % STUBBORN == 0:
            chronicle.wish = weighted(self.questions, chronicle.dice)
        chronicle.wish_age += 1
        told = told_by(chronicle)
        facts = resolved(told, chronicle.setting.genders)
        tried: set[Event] = set()
        for _ in range(DRAWS if recent else 0):
            question = self.draw(chronicle)
            if question is None or question in tried:
                continue
            tried.add(question)
            known = reader_answer(facts, question, {})
            if known is None:
                continue
            true = world_answer(chronicle, question)
            if known != true and question.predicate.endswith("_before"):
                continue  # since the visit that was told there was one that was not
            if known != ("maybe",) and true is not None and known != true:
                raise SimulationError(
                    f"{self.name}: the world says {true} to {question}, but a reader says {known}"
                )
            support = smallest_support(told, question, known, chronicle.setting.genders)
            if self.least_support <= len(support) <= self.most_support:
                chronicle.wish_age = 0
                return Query(question, known, support)
        return None

    def draw(self, chronicle: Chronicle) -> Event | None:
        """Draw what a question of the wanted kind is about, from the recent facts."""
        dice = chronicle.dice
        kind = chronicle.wish
        recent = chronicle.window()
        if kind in GIFTS:
            recent = [fact for fact in recent if fact.kind == "give"]
        elif kind in ABOUT_THINGS:
            recent = [fact for fact in recent if fact.thing]
        remark = REMARKS.get(kind.rpartition("_")[2])
        if remark:
            recent = [fact for fact in recent if fact.kind == remark]
        if not recent:
            return None
        fact = dice.pick(recent)
        if remark:
            other = (
                fact.to
                if dice.chance(0.5)
                else dice.pick([f.to for f in chronicle.facts if f.kind == remark])
            )
            who = () if kind.startswith("who_") else (fact.person,)
            return Event(
                kind, who=who, other=other if kind.startswith(("who_", "whether_")) else None
            )
        if not fact.person and kind not in ABOUT_THINGS:
            return None
        who, what = (fact.person,), fact.thing
        if kind in GIFTS:
            by_giver = kind in ("what_given", "who_given_to")
            by_thing = kind != "what_given"
            to = fact.to if kind in ("what_given", "who_gave_to") else None
            return Event(kind, who=who if by_giver else (), what=what if by_thing else None, to=to)
        if kind in ("who_in_room", "what_in_room"):
            return Event(
                kind,
                where=chronicle.world.place_of(what if kind == "what_in_room" else fact.person),
            )
        if kind == "has_thing":
            asked = fact.person or dice.pick(chronicle.setting.people)  # who had it, or has it now
            holder = chronicle.world.holder_of(what)
            return Event(
                kind, who=(holder,) if holder and dice.chance(0.4) else (asked,), what=what
            )
        if kind == "what_got":
            return Event(kind, who=who) if who[0] else None
        subject = Event(kind, what=what) if kind in ABOUT_THINGS else Event(kind, who=who)
        if kind == "person_was_in":
            rooms = [
                move.room for move in chronicle.facts if move.person == fact.person and move.room
            ]
            return subject._replace(
                where=dice.pick(rooms if rooms and dice.chance(0.5) else chronicle.setting.rooms)
            )
        if kind.endswith("_in_room"):
            here = chronicle.world.place_of(what if kind == "thing_in_room" else fact.person)
            elsewhere = [room for room in chronicle.setting.rooms if room != here]
            return subject._replace(where=here if dice.chance(0.5) else dice.pick(elsewhere))
        if kind.endswith("_before"):
            here = chronicle.world.place_of(what if kind == "where_thing_before" else fact.person)
            return subject._replace(where=here)
        return subject


def weighted(weights: dict[str, float], dice: Dice) -> str:
    """Draw a key in proportion to its weight."""
    drawn = dice.random() * sum(weights.values())
    for key, weight in weights.items():
        drawn -= weight
        if drawn < 0:
            return key
    return max(weights, key=lambda key: weights[key])  # rounding at the very end of the range


def told_by(chronicle: Chronicle) -> list[Told]:
    """Return the statements as a reader meets them: pronouns only agree with somebody."""
    genders = chronicle.setting.genders
    return [
        Told(number, line, "pl" if len(line.who) > 1 else genders[line.who[0]] if line.who else "")
        for number, line in enumerate(chronicle.draft.lines, start=1)
        if not isinstance(line, Asked)
    ]


def world_answer(chronicle: Chronicle, question: Event) -> Answer:
    """Return the true answer, from the world and what really happened in it; None if it decides nothing."""
    world, kind = chronicle.world, question.predicate
    subject = question.what or (question.who[0] if question.who else "")
    if (
        kind in ("person_was_in", "who_in_room", "what_in_room")
        or kind.rpartition("_")[2] in REMARKS
    ):
        return None  # who and what was there without a word the world knows, and a reader cannot
    if kind in ("where_person", "where_thing"):
        return (world.place_of(subject),)
    if kind.endswith("_in_room"):
        return ("yes",) if world.place_of(subject) == question.where else ("no",)
    if kind == "what_carried":
        first = list(dict.fromkeys(
            fact.thing for fact in chronicle.facts if fact.thing and subject in (fact.person, fact.to)
        ))  # fmt: skip
        held = sorted(world.carried_by(subject), key=first.index)
        return tuple(held) or ("nothing",)
    if kind == "how_many_carried":
        return (NUMBERS[len(world.carried_by(subject))],)
    if kind in GIFTS:
        gift = next(
            fact for fact in reversed(chronicle.facts)
            if fact.kind == "give" and question.who in ((), (fact.person,))
            and question.what in (None, fact.thing) and question.to in (None, fact.to)
        )  # fmt: skip
        asked = {"what_given": gift.thing, "who_gave": gift.person, "who_gave_to": gift.person}
        return (asked.get(kind, gift.to),)
    if kind in ("who_has", "has_thing"):
        holder = world.holder_of(question.what or "")
        if kind == "who_has":
            return (holder or "nobody",)
        return ("yes",) if holder == question.who[0] else ("no",)
    if kind in ("who_get", "who_drop", "what_got"):
        done = next(
            fact for fact in reversed(chronicle.facts)
            if fact.kind == ("get" if kind == "what_got" else kind.removeprefix("who_"))
            and question.what in (None, fact.thing) and question.who in ((), (fact.person,))
        )  # fmt: skip
        return (done.thing if kind == "what_got" else done.person,)
    return (chronicle.been[subject][-2],)


def smallest_support(
    told: Sequence[Told], question: Event, answer: Answer, genders: dict[str, str]
) -> tuple[int, ...]:
    """Return the lines of a set of facts that gives the answer, but not without any of them."""
    facts = resolved(told, genders)
    if question.predicate in WHOLE_HISTORY:
        person = question.who[0]
        handled = [f for f in facts if f.event.what and person in (*f.event.who, f.event.to)]
        return reasoning_order(handled, question)

    def suffices(some: Sequence[Told]) -> bool:
        return reader_answer(resolved(some, genders), question, {}) == answer

    about = related(facts, question)
    chosen = [line for line, fact in zip(told, facts, strict=True) if fact in about]
    if not suffices(chosen):
        chosen = list(told)
    # What is needed is mostly recent: cut to an end of the story that suffices before trying line by line.
    size = 1
    while size < len(chosen) and not suffices(chosen[-size:]):
        size *= 2
    chosen = chosen[-size:]
    shrunk = True
    while shrunk:
        shrunk = False
        for line in list(chosen):
            rest = [other for other in chosen if other is not line]
            if suffices(rest):
                chosen, shrunk = rest, True
    return reasoning_order(resolved(chosen, genders), question)


def related(facts: Sequence[Fact], question: Event) -> set[Fact]:
    """Return the facts about whom or what is asked and about everybody who handled it."""
    names = {*question.who, question.what, question.to} - {None}
    for _, event in facts:
        if event.what in names:
            names |= {*event.who, event.to} - {None}
    return {fact for fact in facts if names & {*fact.event.who, fact.event.what, fact.event.to}}
