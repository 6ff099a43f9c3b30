"""Models that know how they were made, so that whoever uses one needs little but its file.

A file names back ends, by names that are known here, and fingerprints. It never says where anything is: a
program that is started, a server that is asked and a file that is read come from the user alone.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from babi_cascade.app.experiments.backends import (
    CONLLU,
    NONE,
    STAGES,
    as_option,
    back_ends_named,
    plug_in,
    reading_in,
)
from babi_cascade.app.results.signature import SettingsRecord, differences, signature_of
from babi_cascade.cascade.content import ContentError, described, object_of
from babi_cascade.errors import UserError
from babi_cascade.pipeline.stories.errors import escaped
from babi_cascade.svm.model_file import ModelFileError, load_model

if TYPE_CHECKING:
    from babi_cascade.cascade import Cascade
    from babi_cascade.pipeline.read import StoryReader

BROUGHT = (CONLLU,)
"""Annotations of the user's own stand for other things at training and later."""


@dataclass(frozen=True, slots=True)
class Origin:
    """How a model was made.

    ``settings`` are all that can change an answer, with the names of the back ends and the fingerprint of the
    training data; ``files`` are the names of its files.
    """

    settings: SettingsRecord
    files: tuple[str, ...]
    questions: int

    @property
    def reading(self) -> Mapping[str, str]:
        """The back ends that read, and their fingerprints."""
        return reading_in(self.settings)

    @property
    def signature(self) -> str:
        """The settings in one line."""
        return signature_of(self.settings)

    def to_json(self) -> dict[str, Any]:
        """Return the JSON form."""
        return {
            "settings": self.settings,
            "files": list(self.files),
            "questions": self.questions,
        }


def origin_of(record: Mapping[str, Any], path: Path) -> Origin:
    """Read what a model says of its origin; ``path`` is for messages."""
    settings, files, questions = (record.get(each) for each in ("settings", "files", "questions"))
    good = (
        isinstance(settings, dict)
        and bool(reading_in(settings))
        and isinstance(files, list)
        and all(isinstance(name, str) for name in files)
        and type(questions) is int
    )
    if not good or settings is None or files is None or questions is None:
        raise ModelFileError(
            path,
            "found no word on how it was made (models that `babi-cascade train` makes have it); train it so, "
            "or use Cascade.load(path, reader=…) in Python",
        )
    return Origin(settings, tuple(files), questions)


@dataclass(frozen=True, slots=True)
class ModelChoice:
    """A model file and how it is to be used here; can be sent to another process.

    Parameters
    ----------
    path : the model file
    places : options of back ends, by name, as the user gives them now; those of the training are not kept
    cache : where annotations are kept, None for nowhere
    longest_story : facts before a question that is answered, None for what the cascade takes by itself
    plugins : feature groups and back ends of other packages that may be used
    """

    path: Path
    places: Mapping[str, Any] = field(default_factory=dict)
    cache: Path | None = None
    longest_story: int | None = None
    plugins: tuple[str, ...] = ()

    def load(self, notice: Callable[[str], None] | None = None) -> Cascade:
        """Return the model with the back ends that it was trained with.

        What is missing is told before anything heavy is loaded.
        """
        for name in self.plugins:
            plug_in(name)
        arrays, meta = load_model(self.path)
        reader = self._reader(meta, notice)
        from babi_cascade.cascade import Cascade
        from babi_cascade.cascade.saving import restored

        cascade = restored(Cascade, self.path, arrays, meta)
        # The same but for the annotations that the user brings, which are those of other questions.
        cascade.reader = reader
        cascade.trained_with_ = cascade.story_reader.fingerprint
        if self.longest_story is not None:
            cascade.longest_story = self.longest_story
        return cascade

    def _reader(self, meta: Any, notice: Callable[[str], None] | None) -> StoryReader:
        """Return the reading stages of the training, as far as the user says where they are."""
        try:
            record = described(meta)
            origin = origin_of(object_of(record, "origin"), self.path)
        except ContentError as error:
            raise ModelFileError(self.path, str(error)) from error
        then = origin.reading
        parser, coref, srl = (then[stage] for stage in STAGES)
        back_ends = back_ends_named(coref, srl, parser, self.places, str(self.path), jobs=1)
        if coref == srl == NONE and self.places:
            given = ", ".join(map(as_option, self.places))
            raise UserError(f"{self.path}: the model reads words only and has no use for {given}")
        reader = back_ends.reader(self.cache, notice)
        now = reader.reading
        brought = {f"{stage}_fingerprint" for stage in STAGES if now[stage] in BROUGHT}
        different = differences(now, then, only={*now, *then} - brought)
        if different:
            raise UserError(
                f"{self.path}: stories would be read otherwise than at training: "
                f"{escaped('; '.join(different))}; train the model again, or use the version and models of "
                "then (--stanza-models, --coref-model and --coref-backbone say where)"
            )
        return reader
