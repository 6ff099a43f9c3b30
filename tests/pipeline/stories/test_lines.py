"""Lines from bytes: numbering, line ends, and memory that stays small."""

import io
import tracemalloc

import pytest
from hypothesis import given
from hypothesis import strategies as st

from babi_cascade.pipeline.stories import StoryError, read_stories
from babi_cascade.pipeline.stories.lines import name_of, read_lines


class Dribble:
    """A stream that gives a few bytes at a time, as a slow pipe does."""

    def __init__(self, content: bytes, step: int) -> None:
        self._stream = io.BytesIO(content)
        self._step = step

    def read(self, size: int, /) -> bytes:
        return self._stream.read(min(size, self._step))


def lines(content: bytes, **options) -> list[tuple[int, str]]:
    return [
        (number, text if isinstance(text, str) else text.found)
        for number, text in read_lines(io.BytesIO(content), "f", **options)
    ]


def test_lines_are_numbered_from_one_blank_ones_included():
    assert lines(b"a\n\nb\n") == [(1, "a"), (2, ""), (3, "b")]


def test_the_last_line_needs_no_line_break():
    assert lines(b"a\nb") == lines(b"a\nb\n")


def test_nothing_has_no_lines():
    assert lines(b"") == []


def test_only_newlines_end_a_line():
    assert lines("a\u00a0b\r\nc\r\n".encode()) == [(1, "a\u00a0b"), (2, "c")]


def test_a_byte_order_mark_counts_only_at_the_beginning():
    assert lines(b"\xef\xbb\xbfa\n\xef\xbb\xbfb\n") == [(1, "a"), (2, "\ufeffb")]


def test_bad_lines_stand_in_their_place():
    assert lines(b"a\n\xff\nb\nc\x00\n\xc3\xa9\xc3\n") == [
        (1, "a"),
        (2, "bytes that are not UTF-8 at column 1"),
        (3, "b"),
        (4, "the control character U+0000 at column 2"),
        (5, "bytes that are not UTF-8 at column 2"),
    ]


@pytest.mark.parametrize("bad", [*range(9), 11, 12, 13, *range(14, 32), *range(127, 160)])
def test_control_characters_are_refused(bad):
    ((_, found),) = lines(f"a{chr(bad)}b".encode())
    assert found == f"the control character U+{bad:04X} at column 2"


def test_lines_up_to_the_limit_are_read_and_longer_ones_passed_over():
    content = b"1234\n12345\n123\n1234567890123\n1\n12345"
    too_long = "a line of more than 4 bytes"
    assert lines(content, limit=4) == [
        (1, "1234"),
        (2, too_long),
        (3, "123"),
        (4, too_long),
        (5, "1"),
        (6, too_long),
    ]


@given(st.binary(max_size=60), st.integers(1, 7), st.integers(1, 20))
def test_the_size_of_the_pieces_does_not_matter(content, step, limit):
    whole = [str(item) for item in read_lines(io.BytesIO(content), "f", limit=limit)]
    pieces = [str(item) for item in read_lines(Dribble(content, step), "f", limit=limit)]
    assert pieces == whole


@given(st.lists(st.text(st.characters(exclude_categories=["Cc", "Cs", "Zl", "Zp"]))))
def test_text_comes_back_as_it_went_in(texts):
    content = "".join(text + "\n" for text in texts).encode()
    if not content.startswith(b"\xef\xbb\xbf"):
        assert lines(content) == list(enumerate(texts, 1))


class OneLongLine:
    """A line of 100 MB that never exists as a whole."""

    def __init__(self) -> None:
        self.left = 100 << 20

    def read(self, size: int, /) -> bytes:
        size = min(size, self.left)
        self.left -= size
        return b"1 " + b"x" * (size - 2) if size else b""


def test_a_line_of_100_mb_is_refused_in_little_memory():
    stream = OneLongLine()
    tracemalloc.start()
    try:
        with pytest.raises(
            StoryError, match=r"^<stream>:1: found a line of more than 1048576 bytes"
        ):
            next(read_stories(stream))
        refused_after = (100 << 20) - stream.left
        errors = []
        with_skipping = list(read_stories(OneLongLine(), on_error=errors.append))
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert refused_after <= 4 << 20
    assert with_skipping == []
    assert len(errors) == 1
    assert peak < 8 << 20


def test_a_device_that_fails_is_a_story_error():
    class Broken:
        def read(self, size: int, /) -> bytes:
            raise OSError(5, "Input/output error")

    with pytest.raises(StoryError, match=r"^f: found an error \(Input/output error\)"):
        list(read_lines(Broken(), "f"))


def test_a_stream_that_does_not_wait_is_not_taken_for_a_short_one():
    class Impatient:
        def read(self, size: int, /) -> None:
            return None

    with pytest.raises(StoryError, match="found a stream without data yet"):
        list(read_lines(Impatient(), "f"))


def test_streams_are_called_by_their_name():
    assert name_of(io.BytesIO()) == "<stream>"
    assert name_of("some/file.txt") == "some/file.txt"
