"""Made-up names and nouns: what a model should do with words that nobody has told it about.

The names of a treebank are a closed list, and a model trained on them alone may take a new name for
a noun or a verb by its letters. So some of the names and nouns in the derived trees are spelled
by a chain over the letters of the treebank's own words: each new letter is drawn from those that follow
the last three letters somewhere in the list.
"""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Iterable, Sequence

ORDER = 3
LONGEST = 11
# One invented name in twelve has an accent, as many names in English texts have.
ACCENTS = {"a": "áàâäãå", "e": "éèêë", "i": "íï", "o": "óôöõø", "u": "úü", "c": "çč", "n": "ñ",
           "s": "šş", "l": "ł", "z": "ž", "y": "ý"}  # fmt: skip
_END = "\n"


class Speller:
    """Spells words that look like the words it was given."""

    def __init__(self, words: Iterable[str]) -> None:
        self.following: dict[str, list[str]] = defaultdict(list)
        for word in sorted({word.lower() for word in words}):
            padded = " " * ORDER + word + _END
            for i in range(ORDER, len(padded)):
                self.following[padded[i - ORDER : i]].append(padded[i])

    def spell(self, rng: random.Random) -> str:
        """One word, in lower case; it may be one of the given words."""
        word = " " * ORDER
        while len(word) < LONGEST + ORDER:
            letter = rng.choice(self.following[word[-ORDER:]])
            if letter == _END:
                break
            word += letter
        return word.strip()


def invented(
    words: Sequence[str], known: Iterable[str], count: int, seed: int, *, names: bool
) -> list[str]:
    """``count`` words of at least three letters like ``words`` and none of ``known``; ``names`` get
    a capital, and one in twelve an accent."""
    rng, speller = random.Random(seed), Speller(words)
    taken = {word.lower() for word in known}
    made: set[str] = set()
    for _ in range(50 * count):
        if len(made) == count:
            break
        word = speller.spell(rng)
        if len(word) < 3 or word in taken:
            continue
        made.add(_as_name(word, rng) if names else word)
    return sorted(made)


def _as_name(word: str, rng: random.Random) -> str:
    places = [i for i, letter in enumerate(word) if letter in ACCENTS]
    if places and rng.random() < 1 / 12:
        place = rng.choice(places)
        word = word[:place] + rng.choice(ACCENTS[word[place]]) + word[place + 1 :]
    return word[0].upper() + word[1:]
