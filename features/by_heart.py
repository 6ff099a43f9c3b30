"""Which names tell an answer: what can only be learned by heart is looked at only where that is worth it.

"Muddy" tells that somebody was out in the rain, whoever it is; which of the spheres is red tells nothing of
what is left of it. With few questions a linear model finds reasons in such names all the same. So training
asks of each place of a name whether answers are known from it: from the same name in other stories.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Hashable, Iterable

from babi_cascade.features.group import Attribute

STANDARD_ERRORS = 3.0
"""Names must tell more answers than the commonest answer does by so much."""

Met = tuple[Attribute, str, str, Hashable]
"""Where a name stands, the name, the answer, the story."""


def telling(met: Iterable[Met]) -> frozenset[Attribute]:
    """Return the places where names tell the answer."""
    places: dict[Attribute, dict[tuple[str, str, Hashable], None]] = {}
    for place, name, answer, story in met:
        places.setdefault(place, {})[name, answer, story] = None
    return frozenset(place for place, own in places.items() if _tells(own))


def _tells(met: Iterable[tuple[str, str, Hashable]]) -> bool:
    """Say whether a name's other stories tell the answer more often than it is the commonest one."""
    told = [(name, answer) for name, answer, _ in met]
    (usual, _), *_ = Counter(answer for _, answer in told).most_common()
    by_name: dict[str, Counter[str]] = {}
    for name, answer in told:
        by_name.setdefault(name, Counter())[answer] += 1
    gained, squared = 0.0, 0.0
    for name, answer in told:
        known, guessed = by_name[name], float(answer == usual)
        more = (_right(known, answer) if known.total() > 1 else guessed) - guessed
        gained += more
        squared += more * more
    return gained > STANDARD_ERRORS * math.sqrt(squared)


def _right(seen: Counter[str], answer: str) -> float:
    """Return how surely the commonest answer is the true one, which itself does not count."""
    own = seen[answer] - 1
    others = [count for other, count in seen.items() if other != answer]
    most = max(others, default=0)
    if own < most or own == 0:
        return 0.0
    return 1.0 if own > most else 1.0 / (1 + others.count(most))
