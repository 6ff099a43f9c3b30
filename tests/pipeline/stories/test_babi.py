"""The bAbI text format: what it means, what is refused and how, what is skipped."""

import copy
import dataclasses
import io
import itertools
import pickle
import tracemalloc

import pytest
from hypothesis import given
from hypothesis import strategies as st

from babi_cascade.pipeline.stories import (
    Prefix,
    Question,
    Sentence,
    Skipped,
    Story,
    StoryError,
    read_stories,
    tokenize,
    write_babi,
)
from babi_cascade.pipeline.stories.babi import parse_babi
from babi_cascade.pipeline.stories.lines import read_lines

TWO_STORIES = """\
1 Ada took the key.
2 Bob took the lamp.
3 Who has the key? \tAda\t1
4 Ada gave the key to Bob.
6 What has Bob?\tkey,lamp\t4 2
1 It rained.
2 Was it dry?\tno
3 Was it wet?\tyes\t
"""


def read(content: str | bytes, on_error=None) -> list[Story]:
    data = content.encode() if isinstance(content, str) else content
    return list(parse_babi(read_lines(io.BytesIO(data), "f"), "f", on_error))


def written(stories: list[Story]) -> str:
    stream = io.StringIO()
    write_babi(stories, stream)
    return stream.getvalue()


texts = (
    st.text(st.characters(exclude_categories=["Cc", "Cs", "Zl", "Zp"]), min_size=1, max_size=20)
    .map(str.strip)
    .filter(bool)
)


@st.composite
def stories(draw: st.DrawFn) -> Story:
    lines: list[Sentence | Question] = []
    facts: list[Sentence] = []
    number = 1
    for is_question in draw(st.lists(st.booleans(), min_size=1, max_size=8)):
        if is_question:
            known = [fact.line for fact in facts]
            some = st.lists(st.sampled_from(known), unique=True) if known else st.just([])
            support = draw(st.none() | some.map(tuple))
            pad = draw(st.sampled_from(["", " ", "  ", "\u00a0"]))
            question = Question(number, draw(texts), draw(texts), support, tuple(facts), None, pad)
            lines.append(question)
        else:
            facts.append(Sentence(number, draw(texts)))
            lines.append(facts[-1])
        number += draw(st.integers(1, 3))
    return Story(tuple(lines))


class TestReading:
    def test_a_new_story_begins_where_the_ids_start_again(self):
        first, second = read(TWO_STORIES)
        assert [line.line for line in first.lines] == [1, 2, 3, 4, 6]
        assert [line.line for line in second.lines] == [1, 2, 3]
        assert (first.start, second.start) == (1, 6)

    def test_statements_and_questions_are_told_apart_by_the_tab(self):
        first, _ = read(TWO_STORIES)
        assert first.sentences == (
            Sentence(1, "Ada took the key."),
            Sentence(2, "Bob took the lamp."),
            Sentence(4, "Ada gave the key to Bob."),
        )
        assert [question.text for question in first.questions] == [
            "Who has the key?",
            "What has Bob?",
        ]

    def test_a_question_knows_the_story_so_far_and_nothing_later(self):
        first, _ = read(TWO_STORIES)
        early, late = first.questions
        assert [fact.line for fact in early.facts] == [1, 2]
        assert [fact.line for fact in late.facts] == [1, 2, 4]

    def test_support_keeps_the_order_of_the_file(self):
        question = read(TWO_STORIES)[0].questions[1]
        assert question.support == (4, 2)
        assert [fact.text for fact in question.supporting] == [
            "Ada gave the key to Bob.",
            "Bob took the lamp.",
        ]

    def test_several_answers_are_joined_by_commas(self):
        assert read(TWO_STORIES)[0].questions[1].answers == ("key", "lamp")

    def test_no_support_field_is_not_an_empty_support(self):
        unknown, none = read(TWO_STORIES)[1].questions
        assert unknown.support is None
        assert none.support == ()
        assert unknown.supporting == none.supporting == ()

    def test_white_space_before_the_tab_is_kept_apart_from_the_question(self):
        padded, plain = read(TWO_STORIES)[0].questions
        assert (padded.text, padded.pad) == ("Who has the key?", " ")
        assert (plain.text, plain.pad) == ("What has Bob?", "")

    def test_other_white_space_around_texts_means_nothing(self):
        assert read("1   A b. \n2  Q?\t a \t 1 \n") == read("1 A b.\n2 Q?\ta\t1\n")

    @pytest.mark.parametrize(
        "variant",
        [
            pytest.param(TWO_STORIES.replace("\n", "\r\n"), id="CRLF"),
            pytest.param("\ufeff" + TWO_STORIES, id="byte order mark"),
            pytest.param(TWO_STORIES.replace("\n", "\n\n \t\n"), id="blank lines"),
            pytest.param("\n\n" + TWO_STORIES, id="blank lines first"),
            pytest.param(TWO_STORIES.removesuffix("\n"), id="no line break at the end"),
            pytest.param(TWO_STORIES.replace("\n", "\r\n").removesuffix("\n"), id="CR at the end"),
        ],
    )
    def test_harmless_variants_read_the_same(self, variant):
        assert read(variant) == read(TWO_STORIES)

    def test_a_story_may_be_one_line(self):
        assert len(read("1 A.\n1 B.\n1 C?\tyes\n")) == 3

    def test_line_breaks_are_those_of_the_file_only(self):
        (story,) = read("1 A \u00a0 b\u3000c.\n")
        assert story.lines[0].text == "A \u00a0 b\u3000c."

    def test_large_ids_are_fine(self):
        (story,) = read("1 A.\n5000 B.\n999999999 C?\tx\t5000\n")
        assert story.questions[0].support == (5000,)

    def test_a_path_and_a_stream_give_the_same(self, tmp_path):
        path = tmp_path / "some.txt"
        path.write_text(TWO_STORIES, encoding="utf-8")
        assert list(read_stories(path)) == list(read_stories(str(path))) == read(TWO_STORIES)

    def test_a_given_stream_stays_open(self):
        stream = io.BytesIO(TWO_STORIES.encode())
        list(read_stories(stream))
        assert not stream.closed


