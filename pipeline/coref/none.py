"""No coreference: every story is left as it is. What the others are measured against."""

from __future__ import annotations

from collections.abc import Sequence

from babi_cascade.pipeline.coref.model import Clusters
from babi_cascade.pipeline.trees import Tree


class NoCoreference:
    """Find nothing."""

    name = "none"
    version = "1"
    requires = "nothing"
    fingerprint = "none-1"

    def check(self) -> None:
        """Need nothing."""

    def resolve(self, story: Sequence[Tree]) -> Clusters:
        """Return no entities at all."""
        return Clusters()
