"""Where labeller and tree disagree: what only one of them has as an argument."""

from __future__ import annotations

from click.testing import CliRunner

from babi_cascade.app.cli import cli
from babi_cascade.pipeline.frames import extract_frames
from tests.pipeline.frames.small_trees import tree

SENTENCE = tree(
    "Kim:PROPN:2:nsubj sold/sell:VERB:0:root a:DET:4:det kite:NOUN:2:obj to:ADP:6:case Lee:PROPN:2:obl"
)


def disagreements(roles):
    (frame,) = extract_frames(SENTENCE, roles)
    return frame.disagreements


def test_nothing_to_say_where_both_agree() -> None:
    assert disagreements({2: {1: "ARG0", 4: "ARG1", 6: "ARG2"}}) == ()


def test_an_argument_without_a_role_and_a_role_without_an_argument_are_told() -> None:
    assert disagreements({2: {1: "ARG0", 3: "ARG1", 6: "ARG2"}}) == (
        "no role of 'kite' (obj)",
        "ARG1 'a' is no argument in the tree",
    )


def test_adjuncts_that_the_tree_does_not_count_are_no_disagreement() -> None:
    assert disagreements({2: {1: "ARG0", 3: "ARGM-ADV", 4: "ARG1", 6: "ARG2"}}) == ()


def test_a_verb_that_the_labeller_passed_over_is_told_once() -> None:
    assert disagreements({}) == ("no role of 'sell'",)


def test_annotate_counts_them_and_shows_them_when_asked(tmp_path) -> None:
    rows = [
        "1 Kim kim PROPN NNP _ 2 nsubj _ _ _ _",
        "2 sold sell VERB VBD _ 0 root _ _ sell.01 V",
        "3 kites kite NOUN NNS _ 2 obj _ _ _ ARG1",
    ]
    text = (
        "# newdoc id = a\n# text = Kim sold kites\n" + "\n".join(rows).replace(" ", "\t") + "\n\n"
    )
    text = text.replace("#\t", "# ").replace("\t=\t", " = ")
    (tmp_path / "mine.conllu").write_text(text)
    (tmp_path / "story.txt").write_text("1 Kim sold kites\n")
    words = [
        "annotate", str(tmp_path / "story.txt"), "--conllu", str(tmp_path / "mine.conllu"),
        "--srl", "conllu", "--coref", "none", "--no-cache",
    ]  # fmt: skip
    done = CliRunner().invoke(cli, words)
    assert "disagree in 1 of 1 sentences; --disagreements shows where" in done.output
    assert "! no role" not in done.output
    done = CliRunner().invoke(cli, [*words, "--disagreements"])
    assert "! no role of 'Kim' (nsubj)" in done.output