BAD = [
    # content, line, found, expected
    ("", None, "no lines", "at least one story"),
    (" \n\n", None, "no lines", "at least one story"),
    ("A b.\n", 1, '"A" where the ID should be', "a line ID (1, 2, 3, ...) and a space"),
    (" 1 A.\n", 1, '"" where the ID should be', "a line ID (1, 2, 3, ...) and a space"),
    ("1\tA.\n", 1, '"1\\tA." where the ID should be', "a line ID (1, 2, 3, ...) and a space"),
    ("-1 A.\n", 1, '"-1" where the ID should be', "a line ID (1, 2, 3, ...) and a space"),
    ("+1 A.\n", 1, '"+1" where the ID should be', "a line ID (1, 2, 3, ...) and a space"),
    ("1.0 A.\n", 1, '"1.0" where the ID should be', "a line ID (1, 2, 3, ...) and a space"),
    ("1_0 A.\n", 1, '"1_0" where the ID should be', "a line ID (1, 2, 3, ...) and a space"),
    ("² A.\n", 1, '"²" where the ID should be', "a line ID (1, 2, 3, ...) and a space"),
    ("١ A.\n", 1, '"١" where the ID should be', "a line ID (1, 2, 3, ...) and a space"),
    (
        "x" * 99,
        1,
        f'"{"x" * 57}..." where the ID should be',
        "a line ID (1, 2, 3, ...) and a space",
    ),
    ("0 A.\n", 1, 'ID "0"', "an ID without leading zeros, from 1"),
    ("01 A.\n", 1, 'ID "01"', "an ID without leading zeros, from 1"),
    ("1 A.\n1000000000 B.\n", 2, "an ID of 10 digits", "at most 999999999"),
    ("1 A.\n" + "9" * 5000 + " B.\n", 2, "an ID of 5000 digits", "at most 999999999"),
    ("2 A.\n", 1, "ID 2 at the beginning", "ID 1"),
    ("1 A.\n3 B.\n2 C.\n", 3, "ID 2 after ID 3", "1 or an ID over 3"),
    ("1 A.\n2 B.\n2 C.\n", 3, "ID 2 after ID 2", "1 or an ID over 2"),
    ("1\n", 1, "no text after ID 1", "a space and a text"),
    ("1 \n", 1, "no text after ID 1", "a space and a text"),
    ("1 A.\n2  \u00a0\n", 2, "no text after ID 2", "a space and a text"),
    ("1 A.\n2 \tx\t1\n", 2, "no question before the TAB", "question TAB answer"),
    ("1 A.\n2 B?\t\t1\n", 2, "no answer after the TAB", "question TAB answer"),
    ("1 A.\t\n", 1, "no answer after the TAB", "question TAB answer"),
    ("1 A.\n2 B?\tx\t1\t\n", 2, "3 TABs", "question TAB answer TAB support"),
    ("1 A.\n2 B?\tx\ty\n", 2, 'support "y"', "line IDs with single spaces between them"),
    ("1 A.\n2 B?\tx\t1,2\n", 2, 'support "1,2"', "line IDs with single spaces between them"),
    ("1 A.\n2 B.\n3 C?\tx\t1  2\n", 3, 'support ""', "line IDs with single spaces between them"),
    ("1 A.\n2 B?\tx\t01\n", 2, 'support "01"', "line IDs with single spaces between them"),
    ("1 A.\n2 B?\tx\t-1\n", 2, 'support "-1"', "line IDs with single spaces between them"),
    ("1 A.\n2 B?\tx\t1 1\n", 2, 'support "1 1"', "each ID once"),
    (
        "1 A.\n2 B?\tx\t2\n",
        2,
        "support 2, the question itself",
        "IDs of earlier statements of the story",
    ),
    (
        "1 A.\n2 B?\tx\t3\n3 C.\n",
        2,
        "support 3, a later line",
        "IDs of earlier statements of the story",
    ),
    (
        "1 A.\n2 B?\tx\t1\n3 C?\tx\t2\n",
        3,
        "support 2, a question",
        "IDs of earlier statements of the story",
    ),
    (
        "1 A.\n2 B.\n1 C.\n3 D?\tx\t2\n",
        4,
        "support 2, which is not in the story",
        "IDs of earlier statements of the story",
    ),
    (b"1 A.\n2 caf\xe9.\n", 2, "bytes that are not UTF-8 at column 6", "UTF-8 text"),
    ("1 é\x00.\n", 1, "the control character U+0000 at column 4", "text and TABs only"),
    ("1 A.\r2 B.\n", 1, "the control character U+000D at column 5", "text and TABs only"),
    ("1 A\u2028B.\n", 1, "the control character U+2028 at column 4", "text and TABs only"),
    (b"1 " + b"x" * (1 << 20), 1, "a line of more than 1048576 bytes", "a shorter line"),
]


