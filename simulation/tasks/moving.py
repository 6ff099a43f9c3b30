"""The rhythm of the tasks about people who move: statements, then a question if one arises."""

from __future__ import annotations

from abc import abstractmethod
from typing import ClassVar, NamedTuple

from babi_cascade.simulation.dice import Dice
from babi_cascade.simulation.events import Draft, Event
from babi_cascade.simulation.setting import Setting
from babi_cascade.simulation.tasks.base import Task
from babi_cascade.simulation.tasks.chronicle import Chronicle


class Query(NamedTuple):
    """A question that can be asked now."""

    question: Event
    answer: tuple[str, ...] | str
    support: tuple[int, ...]


class MovingTask(Task):
    """Two statements, then one attempt at a question, until the story has its questions."""

    actions: tuple[str, ...] = ("go",)
    first_gift: bool = True
    attempts: int = 1000  # at each question, before the story is begun again
    beginnings: int = 10
    there: ClassVar[dict[str, float]] = {}
    knobs = frozenset(
        {"people", "places", "things", "questions_per_story", "statements_per_question", "distance"}
    )

    def story(self, setting: Setting, dice: Dice) -> Draft:
        """Let things happen and ask whenever the task finds something to ask."""
        for _ in range(self.beginnings):
            draft = self.attempt(setting, dice)
            if draft is not None:
                return draft
        raise self.impossible(
            f"none arose in {self.beginnings} stories with {len(setting.people)} people, "
            f"{len(setting.rooms)} places and {len(setting.things)} things"
        )

    def attempt(self, setting: Setting, dice: Dice) -> Draft | None:
        """Tell a story, or give up when no question arises.

        A story in which nothing more can be asked (everything has been picked up, say) ends early.
        """
        chronicle = Chronicle(
            setting, dice, None if "get" in self.actions else (), first_gift=self.first_gift
        )
        for _ in range(self.question_count(setting)):
            for _ in range(self.attempts):
                self.happen(chronicle, self.statement_count(setting))
                query = self.query(chronicle)
                if query is not None and not chronicle.too_recent(query.support):
                    chronicle.draft.ask(*query)
                    break
            else:
                asked = chronicle.draft.questions
                if not asked:
                    return None
                chronicle.draft.cut_after_question(asked)
                break
        return chronicle.draft

    def happen(self, chronicle: Chronicle, statements: int) -> None:
        """Tell the statements that come before an attempt at a question."""
        for _ in range(statements):
            chronicle.step(self.actions, self.there)

    @abstractmethod
    def query(self, chronicle: Chronicle) -> Query | None:
        """Return a question about one of the recent facts, or None when there is none."""
