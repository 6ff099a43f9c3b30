"""The default back end: the multi-pass sieve over dependency trees, offline and without a model."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

from babi_cascade.pipeline.coref.document import Document
from babi_cascade.pipeline.coref.lexicon import Lexicon, shipped
from babi_cascade.pipeline.coref.model import Clusters
from babi_cascade.pipeline.coref.passes import PASSES, Pass
from babi_cascade.pipeline.trees import Tree


class Sieve:
    """Resolve a story by passes of falling precision.

    ``passes`` may be any sequence of passes; ``relatives`` makes relative pronouns mentions.
    """

    name = "sieve"
    version = "1"

    def __init__(
        self,
        lexicon: Lexicon | None = None,
        passes: Sequence[Pass] = PASSES,
        *,
        relatives: bool = False,
    ) -> None:
        self.lexicon = lexicon or shipped()
        self.passes = tuple(passes)
        self.relatives = relatives

    @property
    def requires(self) -> str:
        """What must be there before it can run."""
        return "dependency trees; nothing else"

    @property
    def fingerprint(self) -> str:
        """A text that changes when the passes or the word lists do."""
        settings = [self.version, *(p.name for p in self.passes), str(self.relatives)]
        digest = hashlib.sha256("\n".join([*settings, self.lexicon.fingerprint]).encode())
        return f"sieve-{self.version}-{digest.hexdigest()[:12]}"

    def check(self) -> None:
        """Need nothing that does not ship."""

    def resolve(self, story: Sequence[Tree]) -> Clusters:
        """Return the entities of a story, those mentioned once among them."""
        document = Document(story, self.lexicon, relatives=self.relatives)
        for one_pass in self.passes:
            one_pass.run(document)
        return document.clusters()
