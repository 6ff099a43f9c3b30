"""ClearNLP's roles in the terms of our trees and of another corpus, on its recorded answers."""

from __future__ import annotations

import pytest

from babi_cascade.pipeline.trees import Tree
from scripts.nlp.role_spelling import (
    Rows,
    Spelling,
    heads_of,
    phrase,
    placed,
    read_rows,
    roles_of,
    silver,
)
from tests import recorded


@pytest.fixture(scope="module")
def said() -> dict[str, tuple[Tree, Rows]]:
    trees = {
        " ".join(t.form for t in tree): tree for s in recorded.stories().values() for tree in s
    }
    found = {}
    for rows in read_rows(recorded.HERE / "clearnlp.tsv"):
        rows = [row for row in rows if not row[0].startswith("#")]
        text = " ".join(row[1] for row in rows)
        found[text] = (trees[text], rows)
    return found


def test_a_phrase_is_known_by_its_highest_word_in_our_tree(said) -> None:
    tree, rows = said["Mary gave the cake to Fred ."]
    (predicate,) = roles_of(rows)
    assert tree[predicate].form == "gave"
    assert [rows[word - 1][1] for word in roles_of(rows)[predicate]] == ["Mary", "cake", "to"]
    arguments = placed(roles_of(rows), heads_of(rows), tree)[predicate]
    assert {tree[word].form: role for word, role in arguments.items()} == {
        "Mary": "A0", "cake": "A1", "Fred": "GOL",
    }  # fmt: skip


def test_a_phrase_does_not_reach_below_the_predicate() -> None:
    assert phrase([2, 0, 2, 3], 2, 3) == {1, 2}
    assert phrase([2, 0, 2, 3], 3, 2) == {3, 4}


def test_functions_are_spelled_as_the_corpus_does_for_the_verb(said) -> None:
    spelling = Spelling()
    tree, rows = said["Mary gave the cake to Fred ."]
    found = placed(roles_of(rows), heads_of(rows), tree)
    (predicate,) = found
    gold = {predicate: {word: {"GOL": "ARG2"}.get(r, r) for word, r in found[predicate].items()}}
    assert spelling.spelled("give", "GOL") == "ARGM-GOL", "nothing is known of it yet"
    for _ in range(3):
        spelling.learn(tree, gold, found)
    assert spelling.spelled("give", "GOL") == "ARG2"
    assert spelling.spelled("send", "GOL") == "ARG2", "as with most verbs"
    assert spelling.spelled("give", "R-A1") == "ARG1"
    assert silver(tree, rows, spelling) == {predicate: {1: "ARG0", 4: "ARG1", 6: "ARG2"}}


def test_a_phrase_that_our_tree_has_torn_up_is_known_by_its_own_head(said) -> None:
    tree, rows = said["Mary gave the cake to Fred ."]
    (predicate,) = roles_of(rows)
    torn = [list(row) for row in rows]
    torn[0][5] = (
        "5"  # "Mary … to Fred" is no phrase of our tree, and its preposition is no head there
    )
    found = silver(tree, torn, Spelling())[predicate]
    assert {tree[word].form: role for word, role in found.items() if word > 4} == {
        "Fred": "ARGM-GOL"
    }
