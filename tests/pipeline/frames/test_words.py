"""Lemmas of words that a dictionary lemmatizer left as they were."""

import pytest

from babi_cascade.pipeline.frames.words import lemma_of, singular
from babi_cascade.pipeline.trees import Token


@pytest.mark.parametrize(
    ("plural", "expected"),
    [
        ("goats", "goat"), ("ponies", "pony"), ("foxes", "fox"), ("wolves", "wolf"), ("mice", "mouse"),
        ("geese", "goose"), ("glass", "glass"), ("octopus", "octopus"), ("churches", "church"),
    ],
)  # fmt: skip
def test_singular(plural: str, expected: str) -> None:
    assert singular(plural) == expected


@pytest.mark.parametrize(
    ("form", "tag", "expected"),
    [
        ("hurried", "VBD", "hurry"), ("strolled", "VBD", "stroll"), ("travelled", "VBD", "travel"),
        ("skipped", "VBD", "skip"), ("released", "VBD", "release"), ("journeying", "VBG", "journey"),
        ("passed", "VBD", "pass"), ("sprints", "VBZ", "sprint"), ("bed", "VBD", "bed"),
        ("arrived", "VBN", "arrive"), ("lent", "VBD", "lend"), ("wove", "VBD", "weave"),
        ("found", "VB", "found"), ("ground", "VBN", "grind"),
    ],
)  # fmt: skip
def test_verbs(form: str, tag: str, expected: str) -> None:
    assert lemma_of(Token(1, form, form, "VERB", tag, 0, "root")) == expected


def test_a_known_lemma_is_trusted() -> None:
    assert lemma_of(Token(1, "Went", "go", "VERB", "VBD", 0, "root")) == "go"
    assert lemma_of(Token(1, "Kim", "_", "PROPN", "NNP", 0, "root")) == "kim"


@pytest.mark.parametrize(
    ("place", "upos", "expected"),
    [(1, "PROPN", "goose"), (3, "NOUN", "goose"), (3, "PROPN", "geese"), (1, "VERB", "geese")],
)
def test_an_irregular_plural_is_no_name_because_a_sentence_begins_with_it(
    place: int, upos: str, expected: str
) -> None:
    assert lemma_of(Token(place, "Geese", "Geese", upos, "NNP", 0, "root")) == expected
