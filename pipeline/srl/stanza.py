"""The default: frames by grammar from Stanza's trees, PropBank roles by the shipped labeller."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from babi_cascade.pipeline.frames.extract import RULES, extract_frames
from babi_cascade.pipeline.frames.model import Frame
from babi_cascade.pipeline.srl.backend import MissingRequirement
from babi_cascade.pipeline.srl.model_header import fingerprint_of, read_header, shipped_model
from babi_cascade.pipeline.trees import Tree

if TYPE_CHECKING:  # numpy and the weights are needed for new sentences only
    from babi_cascade.pipeline.srl.labeller import Labeller


class Stanza:
    """Takes parsed trees; whose models parsed them (shipped or official) is the parser's matter."""

    name = "stanza"
    requires = "parsed trees and the role model (shipped in data/models/en/srl)"

    def __init__(self, model: Path | None = None) -> None:
        self.model = model or shipped_model()

    @property
    def version(self) -> str:
        """The version of the grammar rules."""
        return RULES

    @cached_property
    def fingerprint(self) -> str:
        """The rules and the weights."""
        return f"stanza-rules{RULES}-{fingerprint_of(read_header(self.model))}"

    @cached_property
    def labeller(self) -> Labeller:
        """The trained labeller, loaded once."""
        from babi_cascade.pipeline.srl.labeller import Labeller

        return Labeller.load(self.model)

    def check(self) -> None:
        """Say what to run when the model is missing; what is none raises `LabellerError`."""
        if not self.model.is_file():
            command = f"scripts/train_srl.py CORPORA_DIR --out {self.model}"
            raise MissingRequirement(self.name, f"the role model {self.model}", command)
        read_header(self.model)

    def label(self, sentences: Sequence[Tree | str]) -> list[list[Frame]]:
        """Return the frames of parsed sentences."""
        trees: list[Tree] = []
        for sentence in sentences:
            if isinstance(sentence, str):
                raise TypeError(
                    "the stanza back end takes parsed trees, found plain text: parse it first"
                )
            trees.append(sentence)
        roles = self.labeller.label_all(trees)
        return [extract_frames(tree, found) for tree, found in zip(trees, roles, strict=True)]
