"""Models that know how they were made, so that whoever uses one needs nothing but its file."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from babi_cascade.app.batch.errors import BatchError
from babi_cascade.app.experiments.backends import CONLLU, BackEnds, reading_of
from babi_cascade.app.results.signature import SettingsRecord, differences, signature_of
from babi_cascade.svm.model_file import ModelFileError

if TYPE_CHECKING:
    from babi_cascade.cascade import Cascade

_PATHS = ("conllu", "senna", "coref_model")


@dataclass(frozen=True, slots=True)
class Origin:
    """How a model was made.

    ``settings`` are all that can change an answer, the fingerprint of the training data among them; ``files``
    are the names of its files.
    """

    back_ends: BackEnds
    settings: SettingsRecord
    files: tuple[str, ...]
    questions: int

    @property
    def signature(self) -> str:
        """The settings in one line."""
        return signature_of(self.settings)

    def to_json(self) -> dict[str, Any]:
        """Return the JSON form; a path is kept as it was given."""
        chosen = {each.name: getattr(self.back_ends, each.name) for each in fields(BackEnds)}
        return {
            "back_ends": {
                name: str(value)
                for name, value in chosen.items()
                if value is not None and name != "jobs"
            },
            "settings": self.settings,
            "files": list(self.files),
            "questions": self.questions,
        }


def origin_of(record: Mapping[str, Any], path: Path) -> Origin:
    """Read what a model says of its origin; ``path`` is for messages."""
    back_ends, files, settings = (record.get(each) for each in ("back_ends", "files", "settings"))
    known = {each.name for each in fields(BackEnds)} - {"jobs"}
    good = (
        isinstance(back_ends, dict)
        and set(back_ends) <= known
        and all(isinstance(value, str) for value in back_ends.values())
        and isinstance(files, list)
        and all(isinstance(name, str) for name in files)
        and isinstance(settings, dict)
        and type(record.get("questions")) is int
    )
    if not good or back_ends is None or files is None or settings is None:
        raise ModelFileError(
            path,
            "found no word on how it was made (models that `babi-cascade train` makes have it); train the "
            "model again",
        )
    options: dict[str, Any] = {
        name: Path(value) if name in _PATHS else value for name, value in back_ends.items()
    }
    return Origin(BackEnds(**options), settings, tuple(files), record["questions"])


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
        then, now = origin.settings.get("reading"), reading_of(reader)
        different = differences(now, then if isinstance(then, dict) else {}, only=_told(now))
        if different:
            raise BatchError(
                f"{self.path}: stories would be read otherwise than at training: {'; '.join(different)}; "
                "train the model again, or use the version and models of then"
            )
        # The same but for the annotations that the user brings, which are those of other questions.
        cascade.trained_with_ = reader.fingerprint
        cascade.reader = reader
        return cascade


def _told(reading: Mapping[str, str]) -> list[str]:
    """Return what must be the same at training and later: not brought annotations, nor where a server is."""
    others = (CONLLU, "corenlp")
    brought = [f"{stage}_fingerprint" for stage in ("coref", "srl") if reading[stage] in others]
    parser = "parser_fingerprint"
    if reading[parser].startswith(CONLLU):
        brought.append(parser)
    return [name for name in reading if name not in brought]
