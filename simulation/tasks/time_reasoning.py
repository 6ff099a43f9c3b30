"""Task 14: yesterday, this morning, this afternoon, this evening."""

from __future__ import annotations

from simulation.dice import Dice
from simulation.events import Draft, Event
from simulation.setting import Setting
from simulation.tasks.base import PATIENCE, Task


class TimeReasoning(Task):
    """Everybody lives through the times of day in order, but the statements are told out of order."""

    number = 14
    name = "time-reasoning"
    knobs = frozenset(
        {"people", "places", "questions_per_story", "statements_per_question", "distance"}
    )

    def story(self, setting: Setting, dice: Dice) -> Draft:
        """Tell moves out of order and ask where somebody was one time of day earlier."""
        draft = Draft()
        days: dict[str, list[str]] = {person: [] for person in setting.people}
        lines: dict[tuple[str, int], int] = {}
        lived: list[tuple[str, int]] = []
        untold: list[tuple[str, int]] = []
        asked = 0
        for _ in range(PATIENCE):
            for _ in range(self.statement_count(setting)):
                step = live(days, setting, dice)
                if step is not None:
                    lived.append(step)
                    untold.append(step)
            nearest, farthest = setting.knobs.distance
            recent = lived[-farthest : len(lived) - nearest + 1]
            later = [(person, time) for person, time in recent if time > 0]
            if not later:
                continue
            # Nothing is told where it happened: with two statements they simply change places.
            for person, time in dice.rotated(untold):
                event = Event(
                    "go", who=(person,), where=days[person][time], when=setting.times[time]
                )
                lines[person, time] = draft.say(event)
            untold = []
            person, time = dice.pick(later)
            room = days[person][time]
            # Of two visits to the same room the later one is meant.
            time = max(t for t, visited in enumerate(days[person]) if visited == room)
            question = Event("where_person_before", who=(person,), where=room)
            support = (lines[person, time], lines[person, time - 1])
            draft.ask(question, days[person][time - 1], support)
            asked += 1
            if asked == self.question_count(setting):
                return draft
        raise self.impossible("nobody is told to be in two places one after the other")


def live(days: dict[str, list[str]], setting: Setting, dice: Dice) -> tuple[str, int] | None:
    """Let somebody spend the next time of day in another room; None when all days are over."""
    able = [person for person, rooms in days.items() if len(rooms) < len(setting.times)]
    if not able:
        return None
    person = dice.pick(able)
    rooms = days[person]
    rooms.append(dice.pick([room for room in setting.rooms if not rooms or room != rooms[-1]]))
    return person, len(rooms) - 1
