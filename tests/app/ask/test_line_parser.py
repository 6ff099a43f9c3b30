"""Typed text becomes statements and questions; bAbI lines are understood."""

from __future__ import annotations

import io
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from babi_cascade.app.ask.line_parser import (
    LineParser,
    NewStory,
    RefusedLine,
    Statement,
    TypedQuestion,
    text_lines,
)
from babi_cascade.errors import UserError


def said(text, **options):
    return list(LineParser(**options).lines(text))


def test_a_sentence_that_ends_in_a_question_mark_is_a_question():
    assert said("Ana went home. Tom slept!  Where is Ana?") == [
        Statement("Ana went home."), Statement("Tom slept!"), TypedQuestion("Where is Ana?"),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("ana went home", Statement("ana went home.")),
        ("  Ana   went\u00a0home. ", Statement("Ana went home.")),
        ("Mr. Smith met Dr. Jones.", Statement("Mr. Smith met Dr. Jones.")),
        ("J. Doe left.", Statement("J. Doe left.")),
        ('Is it "here?"', TypedQuestion('Is it "here?')),
        ("Where is Ana?!", TypedQuestion("Where is Ana?")),
        ("Where is Ana!??", TypedQuestion("Where is Ana?")),
        ("Ana left!!", Statement("Ana left!!")),
        ("3 men went home.", Statement("3 men went home.")),
    ],
)
def test_one_sentence(text, expected):
    assert said(text) == [expected]


def test_babi_lines_lose_their_numbers_and_1_begins_a_new_story():
    told = said(
        "1 Ana went home.\n2 Where is Ana? \thome\t1\n3 Tom slept.\n1 Ida left.\n2 Who left?\tIda\n"
    )
    assert told == [
        Statement("Ana went home."), TypedQuestion("Where is Ana?", "home", (1,)), Statement("Tom slept."),
        NewStory(), Statement("Ida left."), TypedQuestion("Who left?", "Ida", None),
    ]  # fmt: skip


def test_an_empty_line_begins_a_new_story_in_files_only():
    text = "\n\nAna left.\n\n\nTom left.\n"
    assert said(text, blank_is_new=True) == [
        Statement("Ana left."), NewStory(), Statement("Tom left."),
    ]  # fmt: skip
    assert NewStory() not in said(text)


def test_an_empty_line_after_numbered_lines_begins_a_new_story_unless_the_numbers_go_on():
    numbered = [Statement("Ana left."), TypedQuestion("Who left?", "Ana", (1,))]
    text = "1 Ana left.\n2 Who left?\tAna\t1\n\n"
    for more, expected in (
        ("Tom left.", [NewStory(), Statement("Tom left.")]),
        ("1 Tom left.", [NewStory(), Statement("Tom left.")]),
        ("3 Tom left.", [Statement("Tom left.")]),
    ):
        assert said(text + more, blank_is_new=True) == [*numbered, *expected]


@pytest.mark.parametrize(
    ("text", "message"),
    [("a\x07b", "U\\+0007"), ("???", "in words"), ("x " * 2000, "2000"), ("1 a?\tb\tc", "line numbers")],
)  # fmt: skip
def test_what_is_no_text_is_refused(text, message):
    (refused,) = said(text)
    assert isinstance(refused, RefusedLine)
    assert re.search(message, refused.reason)
    assert "\n" not in refused.reason


def test_what_stands_around_a_refused_sentence_still_counts():
    one, two, three, four = said("Ana left. ??? Who left?\nTom left.")
    assert (one, three, four) == (
        Statement("Ana left."), TypedQuestion("Who left?"), Statement("Tom left."),
    )  # fmt: skip
    assert two == RefusedLine("found '???', expected a question in words")


@given(st.text(max_size=80))
def test_any_text_is_understood_or_refused(text):
    for each in said(text, blank_is_new=True):
        if isinstance(each, Statement | TypedQuestion):
            assert each.text == " ".join(each.text.split())
            assert each.text


def test_lines_come_as_soon_as_they_are_there_and_bad_bytes_are_named():
    assert list(text_lines(io.BytesIO("\ufeffä\r\nb".encode()), "x")) == ["ä", "b"]
    lines = text_lines(io.BytesIO(b"good\n\xff\n"), "some.txt")
    assert next(lines) == "good"
    with pytest.raises(UserError, match=r"some\.txt:2: not UTF-8"):
        next(lines)
    with pytest.raises(UserError, match=r"some\.txt:1: found a line of more"):
        list(text_lines(io.BytesIO(b"a" * (1 << 21)), "some.txt"))