class TestRefusing:
    @pytest.mark.parametrize(("content", "line", "found", "expected"), BAD)
    def test_each_fault_is_named_with_its_place(self, content, line, found, expected):
        with pytest.raises(StoryError) as caught:
            read(content)
        error = caught.value
        assert (error.source, error.line) == ("f", line)
        place = "f" if line is None else f"f:{line}"
        assert str(error) == f"{place}: found {found}, expected {expected}"

    def test_stories_before_the_fault_are_given(self):
        reader = read_stories(io.BytesIO(b"1 A.\n1 B.\n1 C.\nbad\n"))
        assert [next(reader).lines[0].text for _ in range(2)] == ["A.", "B."]
        with pytest.raises(StoryError, match=":4: found"):
            next(reader)

    def test_a_missing_file(self, tmp_path):
        path = tmp_path / "none.txt"
        with pytest.raises(StoryError) as caught:
            next(read_stories(path))
        assert str(caught.value) == f"{path}: found no such file, expected a story file"
        assert caught.value.line is None

    def test_a_directory(self, tmp_path):
        with pytest.raises(StoryError, match="found a directory, expected a story file"):
            next(read_stories(tmp_path, on_error=Skipped()))

    def test_a_name_no_file_can_have(self):
        with pytest.raises(StoryError, match="expected a story file"):
            next(read_stories("a\0b"))

    def test_an_error_is_one_line_whatever_its_parts_hold(self):
        error = StoryError("a\nb\udcff", 3, "\x1b[31m", "x\u2028y")
        assert str(error) == "a\\nb\\udcff:3: found \\x1b[31m, expected x\\u2028y"

    def test_an_error_survives_a_trip_to_another_process(self):
        error = pickle.loads(pickle.dumps(StoryError("f", 3, "x", "y")))
        assert (str(error), error.line) == ("f:3: found x, expected y", 3)


