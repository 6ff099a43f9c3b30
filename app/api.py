"""The short way for people who write Python: stories, a trained model, an answer, each in one call."""

from __future__ import annotations

import io
import sys
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from babi_cascade.errors import UserError
from babi_cascade.pipeline.backends import join
from babi_cascade.pipeline.stories import Question, Sentence, read_questions
from babi_cascade.pipeline.stories.splitting import split_sentences

if TYPE_CHECKING:
    from babi_cascade.cascade import Cascade, Explanation
    from babi_cascade.pipeline.backends import Coreference, RoleLabeller
    from babi_cascade.pipeline.read import StoryReader

DEFAULT = "default"


def generate(
    task: int,
    questions: int = 1000,
    *,
    seed: int = 0,
    split: str = "train",
    language: str = "en",
    lexicon: str | Path | None = None,
) -> list[Question]:
    """Return simulated questions of a task; the same seed tells the same stories.

    Parameters
    ----------
    task : 1 to 20
    questions : how many
    seed, split : which ones; "train" and "test" share no story
    language : "en", "hn", "shuffled" or "symbolic"
    lexicon : a file with words of your own, or a sample that ships, as for ``babi-cascade generate
        --lexicon``: "village"

    Examples
    --------
    >>> from babi_cascade import generate
    >>> [len(question.support) for question in generate(2, 3)]
    [2, 2, 2]
    """
    from babi_cascade.simulation.lexicon import load_lexicon
    from babi_cascade.simulation.lexicon_file import sample
    from babi_cascade.simulation.tasks import TASKS
    from babi_cascade.simulation.telling import LANGUAGES, Storyteller, babi_lines

    if task not in TASKS:
        raise UserError(f"task: found {task!r}, expected a number from 1 to {max(TASKS)}")
    if language not in LANGUAGES:
        raise UserError(f"language: found {language!r}, expected one of {', '.join(LANGUAGES)}")
    if split not in ("train", "test"):
        raise UserError(f"split: found {split!r}, expected train or test")
    words = None
    if lexicon is not None:
        words = load_lexicon("en" if language == "shuffled" else language).with_words(
            sample(lexicon)
        )
    teller = Storyteller(TASKS[task], language=language, lexicon=words, seed=seed)
    seen: set[int] = set()
    if split == "test":
        for _ in teller.stories("train", questions, seen):
            pass
    told = teller.stories(split, questions, seen, avoid=split == "test")
    text = "".join(map(babi_lines, told))
    return list(read_questions(io.BytesIO(text.encode())))


def reader(
    coref: str | Coreference = "sieve",
    srl: str | RoleLabeller = "stanza",
    *,
    cache: str | Path | None = None,
    **options: Any,
) -> StoryReader:  # fmt: skip
    """Return the stages that read stories: parser, coreference and roles, by the names of the back ends.

    Parameters
    ----------
    coref, srl : names of back ends, also of other packages, or back ends themselves; "none" for both reads
        words only and needs no parser
    cache : a file that keeps annotations, None for none
    options : of the back ends, as the commands have them: ``stanza_models``, ``conllu``, ``senna``,
        ``clearnlp``, ``corenlp``, ``corenlp_url``, ``corenlp_annotator``, ``coref_model``,
        ``coref_backbone``, ``jobs``

    Examples
    --------
    >>> from babi_cascade import reader
    >>> reader("none", "none").fingerprint
    'words only'
    """
    from babi_cascade.app.experiments.backends import BackEnds

    for kind, name in (("coref", coref), ("srl", srl)):
        if isinstance(name, str):
            join(kind, name)  # type: ignore[arg-type]
    _check_names("reader", options, BackEnds)
    return BackEnds(coref, srl, **options).reader(None if cache is None else Path(cache))


def load(
    path: str | Path, *, cache: str | Path | None = None, plugins: str | Sequence[str] = (),
    **places: Any,
) -> Cascade:  # fmt: skip
    """Return a model that predicts at once, with the reading stages that it was trained with.

    Nothing in the file says where a program, a server or a file is: a model that was trained with a back
    end that reaches outside needs it named again.

    Parameters
    ----------
    path : a model that ``babi-cascade train`` or ``Cascade.save`` made
    cache : a file that keeps annotations, None for none
    plugins : names of feature groups and back ends of other packages that it may use
    places : where back ends are that reach outside: ``senna``, ``clearnlp``, ``corenlp``, ``corenlp_url``,
        ``conllu``, ``coref_model``, ``stanza_models``

    Examples
    --------
    >>> from babi_cascade import load
    >>> model = load("out/qa1.model")  # doctest: +SKIP
    >>> model.predict(questions)  # doctest: +SKIP
    """
    from babi_cascade.app.batch.model import ModelChoice
    from babi_cascade.app.experiments.backends import BackEnds

    _check_names("load", places, BackEnds)
    given = {name: value for name, value in places.items() if value is not None}
    kept = None if cache is None else Path(cache)
    joining = (plugins,) if isinstance(plugins, str) else tuple(plugins)
    return ModelChoice(Path(path), given, kept, plugins=joining).load()


def ask(
    story: str | Sequence[str], question: str, *, model: Cascade | str | Path = DEFAULT
) -> Explanation:
    """Answer a question about a story, and say why and how sure that is.

    Parameters
    ----------
    story : running text, or its sentences
    question : one question
    model : a trained cascade, its file, or the small model that is made at first use

    Examples
    --------
    >>> from babi_cascade import ask
    >>> ask("Ana went to the mill. Ana took the lantern.", "Where is the lantern?")  # doctest: +SKIP
    """
    texts = split_sentences(story) if isinstance(story, str) else story
    if not isinstance(texts, (list, tuple)) or not all(isinstance(each, str) for each in texts):
        raise TypeError(
            f"ask: found {story!r:.60} for story, expected a text or a list of sentences"
        )
    if not isinstance(question, str):
        raise TypeError(f"ask: found {question!r:.60} for question, expected a text")
    facts = tuple(Sentence(line, text) for line, text in enumerate(texts, start=1))
    return _model(model).explain(Question(len(facts) + 1, question, None, None, facts))


def _check_names(function: str, options: Mapping[str, Any], back_ends: Any) -> None:
    """Refuse an option that no back end has."""
    known = sorted(set(back_ends.__dataclass_fields__) - {"coref", "srl"})
    for name in options:
        if name not in known:
            raise UserError(f"{function}: found {name!r}, expected one of {', '.join(known)}")


def _model(model: Cascade | str | Path) -> Cascade:
    if isinstance(model, (str, Path)):
        return _default_model() if model == DEFAULT else load(model)
    if not hasattr(model, "explain"):
        raise TypeError(f"ask: found {model!r:.60} for model, expected a Cascade or its file")
    return model


@cache
def _default_model() -> Cascade:
    """Return the model of `babi-cascade ask`, kept in memory: a second question does not wait for it."""
    from babi_cascade.app.ask.default_model import default_model
    from babi_cascade.app.experiments.progress import Telling

    # It takes a minute or two, once: nobody should wonder what goes on.
    return default_model(None, Telling(notice=lambda line: print(line, file=sys.stderr)))
