"""No roles and no frames: for runs that leave semantic role labelling out."""

from __future__ import annotations

from collections.abc import Sequence

from babi_cascade.pipeline.coref.replace import Replaced
from babi_cascade.pipeline.trees import Roles


class NoRoles:
    """Leaves every sentence without frames."""

    name = "none"
    requires = "nothing"
    version = "1"
    fingerprint = "none"

    def check(self) -> None:
        """Need nothing."""

    def label(self, sentences: Sequence[Replaced]) -> list[Roles | None]:
        """Return None a sentence."""
        return [None for _ in sentences]
