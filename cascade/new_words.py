"""Words that a model never met: names that it can copy, and others that it passes over without knowing."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence, Set
from functools import lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from babi_cascade.cascade.estimator import Cascade
    from babi_cascade.cascade.stages import AnswerStage, SupportStage
    from babi_cascade.pipeline.read import ReadQuestion, ReadSentence


class NewWords(NamedTuple):
    """Words that training never had; ``unread`` are those that stand for nothing in how it was read."""

    all: tuple[str, ...]
    unread: tuple[str, ...]


def new_words(cascade: Cascade, asked: ReadQuestion, positions: Sequence[int]) -> NewWords:
    """Return the new words of a question and its facts.

    A word of a fact that only questions had ("will") is new where it stands in no role: what it changes in a
    fact was never seen.
    """
    known: Set[str] = known_words(cascade.support_stage_, cascade.answer_stage_)
    every: dict[str, None] = {}
    unread: dict[str, None] = {}
    for sentence in (asked.question, *(asked.facts[i] for i in positions)):
        lemmas = {t.form.lower(): t.lemma.lower() for t in sentence.tree or ()}
        told = known
        if sentence is not asked.question:
            told = cascade.answer_stage_.met_.told.keys()
        read = set(_read(sentence))
        for word in sentence.words:
            forms = {word, lemmas.get(word, word)}
            if not forms & known:
                every[word] = None
            if lemmas and not forms & told and not forms & read:
                unread[word] = None
    return NewWords(tuple(every), tuple(unread))


@lru_cache(maxsize=2)
def known_words(support_stage: SupportStage, answer_stage: AnswerStage) -> frozenset[str]:
    """Return every word that was met in training or has a weight (a lemma may), in lower case.

    A cascade that is trained again gets new stages, so that no old words are remembered.
    """
    experience = answer_stage.met_
    found = {*experience.told, *experience.questioned}
    for stage in (support_stage, answer_stage):
        for text in _texts(stage.to_json().get("encoder")):
            found.update(re.findall(r"[^\W_]+(?:['’-][^\W_]+)*", text.lower()))
    return frozenset(found)


def _read(sentence: ReadSentence) -> Iterator[str]:
    """Yield the words that stand in frames, as they are and as lemmas."""
    for frame in sentence.frames:
        yield from frame.predicate.split()
        yield from (frame.time or "").lower().split()
        if frame.asks is not None:
            yield from (*frame.asks.word.lower().split(), *frame.asks.phrase.split())
        for argument in frame.arguments:
            yield from (*argument.text.lower().split(), *argument.phrase.split())


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for key, each in value.items():
            yield str(key)
            yield from _texts(each)
    elif isinstance(value, (list, tuple)):
        for each in value:
            yield from _texts(each)
