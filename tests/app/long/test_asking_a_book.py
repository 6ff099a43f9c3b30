"""`ask FILE -q` and `long`: questions about texts of any length, from the shell."""

import json
from importlib.util import find_spec
from pathlib import Path

import pytest

from babi_cascade.pipeline.stories.background import background_in

pytestmark = pytest.mark.skipif(find_spec("stanza") is None, reason="needs the extra nlp")

FACTS = {
    40: "Ana went to the harbour.",
    200: "Tom moved to the mill.",
    350: "Ana went to the barn.",
}


@pytest.fixture
def book(tmp_path: Path) -> Path:
    """A chapter of a novel with three facts in it, its lines broken anywhere."""
    sentences = list(background_in(None).sentences[2000:2450])
    for place, fact in sorted(FACTS.items(), reverse=True):
        sentences.insert(place, fact)
    words = " ".join(sentences).split(" ")
    path = tmp_path / "book.txt"
    path.write_text("\n".join(" ".join(words[i : i + 11]) for i in range(0, len(words), 11)))
    return path


def test_a_book_is_asked_and_the_places_of_its_facts_are_told(
    command, reading_cascade, book, tmp_path
):
    model = tmp_path / "small.model"
    reading_cascade.save(model)
    done = command("ask", book, "-m", model, "-q", "Where is Ana?", "-q", "Where is Tom?", "--json")
    assert done.code == 0, done.err
    ana, tom = (json.loads(line) for line in done.out.splitlines())
    assert (ana["answer"], tom["answer"]) == ("barn", "mill")
    assert ana["facts"] == ["Ana went to the barn."]
    assert 345 < ana["support"][0] < 360
    kept = list((tmp_path / "cache").rglob("books/*.npz"))
    assert len(kept) == 1


def test_a_question_without_a_book_is_refused(command):
    done = command("ask", "-q", "Where is Ana?")
    assert done.code == 2
    assert "expected its FILE" in done.err


def test_one_model_is_asked_about_longer_and_longer_texts(command, tmp_path):
    out = tmp_path / "out"
    arguments = ("long", "--tasks", "1", "--limit", "10", "--questions", "2", "--tokens", "0,5k",
                 "--cost", "0.1", "--no-plot", "--out", out)  # fmt: skip
    done = command(*arguments)
    assert done.code == 0, done.err
    record = json.loads((out / "long.json").read_text())
    short, long = record["lengths"]
    assert (short["tokens"], long["tokens"]) == ("0", "5k")
    assert long["sentences_read"] < 100
    assert {row["n_test"] for row in record["tasks"]} == {2}
    assert (out / "long.model").is_file()
    again = command(*arguments)
    assert again.out == done.out
