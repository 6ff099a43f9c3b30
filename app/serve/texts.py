"""Whole texts: what they say, how much of it is taken, and what a model answers."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from babi_cascade.app.ask import Conversation
from babi_cascade.app.ask.line_parser import (
    LineParser,
    NewStory,
    RefusedLine,
    Statement,
    TypedQuestion,
)
from babi_cascade.errors import EXPECTED, UserError, in_one_line
from babi_cascade.pipeline.stories import Question
from babi_cascade.pipeline.stories.jsonl import KEYS, parse_jsonl
from babi_cascade.pipeline.stories.strict_json import json_text

if TYPE_CHECKING:
    from babi_cascade.cascade import Cascade
    from babi_cascade.pipeline.stories.book import Book

MOST_SENTENCES = 300
MOST_QUESTIONS = 20

Lines = list[Statement | TypedQuestion | NewStory | Question]
Answer = Callable[[str], str]
"""From a text to JSON; what cannot be answered is an UserError."""


def answers_of(cascade: Cascade, book: Book | None = None) -> Answer:
    """Return what answers texts with a model; parser and learner are loaded now.

    A question without a story is about the book, where there is one.
    """
    Conversation(cascade).warm_up()
    return lambda text: json_text({"questions": explanations(cascade, parsed(text), book)})


def only_answer(answers: str, asked: Mapping[str, Any]) -> str:
    """Return the short form of the one answer among ``answers``, with what else the question said."""
    from babi_cascade.cascade.explanation import DETAILS

    (found,) = json.loads(answers)["questions"]
    short = {name: value for name, value in found.items() if name not in DETAILS}
    return json_text({**{k: v for k, v in asked.items() if k not in KEYS}, **short})


def parsed(text: str) -> Lines:
    """Return what a text or lines of JSON say; too much of it is refused before anything is done."""
    lines: Lines = []
    if text.startswith("{"):
        told = enumerate(text.splitlines(), start=1)
        lines += [question for _, question in parse_jsonl(told, "JSON")]
    else:
        for said in LineParser(blank_is_new=True).lines(text):
            if isinstance(said, RefusedLine):
                raise UserError(said.reason)
            lines.append(said)
    sentences = [
        len(said.facts) if isinstance(said, Question) else int(isinstance(said, Statement))
        for said in lines
    ]
    questions = [said for said in lines if isinstance(said, (TypedQuestion, Question))]
    counts = [
        (len(questions), MOST_QUESTIONS, "questions"),
        (sum(sentences), MOST_SENTENCES, "sentences"),
    ]
    for count, most, what in counts:
        if count > most:
            raise UserError(f"found {count} {what}, expected at most {most} at a time")
    if not counts[0][0]:
        raise UserError("found no question; a sentence that ends in ? is one")
    return lines


def explanations(cascade: Cascade, lines: Lines, book: Book | None = None) -> list[dict[str, Any]]:
    """Return the explanations of all questions of a text, in order, in their JSON form."""
    from babi_cascade.cascade.explanation import TOP

    conversation = Conversation(cascade, book)
    found = []
    for said in lines:
        if isinstance(said, NewStory):
            conversation.new()
        elif isinstance(said, Statement):
            conversation.tell(said.text)
        else:
            answer = conversation.answer if isinstance(said, Question) else conversation.ask
            try:
                found.append(answer(said).to_json(top=TOP))  # type: ignore[arg-type]
            except EXPECTED as error:
                raise UserError(f"{said.text}: {in_one_line(error)}") from error
    conversation.new()
    return found
