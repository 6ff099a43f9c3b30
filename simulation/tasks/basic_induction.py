"""Task 16: what one of its kind looks like, another one probably looks like."""

from __future__ import annotations

from babi_cascade.simulation.dice import Dice
from babi_cascade.simulation.events import Draft, Event
from babi_cascade.simulation.setting import Setting
from babi_cascade.simulation.tasks.base import PATIENCE, Task


class BasicInduction(Task):
    """Individuals have a species and a colour; the last colour is not told but asked for."""

    number = 16
    name = "basic-induction"
    questions_per_story = 1
    knobs = frozenset({"people"})

    def story(self, setting: Setting, dice: Dice) -> Draft:
        """Draw stories until the one asked about has fellows of its species to judge by."""
        for _ in range(PATIENCE):
            draft = self.attempt(setting, dice)
            if draft is not None:
                return draft
        raise self.impossible("nobody shares a species")

    def attempt(self, setting: Setting, dice: Dice) -> Draft | None:
        """Tell species before colour for everybody, in random order; ask the last colour."""
        draft = Draft()
        species: dict[str, tuple[str, int]] = {}
        colours: dict[str, str] = {}
        coloured: dict[str, int] = {}
        left = list(setting.people)
        while True:
            person = dice.pick(left)
            if person not in species:
                kind = dice.pick(setting.species)
                species[person] = kind, draft.say(Event("be_a", who=(person,), other=kind))
                # Every announcement draws the colour of the species anew, for all of them whose
                # colour has not been told.
                colour = dice.pick(setting.colours)
                for other, (k, _) in species.items():
                    if k == kind and other not in coloured:
                        colours[other] = colour
                continue
            if len(left) == 1:
                break
            told = Event("be_coloured", who=(person,), other=colours[person])
            coloured[person] = draft.say(told)
            left.remove(person)
        kind, is_a = species[person]
        fellows = {
            line: other for other, (k, line) in species.items() if k == kind and other != person
        }
        if not fellows or len(fellows) == 2:
            return None  # the released data hold no story with none or two
        latest = max(fellows)
        fellow = fellows[latest]
        question = Event("which_colour", who=(person,))
        draft.ask(question, colours[fellow], (is_a, latest, coloured[fellow]))
        return draft
