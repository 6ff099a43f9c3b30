"""The default: PropBank roles on Stanza's trees, by the labeller that ships."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from babi_cascade.pipeline.coref.replace import Replaced
from babi_cascade.pipeline.errors import MissingRequirement
from babi_cascade.pipeline.srl.model_header import fingerprint_of, read_header, shipped_model
from babi_cascade.pipeline.trees import Roles

if TYPE_CHECKING:  # numpy and the weights are needed for new sentences only
    from babi_cascade.pipeline.srl.labeller import Labeller


class TrainedRoles:
    """Labels trees; whose models parsed them (shipped, official, given) is the parser's matter."""

    name = "stanza"
    requires = "the role model (shipped in data/models/en/srl)"
    version = "1"

    def __init__(self, model: Path | None = None) -> None:
        self.model = model or shipped_model()

    @cached_property
    def fingerprint(self) -> str:
        """The weights."""
        return f"stanza-{fingerprint_of(read_header(self.model))}"

    @cached_property
    def labeller(self) -> Labeller:
        """The trained labeller, loaded once."""
        from babi_cascade.pipeline.srl.labeller import Labeller

        return Labeller.load(self.model)

    def check(self) -> None:
        """Say what to run when the model is missing; what is none raises `LabellerError`."""
        if not self.model.is_file():
            command = f"scripts/train_srl.py CORPORA_DIR --out {self.model}"
            raise MissingRequirement("srl", self.name, f"the role model {self.model}", command)
        read_header(self.model)

    def label(self, sentences: Sequence[Replaced]) -> list[Roles | None]:
        """Return what the labeller finds."""
        return [*self.labeller.label_all(sentence.tree for sentence in sentences)]
