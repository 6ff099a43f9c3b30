"""The dialogue, line by line."""

from __future__ import annotations

import pytest

from babi_cascade.app.ask import Conversation
from babi_cascade.app.ask.dialogue import COMMANDS, Dialogue


@pytest.fixture
def spoken(reading_cascade):
    """A dialogue and what it has said so far."""
    lines: list[str] = []
    dialogue = Dialogue(
        Conversation(reading_cascade), lambda line: lines.append("".join(part for part, _ in line))
    )

    def say(text: str) -> str:
        lines.clear()
        say.goes_on = dialogue.take(text)
        return "\n".join(lines)

    say("Ana went to the mill.\nThen she moved to the barn.")
    return say


def test_a_pasted_story_with_questions_is_answered(spoken):
    shown = spoken("Tom moved to the forest. Where is Tom?\nWhere is Tom?")
    assert shown.count("answer  forest  (likely)") == 2
    assert "facts   3 Tom moved to the forest." in shown
    assert "margin" in shown


def test_what_pronouns_stand_for_is_shown_with_facts_and_frames(spoken):
    spoken(":new\nTom slept.\nThen he moved to the barn.")
    assert "2 Then he moved to the barn.  = Then Tom moved to the barn." in spoken("Where is Tom?")
    frames = spoken(":frames")
    assert "       = Then Tom moved to the barn." in frames
    assert "move(nsubj/ARG" in frames
    assert "1> 2 Then he moved to the barn." in frames
    assert " ? 3 Where is Tom?" in frames


def test_what_the_features_look_at_is_shown_below_the_frames(spoken):
    frames = spoken(":frames")
    assert "used: move (then): subject ana, “to” phrase barn" in frames
    spoken("Where is Ana?")
    assert "used: where of “be” (subject): subject ana" in spoken(":frames")


@pytest.mark.parametrize(("typed", "said"), [
    ("help", ":explain"), ("Help!", ":explain"), ("?", ":explain"), ("story", "1 Ana went to the mill."),
    ("why?", "nothing was asked yet"), ("frames", "go(nsubj"), ("undo", "without: Then she moved"),
])  # fmt: skip
def test_the_word_of_a_command_alone_is_no_sentence(spoken, typed, said):
    assert said in spoken(typed)
    assert f" {typed}" not in spoken(":story")


def test_explain_shows_weights_that_add_up(spoken):
    assert spoken(":explain") == "error: nothing was asked yet"
    spoken("Where is Ana?")
    shown = spoken(":explain")
    assert "why these facts: +" in shown
    assert "why this answer: +" in shown
    assert "recency" in shown


def test_story_undo_and_new(spoken):
    assert spoken(":story").splitlines() == [
        "1 Ana went to the mill.",
        "2 Then she moved to the barn.",
    ]
    assert spoken(":undo") == "(without: Then she moved to the barn.)"
    assert spoken(":story") == "1 Ana went to the mill."
    spoken(":new")
    assert "no story yet" in spoken(":story")
    assert "I do not know: there is no story yet" in spoken("Where is Ana?")


def test_load_simulates_a_story_with_its_questions(spoken):
    shown = spoken(":load qa1")
    assert shown.count("? Where is ") == 5
    judged = [shown.count(word) for word in ("; right)", "; expected ", "  truth   ")]
    assert sum(judged) == 5
    assert shown != spoken(":load qa1")  # another one every time


def test_load_reads_files(spoken, tmp_path):
    path = tmp_path / "a story.txt"
    path.write_text("Tom moved to the forest.\nWhere is Tom?\n")
    assert "forest" in spoken(f":load {path}")
    path.write_bytes(b"\xff")
    assert "not UTF-8" in spoken(f":load {path}")


@pytest.mark.parametrize(
    ("command", "said"),
    [
        (":load", "needs a task"),
        (":load qa99", "no task 99"),
        (":load nowhere.txt", "cannot be read"),
        (":dance", "expected one of :help"),
        (":", "expected one of"),
        ("a\x01b", "U+0001"),
    ],
)
def test_what_is_wrong_is_one_line_and_the_dialogue_goes_on(spoken, command, said):
    shown = spoken(command)
    assert shown.startswith("error: ")
    assert said in shown
    assert "\n" not in shown
    assert spoken.goes_on


def test_help_names_every_command_and_quit_leaves(spoken):
    shown = spoken(":help")
    assert all(name in shown for name in COMMANDS)
    spoken(":q")
    assert not spoken.goes_on


def test_a_pasted_babi_story_begins_anew(spoken):
    spoken(":new")
    shown = spoken(
        "1 Tom moved to the forest.\n2 Where is Tom?\tforest\t1\n1 Ana went to the mill."
    )
    assert "(sure; right)" in shown
    assert "(a new story)" in shown


@pytest.mark.parametrize("word", ["quit", "exit", " Quit "])
def test_leaving_needs_no_colon(spoken, word):
    spoken(word)
    assert not spoken.goes_on
    spoken(":story")
    assert spoken.goes_on
    assert "quit" not in spoken(":story").lower()
