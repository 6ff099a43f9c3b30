"""Questions as JSON lines: what is carried, what is refused and how."""

import dataclasses
import io
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from babi_cascade.pipeline.stories import (
    Question,
    Sentence,
    Skipped,
    StoryError,
    read_stories,
    write_jsonl,
)
from babi_cascade.pipeline.stories.jsonl import parse_jsonl
from babi_cascade.pipeline.stories.lines import read_lines

FACTS = (Sentence(1, "Ada took the key."), Sentence(2, "Bob slept."))


def read(content: str | bytes, on_error=None) -> list[Question]:
    data = content.encode() if isinstance(content, str) else content
    lines = read_lines(io.BytesIO(data), "f")
    return [question for _, question in parse_jsonl(lines, "f", on_error)]


def written(*questions: Question) -> str:
    stream = io.StringIO()
    write_jsonl(questions, stream)
    return stream.getvalue()


def record(**changes) -> str:
    """Give a sound line with some keys set, or left out when they are set to `...`."""
    keys = {"story": ["Ada took the key.", "Bob slept."], "question": "Who has it?", **changes}
    return json.dumps({key: value for key, value in keys.items() if value is not ...})


texts = (
    st.text(st.characters(exclude_categories=["Cc", "Cs", "Zl", "Zp"]), min_size=1, max_size=20)
    .map(str.strip)
    .filter(bool)
)


@st.composite
def questions(draw: st.DrawFn) -> Question:
    numbers = sorted(draw(st.sets(st.integers(1, 2000), min_size=1, max_size=6)))
    if draw(st.booleans()):
        numbers = list(range(1, len(numbers) + 1))
    *known, line = numbers
    answer = draw(st.none() | texts)
    others = st.lists(texts, max_size=3)
    some = st.lists(st.sampled_from(known), unique=True) if known else st.just([])
    return Question(
        line,
        draw(texts),
        answer,
        draw(st.none() | some.map(tuple)),
        tuple(Sentence(number, draw(texts)) for number in known),
        id=draw(st.none() | texts),
        pad=draw(st.sampled_from(["", " ", "\u00a0 "])),
        choices=draw(st.none() | others.map(lambda found: tuple({answer or "a", *found}))),
        extra=draw(st.none() | st.just({"level": 2, "from": ["a", {"b": None}], "x": 0.5})),
    )


class TestReading:
    def test_a_story_and_a_question_are_enough(self):
        assert read(record()) == [Question(3, "Who has it?", None, None, FACTS)]

    def test_all_keys(self):
        line = record(
            answer="Ada", support=[4, 2], id="q1", lines=[2, 4], line=7, pad=" ", story=["A.", "B."]
        )
        facts = (Sentence(2, "A."), Sentence(4, "B."))
        assert read(line) == [Question(7, "Who has it?", "Ada", (4, 2), facts, "q1", " ")]

    def test_a_question_may_stand_without_a_story(self):
        assert read(record(story=[])) == [Question(1, "Who has it?", None, None, ())]

    def test_the_question_follows_the_last_line_unless_it_says_otherwise(self):
        assert read(record(lines=[3, 8]))[0].line == 9

    def test_a_number_will_do_for_an_id(self):
        assert read(record(id=12345678901234567890))[0].id == "12345678901234567890"

    def test_white_space_around_texts_means_nothing(self):
        line = record(story=[" Ada took the key.", "Bob slept. "], question=" Who has it? ")
        assert read(line) == read(record())

    def test_harmless_variants_read_the_same(self):
        one = record()
        expected = read(one) * 2
        assert read(f"\ufeff{one}\r\n\r\n {one} \r\n") == expected

    def test_a_story_may_be_one_text(self):
        told = 'Ada took the key.  Mr. Bo said "Go!" Then\nBob slept'
        facts = [fact.text for fact in read(record(story=told))[0].facts]
        assert facts == ["Ada took the key.", 'Mr. Bo said "Go!"', "Then", "Bob slept"]

    def test_choices_are_the_answers_that_are_allowed(self):
        assert read(record(choices=["Ada", "Bob"], answer="Bob"))[0].choices == ("Ada", "Bob")

    def test_other_keys_are_kept(self):
        (question,) = read(record(answer="Ada", answers=["Ada", "ada"], level={"of": 3}))
        assert question.extra == {"answers": ["Ada", "ada"], "level": {"of": 3}}
        assert json.loads(written(question))["level"] == {"of": 3}

    def test_an_empty_support_is_not_an_unknown_one(self):
        assert read(record(support=[]))[0].support == ()


