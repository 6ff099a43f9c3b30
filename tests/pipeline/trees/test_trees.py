"""Dependency trees and their CoNLL-U form."""

from __future__ import annotations

import contextlib
import gzip
import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

from babi_cascade.pipeline.trees import (
    ConlluError,
    ConlluSentence,
    Token,
    Tree,
    conllu_sentence,
    read_conllu,
    write_conllu,
)

GIFT = """\
# newdoc id = d1
# text = He didn't give her milk.
1	He	he	PRON	PRP	_	4	nsubj	_	Entity=(1)	_	ARG0
2-3	didn't	_	_	_	_	_	_	_	_	_	_
2	did	do	AUX	VBD	_	4	aux	_	_	_	_
3	n't	not	PART	RB	_	4	advmod	_	_	_	ARGM-NEG
4	give	give	VERB	VB	_	0	root	_	_	give.01	V
5	her	she	PRON	PRP	_	4	iobj	_	Entity=(2)	_	ARG2
6	milk	milk	NOUN	NN	Number=Sing	4	obj:x	_	SpaceAfter=No	_	ARG1
7	.	.	PUNCT	.	_	4	punct	_	_	_	_

"""


def read(text):
    return list(read_conllu(io.StringIO(text), "given"))


def words(name):
    return st.text(st.characters(categories=["L", "N", "P", "S"]), min_size=1, max_size=8)


@st.composite
def sentences(draw):
    count = draw(st.integers(1, 8))
    tokens, text = [], ""
    for number in range(1, count + 1):
        form = draw(words("form"))
        heads = [head for head in range(count + 1) if head != number]
        tokens.append(
            Token(
                number,
                form,
                draw(words("lemma")),
                "X",
                "_",
                draw(st.sampled_from(heads)),
                "dep",
                "_",
                len(text),
                len(text) + len(form),
            )
        )
        text += form + " "
    misc = ("_",) * count
    predicates = draw(st.sets(st.integers(1, count), max_size=3))
    rolesets = dict.fromkeys(predicates, "say.01")
    others = {p: [i for i in range(1, count + 1) if i != p] for p in predicates}
    roles = {
        p: draw(st.dictionaries(st.sampled_from(others[p]), st.sampled_from(["ARG0", "ARG1"])))
        if others[p]
        else {}
        for p in predicates
    }
    return ConlluSentence(
        Tree(tuple(tokens), text.rstrip()), {"sent_id": "1"}, misc, rolesets, roles
    )


def test_words_roles_and_entities_are_read():
    (sentence,) = read(GIFT)
    assert [token.form for token in sentence.tree] == [
        "He",
        "did",
        "n't",
        "give",
        "her",
        "milk",
        ".",
    ]
    assert sentence.rolesets == {4: "give.01"}
    assert sentence.roles == {4: {1: "ARG0", 3: "ARGM-NEG", 5: "ARG2", 6: "ARG1"}}
    assert sentence.misc[0] == "Entity=(1)"
    assert sentence.starts_document


def test_the_text_is_put_together_as_it_was_written():
    (sentence,) = read(GIFT)
    assert sentence.tree.text == sentence.comments["text"]
    milk = sentence.tree[6]
    assert sentence.tree.text[milk.start : milk.end] == "milk"


def test_a_tree_can_be_walked():
    tree = read(GIFT)[0].tree
    verb = tree.root
    assert verb is not None
    assert verb.form == "give"
    assert [t.form for t in tree.children(verb, "nsubj", "obj")] == ["He", "milk"]
    assert tree.child(verb, "advmod").form == "n't"
    assert tree.child(verb, "xcomp") is None
    assert [t.form for t in tree.ancestors(tree[6])] == ["give"]
    assert len(tree.subtree(verb)) == 7


def test_a_circle_of_heads_ends_somewhere():
    looped = Tree((Token(1, "a", "a", "X", "_", 2, "dep"), Token(2, "b", "b", "X", "_", 1, "dep")))
    assert looped.root is None
    assert len(looped.subtree(looped[1])) == 2
    assert [t.id for t in looped.ancestors(looped[1])] == [2]


@given(st.lists(sentences(), min_size=1, max_size=3))
def test_what_was_written_is_read_back_identical(given_sentences):
    stream = io.StringIO()
    write_conllu(given_sentences, stream)
    assert read(stream.getvalue()) == given_sentences


def test_a_compressed_file_is_read_too(tmp_path):
    path = tmp_path / "one.conllu.gz"
    with gzip.open(path, "wt", encoding="utf-8") as file:
        file.write(GIFT)
    assert len(list(read_conllu(path))) == 1


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("1\tHe\the\n\n", "given:1: found 3 columns"),
        (GIFT.replace("6\tmilk", "9\tmilk"), "found word 9, expected 6"),
        (GIFT.replace("Number=Sing\t4", "Number=Sing\t99"), "found head '99'"),
        (GIFT.replace("Number=Sing\t4", "Number=Sing\t6"), "found head '6'"),
    ],
)
def test_what_is_wrong_is_said_with_its_place(text, message):
    with pytest.raises(ConlluError, match=message):
        read(text)


def test_a_missing_file_is_a_clear_error(tmp_path):
    with pytest.raises(ConlluError, match="cannot be read"):
        list(read_conllu(tmp_path / "missing.conllu"))


@given(st.text())
def test_nothing_but_the_one_error_comes_out_of_nonsense(text):
    with contextlib.suppress(ConlluError):
        read(text)


def test_a_sentence_without_words_can_be_wrapped():
    assert conllu_sentence(Tree((), "")).misc == ()
