"""Sentences with hand-made frames, for tests that need no parser."""

from __future__ import annotations

from babi_cascade.pipeline.frames.model import Argument, Asked, Frame
from babi_cascade.pipeline.read import ReadQuestion, ReadSentence
from babi_cascade.pipeline.stories import Question, Sentence

DETERMINERS = frozenset({"the", "a"})


def sentence(text: str, *frames: Frame) -> ReadSentence:
    words = tuple(dict.fromkeys(text.lower().strip(".?").split()))
    return ReadSentence(text, words, frozenset(words) - DETERMINERS, frames)


def went(who: str, where: str) -> ReadSentence:
    frame = Frame("go", 2, (argument("nsubj", who), argument("obl:to", where)))
    return sentence(f"{who} went to the {where}.", frame)


def took(who: str, what: str) -> ReadSentence:
    frame = Frame("take", 2, (argument("nsubj", who), argument("obj", what)))
    return sentence(f"{who} took the {what}.", frame)


def where_is(who: str) -> ReadSentence:
    asks = Asked("where", "advmod", "ARGM-LOC")
    frame = Frame("be", 2, (argument("nsubj", who),), question="wh", asks=asks)
    return sentence(f"Where is {who}?", frame)


def argument(relation: str, phrase: str) -> Argument:
    return labelled("ARG0", relation, phrase)


def labelled(role: str, relation: str, phrase: str) -> Argument:
    return Argument(role, relation, phrase, phrase, 1)


def asked(
    facts: tuple[ReadSentence, ...], question: ReadSentence, answer: str | None = None,
    support: tuple[int, ...] | None = None,
) -> ReadQuestion:  # fmt: skip
    """A question after facts; ``support`` are positions from 0."""
    told = tuple(Sentence(line, fact.text) for line, fact in enumerate(facts, start=1))
    lines = None if support is None else tuple(position + 1 for position in support)
    source = Question(len(facts) + 1, question.text, answer, lines, told)
    return ReadQuestion(source, question, facts, len(facts))
