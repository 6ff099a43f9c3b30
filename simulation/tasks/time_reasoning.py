"""Task 14: yesterday, this morning, this afternoon, this evening."""

from __future__ import annotations

from babi_cascade.simulation.dice import Dice
from babi_cascade.simulation.events import Draft, Event
from babi_cascade.simulation.setting import Setting
from babi_cascade.simulation.tasks.base import Task

BEGINNINGS = 1000
"""How many stories are begun before the setting is given up."""


class TimeReasoning(Task):
    """Everybody lives through the times of day in order, but the statements are told out of order."""

    number = 14
    name = "time-reasoning"
    knobs = frozenset(
        {"people", "places", "questions_per_story", "statements_per_question", "distance"}
    )

    def story(self, setting: Setting, dice: Dice) -> Draft:
        """Tell moves out of order and ask where somebody was one time of day earlier."""
        for _ in range(BEGINNINGS):
            draft = self.attempt(setting, dice)
            if draft is not None:
                return draft
        raise self.impossible(
            f"the days of {len(setting.people)} people are over too soon; ask for fewer questions a story, "
            "a smaller distance, or more people"
        )

    def attempt(self, setting: Setting, dice: Dice) -> Draft | None:
        """Tell a story, or give up when everybody's day is over."""
        nearest, farthest = setting.knobs.distance
        draft = Draft()
        days: dict[str, list[str]] = {person: [] for person in setting.people}
        times = {person: times_told(setting, dice) for person in setting.people}
        lines: dict[tuple[str, int], int] = {}
        lived: list[tuple[str, int]] = []
        untold: list[tuple[str, int]] = []
        asked = 0
        while asked < self.question_count(setting):
            steps = [live(days, times, setting, dice) for _ in range(self.statement_count(setting))]
            new = [step for step in steps if step is not None]
            lived += new
            untold += new
            recent = lived[-farthest : len(lived) - nearest + 1]
            later = [(person, time) for person, time in recent if time > 0]
            if not later and new:
                continue
            # Nothing is told where it happened: with two statements they simply change places.
            for person, time in dice.rotated(untold):
                where, when = days[person][time], times[person][time]
                stated = setting.like_paper and dice.chance(0.25)
                told = Event("be_in" if stated else "go", who=(person,), where=where, when=when)
                lines[person, time] = draft.say(told)
            untold = []
            meant = [
                (person, last_visit(days[person], days[person][time])) for person, time in later
            ]
            far = [move for move in meant if told_since(lines, *move) >= nearest]
            if far:
                person, time = dice.pick(far)
                here, before = days[person][time], days[person][time - 1]
                support = (lines[person, time], lines[person, time - 1])
                was_last = last_visit(days[person], before) == time - 1
                if setting.typed and dice.chance(0.4):
                    then = dice.pick([at for whose, at in lines if whose == person])
                    question = Event("where_at_time", who=(person,), when=times[person][then])
                    draft.ask(question, days[person][then], (lines[person, then],))
                elif setting.like_paper and was_last and dice.chance(0.5):
                    question = Event("where_person_after", who=(person,), where=before)
                    draft.ask(question, here, support[::-1])
                else:
                    question = Event("where_person_before", who=(person,), where=here)
                    draft.ask(question, before, support)
                asked += 1
            elif not new:
                return None  # the days are over and nothing more can be asked
        return draft


def last_visit(rooms: list[str], room: str) -> int:
    """Return the time of the last visit to a room: of two visits the later one is meant."""
    return max(time for time, visited in enumerate(rooms) if visited == room)


def told_since(lines: dict[tuple[str, int], int], person: str, time: int) -> int:
    """Return how many facts back the newer of the two moves lies, by the order of telling."""
    newer = max(lines[person, time], lines[person, time - 1])
    return sum(line >= newer for line in lines.values())


def times_told(setting: Setting, dice: Dice) -> tuple[str, ...]:
    """Return the times that are told of somebody: all; in the paper's tables one may be missing."""
    if not setting.like_paper or dice.chance(0.5):
        return setting.times
    missing = dice.pick(setting.times)
    return tuple(time for time in setting.times if time != missing)


def live(
    days: dict[str, list[str]], times: dict[str, tuple[str, ...]], setting: Setting, dice: Dice
) -> tuple[str, int] | None:
    """Let somebody spend the next time of day in another room; None when all days are over."""
    able = [person for person, rooms in days.items() if len(rooms) < len(times[person])]
    if not able:
        return None
    person = dice.pick(able)
    rooms = days[person]
    rooms.append(dice.pick([room for room in setting.rooms if not rooms or room != rooms[-1]]))
    return person, len(rooms) - 1
