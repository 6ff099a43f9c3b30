"""No labeller: frames with the dependency relations of the tree alone."""

from __future__ import annotations

from collections.abc import Sequence

from babi_cascade.pipeline.coref.replace import Replaced
from babi_cascade.pipeline.trees import Roles


class TreeRelations:
    """Names no argument: what the grammar finds in the tree is all there is."""

    name = "relations"
    requires = "nothing"
    version = "1"
    fingerprint = "relations"

    def check(self) -> None:
        """Need nothing."""

    def label(self, sentences: Sequence[Replaced]) -> list[Roles | None]:
        """Return no roles."""
        return [{} for _ in sentences]
