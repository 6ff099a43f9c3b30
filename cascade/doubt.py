"""How sure an answer is, and when the honest answer is "I do not know what is asked".

A model always has a best answer. Whether it means anything shows in three things: whether the question is
about the story at all, by how much the best answer and the best facts win, and whether question and facts
look like anything that training had. ``docs/ask.md`` has the figures.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from babi_cascade.cascade.new_words import new_words

if TYPE_CHECKING:
    from babi_cascade.cascade.estimator import Cascade
    from babi_cascade.cascade.prediction import Prediction
    from babi_cascade.pipeline.read import ReadQuestion, ReadSentence

LEVELS = SURE, LIKELY, UNSURE, UNKNOWN = "sure", "likely", "unsure", "unknown"

MARGINS = {SURE: (0.5, 0.2), LIKELY: (0.2, 0.05)}
"""Of the answer and of the facts, at least; with less it is unsure.

Training asks for 1 and, a wrong fact, for 1/3.
"""

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


class Doubt(NamedTuple):
    """A reason for doubt, and how sure an answer can be at most in spite of it."""

    level: str
    reason: str


def judge(cascade: Cascade, asked: ReadQuestion, prediction: Prediction) -> Verdict:
    """Say how sure a prediction is."""
    if not asked.facts:
        return Verdict(UNKNOWN, ("there is no story yet",))
    about, missing = _about(asked)
    unmentioned = f"the story does not mention {_listed(missing)}"
    if not about:
        return Verdict(UNKNOWN, (unmentioned if missing else "no sentence shares a word with it",))
    place = {fact.line: position for position, fact in enumerate(asked.source.facts)}
    positions = [place[line] for line in prediction.support]
    nothing = _nothing_to_say(cascade, asked, positions, prediction)
    if nothing:
        return Verdict(UNKNOWN, (nothing,))
    doubts = [Doubt(SURE, unmentioned)] if missing else []
    doubts += _doubts_of_words(cascade, asked, positions, str(prediction.answer))
    doubts += _doubts_of_facts(cascade, asked, positions)
    doubts += _doubts_of_margins(prediction)
    doubts.sort(key=lambda doubt: -LEVELS.index(doubt.level))  # the gravest first
    level = max((SURE, *(doubt.level for doubt in doubts)), key=LEVELS.index)
    reasons = dict.fromkeys(doubt.reason for doubt in doubts if doubt.reason)
    return Verdict(level, tuple(reasons))


def _nothing_to_say(
    cascade: Cascade, asked: ReadQuestion, positions: Sequence[int], prediction: Prediction
) -> str:
    """Return why any answer would be an accident; nothing if it need not be."""
    stage = cascade.answer_stage_
    question, met = stage.encoder.stories.outline(asked.question), stage.met_
    usual, learned = question.kind in met.kinds, question.asked in met.asked.values()
    # The answer to a question of a usual kind may have no weight: that of an empty list has none.
    if prediction.answer is None or not (
        usual or stage.weighed(asked, positions, prediction.answer)
    ):
        return "nothing in this question was met in training"
    annotated = cascade.story_reader.annotator is not None
    if annotated and not any(frame.question for frame in asked.question.frames):
        return "it does not read like a question"
    if not learned:
        return "nothing like that was asked in training"
    if _rounded(prediction.margin) < TIE:
        return "several answers are equally good"
    return ""


def _doubts_of_margins(prediction: Prediction) -> Iterator[Doubt]:
    """Yield which choice, that of the answer or that of the facts, others come near to."""
    choices = (
        (prediction.margin, "another answer scores"),
        (prediction.support_margin, "other facts score"),
    )
    for number, (value, rivals) in enumerate(choices):
        margin = _rounded(value)
        if margin < MARGINS[LIKELY][number]:
            yield Doubt(UNSURE, f"{rivals} nearly as well")
        elif margin < MARGINS[SURE][number]:
            yield Doubt(LIKELY, f"{rivals} not much worse")


def _doubts_of_words(
    cascade: Cascade, asked: ReadQuestion, positions: Sequence[int], answer: str
) -> Iterator[Doubt]:
    """Yield what is to be said of words that training never had. A name may be new."""
    found = new_words(cascade, asked, positions)
    if found.all:
        yield Doubt(SURE, f"not met in training: {_listed(found.all)}")
    if found.unread:
        yield Doubt(UNSURE, f"what {_listed(found.unread)} changes was not learned")
    if found.all and _asks_for_a_name(asked) and not _occurs(answer, asked):
        yield Doubt(UNSURE, f"{answer!r} is not in the story")


def _doubts_of_facts(
    cascade: Cascade, asked: ReadQuestion, positions: Sequence[int]
) -> Iterator[Doubt]:
    """Yield what training never had of such a question and such facts."""
    for novelty in cascade.answer_stage_.novelties(asked, positions):
        yield Doubt(UNSURE if novelty.grave else LIKELY, novelty.words)


def _about(asked: ReadQuestion) -> tuple[bool, list[str]]:
    """Say whether a question is about the story, and which of its nouns the story does not have."""
    shared = any(asked.question.content & fact.content for fact in asked.facts)
    tree = asked.question.tree
    if tree is None:  # only words are read
        return shared, []
    phrases = [frame.asks for frame in asked.question.frames if frame.asks is not None]
    wanted = {word for asks in phrases for word in asks.phrase.split()}
    nouns = {
        token.form: {token.form.lower(), token.lemma.lower()}
        for token in tree
        if token.upos in _NOUNS and not wanted & {token.form.lower(), token.lemma.lower()}
    }
    missing = [
        form for form, words in nouns.items() if not any(_says(fact, words) for fact in asked.facts)
    ]
    if nouns:
        return len(missing) < len(nouns), missing
    return shared, []


def _says(fact: ReadSentence, words: set[str]) -> bool:
    """Say whether a fact has one of some words, as it is written or as a lemma."""
    return not words.isdisjoint(fact.words) or any(
        t.lemma.lower() in words for t in fact.tree or ()
    )


def _asks_for_a_name(asked: ReadQuestion) -> bool:
    """Say whether the answer should be something that the story names."""
    asks = [frame.asks for frame in asked.question.frames if frame.asks is not None]
    words = [each.word.lower() for each in asks] or list(asked.question.words[:1])
    return any(word in _FROM_THE_STORY for word in words)


def _occurs(answer: str, asked: ReadQuestion) -> bool:
    told = {word for sentence in (asked.question, *asked.facts) for word in sentence.words}
    return any(word in told for part in answer.lower().split(",") for word in part.split())


def _rounded(margin: float | None) -> float:
    """Return a margin as it is told, so that 0.5 is 0.5; without a rival it is beyond all bounds."""
    return float("inf") if margin is None else round(margin, 6)


def _listed(words: Iterable[str]) -> str:
    return ", ".join(f"“{word}”" for word in words)
