"""Time and place adjuncts, before or after a clause."""

from __future__ import annotations

import random

from scripts.nlp.phrases import (
    NounPhrases,
    Phrase,
    attach,
    dependent,
    head_of,
    prefixed,
    single,
)

_ADVERBS = ("then", "later", "afterwards", "now", "soon", "finally", "suddenly", "today", "again",
            "next", "first", "once", "earlier")  # fmt: skip
_DAYS = ("yesterday", "today", "tomorrow", "tonight")
_PARTS = ("morning", "afternoon", "evening", "week", "month", "year", "night", "weekend", "summer")
_CASES = ("after", "before", "since", "following", "during", "until")
_PLACES = ("there", "here", "inside", "outside", "upstairs", "somewhere")


def fronted(phrase: Phrase, rng: random.Random, nouns: NounPhrases) -> Phrase:
    """The clause with an adjunct before it, sometimes with a comma."""
    top = head_of(phrase)
    adjunct, relation = _adjunct(rng, nouns)
    last = head_of(adjunct)
    attach(adjunct, top, relation)
    if rng.random() < 0.35:
        adjunct = [*adjunct, dependent(",", ",", "PUNCT", ",", last, "punct")]
    return [*adjunct, *phrase]


def with_final_adjunct(
    phrase: Phrase, rng: random.Random, nouns: NounPhrases, often: float = 0.3
) -> Phrase:
    """The clause with an adverb of place or an adjunct of time after it, sometimes."""
    if rng.random() > often:
        return phrase
    top = head_of(phrase)
    if rng.random() < 0.5:
        form = rng.choice(_PLACES[:2] if rng.random() < 0.7 else _PLACES)
        return [*phrase, *attach(single(form, form, "ADV", "RB"), top, "advmod")]
    adjunct, relation = _adjunct(rng, nouns)
    return [*phrase, *attach(adjunct, top, relation)]


def before_or_after(rng: random.Random, nouns: NounPhrases) -> Phrase:
    """ "before the lunch", "after that"."""
    inside = nouns.definite() if rng.random() < 0.85 else single("that", "that", "PRON", "DT")
    return prefixed(
        rng.choice(("before", "after", "before", "during")), "ADP", "IN", "case", inside
    )


def _adjunct(rng: random.Random, nouns: NounPhrases) -> tuple[Phrase, str]:
    pick = rng.random()
    if pick < 0.3:
        form = rng.choice(_ADVERBS)
        return single(form, form, "ADV", "RB"), "advmod"
    if pick < 0.42:
        form = rng.choice(_DAYS)
        return single(form, form, "NOUN", "NN"), "obl:unmarked"
    if pick < 0.68:
        form, part = rng.choice(("this", "last", "that", "next", "every")), rng.choice(_PARTS)
        phrase = single(part, part, "NOUN", "NN")
        if form in {"last", "next"}:
            return prefixed(form, "ADJ", "JJ", "amod", phrase), "obl:unmarked"
        return prefixed(form, "DET", "DT", "det", phrase), "obl:unmarked"
    case = rng.choice(_CASES[:2] if rng.random() < 0.6 else _CASES)
    inside = nouns.definite()
    if rng.random() < 0.65:
        form = rng.choice(("that", "that", "this"))
        inside = single(form, form, "PRON", "DT")
    upos, xpos = ("VERB", "VBG") if case == "following" else ("ADP", "IN")
    phrase = prefixed(case, upos, xpos, "case", inside)
    if case == "following":
        phrase[0].lemma = "follow"
    return phrase, "obl"
