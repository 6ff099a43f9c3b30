"""The short way from Python: a model from a file, an answer in one call."""

from __future__ import annotations

from functools import cache
from importlib.util import find_spec
from pathlib import Path

import pytest

import babi_cascade
from babi_cascade import Cascade, UserError, generate
from babi_cascade.comparison import make_system

needs_parser = pytest.mark.skipif(find_spec("stanza") is None, reason="needs the extra nlp")


def test_a_model_that_was_saved_in_python_predicts_at_once(tmp_path: Path) -> None:
    trained = Cascade(cost=0.1).fit(generate(1, 40, lexicon="village"))
    trained.save(tmp_path / "words.model")
    loaded = babi_cascade.load(tmp_path / "words.model")
    asked = generate(1, 20, split="test", lexicon="village")
    assert trained.score(asked) > 0.5
    assert list(loaded.predict(asked)) == list(trained.predict(asked))
    loaded.save(tmp_path / "again.model")
    assert (tmp_path / "again.model").read_bytes() == (tmp_path / "words.model").read_bytes()


@needs_parser
def test_it_makes_the_reader_that_it_was_trained_with(tmp_path: Path) -> None:
    read = babi_cascade.reader(jobs=1)
    Cascade(cost=0.1, reader=read).fit(generate(1, 30)).save(tmp_path / "reads.model")
    loaded = babi_cascade.load(tmp_path / "reads.model")
    assert loaded.reader is not None
    assert loaded.reader.fingerprint == read.fingerprint
    told = "Ana went to the mill. Tom moved to the barn."
    for story in (told, told.split(". "), told.replace(". ", ".\n")):
        found = babi_cascade.ask(story, "Where is Tom?", model=loaded)
        assert (found.reply, found.prediction.support) == ("barn", (2,))


@needs_parser
def test_a_back_end_that_reaches_outside_is_named_again(tmp_path: Path) -> None:
    """Nothing in a file says what is started, asked or read."""
    annotated = Path(__file__).parents[2] / "data/samples/kites.conllu"
    read = babi_cascade.reader("conllu", "conllu", conllu=annotated)
    story = ("Angela lent Sandra the broken kite.", "She repaired it.")
    facts = tuple(babi_cascade.Sentence(n, text) for n, text in enumerate(story, start=1))
    asked = babi_cascade.Question(3, "Who repaired the kite?", "Sandra", (2,), facts)
    Cascade(cost=0.1, reader=read).fit([asked]).save(tmp_path / "outside.model")
    with pytest.raises(UserError, match=r"say again with --conllu"):
        babi_cascade.load(tmp_path / "outside.model")
    loaded = babi_cascade.load(tmp_path / "outside.model", conllu=annotated)
    assert list(loaded.predict([asked])) == ["Sandra"]


def test_an_explanation_is_one_line_at_a_prompt() -> None:
    told = babi_cascade.ask("Ana went to the mill.", "Where is Ana?", model=words_only())
    assert repr(told).startswith("<Explanation: 'Where is Ana?', '")
    assert "facts [1]" in repr(told)
    assert "\n" not in repr(told)


@pytest.mark.parametrize(
    ("story", "question", "model", "said"),
    [
        (None, "Where is Ana?", None, "found None for story, expected a text or a list"),
        ([1], "Where is Ana?", None, "found .1. for story"),
        ("Ana slept.", None, None, "found None for question, expected a text"),
        ("Ana slept.", "Where is Ana?", 3, "found 3 for model, expected a Cascade or its file"),
    ],
)
def test_what_cannot_be_asked(story: object, question: object, model: object, said: str) -> None:
    with pytest.raises(TypeError, match=f"ask: {said}"):
        babi_cascade.ask(story, question, model=model)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("question", "said"),
    [
        ("Where is Mary? Where is John?", "found 2 questions"),
        ("Mary slept.", "found 'Mary slept.'"),
        ("Where is Mary? She slept!", "found 'Where is Mary. She slept!'"),
        (" ", "found ' '"),
    ],
)
def test_more_or_less_than_one_question_is_not_answered_as_if_it_were_one(
    question: str, said: str
) -> None:
    with pytest.raises(UserError, match=f"ask: {said} for question, expected one, which ends"):
        babi_cascade.ask("Ana went to the mill.", question, model=words_only())


@pytest.mark.parametrize("question", ["Where is Ana", "Where is Ana?", 'Where is "Ana?"'])
def test_a_question_may_lack_its_mark(question: str) -> None:
    told = babi_cascade.ask("Ana went to the mill.", question, model=words_only())
    assert told.prediction.support == (1,)


def test_a_file_that_is_not_there_is_told_as_what_was_expected(tmp_path: Path) -> None:
    for load in (babi_cascade.load, Cascade.load):
        for path in (tmp_path / "nope", tmp_path):
            with pytest.raises(UserError, match=r"cannot be read: .*; expected a model that"):
                load(path)


def test_what_cannot_be_loaded(tmp_path: Path) -> None:
    path = tmp_path / "words.model"
    words_only().save(path)
    with pytest.raises(UserError, match=r"load: found 'reader', expected one of .*corenlp_url"):
        babi_cascade.load(path, reader=None)
    with pytest.raises(UserError, match="'sides'"):
        babi_cascade.load(path, plugins="sides")
    make_system("ngram", costs=(0.1,)).fit(generate(1, 20)).save(path)
    with pytest.raises(UserError, match=r'a model of "ngram", expected one of the cascade'):
        babi_cascade.load(path)


@cache
def words_only() -> Cascade:
    return Cascade(cost=0.1).fit(generate(1, 20))
