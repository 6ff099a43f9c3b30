"""Task 15: what the kind fears, its members fear."""

from __future__ import annotations

from babi_cascade.simulation.dice import Dice
from babi_cascade.simulation.events import Draft, Event
from babi_cascade.simulation.setting import Setting
from babi_cascade.simulation.tasks.base import Task


class BasicDeduction(Task):
    """Every animal is afraid of another one; every person is one of the animals."""

    number = 15
    name = "basic-deduction"
    questions_per_story = 4
    knobs = frozenset({"people", "questions_per_story"})

    def story(self, setting: Setting, dice: Dice) -> Draft:
        """Tell fears and kinds in random order, a kind's fear before its members; then ask."""
        draft = Draft()
        fears: dict[str, tuple[str, int]] = {}
        kinds: dict[str, tuple[str, int]] = {}
        while len(fears) < len(setting.animals) or len(kinds) < len(setting.people):
            if dice.chance(0.5):
                animal = dice.pick(setting.animals)
                if animal not in fears:
                    feared = dice.pick([other for other in setting.animals if other != animal])
                    fears[animal] = feared, draft.say(Event("fear", what=animal, other=feared))
            else:
                person, animal = dice.pick(setting.people), dice.pick(setting.animals)
                if person not in kinds and animal in fears:
                    kinds[person] = animal, draft.say(Event("be_a", who=(person,), other=animal))
        for _ in range(self.question_count(setting)):
            person = dice.pick(setting.people)
            animal, is_a = kinds[person]
            feared, fear = fears[animal]
            draft.ask(Event("afraid_of_what", who=(person,)), feared, (is_a, fear))
        return draft
