"""The sieve as a whole: stories, odd input, speed."""

from __future__ import annotations

import time

from hypothesis import given, settings
from hypothesis import strategies as st

from babi_cascade.pipeline.backends import coreference
from babi_cascade.pipeline.coref.lexicon import Lexicon
from babi_cascade.pipeline.coref.replace import replace_mentions
from babi_cascade.pipeline.coref.sieve import Sieve
from babi_cascade.pipeline.trees import Token, Tree
from tests.pipeline.coref.trees import go_together, goes, story, texts

WORDS = [
    "Kofi",
    "she",
    "they",
    "It",
    "the",
    "mill",
    "and",
    "himself",
    "'s",
    "🙂",
    "<b>",
    ",",
    "WHO",
    "我",
]
TAGS = ["NOUN", "PROPN", "PRON", "DET", "VERB", "ADP", "PUNCT", "CCONJ", "NUM", "X", "_", ""]
RELATIONS = ["nsubj", "obj", "obl", "conj", "cc", "det", "case", "root", "appos", "flat", "compound",
             "acl:relcl", "cop", "nmod:poss", "punct", "expl", "nmod:desc", ""]  # fmt: skip


@st.composite
def trees(draw: st.DrawFn) -> Tree:
    """Any heads at all: forests, cycles, several roots."""
    size = draw(st.integers(0, 9))
    return Tree(
        tuple(
            Token(
                number,
                draw(st.sampled_from(WORDS)),
                draw(st.sampled_from(WORDS)),
                draw(st.sampled_from(TAGS)),
                "_",
                draw(st.integers(0, size)),
                draw(st.sampled_from(RELATIONS)),
                draw(st.sampled_from(["_", "Number=Plur", "PronType=Rel"])),
            )
            for number in range(1, size + 1)
        )
    )


@settings(deadline=None, max_examples=200)
@given(st.lists(trees(), max_size=5), st.booleans())
def test_no_tree_is_too_odd(random_story: list[Tree], relatives: bool) -> None:
    sieve = Sieve(relatives=relatives)
    clusters = sieve.resolve(random_story)
    assert clusters == sieve.resolve(random_story)
    spans = [mention.span for mention in clusters.mentions]
    assert len(spans) == len(set(spans))
    for mention in clusters.mentions:
        assert (
            1 <= mention.start <= mention.head <= mention.end <= len(random_story[mention.sentence])
        )
    replaced = replace_mentions(random_story, clusters)
    assert len(replaced) == len(random_story)
    for sentence in replaced:
        for change in sentence.changes:
            assert sentence.original[change.start : change.end] == change.old
            assert sentence.text[change.new_start : change.new_end] == change.new
        if sentence.changes:
            tree = sentence.tree
            assert [token.id for token in tree] == list(range(1, len(tree) + 1))
            assert all(0 <= token.head <= len(tree) for token in tree)
            assert all(tree.text[t.start : t.end] == t.form for t in tree)
            assert len(sentence.origins) == len(tree)


def test_story_with_interleaved_people() -> None:
    told = story(
        go_together("Amara", "Pavel", "tavern"), goes("They", "market"), goes("Noor", "well"),
        goes("She", "market"), go_together("Amara", "Noor", "mill"), goes("They", "tavern"),
    )  # fmt: skip
    assert texts(told, coreference().resolve(told)) == [
        ["Amara and Pavel", "They"],
        ["Amara", "Amara"],
        ["the tavern", "the tavern"],
        ["the market", "the market"],
        ["Noor", "She", "Noor"],
        ["Amara and Noor", "They"],
    ]


def test_names_that_no_list_holds() -> None:
    told = story(
        goes("Quillmar"), goes("She"), goes("Tavlo"), goes("He"), goes("Quillmar"), goes("She")
    )
    found = texts(told, Sieve(Lexicon()).resolve(told))
    assert ["Quillmar", "She", "Quillmar", "She"] in found
    assert ["Tavlo", "He"] in found


def test_empty_stories() -> None:
    assert len(Sieve().resolve([])) == 0
    assert len(Sieve().resolve([Tree(())])) == 0


def test_fingerprint_follows_settings() -> None:
    prints = {
        Sieve().fingerprint,
        Sieve(relatives=True).fingerprint,
        Sieve(passes=()).fingerprint,
        Sieve(Lexicon()).fingerprint,
    }
    assert len(prints) == 4


def test_two_thousand_sentences_in_seconds() -> None:
    people = ["Amara", "Tobias", "Ingrid", "Mateo"]
    lines = []
    for number in range(1000):
        lines += [
            goes(people[number % 4], f"room{number % 300}"),
            goes("She" if number % 2 else "He"),
        ]
    told = story(*lines)
    started = time.perf_counter()
    Sieve().resolve(told)
    assert time.perf_counter() - started < 8


def test_ten_thousand_words_in_one_sentence() -> None:
    chain = [Token(1, "box", "box", "NOUN", "NN", 0, "root")]
    chain += [
        Token(n, "she" if n % 7 == 0 else "box", "box", "PRON" if n % 7 == 0 else "NOUN", "NN", n - 1, "nmod")
        for n in range(2, 10_001)
    ]  # fmt: skip
    flat = [
        Token(n, "Kofi", "Kofi", "PROPN", "NNP", 1 if n > 1 else 0, "conj")
        for n in range(1, 10_001)
    ]
    started = time.perf_counter()
    for tokens in (chain, flat):
        Sieve().resolve([Tree(tuple(tokens))])
    assert time.perf_counter() - started < 20
