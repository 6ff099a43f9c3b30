"""Task 13: they."""

from __future__ import annotations

from babi_cascade.simulation.tasks.basic_coreference import BasicCoreference
from babi_cascade.simulation.tasks.chronicle import Chronicle


class CompoundCoreference(BasicCoreference):
    """Two people move together, and again as "they"."""

    number = 13
    name = "compound-coreference"

    def movers(self, chronicle: Chronicle) -> tuple[str, ...]:
        """Draw two people in random order."""
        return tuple(chronicle.dice.sample(chronicle.setting.people, 2))
