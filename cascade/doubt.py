"""How sure an answer is, and when the honest answer is "I do not know what is asked".

A model always has a best answer. Whether it means anything shows in three things: whether the question is
about the story at all, by how much the best answer and the best facts win, and whether question and facts
look like anything that training had. ``docs/ask.md`` has the figures.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from math import exp
from typing import TYPE_CHECKING, NamedTuple

from babi_cascade.cascade.new_words import new_words
from babi_cascade.features.answer_encoder import KNOWN
from babi_cascade.features.experience import (
    ASPECTS,
    FUNCTION,
    KIND,
    MATCH,
    NAMED,
    ORDER,
    PASSED,
    SAYS,
    SAYS_SO,
    UNSAID,
)

if TYPE_CHECKING:
    from babi_cascade.cascade.estimator import Cascade
    from babi_cascade.cascade.prediction import Prediction
    from babi_cascade.pipeline.read import ReadQuestion, ReadSentence

LEVELS = SURE, LIKELY, UNSURE, UNKNOWN = "sure", "likely", "unsure", "unknown"

LEAST = {SURE: 0.93, LIKELY: 0.5}
"""How likely an answer must be right to be called so; less is unsure."""

MARGIN, SUPPORT_MARGIN, BASE = "margin", "margin of the facts", "base"
MOST_MARGIN, MOST_SUPPORT_MARGIN = 1.0, 0.5
"""More of a margin says no more. Training asks for 1 and, a wrong fact, for 1/3."""

NEW_NAME, UNREAD, NOT_TOLD, UNMENTIONED = "new name", "unread", "not told", "unmentioned"
GRAVE = " (grave)"

WEIGHTS: dict[str, float] = {
    BASE: -1.04,
    MARGIN: 1.93,
    SUPPORT_MARGIN: 3.84,
    KIND: -1.60,
    NAMED + GRAVE: -2.03,
    ORDER + GRAVE: -2.48,
    PASSED: -0.18,
    SAYS: -0.39,
    SAYS + GRAVE: -0.29,
    SAYS_SO + GRAVE: -1.67,
    UNMENTIONED: -0.56,
}
"""What each sign adds to the log odds that an answer is right, as `scripts/calibrate_ask.py --fit` learned
it. A sign of doubt that seldom meant anything there counts nothing."""

UNSURE_AT_MOST = frozenset(
    (UNREAD, MATCH + GRAVE, FUNCTION + GRAVE, UNSAID + GRAVE, PASSED + GRAVE)
)
"""Signs that nothing is known of what a sentence means, whatever the margins: "did not go", "will go"."""

LIKELY_AT_MOST = frozenset(
    aspect + grave for aspect in ASPECTS for grave in ("", GRAVE) if aspect + grave != PASSED
)
"""Signs of something that training never had."""

NEAR, NOT_FAR = (0.2, 0.05), (0.5, 0.2)
"""Margins, of the answer and of the facts, under which another choice is named as a reason."""

TIE = 0.02
"""Under this margin the answers are as good as equal."""

_NOUNS = {"NOUN", "PROPN"}


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
    """A reason for doubt: what it is called among the weights, and in words."""

    sign: str
    reason: str


class Evidence(NamedTuple):
    """What speaks for and against an answer; with ``nothing`` any answer would be an accident."""

    nothing: str
    doubts: tuple[Doubt, ...] = ()
    margins: tuple[float, float] = (0.0, 0.0)

    @property
    def signs(self) -> dict[str, float]:
        """The signs of the evidence and how much there is of each."""
        margin, support = self.margins
        found = {
            BASE: 1.0,
            MARGIN: min(margin, MOST_MARGIN),
            SUPPORT_MARGIN: min(support, MOST_SUPPORT_MARGIN),
        }
        return found | dict.fromkeys((doubt.sign for doubt in self.doubts if doubt.sign), 1.0)

    @property
    def chance(self) -> float:
        """How likely the answer is right."""
        odds = sum(WEIGHTS.get(sign, 0.0) * amount for sign, amount in self.signs.items())
        return 1 / (1 + exp(-odds))


def judge(cascade: Cascade, asked: ReadQuestion, prediction: Prediction) -> Verdict:
    """Say how sure a prediction is."""
    found = evidence(cascade, asked, prediction)
    if found.nothing:
        return Verdict(UNKNOWN, (found.nothing,))
    level = next((level for level, least in LEAST.items() if found.chance >= least), UNSURE)
    for most, signs in ((LIKELY, LIKELY_AT_MOST), (UNSURE, UNSURE_AT_MOST)):
        if signs & found.signs.keys():
            level = max(level, most, key=LEVELS.index)
    # What lowers the odds most is told first.
    doubts = sorted(
        found.doubts,
        key=lambda doubt: (doubt.sign not in UNSURE_AT_MOST, WEIGHTS.get(doubt.sign, 0.0)),
    )
    return Verdict(level, tuple(dict.fromkeys(doubt.reason for doubt in doubts if doubt.reason)))


def evidence(cascade: Cascade, asked: ReadQuestion, prediction: Prediction) -> Evidence:
    """Return what speaks for and against a prediction."""
    if not asked.facts:
        return Evidence("there is no story yet")
    about, missing = _about(asked)
    unmentioned = f"the story does not mention {_listed(missing)}"
    if not about:
        return Evidence(unmentioned if missing else "no sentence shares a word with it")
    place = {fact.line: position for position, fact in enumerate(asked.source.facts)}
    positions = [place[line] for line in prediction.support]
    nothing = _nothing_to_say(cascade, asked, positions, prediction)
    if nothing:
        return Evidence(nothing)
    doubts = [Doubt(UNMENTIONED, unmentioned)] if missing else []
    doubts += _doubts_of_words(cascade, asked, positions, str(prediction.answer))
    for novelty in cascade.answer_stage_.novelties(asked, positions):
        if missing and novelty.aspect == NAMED:  # it is told of in every such question
            return Evidence(unmentioned)
        doubts.append(Doubt(novelty.aspect + GRAVE * novelty.grave, novelty.words))
    margins = (_rounded(prediction.margin), _rounded(prediction.support_margin))
    for value, near, far, rivals in zip(
        margins, NEAR, NOT_FAR, ("another answer scores", "other facts score"), strict=True
    ):
        if value < far:
            doubts.append(
                Doubt("", f"{rivals} {'nearly as well' if value < near else 'not much worse'}")
            )
    return Evidence("", tuple(doubts), margins)


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


def _doubts_of_words(
    cascade: Cascade, asked: ReadQuestion, positions: Sequence[int], answer: str
) -> Iterator[Doubt]:
    """Yield what is to be said of words that training never had. A name may be new."""
    found = new_words(cascade, asked, positions)
    if found.all:
        yield Doubt(NEW_NAME, f"not met in training: {_listed(found.all)}")
    if found.unread:
        yield Doubt(UNREAD, f"what {_listed(found.unread)} changes was not learned")
    encoder = cascade.answer_stage_.encoder
    from_story = encoder.sources_.of(encoder.stories.outline(asked.question)) != KNOWN
    if from_story and encoder.copies and not _occurs(answer, asked):
        yield Doubt(NOT_TOLD, f"{answer!r} is not in the story")


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


def _occurs(answer: str, asked: ReadQuestion) -> bool:
    told = {word for sentence in (asked.question, *asked.facts) for word in sentence.words}
    return any(word in told for part in answer.lower().split(",") for word in part.split())


def _rounded(margin: float | None) -> float:
    """Return a margin as it is told, so that 0.5 is 0.5; without a rival it is beyond all bounds."""
    return float("inf") if margin is None else round(margin, 6)


def _listed(words: Iterable[str]) -> str:
    return ", ".join(f"“{word}”" for word in words)
