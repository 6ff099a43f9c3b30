"""Trees of other parsers: tags that were left out, names of UD 1, and what cannot be completed."""

from __future__ import annotations

from io import StringIO

import pytest

from babi_cascade.pipeline.frames import extract_frames
from babi_cascade.pipeline.trees import Tree, read_conllu
from babi_cascade.pipeline.trees.conllu import ConlluError
from babi_cascade.pipeline.trees.universal import completed


def given(*rows: str) -> Tree:
    """A tree from rows of "FORM UPOS XPOS HEAD RELATION"."""
    lines = []
    for number, row in enumerate(rows, start=1):
        form, upos, xpos, head, relation = row.split()
        lines.append("\t".join((str(number), form, "_", upos, xpos, "_", head, relation, "_", "_")))
    (sentence,) = read_conllu(StringIO("\n".join(lines) + "\n\n"), "mine.conllu")
    return sentence.tree


def test_universal_tags_follow_from_those_of_the_penn_treebank_and_the_relations() -> None:
    tree = given(
        "Who _ WP 2 nsubj", "has _ VBZ 4 aux", "n't _ RB 4 advmod", "left _ VBN 0 root", "that _ DT 6 det",
        "town _ NN 4 obj", "to _ TO 8 mark", "rest _ VB 4 advcl", "there _ RB 8 advmod", "? _ . 4 punct",
    )  # fmt: skip
    tags = [token.upos for token in completed(tree, "mine.conllu")]
    assert tags == ["PRON", "AUX", "PART", "VERB", "DET", "NOUN", "PART", "VERB", "ADV", "PUNCT"]


def test_a_tree_without_universal_tags_gives_the_same_frames_as_one_with_them() -> None:
    rows = ["Kim {PROPN} NNP 2 nsubj", "slept {VERB} VBD 0 root", "this {DET} DT 4 det",
            "morning {NOUN} NN 2 obl:tmod"]  # fmt: skip
    tagged = given(*(row.replace("{", "").replace("}", "") for row in rows))
    bare = given(*(" ".join("_" if "{" in part else part for part in row.split()) for row in rows))
    assert str(extract_frames(bare)[0]) != str(extract_frames(tagged)[0])
    found = extract_frames(completed(bare, "mine.conllu"))
    assert str(found[0]) == str(extract_frames(tagged)[0]) == "sleep(nsubj kim) @this morning"


def test_relations_of_ud_1_are_told_as_those_of_ud_2() -> None:
    tree = given(
        "Kites NOUN NNS 3 nsubjpass", "were AUX VBD 3 auxpass", "sold VERB VBN 0 root", "in ADP IN 5 case",
        "Rome PROPN NNP 3 nmod", "by ADP IN 7 case", "Lee PROPN NNP 3 nmod",
    )  # fmt: skip
    told = completed(tree, "mine.conllu")
    assert [token.deprel for token in told] == [
        "nsubj:pass", "aux:pass", "root", "case", "obl", "case", "obl",
    ]  # fmt: skip
    assert str(extract_frames(told)[0]) == "sell(obj kite; obl:in rome; nsubj lee)"


def test_a_complete_tree_stays_the_same_object() -> None:
    tree = given(
        "Kim PROPN NNP 2 nsubj", "sang VERB VBD 0 root", "in ADP IN 4 case", "Rome PROPN NNP 2 obl"
    )
    assert completed(tree, "mine.conllu") is tree


def test_the_copula_may_head_its_clause() -> None:
    tree = given(
        "Is VERB VBZ 0 root", "Kim PROPN NNP 1 nsubj", "to ADP IN 5 case", "the DET DT 5 det",
        "left NOUN NN 1 obl", "of ADP IN 7 case", "Lee PROPN NNP 5 nmod", "? PUNCT . 1 punct",
    )  # fmt: skip
    assert str(extract_frames(tree)[0]) == "be to the left of(nsubj kim; obl:of lee) ?"


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        (("Kim _ NE 2 nsubj", "sang _ VVFIN 0 root"), "neither a universal tag of the word 'Kim'"),
        (("Kim _ _ 2 nsubj", "sang _ _ 0 root"), "expected one of them"),
        (("Kim _ NNP 2 _", "sang _ VBD 0 root"), r"found no relation of the word 'Kim' \(column 8\)"),
        (("Kim _ NNP _ dep", "sang _ VBD _ dep"), "found no heads in 'Kim sang'"),
    ],
)  # fmt: skip
def test_what_cannot_be_completed_is_said_in_one_line(rows: tuple[str, ...], message: str) -> None:
    with pytest.raises(ConlluError, match=f"mine.conllu: .*{message}"):
        completed(given(*rows), "mine.conllu")
