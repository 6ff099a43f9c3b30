"""The model that answers when the user brings none: small, joint over all tasks, made at first use.

Nothing is downloaded. Stories are simulated, a model is trained on them and kept in the user's cache folder
under a name that changes with everything that decides it: the version, the system, the back ends. A model of
an older version is simply not found, and made anew.
"""

from __future__ import annotations

import hashlib
import tempfile
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from babi_cascade.app.batch.model import ModelChoice
from babi_cascade.app.experiments.backends import NONE, BackEnds
from babi_cascade.app.experiments.progress import Telling
from babi_cascade.app.results.signature import signature_of, version
from babi_cascade.cascade.settings import Settings
from babi_cascade.errors import UserError

if TYPE_CHECKING:
    from babi_cascade.cascade import Cascade

QUESTIONS = 200
"""Of each task. More are better and take longer."""

COST = 0.1
SEED = 2015
FORM = "5"
"""Raise it when the way the model is made changes."""

NO_STANZA = (
    "Stanza is not installed: the model reads words only, without coreference and roles; get it with: "
    "pip install -c constraints.txt '.[nlp]'"
)


def default_model(
    cache: Path | None,
    telling: Telling,
    *,
    questions: int | None = None,
    words_only: bool | None = None,
) -> Cascade:
    """Return the model, trained now if it is not there.

    Parameters
    ----------
    cache : where annotations are kept, None for nowhere
    telling : hears what is being done
    questions : of each task, None for as many as make a useful model
    words_only : whether nothing is parsed; None does so where there is no parser
    """
    count = QUESTIONS if questions is None else questions
    bare = find_spec("stanza") is None if words_only is None else words_only
    if bare and words_only is None:
        telling.notice(NO_STANZA)
    back_ends = BackEnds(coref=NONE, srl=NONE) if bare else BackEnds(jobs=1)
    settings = Settings(cost=COST, seed=SEED)
    path = model_path(settings, back_ends, count)
    choice = ModelChoice(path, {}, cache)
    if path.is_file():
        try:
            return choice.load(telling.notice)
        except UserError as error:
            telling.notice(f"the kept model cannot be used and is made anew: {error}")
    make(path, settings, back_ends, count, cache, telling)
    return choice.load(telling.notice)


def model_path(settings: Settings, back_ends: BackEnds, questions: int) -> Path:
    """Return where the model is kept."""
    reading = back_ends.reader().reading  # first: what is missing is told before more is loaded
    made = {
        "parameters": settings.resolved().to_json(),
        "reading": reading,
        "questions": questions,
        "form": FORM,
        "version": version(),
    }
    told = signature_of(made)
    return models_folder() / f"ask-{hashlib.sha256(told.encode()).hexdigest()[:16]}.model"


def models_folder() -> Path:
    """Return the folder of models in the user's cache."""
    from platformdirs import user_cache_path

    return user_cache_path("babi-cascade") / "models"


def make(
    path: Path, settings: Settings, back_ends: BackEnds, questions: int, cache: Path | None,
    telling: Telling,
) -> None:  # fmt: skip
    """Simulate stories, learn from them, keep the model: in one piece or not at all."""
    from babi_cascade.app.batch.train import train
    from babi_cascade.simulation.generate import Order, generate
    from babi_cascade.simulation.tasks import TASKS

    telling.notice(
        f"no model given (-m): making one from {questions} simulated questions of each of {len(TASKS)} "
        f"tasks, once, in a minute or two; it is kept as {path}"
    )
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UserError(
            f"{path.parent}: cannot keep a model there ({error.strerror}); bring one with -m, or set "
            "XDG_CACHE_HOME"
        ) from error
    with tempfile.TemporaryDirectory(prefix="babi-cascade-") as folder:
        order = Order(list(TASKS.values()), train=questions, test=0, seed=SEED)
        outcome = generate(order, Path(folder), progress=_progress(telling, len(TASKS)))
        files = [str(file) for file in outcome.files if file.suffix == ".txt"]
        reader = back_ends.reader(cache, telling.notice)
        train(files, path, settings, back_ends, reader, telling)


def _progress(telling: Telling, total: int) -> Callable[[str], None]:
    numbers = iter(range(total))
    return lambda what: telling.progress(f"simulating {what}", next(numbers, total), total)
