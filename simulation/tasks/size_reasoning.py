"""Task 18: what fits into what."""

from __future__ import annotations

from itertools import pairwise

from simulation.dice import Dice
from simulation.events import Draft, Event
from simulation.setting import Setting
from simulation.tasks.base import PATIENCE, Task


class SizeReasoning(Task):
    """Two statements chained through something in between tell which of two things is bigger."""

    number = 18
    name = "size-reasoning"
    statements_per_question = 5  # a block of statements, before a block of questions
    knobs = frozenset({"things", "questions_per_story", "statements_per_question"})
    chain = 2

    def story(self, setting: Setting, dice: Dice) -> Draft:
        """Compare things at random until a chain exists; then ask about such chains."""
        ranked = [*setting.small_boxes, *dice.shuffled(setting.large_boxes)]
        draft = Draft()
        told: dict[tuple[int, int], list[int]] = {}
        for _ in range(PATIENCE):
            for _ in range(self.statement_count(setting)):
                small, big = sorted(dice.sample(range(len(ranked)), 2))
                if dice.chance(0.5):
                    event = Event("bigger", what=ranked[big], other=ranked[small])
                else:
                    event = Event("fit", what=ranked[small], other=ranked[big])
                told.setdefault((big, small), []).append(draft.say(event))
            chains = find_chains(told, self.chain)
            if chains:
                for _ in range(self.question_count(setting)):
                    self.ask(draft, ranked, told, dice.pick(chains), dice)
                return draft
        raise self.impossible("no two comparisons chain up")

    def ask(
        self,
        draft: Draft,
        ranked: list[str],
        told: dict[tuple[int, int], list[int]],
        chain: tuple[int, ...],
        dice: Dice,
    ) -> None:
        """Ask about the two ends of a chain, biggest first in the supporting facts when it is true."""
        big, small = ranked[chain[0]], ranked[chain[-1]]
        lines = [told[pair][0] for pair in pairwise(chain)]
        true = dice.chance(0.5)
        if dice.chance(0.5):
            kind, first, second = "is_bigger", big, small
        else:
            kind, first, second = "does_fit", small, big
        if not true:
            first, second = second, first
        support = lines if true else lines[::-1]
        draft.ask(Event(kind, what=first, other=second), "yes" if true else "no", tuple(support))


def find_chains(told: dict[tuple[int, int], list[int]], length: int) -> list[tuple[int, ...]]:
    """Return all chains of ``length`` comparisons, each from the biggest to the smallest."""
    chains: list[tuple[int, ...]] = list(told)
    for _ in range(length - 1):
        chains = [(*chain, small) for chain in chains for big, small in told if big == chain[-1]]
    return sorted(chains)
