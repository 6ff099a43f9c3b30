"""Whatever comes in, frames come out: no sentence may stop a run."""

import json
from functools import cache

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from babi_cascade.pipeline.frames import Frame, extract_frames
from babi_cascade.pipeline.parse.stanza_trees import flat_tree
from babi_cascade.pipeline.srl.labeller import Labeller
from babi_cascade.pipeline.srl.model_header import shipped_model
from babi_cascade.pipeline.trees import Token, Tree
from tests.pipeline.frames.small_trees import tree


def any_of(words: str) -> st.SearchStrategy[str]:
    return st.sampled_from(words.split())


FORMS = any_of(
    "what who where how many is was be Kim Lee the a of to in than north before after"
    " that this morning yesterday not no longer either or and went give sold big older ?"
    " . , 's 🙂 <b> Straße 東京 n't there following up inside"
) | st.text(min_size=1, max_size=4)  # fmt: skip
TAGS = any_of("NOUN VERB AUX ADJ ADV ADP PRON PROPN DET PUNCT CCONJ SCONJ PART NUM X INTJ")
RELATIONS = any_of(
    "root nsubj nsubj:pass obj iobj obl obl:tmod nmod nmod:poss case mark det amod advmod"
    " cop aux aux:pass conj cc cc:preconj xcomp ccomp advcl acl acl:relcl compound"
    " compound:prt punct expl fixed flat appos _"
)


@st.composite
def random_trees(draw: st.DrawFn) -> Tree:
    """Any heads at all: several roots, none, circles."""
    size = draw(st.integers(0, 12))
    tokens = []
    place = 0
    for number in range(1, size + 1):
        form = draw(FORMS)
        head = draw(st.integers(0, size).filter(lambda h, n=number: h != n))
        lemma = draw(st.sampled_from([form, form.lower(), "be", "_", ""]))
        tokens.append(
            Token(number, form, lemma, draw(TAGS), draw(st.sampled_from(["_", "VBG", "VBN", "NNS", "JJR"])),
                  head, draw(RELATIONS), "_", place, place + len(form))
        )  # fmt: skip
        place += len(form) + 1
    return Tree(tuple(tokens), " ".join(t.form for t in tokens))


@settings(max_examples=400, deadline=None)
@given(random_trees())
def test_any_tree_gives_frames(sentence: Tree) -> None:
    for frame in extract_frames(sentence):
        assert 1 <= frame.token <= len(sentence)
        assert all(1 <= i <= len(sentence) for a in frame.arguments for i in (a.head_id, *a.span))
        assert Frame.from_json(json.loads(json.dumps(frame.to_json()))) == frame
        assert str(frame)


@pytest.mark.skipif(not shipped_model().is_file(), reason="the role model is not trained yet")
@settings(max_examples=100, deadline=None)
@given(random_trees())
def test_any_tree_can_be_labelled(sentence: Tree) -> None:
    roles = labeller().label(sentence)
    assert all(1 <= i <= len(sentence) for i in roles)


@cache
def labeller() -> Labeller:
    return Labeller.load()


@pytest.mark.parametrize(
    "text",
    ["", "🙂 🙂 !", "<p class='x'>Kim</p>", "Où est la bibliothèque ?", "%%% ---", "hm", "Kim"],
)
def test_text_without_syntax_gives_no_frames(text: str) -> None:
    assert extract_frames(flat_tree(text)) == []


def test_ten_thousand_words_in_a_chain_and_in_a_row() -> None:
    chain = tree(" ".join(f"w{i}:NOUN:{i - 1}:nmod" for i in range(1, 10_001)))
    assert extract_frames(chain) == []
    row = tree("ran/run:VERB:0:root " + " ".join("w:NOUN:1:obl" for _ in range(9_999)))
    (frame,) = extract_frames(row)
    assert len(frame.arguments) == 9_999
    conjuncts = tree(
        "ran/run:VERB:0:root w:NOUN:1:nsubj " + " ".join("w:NOUN:2:conj" for _ in range(9_998))
    )
    assert len(extract_frames(conjuncts)[0].arguments) == 9_999


def test_thousands_of_verbs() -> None:
    verbs = tree("run:VERB:0:root " + " ".join("run:VERB:1:conj" for _ in range(2_999)))
    assert len(extract_frames(verbs)) == 3_000


def test_a_circle_of_heads() -> None:
    circle = tree("Kim:PROPN:2:nsubj went/go:VERB:3:conj home:NOUN:1:nmod and:CCONJ:1:cc")
    assert isinstance(extract_frames(circle), list)