BAD = [
    # line, found, expected
    ("", "no lines", "at least one question"),
    ("{", "broken JSON at column 2 (Expecting property name enclosed in double quotes)", ...),
    ("nonsense", "broken JSON at column 1 (Expecting value)", "one JSON value"),
    (record() + "{}", "broken JSON at column 74 (Extra data)", "one JSON value"),
    ("[]", "a list", "one JSON object a line"),
    ("17", "a whole number", "one JSON object a line"),
    ("null", "null", "one JSON object a line"),
    ("NaN", "NaN", "finite numbers"),
    ('{"story":[],"question":"Q?","id":-Infinity}', "-Infinity", "finite numbers"),
    ("[" * 100_000, "JSON nested too deep", "fewer levels"),
    ('{"a":' * 100_000, "JSON nested too deep", "fewer levels"),
    ('{"story":[],"story":[],"question":"Q?"}', 'the key "story" twice', "each key once"),
    ("9" * 5000, "a number of 5000 digits", "at most 300"),
    (record(story=...), "no story", "an object with story and question"),
    (record(question=...), "no question", "an object with story and question"),
    (record(suport=[1]), 'the key "suport"', "support, or a name that is less like it"),
    (record(Answer="Ada"), 'the key "Answer"', "answer, or a name that is less like it"),
    (record(story=1), "a whole number for story", "a text or a list of sentences"),
    (record(level=1).replace("1}", "1e999}"), "the number 1e999", "finite numbers"),
    (record(choices="Ada"), "a text for choices", "a list"),
    (record(choices=[]), "no choices", "choices in one line of text"),
    (record(choices=["Ada", " Ada"]), "a choice twice", "each choice once"),
    (record(choices=["Ada"], answer="Bob"), 'the answer "Bob"', "one of the choices"),
    (record(story=[1]), "a whole number for a sentence of the story", "a text"),
    (record(story=[["A."]]), "a list for a sentence of the story", "a text"),
    (record(story=[""]), "an empty text for a sentence of the story", "one line of text"),
    (
        record(story=["a\nb"]),
        'the character U+000A at column 2 of "a\\nb" in a sentence of the story',
        "one line of text",
    ),
    (
        record(story=["a\tb"]),
        'the character U+0009 at column 2 of "a\\tb" in a sentence of the story',
        "one line of text",
    ),
    (
        record(question="\ud800"),
        'the character U+D800 at column 1 of "\\ud800" in the question',
        "one line of text",
    ),
    (record(question=None), "null for the question", "a text"),
    (record(question=" "), "an empty text for the question", "one line of text"),
    (record(answer=True), "true or false for the answer", "a text"),
    (record(answer=3), "a whole number for the answer", "a text"),
    (record(answer=None), "null for the answer", "a text"),
    (record(answer=""), "an empty text for the answer", "one line of text"),
    (record(support=1), "a whole number for support", "a list"),
    (record(support=["1"]), "a text for support", "a whole number"),
    (record(support=[True]), "true or false for support", "a whole number"),
    (record(support=[1.0]), "a number with a fraction for support", "a whole number"),
    (record(support=[0]), "0 for support", "a line number, 1 to 999999999"),
    (record(support=[3]), "support 3", "numbers of earlier statements"),
    (record(support=[1, 1]), "support 1, 1", "each number once"),
    (record(lines=[1]), "1 lines", "as many as sentences, 2"),
    (record(lines=[2, 2]), "line number 2", "a number over 2"),
    (record(lines=[1, 10**9]), "1000000000 for lines", "a line number, 1 to 999999999"),
    (record(line=2), "line number 2", "a number over 2"),
    (record(line="3"), "a text for line", "a whole number"),
    (record(pad="x"), 'the pad "x"', "white space without TABs and line breaks"),
    (record(pad=1), "a whole number for pad", "a text"),
    (record(id=True), "true or false for id", "a text"),
    (record(id=1.5), "a number with a fraction for id", "a text"),
    (record(id={}), "an object for id", "a text"),
    (record(id=""), 'the id ""', "one line of text"),
    (record(id="a\nb"), 'the id "a\\nb"', "one line of text"),
    (b"\xff", "bytes that are not UTF-8 at column 1", "UTF-8 text"),
]


