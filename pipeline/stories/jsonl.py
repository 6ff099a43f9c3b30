"""Questions as JSON lines, for programs that would rather not speak bAbI.

One object a line::

    {"story": ["..."], "question": "...", "answer": "...", "support": [1], "id": "..."}

Only `story` and `question` are required. A story may also be one text, which is split into sentences.
`choices` are the answers that are allowed. The sentences are numbered 1 to n and the question n + 1;
where a question comes from a story with other questions in between, `lines` holds the numbers of
the sentences and `line` that of the question. `pad` keeps the white space after the question of a
bAbI file. Other keys are kept, but for names that are nearly one of these: a misspelt "suport" must not
pass for a question without one.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from difflib import get_close_matches
from functools import lru_cache
from typing import Any, TextIO

from babi_cascade.pipeline.stories.checks import (
    LARGEST_ID,
    LONGEST_RECORD,
    character_fault,
    check_length,
    check_question,
    check_sentence,
)
from babi_cascade.pipeline.stories.errors import ErrorHandler, StoryError, raise_error, shown
from babi_cascade.pipeline.stories.model import Question, Sentence
from babi_cascade.pipeline.stories.splitting import split_sentences
from babi_cascade.pipeline.stories.strict_json import JsonError, json_text, read_json

# In the order in which they are written.
KEYS = ("story", "question", "answer", "choices", "support", "id", "lines", "line", "pad")

_ALIKE = 0.85
"""How much a key that is kept may have of one of these: "suport" has more."""

_KINDS = {
    str: "a text",
    int: "a whole number",
    float: "a number with a fraction",
    bool: "true or false",
    list: "a list",
    dict: "an object",
    type(None): "null",
}


def parse_jsonl(
    lines: Iterable[tuple[int, str | StoryError]], source: str,
    on_error: ErrorHandler | None = None, *, unanswered: bool = False,
) -> Iterator[tuple[int, Question]]:  # fmt: skip
    """Turn numbered lines into questions, each with its place in the file.

    With `on_error` a bad line is reported to it and left out; without, the first one is raised. That there
    is no line at all is an error in either case. With `unanswered` nobody learns from the answers: they need
    not be among the choices.
    """
    report = raise_error if on_error is None else on_error
    empty = True
    for number, text in lines:
        if isinstance(text, str) and not text.strip():
            continue
        empty = False
        try:
            if isinstance(text, StoryError):
                raise text
            question = _question(_object(text))
            _check(replace(question, answer=None) if unanswered else question, "")
        except (JsonError, StoryError) as error:
            # Errors of the shared checks name a line of the story; the file's line is wanted.
            problem = StoryError(source, number, error.found, error.expected)
        else:
            yield number, question
            continue
        report(problem)
    if empty:
        raise StoryError(source, None, "no lines", "at least one question")


def write_jsonl(questions: Iterable[Question], stream: TextIO) -> None:
    """Write questions so that reading gives back equal ones; refuse what would not."""
    count = 0
    for count, question in enumerate(questions, 1):
        stream.write(format_question(question, f"question {count}"))
    if not count:
        raise StoryError("questions", None, "none", "at least one question")


def format_question(question: Question, source: str = "question") -> str:
    """Give the line of one question, with its line break."""
    _check(question, source)
    record: dict[str, Any] = {
        "story": [fact.text for fact in question.facts],
        "question": question.text,
    }
    if question.answer is not None:
        record["answer"] = question.answer
    if question.choices is not None:
        record["choices"] = list(question.choices)
    if question.support is not None:
        record["support"] = list(question.support)
    if question.id is not None:
        record["id"] = question.id
    numbers = [fact.line for fact in question.facts]
    if [*numbers, question.line] != list(range(1, len(numbers) + 2)):
        record["lines"] = numbers
        record["line"] = question.line
    if question.pad:
        record["pad"] = question.pad
    record |= {key: value for key, value in (question.extra or {}).items() if key not in KEYS}
    text = json_text(record, separators=(",", ":"))
    check_length(text, None, source, LONGEST_RECORD)
    return text + "\n"


def _object(text: str) -> dict[str, Any]:
    record = read_json(text)
    if not isinstance(record, dict):
        raise JsonError(_kind(record), "one JSON object a line")
    return record


@lru_cache(maxsize=1000)
def _meant(key: str) -> str:
    """Return which of our keys a key is meant to be; itself where it is like none of them."""
    return next(iter(get_close_matches(key.lower(), KEYS, 1, _ALIKE)), key)


def _question(record: dict[str, Any]) -> Question:
    """Turn a record into a question, checking the form of everything it says."""
    for key in record:
        meant = _meant(key)
        if meant not in record:
            raise JsonError(f"the key {shown(key)}", f"{meant}, or a name that is less like it")
    for key in ("story", "question"):
        if key not in record:
            raise JsonError(f"no {key}", "an object with story and question")
    texts = _sentences(record["story"])
    numbers = list(range(1, len(texts) + 1))
    if "lines" in record:
        numbers = _numbers(record["lines"], "lines")
        if len(numbers) != len(texts):
            raise JsonError(f"{len(numbers)} lines", f"as many as sentences, {len(texts)}")
    line = numbers[-1] + 1 if numbers else 1
    if "line" in record:
        line = _number(record["line"], "line")
    return Question(
        line=line,
        text=_text(record["question"], "the question"),
        answer=_text(record["answer"], "the answer") if "answer" in record else None,
        support=tuple(_numbers(record["support"], "support")) if "support" in record else None,
        facts=tuple(map(Sentence, numbers, texts)),
        id=_id(record["id"]) if "id" in record else None,
        pad=_typed(record.get("pad", ""), str, "pad"),
        choices=_choices(record["choices"]) if "choices" in record else None,
        extra={key: value for key, value in record.items() if key not in KEYS} or None,
    )


def _check(question: Question, source: str) -> None:
    """Refuse a question that is not sound in itself: what is read and what is written."""
    last = 0
    known = set()
    for fact in question.facts:
        check_sentence(fact, last, source)
        last = fact.line
        known.add(last)
    check_question(question, last, known, source)
    if question.id is not None and (not question.id or character_fault(question.id)):
        found = f"the id {shown(question.id)}"
        raise StoryError(source, question.line, found, "one line of text")


def _typed(value: Any, kind: type, name: str) -> Any:
    """Refuse a value of another type; true and false do not pass for numbers."""
    if type(value) is not kind:
        raise JsonError(f"{_kind(value)} for {name}", _KINDS[kind])
    return value


def _text(value: Any, name: str) -> str:
    """Read a text; white space around it means nothing, as in bAbI files."""
    text: str = _typed(value, str, name)
    fault = character_fault(text)
    if fault:
        raise JsonError(f"{fault} in {name}", "one line of text")
    text = text.strip()
    if not text:
        raise JsonError(f"an empty text for {name}", "one line of text")
    return text


def _sentences(story: Any) -> list[str]:
    """Read a story: a list of sentences, or one text, which may have several lines."""
    if isinstance(story, str):
        return [_text(each, "the story") for each in split_sentences(story)]
    if not isinstance(story, list):
        raise JsonError(f"{_kind(story)} for story", "a text or a list of sentences")
    return [_text(text, "a sentence of the story") for text in _list(story, "story")]


def _choices(value: Any) -> tuple[str, ...]:
    """Read the answers that are allowed."""
    return tuple(_text(choice, "a choice") for choice in _list(value, "choices"))


def _list(value: Any, name: str) -> list[Any]:
    """Read a list of anything."""
    items: list[Any] = _typed(value, list, name)
    return items


def _number(value: Any, name: str) -> int:
    """Read a line number."""
    number: int = _typed(value, int, name)
    if not 1 <= number <= LARGEST_ID:
        raise JsonError(f"{number} for {name}", f"a line number, 1 to {LARGEST_ID}")
    return number


def _numbers(value: Any, name: str) -> list[int]:
    """Read a list of line numbers."""
    return [_number(item, name) for item in _list(value, name)]


def _id(value: Any) -> str:
    """Read an id: a text, or a whole number that is kept as a text."""
    if type(value) is int:
        return str(value)
    return str(_typed(value, str, "id"))


def _kind(value: Any) -> str:
    """Name the type of a JSON value for a message."""
    return _KINDS[type(value)]
