"""Models that know how they were made, so that whoever uses one needs nothing but its file."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from babi_cascade.app.batch.errors import BatchError
from babi_cascade.app.experiments.backends import BackEnds
from babi_cascade.app.results.signature import Signature, version
from babi_cascade.svm.model_file import ModelFileError

if TYPE_CHECKING:
    from babi_cascade.cascade import Cascade

# Brought annotations and servers stand for other things at training and later.
_CONTENT = re.compile(r"(?<=conllu)[- ](?:\d-)?[0-9a-f]{12,16}|(?<=-)https?://\S+")
_PATHS = ("conllu", "senna", "coref_model")


@dataclass(frozen=True, slots=True)
class Origin:
    """How a model was made.

    ``signature`` has every setting, ``data`` is the fingerprint of the training data, ``files`` are the names
    of its files.
    """

    back_ends: BackEnds
    signature: str
    data: str
    files: tuple[str, ...]
    questions: int

    def to_json(self) -> dict[str, Any]:
        """Return the JSON form; a path is kept as it was given."""
        chosen = {each.name: getattr(self.back_ends, each.name) for each in fields(BackEnds)}
        return {
            "back_ends": {
                name: str(value)
                for name, value in chosen.items()
                if value is not None and name != "jobs"
            },
            "signature": self.signature,
            "data": self.data,
            "files": list(self.files),
            "questions": self.questions,
            "version": version(),
        }


def origin_of(record: Mapping[str, Any], path: Path) -> Origin:
    """Read what a model says of its origin; ``path`` is for messages."""
    back_ends, files = record.get("back_ends"), record.get("files")
    known = {each.name for each in fields(BackEnds)} - {"jobs"}
    good = (
        isinstance(back_ends, dict)
        and set(back_ends) <= known
        and all(isinstance(value, str) for value in back_ends.values())
        and isinstance(files, list)
        and all(isinstance(name, str) for name in files)
        and all(isinstance(record.get(name), str) for name in ("signature", "data", "version"))
        and type(record.get("questions")) is int
    )
    if not good or back_ends is None or files is None:
        raise ModelFileError(
            path, "found no word on how it was made (models that `babi-cascade train` made have it)"
        )
    options: dict[str, Any] = {
        name: Path(value) if name in _PATHS else value for name, value in back_ends.items()
    }
    return Origin(
        BackEnds(**options), record["signature"], record["data"], tuple(files), record["questions"]
    )


@dataclass(frozen=True, slots=True)
class ModelChoice:
    """A model file and how it is to be used here; can be sent to another process.

    Parameters
    ----------
    path : the model file
    places : options of back ends that are kept elsewhere than at training, by name
    cache : where annotations are kept, None for nowhere
    """

    path: Path
    places: Mapping[str, Any] = field(default_factory=dict)
    cache: Path | None = None

    def load(self, notice: Callable[[str], None] | None = None) -> Cascade:
        """Return the model with the back ends that it was trained with."""
        from babi_cascade.cascade import Cascade

        cascade = Cascade.load(self.path)
        origin = origin_of(cascade.origin_, self.path)
        back_ends = replace(origin.back_ends, jobs=1, **self.places)
        reader = back_ends.reader(self.cache, notice)
        if _comparable(reader.fingerprint) != _comparable(cascade.trained_with_):
            raise BatchError(_difference(self.path, cascade.trained_with_, reader.fingerprint))
        # The same but for the annotations that the user brings, which are those of other questions.
        cascade.trained_with_ = reader.fingerprint
        cascade.reader = reader
        return cascade


def _comparable(fingerprint: str) -> str:
    return _CONTENT.sub("", fingerprint)


def _difference(path: Path, then: str, now: str) -> str:
    stages = ("parser", "coref", "srl")
    parts = [Signature(tuple(zip(stages, told.split(" | "), strict=False))) for told in (now, then)]
    return (
        f"{path}: stories would be read otherwise than at training: "
        f"{'; '.join(parts[0].differences(parts[1]))}; train the model again, or use the version and "
        "models of then"
    )
