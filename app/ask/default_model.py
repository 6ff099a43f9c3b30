"""The model that answers when the user brings none: joint over all tasks, and over what people type.

Nothing is downloaded. One comes with the package, packed; it is unpacked into the user's cache folder. Its
name changes with everything that decides it: the version, the system, the back ends. Where these are others
than it was made with no packed model has the name: stories are simulated and a model is trained on them,
once.
"""

from __future__ import annotations

import hashlib
import lzma
import secrets
import tempfile
from collections.abc import Mapping
from importlib import resources
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from babi_cascade.app.batch.model import ModelChoice
from babi_cascade.app.experiments.backends import NONE, BackEnds
from babi_cascade.app.experiments.progress import Telling
from babi_cascade.app.results.signature import files_fingerprint, signature_of, version
from babi_cascade.cascade.settings import Settings
from babi_cascade.errors import UserError

if TYPE_CHECKING:
    from babi_cascade.cascade import Cascade
    from babi_cascade.simulation.lexicon import Lexicon

QUESTIONS = 150
"""Of each task in each wording. More are better and take longer."""

OWN = 3
"""So many times as many of each composition."""

TYPED = "people"
"""The wording of what people type."""

COST = 1.0
SEED = 2015
FORM = "6"
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
    if not unpacked(path):
        make(path, settings, back_ends, count, cache, telling)
    return choice.load(telling.notice)


def unpacked(path: Path) -> bool:
    """Unpack the model of this name that comes with the package; say whether there is one."""
    packed = packed_models() / f"{path.name}.xz"
    if not packed.is_file():
        return False
    draft = path.with_name(f".{secrets.token_hex(8)}.tmp")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        draft.write_bytes(lzma.decompress(packed.read_bytes()))
        draft.replace(path)
    except OSError:
        draft.unlink(missing_ok=True)
        return False  # why is told when one is made
    return True


def packed_models() -> Path:
    """Return the folder of packed models."""
    return Path(str(resources.files("babi_cascade.data"))) / "models" / "ask"


def model_path(settings: Settings, back_ends: BackEnds, questions: int) -> Path:
    """Return where the model is kept."""
    reading = back_ends.reader().reading  # first: what is missing is told before more is loaded
    made = {
        "parameters": settings.resolved().to_json(),
        "reading": reading,
        "questions": questions,
        "form": FORM,
        "lessons": files_fingerprint(lesson_files()),
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

    telling.notice(
        f"no model given (-m): making one from {questions} simulated questions of each task, and more "
        f"in other wordings, once, in a minute or two; it is kept as {path}"
    )
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UserError(
            f"{path.parent}: cannot keep a model there ({error.strerror}); bring one with -m, or set "
            "XDG_CACHE_HOME"
        ) from error
    with tempfile.TemporaryDirectory(prefix="babi-cascade-") as folder:
        files = [
            str(file) for file in tell_lessons(Path(folder), questions, telling, shipped_lexicons())
        ]
        reader = back_ends.reader(cache, telling.notice)
        train(files, path, settings, back_ends, reader, telling)


def shipped_lexicons() -> dict[str, Lexicon]:
    """Return the words of the lessons: the paper's, and what people type with two sets of names."""
    from babi_cascade.simulation.lexicon import load_lexicon
    from babi_cascade.simulation.lexicon_file import sample

    typed = load_lexicon("en", TYPED)
    return {
        "paper": load_lexicon("en", "paper"),
        TYPED: typed,
        "town": typed.with_words(sample("town")),
    }


def tell_lessons(
    folder: Path,
    questions: int,
    telling: Telling,
    lexicons: Mapping[str, Lexicon],
    seed: int = SEED,
) -> list[Path]:
    """Write the stories that the model learns from, and return their files.

    The tasks are told with every lexicon, and with those of what people type also compositions of them,
    with what nobody asks in the tasks ("Who has it?").
    """
    from babi_cascade.simulation.config import load_config
    from babi_cascade.simulation.generate import Order, generate
    from babi_cascade.simulation.setting import Knobs
    from babi_cascade.simulation.tasks import TASKS

    own = [load_config(each) for each in _compositions()]
    files: list[Path] = []
    for number, (name, lexicon) in enumerate(lexicons.items()):
        knobs = Knobs(distractors=1) if name == "town" else Knobs()
        tasks = [(task, knobs, questions) for task in TASKS.values()]
        if lexicon.wording == TYPED:
            tasks += [(each.task, each.knobs, OWN * questions) for each in own]
        for task, knobs, count in tasks:
            telling.progress(f"simulating {task.name}", number, len(lexicons))
            order = Order([task], train=count, test=0, seed=seed, lexicon=lexicon, knobs=knobs)
            told = generate(order, folder / name).files
            files += [file for file in told if file.suffix == ".txt"]
    return files


def lesson_files() -> list[Path]:
    """Return the files that say what is told in lessons."""
    data = Path(str(resources.files("babi_cascade.data")))
    names = (
        "lexicons/en.toml",
        "wordings/paper.toml",
        f"wordings/{TYPED}.toml",
        "samples/town.toml",
    )
    return [*_compositions(), *(data / name for name in names)]


def _compositions() -> list[Path]:
    """Return the tasks that are put together for the lessons."""
    return sorted((Path(str(resources.files("babi_cascade.data"))) / "ask").glob("*.toml"))
