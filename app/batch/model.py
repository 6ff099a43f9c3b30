"""Models that know how they were made, so that whoever uses one needs little but its file.

A file names back ends, by names that are known here, and fingerprints. It never says where anything is: a
program that is started, a server that is asked and a file that is read come from the user alone.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from babi_cascade.app.batch.errors import BatchError
from babi_cascade.app.experiments.backends import CONLLU, NONE, as_option, back_ends_named
from babi_cascade.app.results.signature import Signature, version
from babi_cascade.cascade.content import ContentError, described, object_of, text_of
from babi_cascade.pipeline.stories.errors import escaped
from babi_cascade.svm.model_file import ModelFileError, load_model

if TYPE_CHECKING:
    from babi_cascade.cascade import Cascade
    from babi_cascade.pipeline.annotate.reader import StoryReader

# Brought annotations and servers stand for other things at training and later.
_CONTENT = re.compile(r"(?<=conllu)[- ](?:\d-)?[0-9a-f]{12,16}|(?<=-)https?://\S+")
_NAMES = ("coref", "srl")
_PLACES = {"stanza_models", "conllu", "senna", "corenlp_url", "coref_model", "coref_backbone"}
"""What models of earlier versions also say. It is not read."""


@dataclass(frozen=True, slots=True)
class Origin:
    """How a model was made.

    ``coref`` and ``srl`` are the names of the back ends, ``signature`` has every setting, ``data`` is the
    fingerprint of the training data, ``files`` are the names of its files.
    """

    coref: str
    srl: str
    signature: str
    data: str
    files: tuple[str, ...]
    questions: int

    def to_json(self) -> dict[str, Any]:
        """Return the JSON form."""
        return {
            "back_ends": {"coref": self.coref, "srl": self.srl},
            "signature": self.signature,
            "data": self.data,
            "files": list(self.files),
            "questions": self.questions,
            "version": version(),
        }


def origin_of(record: Mapping[str, Any], path: Path) -> Origin:
    """Read what a model says of its origin; ``path`` is for messages."""
    back_ends, files = record.get("back_ends"), record.get("files")
    good = (
        isinstance(back_ends, dict)
        and set(back_ends) - _PLACES == set(_NAMES)
        and all(isinstance(back_ends[name], str) for name in _NAMES)
        and isinstance(files, list)
        and all(isinstance(name, str) for name in files)
        and all(isinstance(record.get(name), str) for name in ("signature", "data", "version"))
        and type(record.get("questions")) is int
    )
    if not good or back_ends is None or files is None:
        raise ModelFileError(
            path, "found no word on how it was made (models that `babi-cascade train` made have it)"
        )
    return Origin(
        back_ends["coref"], back_ends["srl"], record["signature"], record["data"], tuple(files),
        record["questions"],
    )  # fmt: skip


@dataclass(frozen=True, slots=True)
class ModelChoice:
    """A model file and how it is to be used here; can be sent to another process.

    Parameters
    ----------
    path : the model file
    places : options of back ends, by name, as the user gives them now; those of the training are not kept
    cache : where annotations are kept, None for nowhere
    longest_story : facts before a question that is answered, None for what the cascade takes by itself
    """

    path: Path
    places: Mapping[str, Any] = field(default_factory=dict)
    cache: Path | None = None
    longest_story: int | None = None

    def load(self, notice: Callable[[str], None] | None = None) -> Cascade:
        """Return the model with the back ends that it was trained with.

        What is missing is told before anything heavy is loaded.
        """
        arrays, meta = load_model(self.path)
        reader = self._reader(meta, notice)
        from babi_cascade.cascade import Cascade
        from babi_cascade.cascade.saving import restored

        cascade = restored(Cascade, self.path, arrays, meta)
        # The same but for the annotations that the user brings, which are those of other questions.
        cascade.trained_with_ = reader.fingerprint
        cascade.reader = reader
        if self.longest_story is not None:
            cascade.longest_story = self.longest_story
        return cascade

    def _reader(self, meta: Any, notice: Callable[[str], None] | None) -> StoryReader:
        """Return the reading stages of the training, as far as the user says where they are."""
        try:
            record = described(meta)
            then = text_of(record, "reader")
            # Models of the first days say nothing of their origin.
            origin = origin_of(object_of(record, "origin") if "origin" in record else {}, self.path)
        except ContentError as error:
            raise ModelFileError(self.path, str(error)) from error
        parser = CONLLU if then.startswith(f"{CONLLU} ") else "stanza"
        back_ends = back_ends_named(
            origin.coref, origin.srl, parser, self.places, str(self.path), jobs=1
        )
        if origin.coref == origin.srl == NONE and self.places:
            given = ", ".join(map(as_option, self.places))
            raise BatchError(f"{self.path}: the model reads words only and has no use for {given}")
        reader = back_ends.reader(self.cache, notice)
        if _comparable(reader.fingerprint) != _comparable(then):
            raise BatchError(_difference(self.path, then, reader.fingerprint))
        return reader


def _comparable(fingerprint: str) -> str:
    return _CONTENT.sub("", fingerprint)


def _difference(path: Path, then: str, now: str) -> str:
    stages = ("parser", "coref", "srl")
    parts = [Signature(tuple(zip(stages, told.split(" | "), strict=False))) for told in (now, then)]
    differences = escaped("; ".join(parts[0].differences(parts[1])))
    return (
        f"{path}: stories would be read otherwise than at training: {differences}; train the model again, or "
        "use the version and models of then (--stanza-models, --coref-model and --coref-backbone say where)"
    )
