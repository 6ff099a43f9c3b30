"""Shuffled letters: the same text in an alphabet nobody can read.

As in the released ``shuffled`` files, capitals and small letters are permuted independently; digits,
punctuation and spaces stay. The permutation depends on the seed alone, so that all tasks and both
splits of one data set share it.
"""

from __future__ import annotations

import string

from babi_cascade.simulation.dice import Dice


class Letters:
    """A seeded permutation of the letters, and the way back."""

    def __init__(self, seed: int) -> None:
        dice = Dice("letters", seed)
        plain = string.ascii_lowercase + string.ascii_uppercase
        mixed = dice.shuffled(string.ascii_lowercase) + dice.shuffled(string.ascii_uppercase)
        self._forward = str.maketrans(plain, "".join(mixed))
        self._back = str.maketrans("".join(mixed), plain)

    def shuffle(self, text: str) -> str:
        """Return the text in shuffled letters."""
        return text.translate(self._forward)

    def restore(self, text: str) -> str:
        """Return the text that was shuffled."""
        return text.translate(self._back)
