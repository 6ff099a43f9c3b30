"""Task 18: what fits into what."""

from __future__ import annotations

from typing import NamedTuple

from babi_cascade.simulation.dice import Dice
from babi_cascade.simulation.events import Draft, Event
from babi_cascade.simulation.setting import Setting
from babi_cascade.simulation.tasks.base import Task

DRAWS = 40
"""How often a question is drawn before more is told; fitted to the released data."""


BLOCKS = 500
"""How many blocks of statements are made before the setting is given up."""


class Comparison(NamedTuple):
    """A told comparison of two things and its line."""

    line: int
    big: str
    small: str


class SizeReasoning(Task):
    """Two comparisons chained through something in between tell which of two things is bigger."""

    number = 18
    name = "size-reasoning"
    statements_per_question = 5  # a block of statements, before a block of questions
    knobs = frozenset({"things", "questions_per_story", "statements_per_question"})

    def story(self, setting: Setting, dice: Dice) -> Draft:
        """Compare things at random, and ask until a whole block of questions came out."""
        ranked = [*setting.small_boxes, *dice.shuffled(setting.large_boxes)]
        draft = Draft()
        told: list[Comparison] = []
        for _ in range(BLOCKS):
            for _ in range(self.statement_count(setting)):
                small, big = sorted(dice.sample(range(len(ranked)), 2))
                if dice.chance(0.5):
                    event = Event("bigger", what=ranked[big], other=ranked[small])
                else:
                    event = Event("fit", what=ranked[small], other=ranked[big])
                told.append(Comparison(draft.say(event), ranked[big], ranked[small]))
            longer = 3 if setting.like_paper else 0
            if all(
                (longer and dice.chance(0.3) and ask_chain(draft, told, longer, dice))
                or self.ask(draft, told, dice)
                for _ in range(self.question_count(setting))
            ):
                return draft
        raise self.impossible("no comparisons chain up")

    def ask(self, draft: Draft, told: list[Comparison], dice: Dice) -> bool:
        """Ask about a chain of two comparisons; say whether one was found.

        As in the released data: one comparison is drawn, and whether the answer is yes; the other one is the
        first that mentions the thing in between, if it stands there on the right side.
        """
        for _ in range(DRAWS):
            drawn, true = dice.pick(told), dice.chance(0.5)
            middle = drawn.small if true else drawn.big
            partners = [c for c in told if c.line != drawn.line and middle in (c.big, c.small)]
            if not partners or middle != (partners[0].big if true else partners[0].small):
                continue
            first, second = (
                (drawn.big, partners[0].small) if true else (drawn.small, partners[0].big)
            )
            put(draft, first, second, true, (drawn.line, partners[0].line), dice)
            return True
        return False


class LongChains(SizeReasoning):
    """The same with chains of any length (not in the released data)."""

    number = 0
    name = "long-chains"
    chain = 3

    def story(self, setting: Setting, dice: Dice) -> Draft:
        """Tell a story if there are enough things for such a chain."""
        count = len(setting.small_boxes) + len(setting.large_boxes)
        if count <= self.chain:
            raise self.impossible(
                f"a chain of {self.chain} comparisons needs {self.chain + 1} things, found {count}"
            )
        return super().story(setting, dice)

    def ask(self, draft: Draft, told: list[Comparison], dice: Dice) -> bool:
        """Ask about one of all chains of the right length."""
        return ask_chain(draft, told, self.chain, dice)


def ask_chain(draft: Draft, told: list[Comparison], length: int, dice: Dice) -> bool:
    """Ask about one of all chains of so many comparisons; say whether there was one."""
    # A comparison that is told twice counts once, else the number of chains would explode.
    pairs = {(c.big, c.small): c for c in reversed(told)}
    chains: list[tuple[Comparison, ...]] = [(c,) for c in pairs.values()]
    for _ in range(length - 1):
        chains = [
            (*chain, c) for chain in chains for c in pairs.values() if c.big == chain[-1].small
        ]
    if not chains:
        return False
    chain = dice.pick(chains)
    lines = tuple(c.line for c in chain)
    true = dice.chance(0.5)
    if true:
        put(draft, chain[0].big, chain[-1].small, true, lines, dice)
    else:
        put(draft, chain[-1].small, chain[0].big, true, lines[::-1], dice)
    return True


def put(
    draft: Draft, first: str, second: str, true: bool, support: tuple[int, ...], dice: Dice
) -> None:
    """Ask whether the first thing is bigger than the second, in one of two ways."""
    if dice.chance(0.5):
        question = Event("is_bigger", what=first, other=second)
    else:
        question = Event("does_fit", what=second, other=first)
    draft.ask(question, "yes" if true else "no", support)