def skipping(content: str | bytes) -> tuple[list[list[int]], Skipped]:
    skipped = Skipped()
    found = read(content, on_error=skipped)
    return [[line.line for line in story.lines] for story in found], skipped


class TestSkipping:
    def test_a_bad_question_is_left_out_alone(self):
        kept, skipped = skipping("1 A.\n2 B?\tx\t9\n3 C.\n4 D?\tx\t3\n")
        assert kept == [[1, 3, 4]]
        assert (skipped.errors, skipped.lines) == (1, 1)

    def test_a_bad_statement_takes_the_rest_of_its_story(self):
        kept, skipped = skipping("1 A.\n2 Q?\tx\t1\n3 \n4 B.\n5 Q?\tx\t4\n1 C.\n2 D.\n")
        assert kept == [[1, 2], [1, 2]]
        assert (skipped.errors, skipped.lines) == (1, 3)

    @pytest.mark.parametrize("bad", ["x B.", "1 B\x00.", "0 B.", ""], ids=repr)
    def test_nobody_knows_which_story_follows_an_unreadable_line(self, bad):
        # The damaged line may have been the first of a new story.
        kept, skipped = skipping(f"1 A.\n{bad or '9' * 20}\n2 C.\n3 Q?\tx\t2\n1 D.\n")
        assert kept == [[1], [1]]
        assert (skipped.errors, skipped.lines) == (1, 3)

    def test_ids_that_do_not_ascend_may_be_another_story(self):
        kept, skipped = skipping("1 A.\n2 B.\n3 C.\n2 D.\n4 E.\n1 F.\n")
        assert kept == [[1, 2, 3], [1]]
        assert (skipped.errors, skipped.lines) == (1, 2)

    def test_a_file_that_begins_in_the_middle_of_a_story(self):
        kept, skipped = skipping("4 A.\n5 B.\n1 C.\n")
        assert kept == [[1]]
        assert (skipped.errors, skipped.lines) == (1, 2)

    def test_a_story_without_its_first_line_is_no_story(self):
        kept, skipped = skipping("1 A.\n1 Q?\t\n2 B.\n1 C.\n")
        assert kept == [[1], [1]]
        assert (skipped.errors, skipped.lines) == (1, 2)

    def test_unreadable_lines_in_what_is_left_out_are_reported_too(self):
        _, skipped = skipping("1 A.\nx B.\n2 C.\ny D.\n")
        assert [error.line for error in skipped.first] == [2, 4]
        assert (skipped.errors, skipped.lines) == (2, 3)

    def test_nothing_may_be_left(self):
        kept, skipped = skipping("x\ny\n")
        assert kept == []
        assert skipped.errors == 2

    def test_an_empty_file_is_an_error_all_the_same(self):
        with pytest.raises(StoryError, match="no lines"):
            skipping("")

    def test_only_the_first_errors_are_kept(self):
        _, skipped = skipping("x\n" * 1000)
        assert (skipped.errors, len(skipped.first)) == (1000, 20)
        assert repr(skipped) == "Skipped(errors=1000, lines=1000)"

    def test_any_function_can_take_the_errors(self):
        errors = []
        read("1 A.\nx\n2 B.\n", on_error=errors.append)
        assert [error.line for error in errors] == [2]

    @pytest.mark.parametrize(("content", "line", "found", "expected"), BAD)
    def test_each_fault_is_reported_once(self, content, line, found, expected):
        if line is None:
            return
        _, skipped = skipping(content)
        assert skipped.first[0].line == line
        assert (skipped.first[0].found, skipped.first[0].expected) == (found, expected)


def question(**changes) -> Question:
    fact = Sentence(1, "A.")
    return dataclasses.replace(Question(2, "Q?", "x", (1,), (fact,)), **changes)


def story(*lines) -> Story:
    return Story((Sentence(1, "A."), *lines))