class TestRefusing:
    @pytest.mark.parametrize(
        ("content", "found", "expected"), BAD, ids=[found[:40] for _, found, _ in BAD]
    )
    def test_each_fault_is_named(self, content, found, expected):
        with pytest.raises(StoryError) as caught:
            read(content)
        assert caught.value.found == found
        if expected is not ...:
            assert caught.value.expected == expected
        assert str(caught.value).isprintable()

    def test_the_line_of_the_file_is_named(self):
        with pytest.raises(StoryError) as caught:
            read(record() + "\n\n" + record(support=[9]) + "\n")
        assert str(caught.value) == "f:3: found support 9, expected numbers of earlier statements"

    def test_bad_lines_are_left_out_alone(self):
        skipped = Skipped()
        found = read(f"{record(id=1)}\n{{\n{record(id=2)}\n\xff\n".encode("latin-1"), skipped)
        assert [question.id for question in found] == ["1", "2"]
        assert [error.line for error in skipped.first] == [2, 4]
        assert (skipped.errors, skipped.lines) == (2, 2)

    @given(st.binary(max_size=100))
    def test_any_bytes_give_questions_or_a_story_error(self, content):
        try:
            read(content)
        except StoryError as error:
            assert str(error).isprintable()  # noqa: PT017

    @given(
        st.dictionaries(
            st.sampled_from(["story", "question", "answer", "support", "id", "lines", "line"]),
            st.recursive(
                st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
                lambda inner: st.lists(inner, max_size=3),
                max_leaves=5,
            ),
        )
    )
    def test_any_json_gives_questions_or_a_story_error(self, keys):
        try:
            found = read(json.dumps(keys))
        except StoryError as error:
            assert str(error).isprintable()  # noqa: PT017
        else:
            assert read(written(*found)) == found


class TestWriting:
    def test_keys_stand_in_the_documented_order_and_only_when_they_say_something(self):
        plain = Question(3, "Où?", "là", (2, 1), FACTS, "q1")
        assert written(plain) == (
            '{"story":["Ada took the key.","Bob slept."],"question":"Où?","answer":"là",'
            '"support":[2,1],"id":"q1"}\n'
        )
        padded = Question(7, "Q?", None, None, (Sentence(2, "A."),), pad=" ")
        assert (
            written(padded) == '{"story":["A."],"question":"Q?","lines":[2],"line":7,"pad":" "}\n'
        )

    @given(st.lists(questions(), min_size=1, max_size=4))
    def test_what_was_written_reads_back_the_same(self, asked):
        assert read(written(*asked)) == asked

    def test_questions_of_a_story_lose_nothing(self):
        content = b"1 A.\n2 B? \tx\t1\n4 C.\n7 D?\ty,z\n"
        (story,) = read_stories(io.BytesIO(content))
        assert tuple(read(written(*story.questions))) == story.questions

    @pytest.mark.parametrize(
        ("changes", "message"),
        [
            ({"text": ""}, "found an empty text, expected a question in one line of text"),
            ({"text": " Q?"}, 'found white space around " Q?", expected a question in'),
            ({"answer": "a\nb"}, "found the character U+000A at column 2"),
            ({"support": (7,)}, "found support 7, expected numbers of earlier statements"),
            ({"line": 2}, "found line number 2, expected a number over 2"),
            ({"facts": FACTS[::-1]}, "found line number 1, expected a number over 2"),
            ({"facts": (Sentence(1, "\t"),)}, "found white space around"),
            ({"pad": "\n"}, 'found the pad "\\n"'),
            ({"id": ""}, 'found the id ""'),
            ({"text": "x" * (1 << 26)}, "found a line of"),
        ],
    )
    def test_what_would_not_read_back_is_refused(self, changes, message):
        good = Question(3, "Q?", "x", (1,), FACTS)
        with pytest.raises(StoryError) as caught:
            written(good, dataclasses.replace(good, **changes))
        assert str(caught.value).startswith("question 2:")
        assert message in str(caught.value)

    def test_no_question_is_no_file(self):
        with pytest.raises(StoryError, match="at least one question"):
            written()
