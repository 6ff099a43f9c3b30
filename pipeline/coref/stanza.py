"""Back end: Stanza's neural coreference, when the user has its model.

The model file is used directly rather than through ``stanza.Pipeline``: the checkpoint stores the path of
the transformer it was trained on, often an absolute one of another machine, and only the loader lets it be
replaced (``backbone``). The words are ours. Nothing is downloaded, unless the user has set HF_HUB_OFFLINE=0.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Sequence
from importlib import import_module, metadata
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from babi_cascade.pipeline.coref.errors import CorefError
from babi_cascade.pipeline.coref.given import given_mention
from babi_cascade.pipeline.coref.model import Clusters
from babi_cascade.pipeline.errors import MissingRequirement
from babi_cascade.pipeline.trees import Tree

INSTALL = "pip install 'stanza[transformers]'"
# The sentence, the id in it, and the form of a word.
_Word = tuple[int, int, str]
DOWNLOAD = "python -c \"import stanza; stanza.download('en', processors='tokenize,coref')\""


class StanzaCoreference:
    """Resolve with Stanza's word-level coreference model.

    ``model`` is its .pt file (default: the English one under Stanza's resource folder), ``backbone``
    the folder or name of the transformer when the one named in the checkpoint is not there.
    """

    name = "stanza"

    def __init__(
        self,
        model: str | Path | None = None,
        backbone: str | Path | None = None,
        device: str = "cpu",
    ) -> None:
        self._model_path = Path(model) if model is not None else None
        self.backbone = str(backbone) if backbone is not None else None
        self.device = device
        self._loaded: Any = None

    @property
    def version(self) -> str:
        """The version of Stanza, "missing" without it."""
        try:
            return metadata.version("stanza")
        except metadata.PackageNotFoundError:
            return "missing"

    @property
    def requires(self) -> str:
        """The packages and the model."""
        return (
            f"stanza with transformers and peft, and a coref model ({self._path() or 'none found'})"
        )

    @property
    def fingerprint(self) -> str:
        """The version, and the checksum of the model file."""
        digest = hashlib.sha256()
        with self._required_path().open("rb") as stream:
            while block := stream.read(1 << 20):
                digest.update(block)
        digest.update((self.backbone or "").encode())
        return f"stanza-{self.version}-{digest.hexdigest()[:12]}"

    def check(self) -> None:
        """See that packages and model are there, without loading either."""
        for package in ("stanza", "torch", "transformers", "peft"):
            if find_spec(package) is None:
                raise MissingRequirement(
                    "coref", self.name, f"the Python package {package}", INSTALL
                )
        self._required_path()

    def resolve(self, story: Sequence[Tree]) -> Clusters:
        """Run the model on the words of the story."""
        words = [(i, token.id, token.form) for i, tree in enumerate(story) for token in tree]
        if not words:
            return Clusters()
        if self._loaded is None:
            self.check()
            self._loaded = self._load()
        with import_module("torch").no_grad():
            result = self._loaded.run(self._document(words))
        return _clusters(story, words, result.span_clusters)

    def _document(self, words: list[_Word]) -> Any:
        """Hand the words over; one that the tokenizer knows no piece of becomes "_"."""
        forms = [form for _, _, form in words]
        while True:
            document = self._loaded.build_doc(
                {
                    "document_id": "wb_story_1",  # the two letters name a genre of OntoNotes: web
                    "cased_words": list(forms),
                    "sent_id": [sentence for sentence, _, _ in words],
                    "speaker": ["_"] * len(words),
                }
            )
            pieces = enumerate(document["word2subword"])
            empty = [i for i, (start, end) in pieces if start == end and forms[i] != "_"]
            if not empty:
                return document
            for i in empty:
                forms[i] = "_"

    def _load(self) -> Any:
        # Read when transformers is imported: without it a missing transformer would be fetched.
        os.environ.setdefault("HF_HUB_OFFLINE", "1")
        # Imported by name: it takes seconds, and type checkers need not have it.
        load_model = import_module("stanza.models.coref.model").CorefModel.load_model

        changes: dict[str, Any] = {"log_norms": False, "device": self.device}
        if self.backbone is not None:
            changes["bert_model"] = self.backbone
        ignored = {"bert_optimizer", "general_optimizer", "bert_scheduler", "general_scheduler"}
        path = self._required_path()
        try:
            model = load_model(path=str(path), ignore=ignored, config_update=changes)
        except (OSError, ValueError) as error:  # what transformers raises without the backbone
            raise MissingRequirement(
                "coref",
                self.name,
                f"the transformer that {path.name} was trained on ({error})",
                "backbone=DIR if you have its folder, or, to fetch it, "
                "python -c \"from transformers import AutoModel; AutoModel.from_pretrained('NAME')\"",
            ) from error
        except Exception as error:  # a file that is no such model fails in many ways
            raise CorefError(f"{path}: is no coreference model of Stanza: {error!r}") from error
        model.training = False
        return model

    def _path(self) -> Path | None:
        if self._model_path is not None:
            return self._model_path if self._model_path.is_file() else None
        folder = _resources() / "en" / "coref"
        return min(folder.glob("*.pt"), default=None) if folder.is_dir() else None

    def _required_path(self) -> Path:
        path = self._path()
        if path is None:
            missing = f"the model file {self._model_path or _resources() / 'en' / 'coref' / '*.pt'}"
            raise MissingRequirement("coref", self.name, missing, DOWNLOAD)
        return path


def _resources() -> Path:
    """Return Stanza's resource folder by its own rule, without importing it."""
    stated = os.environ.get("STANZA_RESOURCES_DIR")
    return Path(stated) if stated else Path.home() / "stanza_resources"


def _clusters(
    story: Sequence[Tree],
    words: list[_Word],
    span_clusters: Sequence[Sequence[tuple[int, int]]],
) -> Clusters:
    """Turn spans of word numbers (from 0, one past the last) into mentions."""
    groups = []
    for cluster in span_clusters:
        mentions = []
        for first, past in sorted({(int(a), int(b)) for a, b in cluster}):
            if not 0 <= first < past <= len(words):
                raise CorefError(f"stanza: found a mention {first}-{past} outside the story")
            sentence, start, _ = words[first]
            other, end, _ = words[past - 1]
            if sentence == other:  # a span over two sentences is no phrase
                mentions.append(given_mention(story[sentence], sentence, start, end))
        groups.append(mentions)
    return Clusters.of(groups)