UNWRITABLE = [
    (Story(()), "story 1: found no lines, expected at least one line"),
    (Story((Sentence(2, "A."),)), "story 1:2: found ID 2 at the beginning, expected ID 1"),
    (Story((Sentence(0, "A."),)), "story 1:0: found line number 0, expected a number over 0"),
    (story(Sentence(1, "B.")), "story 1:1: found line number 1, expected a number over 1"),
    (
        story(Sentence(10**9, "B.")),
        "story 1:1000000000: found line number 1000000000, expected at most 999999999",
    ),
    (story(Sentence(2, "")), "story 1:2: found an empty text, expected one line of text"),
    (
        story(Sentence(2, "B ")),
        'story 1:2: found white space around "B ", expected one line of text',
    ),
    (
        story(Sentence(2, "a\tb")),
        'story 1:2: found the character U+0009 at column 2 of "a\\tb", expected one line of text',
    ),
    (
        story(Sentence(2, "a\nb")),
        'story 1:2: found the character U+000A at column 2 of "a\\nb", expected one line of text',
    ),
    (
        story(Sentence(2, "a\x85b")),
        'story 1:2: found the character U+0085 at column 2 of "a\\x85b", expected one line of text',
    ),
    (
        story(Sentence(2, "a\ud800")),
        'story 1:2: found the character U+D800 at column 2 of "a\\ud800", '
        "expected one line of text",
    ),
    (
        story(question(text="")),
        "story 1:2: found an empty text, expected a question in one line of text",
    ),
    (
        story(question(answer="")),
        "story 1:2: found an empty text, expected an answer in one line of text",
    ),
    (
        story(question(answer="a\tb")),
        'story 1:2: found the character U+0009 at column 2 of "a\\tb", '
        "expected an answer in one line of text",
    ),
    (
        story(question(answer=None)),
        "story 1:2: found a question without answer, expected an answer",
    ),
    (
        story(question(pad="\t")),
        'story 1:2: found the pad "\\t", expected white space without TABs and line breaks',
    ),
    (
        story(question(pad="x")),
        'story 1:2: found the pad "x", expected white space without TABs and line breaks',
    ),
    (
        story(question(support=(3,))),
        "story 1:2: found support 3, expected numbers of earlier statements",
    ),
    (story(question(support=(1, 1))), "story 1:2: found support 1, 1, expected each number once"),
    (
        story(question(id="q7")),
        'story 1:2: found the id "q7", expected no id: bAbI text has no place for one',
    ),
    (
        story(question(facts=(Sentence(1, "B."),))),
        "story 1:2: found a question with other facts, "
        "expected the statements before it as its facts",
    ),
    (
        story(Sentence(2, "x" * (1 << 20))),
        "story 1:2: found a line of 1048578 bytes, expected at most 1048576 bytes",
    ),
]


class TestWriting:
    def test_what_was_read_is_written_byte_for_byte(self):
        assert written(read(TWO_STORIES)) == TWO_STORIES

    @given(st.lists(stories(), min_size=1, max_size=4))
    def test_what_was_written_reads_back_the_same(self, told):
        assert read(written(told)) == told

    @pytest.mark.parametrize(
        ("bad", "message"), UNWRITABLE, ids=[message[8:50] for _, message in UNWRITABLE]
    )
    def test_what_would_not_read_back_is_refused(self, bad, message):
        with pytest.raises(StoryError) as caught:
            written([bad])
        assert str(caught.value) == message

    def test_the_story_is_named(self):
        with pytest.raises(StoryError, match=r"^story 3:2: found an empty text"):
            written([story(), story(), story(Sentence(2, ""))])

    def test_no_story_is_no_file(self):
        with pytest.raises(StoryError, match="at least one story"):
            written([])


class TestRobustness:
    @given(st.binary(max_size=200))
    def test_any_bytes_give_stories_or_a_story_error(self, content):
        try:
            read(content)
        except StoryError as error:
            assert str(error).isprintable()  # noqa: PT017

    @given(
        st.lists(
            st.sampled_from(["1", "2", "3", " ", "\t", "\n", "A.", "0", "é", "\r", "\u2028", "\0"])
        ).map("".join)
    )
    def test_near_misses_read_the_same_strictly_and_with_skipping(self, content):
        skipped = Skipped()
        try:
            tolerant = read(content, on_error=skipped)
        except StoryError as error:
            assert error.line is None  # noqa: PT017
            return
        for told in tolerant:
            assert read(written([told])) == [told]
        if skipped.errors:
            with pytest.raises(StoryError):
                read(content)
        else:
            assert read(content) == tolerant


