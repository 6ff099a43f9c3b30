"""The text format of the bAbI tasks, read lazily and written so that it reads back the same.

``ID text`` is a statement, ``ID question TAB answer TAB support IDs`` a question; IDs start again
at 1 with each story and ascend within it. White space around a text means nothing and is not kept,
except before the first TAB of a question, where released files have it or not.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import TextIO

from babi_cascade.pipeline.stories.checks import (
    LARGEST_ID,
    check_length,
    check_question,
    check_sentence,
)
from babi_cascade.pipeline.stories.errors import (
    ErrorHandler,
    StoryError,
    drop_reporter,
    raise_error,
    shown,
)
from babi_cascade.pipeline.stories.model import Prefix, Question, Sentence, Story

# The IDs of nearly all lines, so that the usual one costs a look-up and no inspection.
_USUAL_IDS = {str(number): number for number in range(1, 1000)}

LineHandler = Callable[[int, "Sentence | Question"], object]

_ID = "a line ID (1, 2, 3, ...) and a space"


def parse_babi(
    lines: Iterable[tuple[int, str | StoryError]],
    source: str,
    on_error: ErrorHandler | None = None,
    on_line: LineHandler | None = None,
    *,
    unanswered: bool = False,
) -> Iterator[Story]:
    """Put numbered lines together to stories, one by one, holding no more than one of them.

    `on_error` is called for each bad line, which is then left out; without it the first is raised. A bad
    question goes alone. Any other bad line takes the rest of its story with it, up to the next line with
    ID 1, because later answers may depend on it, or because nobody knows which story the following lines
    belong to. So does a bad question with ID 1: without its first line a story looks like the end of the
    one before. Lines that are left out in this way are reported to ``on_error.dropped(n)`` where there is
    such a method (see `Skipped`). That there is no line at all is an error in either case.

    `on_line` gets every sound line with its place in the file as soon as it is read: a question that
    somebody types can be answered before its story is over. With `unanswered` a line without TAB that
    `asks` is a question whose answer nobody knows yet, and no statement.
    """
    report = raise_error if on_error is None else on_error
    dropped = drop_reporter(report)
    told: list[Sentence | Question] = []  # the story being read
    facts: list[Sentence] = []  # its statements, shared with all its questions
    known: dict[str, int] = {}  # the IDs of its statements, as written and as numbers
    start = 0  # where it begins in the file
    last = 0  # the ID before this line; 0 before the first story
    lost = False  # leaving out lines until a new story begins
    empty = True
    for number, text in lines:
        try:
            if isinstance(text, StoryError):
                raise text
            head, _, body = text.partition(" ")
            line = _USUAL_IDS.get(head)
            if line is None:
                if not text or text.isspace():
                    continue
                line = _line_id(head, number, source)
        except StoryError as error:
            empty, lost = False, True
            report(error)
            continue

        empty = False
        if line == 1:
            if told:
                yield Story(tuple(told), start)
            told, facts, known = [], [], {}
            start = number
            lost = False
        elif lost:
            dropped(1)
            continue
        elif line <= last or not last:
            lost = True
            report(_out_of_order(line, last, number, source))
            continue

        last = line
        try:
            if "\t" in body:
                told.append(_question(line, body, told, facts, known, number, source))
            else:
                body = body.strip()
                if not body:
                    found = f"no text after ID {line}"
                    raise StoryError(source, number, found, "a space and a text")
                if unanswered and asks(body):
                    told.append(Question(line, body, None, None, Prefix(facts, len(facts))))
                else:
                    sentence = Sentence(line, body)
                    told.append(sentence)
                    facts.append(sentence)
                    known[head] = line
        except StoryError as error:
            lost = line == 1 or "\t" not in body
            report(error)
            continue
        if on_line is not None:
            on_line(number, told[-1])
    if told:
        yield Story(tuple(told), start)
    if empty:
        raise StoryError(source, None, "no lines", "at least one story")


def asks(text: str) -> bool:
    """Tell whether a text without answer is to be taken for a question."""
    return text.rstrip().endswith("?")


def write_babi(stories: Iterable[Story], stream: TextIO) -> None:
    """Write stories so that reading gives back equal ones.

    What the format cannot carry is refused with a `StoryError` whose source is the place of the
    story ("story 3") and whose line is the ID.
    """
    count = 0
    for count, story in enumerate(stories, 1):
        stream.write(format_story(story, f"story {count}"))
    if not count:
        raise StoryError("stories", None, "none", "at least one story")


def format_story(story: Story, source: str = "story") -> str:
    """Give the lines of one story, each with its line break."""
    written = []
    facts: list[Sentence] = []
    known: set[int] = set()
    last = 0
    for line in story.lines:
        if isinstance(line, Question):
            check_question(line, last, known, source)
            text = _format_question(line, facts, source)
        else:
            check_sentence(line, last, source)
            text = f"{line.line} {line.text}"
            facts.append(line)
            known.add(line.line)
        if not last and line.line != 1:
            raise StoryError(source, line.line, f"ID {line.line} at the beginning", "ID 1")
        last = line.line
        check_length(text, line.line, source)
        written.append(text + "\n")
    if not written:
        raise StoryError(source, None, "no lines", "at least one line")
    return "".join(written)


def _line_id(head: str, number: int, source: str) -> int:
    """Read the ID of a line, or say why it is none."""
    if not (head.isdigit() and head.isascii()):
        raise StoryError(source, number, f"{shown(head)} where the ID should be", _ID)
    if head.startswith("0"):
        raise StoryError(source, number, f"ID {shown(head)}", "an ID without leading zeros, from 1")
    if len(head) > len(str(LARGEST_ID)):
        raise StoryError(source, number, f"an ID of {len(head)} digits", f"at most {LARGEST_ID}")
    return int(head)


def _out_of_order(line: int, last: int, number: int, source: str) -> StoryError:
    """Make the error for an ID that does not continue the story."""
    if not last:
        return StoryError(source, number, f"ID {line} at the beginning", "ID 1")
    return StoryError(source, number, f"ID {line} after ID {last}", f"1 or an ID over {last}")


def _question(
    line: int,
    body: str,
    told: list[Sentence | Question],
    facts: list[Sentence],
    known: dict[str, int],
    number: int,
    source: str,
) -> Question:
    """Read what follows the ID of a question."""
    fields = body.split("\t")
    if len(fields) > 3:
        found = f"{len(fields) - 1} TABs"
        raise StoryError(source, number, found, "question TAB answer TAB support")
    asked = fields[0]
    text = asked.strip()
    if not text:
        raise StoryError(source, number, "no question before the TAB", "question TAB answer")
    answer = fields[1].strip()
    if not answer:
        raise StoryError(source, number, "no answer after the TAB", "question TAB answer")
    support: tuple[int, ...] | None = None
    if len(fields) == 3:
        words = fields[2].strip()
        try:
            support = tuple(map(known.__getitem__, words.split(" "))) if words else ()
        except KeyError:
            word = next(word for word in words.split(" ") if word not in known)
            raise _support_error(line, word, told, number, source) from None
        if len(support) > 1 and len(set(support)) != len(support):
            raise StoryError(source, number, f"support {shown(words)}", "each ID once")
    pad = asked[len(asked.rstrip()) :] if len(asked) > len(text) else ""
    return Question(line, text, answer, support, Prefix(facts, len(facts)), None, pad)


def _support_error(
    line: int, word: str, told: list[Sentence | Question], number: int, source: str
) -> StoryError:
    """Say what is wrong with a support ID that is not the ID of an earlier statement."""
    try:
        target = _line_id(word, number, source)
    except StoryError:
        found = f"support {shown(word)}"
        return StoryError(source, number, found, "line IDs with single spaces between them")
    if target == line:
        found = f"support {target}, the question itself"
    elif target > line:
        found = f"support {target}, a later line"
    elif any(before.line == target for before in told):
        found = f"support {target}, a question"
    else:
        found = f"support {target}, which is not in the story"
    return StoryError(source, number, found, "IDs of earlier statements of the story")


def _format_question(question: Question, facts: list[Sentence], source: str) -> str:
    """Give the line of a question that has been checked, if this format can carry it."""
    if question.answer is None:
        raise StoryError(source, question.line, "a question without answer", "an answer")
    if question.id is not None:
        found = f"the id {shown(question.id)}"
        raise StoryError(source, question.line, found, "no id: bAbI text has no place for one")
    if tuple(question.facts) != tuple(facts):
        found = "a question with other facts"
        expected = "the statements before it as its facts"
        raise StoryError(source, question.line, found, expected)
    text = f"{question.line} {question.text}{question.pad}\t{question.answer}"
    if question.support is None:
        return text
    return f"{text}\t{' '.join(map(str, question.support))}"
