"""A model file from training files."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

from babi_cascade.app.batch.model import Origin
from babi_cascade.app.batch.questions import questions_of
from babi_cascade.app.experiments.backends import BackEnds
from babi_cascade.app.experiments.interrupt import stopping_for_good
from babi_cascade.app.experiments.progress import Telling
from babi_cascade.app.experiments.systems import CascadeSystem
from babi_cascade.app.long.training import among_background
from babi_cascade.app.results.signature import (
    SHORT,
    combined_fingerprint,
    files_fingerprint,
    version,
)
from babi_cascade.cascade.settings import Settings
from babi_cascade.errors import UserError
from babi_cascade.pipeline.stories import Question
from babi_cascade.pipeline.stories.errors import escaped
from babi_cascade.pipeline.stories.jsonl import format_question
from babi_cascade.pipeline.stories.sources import STANDARD_INPUT

if TYPE_CHECKING:
    from babi_cascade.cascade import Cascade
    from babi_cascade.pipeline.read import StoryReader
    from babi_cascade.pipeline.stories.background import Background


def train(
    paths: Sequence[str], model: Path, settings: Settings, back_ends: BackEnds,
    reader: StoryReader, telling: Telling, background: Background | None = None,
) -> tuple[Cascade, Origin]:  # fmt: skip
    """Learn from the questions of files and write the model, in full or not at all.

    Parameters
    ----------
    paths : files, or "-" for standard input
    model : the file to write
    settings : the system that learns
    back_ends, reader : what was chosen to read the stories, and what came of it
    telling : hears of the progress
    background : text between the facts of every second question, None for none
    """
    from babi_cascade.cascade import Cascade
    from babi_cascade.cascade.training import COMPILING

    settings.check()
    if model.is_dir() or not model.absolute().parent.is_dir():
        raise UserError(f"{model}: cannot write a model there; expected a file in a folder")
    questions, data = _questions(paths, background, settings.seed)
    if reader.annotator is not None:
        reader.annotator.progress = lambda done, total: telling.progress("annotating", done, total)

    def hear(text: str) -> None:
        if text == COMPILING:  # half a minute without another word
            telling.notice(text)
        telling.progress(text, 0, 0)

    cascade = Cascade(**asdict(settings), reader=reader, progress=hear)
    read = cascade.story_reader.read(questions)
    with stopping_for_good():
        cascade.fit_read(read)
    made = {
        **CascadeSystem(settings).to_json(),
        "reading": reader.reading,
        "files": data,
        "version": version(),
    }
    names = tuple(
        "<stdin>" if path == STANDARD_INPUT else escaped(Path(path).name) for path in paths
    )
    origin = Origin(made, names, len(questions))
    try:
        cascade.save(model, origin=origin.to_json())
    except OSError as error:
        raise UserError(f"{model}: the model cannot be written: {error.strerror}") from error
    return cascade, origin


def _questions(
    paths: Sequence[str], background: Background | None, seed: int
) -> tuple[list[Question], str]:
    """Return the questions and the fingerprint of where they come from, the background included."""
    found: list[Question] = []
    sums = []
    for path in paths:
        questions = list(questions_of(path))
        if not Path(path).is_file():  # a pipe cannot be read twice
            sums.append(_fingerprint(questions))
        found += questions
    files = [Path(path) for path in paths if Path(path).is_file()]
    if files:
        sums.insert(0, files_fingerprint(files))
    if background is not None:
        found = among_background(found, background, seed)
        sums.append(_fingerprint(found))
    return found, sums[0] if len(sums) == 1 else combined_fingerprint(sums)


def _fingerprint(questions: Iterable[Question]) -> str:
    digest = hashlib.sha256()
    for question in questions:
        digest.update(format_question(question).encode())
    return digest.hexdigest()[:SHORT]