class EndlessStories:
    """A stream that never ends, and counts what was taken from it."""

    def __init__(self, limit: int | None = None) -> None:
        self.given = 0
        self.limit = limit

    def read(self, size: int, /) -> bytes:
        if self.limit is not None and self.given >= self.limit:
            return b""
        self.given += size
        return (TWO_STORIES.encode() * (size // len(TWO_STORIES) + 1))[: size - 1] + b"\n"


class TestLaziness:
    def test_the_first_stories_of_an_endless_stream(self):
        stream = EndlessStories()
        assert len(list(itertools.islice(read_stories(stream), 3))) == 3
        assert stream.given <= 1 << 20

    def test_a_large_file_needs_no_more_memory_than_a_small_one(self):
        stream = EndlessStories(limit=3 << 20)
        skipped = Skipped()
        tracemalloc.start()
        try:
            count = sum(1 for _ in read_stories(stream, on_error=skipped))
            _, peak = tracemalloc.get_traced_memory()
        finally:
            tracemalloc.stop()
        assert count > 20_000
        assert peak < 16 << 20

    def test_the_facts_of_all_questions_of_a_story_share_their_memory(self):
        content = b"".join(b"%d A.\n%d Q?\tx\n" % (n, n + 1) for n in range(1, 20_001, 2))
        tracemalloc.start()
        try:
            (told,) = read(content)
            size, _ = tracemalloc.get_traced_memory()
        finally:
            tracemalloc.stop()
        assert len(told.questions[-1].facts) == 10_000
        assert size < 16 << 20


class TestPrefix:
    facts = (Sentence(1, "A."), Sentence(3, "B."), Sentence(4, "C."))

    def prefix(self, length=2) -> Prefix:
        return Prefix(list(self.facts), length)

    def test_it_is_the_sequence_of_its_items(self):
        prefix = self.prefix()
        assert prefix == self.facts[:2]
        assert self.facts[:2] == prefix
        assert prefix == list(self.facts[:2])
        assert prefix == self.prefix()
        assert hash(prefix) == hash(self.facts[:2])

    def test_it_differs_from_other_sequences(self):
        assert self.prefix() != self.facts
        assert self.prefix() != self.prefix(3)
        assert self.prefix() != "AB"
        assert self.prefix() != 2

    def test_it_ends_where_it_ends(self):
        prefix = self.prefix()
        assert prefix[-1] == prefix[1] == self.facts[1]
        assert prefix[:9] == self.facts[:2]
        assert prefix[::-1] == self.facts[1::-1]
        assert self.facts[2] not in prefix
        with pytest.raises(IndexError):
            prefix[2]

    def test_it_grows_not_with_the_story(self):
        shared = list(self.facts)
        prefix = Prefix(shared, 2)
        shared.append(Sentence(9, "D."))
        assert list(prefix) == list(self.facts[:2])

    def test_it_says_what_it_is(self):
        assert repr(self.prefix()) == "<Prefix: 2 sentences, lines 1 to 3>"
        assert repr(self.prefix(0)) == "<Prefix: no sentences>"


class TestModel:
    def test_tokens_are_words_and_punctuation_as_written(self):
        assert Sentence(1, "Ada's well-known key (old), no?").tokens == (
            "Ada's", "well-known", "key", "(", "old", ")", ",", "no", "?",
        )  # fmt: skip
        assert question(text="मैरी कहाँ है?").tokens == ("मैरी", "कहाँ", "है", "?")
        assert tokenize("रसोई में गई।") == ("रसोई", "में", "गई", "।")

    @given(st.text())
    def test_tokens_hold_all_that_is_not_white_space(self, text):
        assert "".join(tokenize(text)) == "".join(text.split())

    def test_a_question_without_answer_has_no_answers(self):
        assert question(answer=None).answers == ()

    def test_values_cannot_be_changed(self):
        for value in (Sentence(1, "A."), question(), story()):
            field = dataclasses.fields(value)[0].name
            with pytest.raises(dataclasses.FrozenInstanceError):
                setattr(value, field, 7)

    def test_values_can_be_copied_hashed_and_sent(self):
        for told in read(TWO_STORIES):
            assert pickle.loads(pickle.dumps(told)) == told
            assert copy.deepcopy(told) == told
            assert hash(told) == hash(copy.deepcopy(told))

    def test_where_a_story_stands_does_not_make_it_another(self):
        assert Story((Sentence(1, "A."),), 1) == Story((Sentence(1, "A."),), 9)
