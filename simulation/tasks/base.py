"""What every task is: a number, a name, and a way to draft one story."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import ClassVar

from babi_cascade.simulation.dice import Dice
from babi_cascade.simulation.errors import SimulationError
from babi_cascade.simulation.events import Draft, Event
from babi_cascade.simulation.setting import Setting

PATIENCE = 100_000
"""How many statements or redraws are made before a story is given up as impossible."""


class Task(ABC):
    """One of the tasks; ``knobs`` names the knobs that mean something to it."""

    number: int = 0
    name: str
    lexicon_key: str = ""  # whose words and cast a task takes over; its own number when empty
    questions_per_story: int = 5
    statements_per_question: int = 2
    knobs: ClassVar[frozenset[str]] = frozenset()

    @abstractmethod
    def story(self, setting: Setting, dice: Dice) -> Draft:
        """Draft one story."""

    def question_count(self, setting: Setting) -> int:
        """How many questions a story gets."""
        return setting.knobs.questions_per_story or self.questions_per_story

    def statement_count(self, setting: Setting) -> int:
        """How many statements are made before each question or attempt at one."""
        return setting.knobs.statements_per_question or self.statements_per_question

    def impossible(self, why: str) -> SimulationError:
        """Return the error for a setting in which the task never finds a question."""
        return SimulationError(f"{self.name}: no question can be asked: {why}")


def with_distractors(draft: Draft, setting: Setting, dice: Dice) -> Draft:
    """Add statements about bystanders, who have nothing to do with any question.

    They never come between a sentence and the pronoun that refers to it.
    """
    count = setting.knobs.distractors
    if not count:
        return draft
    at = {person: dice.pick(setting.rooms) for person in setting.bystanders}

    def somewhere(statements: list[Event]) -> list[tuple[int, Event]]:
        closed = {
            position
            for pronoun, event in enumerate(statements)
            if event.pronoun
            for position in range(antecedent(statements, pronoun) + 1, pronoun + 1)
        }
        gaps = [position for position in range(len(statements) + 1) if position not in closed]
        # Drawn first and sorted, so that a bystander's moves come in the order they are made.
        positions = sorted(dice.pick(gaps) for _ in range(count))
        inserted = []
        for position in positions:
            person = dice.pick(setting.bystanders)
            at[person] = dice.pick([room for room in setting.rooms if room != at[person]])
            inserted.append((position, Event("go", who=(person,), where=at[person])))
        return inserted

    return draft.with_insertions(somewhere)


def antecedent(statements: list[Event], pronoun: int) -> int:
    """Return where the people of a statement with a pronoun were named last."""
    who = statements[pronoun].who
    return next(
        (
            position
            for position in range(pronoun - 1, -1, -1)
            if statements[position].who == who and not statements[position].pronoun
        ),
        pronoun - 1,
    )
