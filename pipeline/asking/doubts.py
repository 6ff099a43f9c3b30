"""How sure an answer is, and when the honest answer is "I do not know what is asked".

A model always has a best answer. Whether it means anything shows in two things: whether the question is
about the story at all, and by how much the best answer and the best facts win. On 3000 simulated questions a
small joint model (150 training questions of each task) was right in 95 % of the answers called sure, 87 % of
those called sure or likely, and in about half of the unsure ones.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pipeline.annotate.annotator import Annotator
    from pipeline.annotate.reader import ReadQuestion
    from pipeline.cascade import Cascade
    from pipeline.report.view import View

SURE, LIKELY, UNSURE, UNKNOWN = "sure", "likely", "unsure", "unknown"

SURE_MARGINS = (0.5, 0.2)
LIKELY_MARGINS = (0.2, 0.05)
"""Margins of the answer and of the facts, at least. Training asks for 1 and, a wrong fact, for 1/3."""

TIE = 0.02
"""Under this margin the answers are as good as equal."""

_NOUNS = {"NOUN", "PROPN"}
_FROM_THE_STORY = {"where", "what", "who", "whom", "whose", "which"}
"""Words that ask for something that the story names."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """How sure an answer is, and the reasons for doubt."""

    level: str
    reasons: tuple[str, ...] = ()

    @property
    def known(self) -> bool:
        """Whether the answer may be given at all."""
        return self.level != UNKNOWN

    def __str__(self) -> str:
        return "; ".join((self.level, *self.reasons))


def judge(cascade: Cascade, asked: ReadQuestion, view: View) -> Verdict:
    """Say how sure the answer of a view is."""
    reader = cascade.reader
    annotator = None if reader is None else reader.annotator
    if not asked.facts:
        return Verdict(UNKNOWN, ("there is no story yet",))
    about, missing = _about(annotator, asked)
    if not about:
        said = "no sentence shares a word with it"
        if missing:
            said = f"the story does not mention {_listed(missing)}"
        return Verdict(UNKNOWN, (said,))
    if view.get("answer") is None or not any(group["weight"] for group in view["why"]["answer"]):
        return Verdict(UNKNOWN, ("nothing in this question was met in training",))
    if annotator is not None and not any(frame.question for frame in asked.question.frames):
        return Verdict(UNKNOWN, ("it does not read like a question",))
    margins = (_margin(view, "margin"), _margin(view, "support_margin"))
    if margins[0] < TIE:
        return Verdict(UNKNOWN, ("several answers are equally good",))
    reasons = [f"the story does not mention {_listed(missing)}"] if missing else []
    strange = _strange(cascade, asked, view)
    level = (
        SURE
        if _reach(margins, SURE_MARGINS)
        else LIKELY
        if _reach(margins, LIKELY_MARGINS)
        else UNSURE
    )
    if strange:
        reasons.append(f"not met in training: {_listed(strange)}")
        if _asks_for_a_name(asked) and not _occurs(str(view["answer"]), asked):
            level = UNSURE
            reasons.append(f"{view['answer']!r} is not in the story")
    return Verdict(level, tuple(reasons))


@lru_cache(maxsize=2)
def known_words(cascade: Cascade) -> frozenset[str]:
    """Return every word that a feature of a model has a weight for, in lower case."""
    found: set[str] = set()
    for stage in (cascade.support_stage_, cascade.answer_stage_):
        for text in _texts(stage.to_json().get("encoder")):
            found.update(re.findall(r"[^\W_]+(?:['’-][^\W_]+)*", text.lower()))
    return frozenset(found)


def _about(annotator: Annotator | None, asked: ReadQuestion) -> tuple[bool, list[str]]:
    """Say whether a question is about the story, and which of its nouns the story does not have."""
    shared = any(asked.question.content & fact.content for fact in asked.facts)
    if annotator is None:
        return shared, []
    phrases = [frame.asks for frame in asked.question.frames if frame.asks is not None]
    wanted = {word for asks in phrases for word in asks.phrase.split()}
    told: set[str] = set()
    for fact in asked.facts:
        told.update(fact.words)
        told.update(token.lemma.lower() for token in annotator.tree(fact.text))
    nouns = {
        token.form: (token.form.lower(), token.lemma.lower())
        for token in annotator.tree(asked.question.text)
        if token.upos in _NOUNS and not wanted & {token.form.lower(), token.lemma.lower()}
    }
    missing = [form for form, words in nouns.items() if not told & set(words)]
    if nouns:
        return len(missing) < len(nouns), missing
    return shared, []


def _strange(cascade: Cascade, asked: ReadQuestion, view: View) -> list[str]:
    """Return the words of the question and its facts that the model has never met."""
    known = known_words(cascade)
    chosen = set(view["support"])
    read = [
        fact
        for fact, own in zip(asked.facts, asked.source.facts, strict=True)
        if own.line in chosen
    ]
    sentences = (asked.question, *read)
    words = dict.fromkeys(word for sentence in sentences for word in sentence.words)
    lemmas: dict[str, str] = {}
    if cascade.reader is not None and cascade.reader.annotator is not None:
        for sentence in sentences:
            for token in cascade.reader.annotator.tree(sentence.text):
                lemmas[token.form.lower()] = token.lemma.lower()
    return [word for word in words if not known & {word, lemmas.get(word, word)}]


def _asks_for_a_name(asked: ReadQuestion) -> bool:
    """Say whether the answer should be something that the story names."""
    asks = [frame.asks for frame in asked.question.frames if frame.asks is not None]
    words = [each.word.lower() for each in asks] or list(asked.question.words[:1])
    return any(word in _FROM_THE_STORY for word in words)


def _occurs(answer: str, asked: ReadQuestion) -> bool:
    told = {word for sentence in (asked.question, *asked.facts) for word in sentence.words}
    return any(word in told for part in answer.lower().split(",") for word in part.split())


def _margin(view: View, name: str) -> float:
    value = view.get(name)
    return float("inf") if value is None else float(value)


def _reach(margins: Sequence[float], bounds: Sequence[float]) -> bool:
    return all(margin >= bound for margin, bound in zip(margins, bounds, strict=True))


def _listed(words: Sequence[str]) -> str:
    return ", ".join(f"“{word}”" for word in words)


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
