"""What has happened and been told so far in a story of people who move and carry things.

The common rules of the released simulator (tasks 1-3 and 5-14) live here:

* every person and every object starts in a uniformly random room of which the reader is not told;
* a step draws an action and a person, then the arguments, and starts again if the result is invalid;
* a question starts from one of the last five elementary facts ("A and B went" counts as two).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from typing import NamedTuple

from babi_cascade.simulation.actions import (
    Action,
    carry_out,
    perform,
    possible_gifts,
    random_action,
    refusal,
)
from babi_cascade.simulation.dice import Dice
from babi_cascade.simulation.errors import SimulationError
from babi_cascade.simulation.events import Draft, Event
from babi_cascade.simulation.setting import Setting
from babi_cascade.simulation.tasks.base import PATIENCE
from babi_cascade.simulation.world import World


class Fact(NamedTuple):
    """One elementary fact: who did what, and the line that says so.

    ``order`` is its place among all facts of the story, which is how far back it lies.
    """

    order: int
    line: int
    kind: str
    person: str
    thing: str = ""
    room: str = ""
    to: str = ""


class Chronicle:
    """A world, the draft of what is told about it, and the facts in the order of telling.

    With ``first_gift``, as in the released data, a gift is not drawn: the first thing that can be given goes
    to the first one who is there, in the order of the cast.
    """

    def __init__(
        self,
        setting: Setting,
        dice: Dice,
        things: Sequence[str] | None = None,
        *,
        first_gift: bool = True,
    ) -> None:
        self.first_gift = first_gift
        self.setting = setting
        self.dice = dice
        self.draft = Draft()
        self.facts: list[Fact] = []
        self.moves: dict[str, list[Fact]] = defaultdict(list)
        self.touches: dict[str, list[Fact]] = defaultdict(list)
        self.been: dict[str, list[str]] = {}
        self.wish, self.wish_age = "", 0  # the kind of question that a composed task waits for
        chosen = setting.things if things is None else things
        self.world = World.at_random(setting.people, setting.rooms, chosen, dice)

    def step(self, actions: Sequence[str], there: dict[str, float], placed: float = 0.0) -> None:
        """Let something valid happen and tell it; what is done to a thing with its place, ``placed`` of the
        time.

        ``there`` gives, for each verb, the probability that the word "there" is added; in the paper's
        tables it is nowhere the rule.
        """
        most = 0.5 if self.setting.like_paper else 1.0
        dice, people, world = self.dice, self.setting.people, self.world
        for _ in range(PATIENCE):
            verb, actor = dice.pick(actions), dice.pick(people)
            if verb == "give" and self.first_gift:
                action = next(possible_gifts(world), None)
            else:
                action = random_action(world, verb, actor, dice)
            if action is not None and refusal(world, action) is None:
                event = carry_out(world, action)
                if verb in there and dice.chance(min(there[verb], most)):
                    event = event._replace(there=world.inside[action.actor])
                elif placed and verb in ("get", "drop") and dice.chance(placed):
                    event = event._replace(where=world.inside[action.actor])
                self.tell(event, self.stated(event))
                return

    def stated(self, event: Event) -> Event | None:
        """Return a move as a state ("John is in the park"), now and then, as the paper's tables tell it."""
        if self.setting.like_paper and event.predicate == "go" and self.dice.chance(0.2):
            return event._replace(predicate="be_in")
        return None

    def move(self, person: str, room: str) -> Event:
        """Move somebody without telling it (yet)."""
        return perform(self.world, Action(person, "go", target=room))

    def other_room(self, *people: str) -> str:
        """Draw a room in which none of the people is."""
        taken = {self.world.inside[person] for person in people}
        return self.dice.pick([room for room in self.setting.rooms if room not in taken])

    def step_aside(self, people: tuple[str, ...]) -> int:
        """Let others move before a pronoun takes up these people again; return how many statements that took.

        As many as the knob asks for, by people whom the pronoun cannot mean: for "he" and "she" they
        are of the other gender, for "they" they move alone. So the latest subject that agrees with the
        pronoun stays the one that is meant.
        """
        nearest, farthest = self.setting.knobs.pronoun_distance
        if farthest == 1:
            return 0
        genders = self.setting.genders
        others = [
            person
            for person in self.setting.people
            if person not in people and (len(people) > 1 or genders[person] != genders[people[0]])
        ]
        if not others:
            named = " and ".join(people)
            raise SimulationError(
                f"pronoun_distance: nobody of the cast can be told of between {named} and a pronoun; "
                "expected people of both genders, and at least three where two move together"
            )
        count = nearest - 1 + self.dice.below(farthest - nearest + 1)
        for _ in range(count):
            person = self.dice.pick(others)
            self.tell(self.move(person, self.other_room(person)))
        return count

    def tell(self, event: Event, told: Event | None = None) -> int:
        """Write the statement down and note the facts it holds, one for each person.

        ``told`` is what is written when that differs from what happened.
        """
        line = self.draft.say(event if told is None else told)
        for person in event.who:
            self.note(event, person, line)
        if self.been:
            self.follow_everybody()
        return line

    def tell_of_thing(self, event: Event) -> None:
        """Write down where a thing is; it is a fact of nobody."""
        self.note(event, "", self.draft.say(event))

    def follow_everybody(self) -> None:
        """Note where everybody and everything has really been (from the first call on)."""
        for name in self.world.inside:
            place = self.world.place_of(name)
            rooms = self.been.setdefault(name, [])
            if not rooms or rooms[-1] != place:
                rooms.append(place)

    def note(self, event: Event, person: str, line: int) -> None:
        """Note one elementary fact."""
        fact = Fact(
            len(self.facts), line, event.predicate, person, event.what or "", event.where or "",
            event.to or event.other or "",
        )  # fmt: skip
        self.facts.append(fact)
        if event.predicate == "go":
            self.moves[person].append(fact)
        if event.what:
            self.touches[event.what].append(fact)

    def window(self, *kinds: str) -> list[Fact]:
        """Return the recent facts (of some kinds) that a question may start from."""
        nearest, farthest = self.setting.knobs.distance
        recent = self.facts[-farthest : len(self.facts) - nearest + 1]
        return [fact for fact in recent if fact.kind in kinds] if kinds else recent

    def too_recent(self, lines: Sequence[int]) -> bool:
        """Say whether the newest of the supporting lines lies nearer than the knob allows."""
        nearest = self.setting.knobs.distance[0]
        if nearest == 1:
            return False
        newest = max(lines)
        return sum(fact.line > newest for fact in self.facts[-nearest:]) + 1 < nearest

    def moves_between(self, person: str, after: int, before: int) -> list[Fact]:
        """Return the told moves of a person between two facts, in order."""
        moves = self.moves[person]
        start = len(moves)
        while start and moves[start - 1].order > after:
            start -= 1
        return [move for move in moves[start:] if move.order < before]
