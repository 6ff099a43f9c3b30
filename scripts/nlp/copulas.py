"""Copular sentences: "is in the shed", "is bigger than", "is north of", "is afraid of", "is a tailor".

A predicate is built first, then told or asked: inverted, with the question word as subject ("What is
in the shed?"), or fronted with a stranded preposition ("What is the shed north of?").
"""

from __future__ import annotations

import random
from collections.abc import Callable

from scripts.nlp.phrases import (
    Lexicon,
    NounPhrases,
    Phrase,
    Word,
    attach,
    dependent,
    head_of,
    is_plural,
    prefixed,
    single,
)
from scripts.nlp.time_adjuncts import before_or_after, fronted, with_final_adjunct

CASES = ("in", "in", "in", "on", "at", "near", "above", "below", "under", "behind", "inside",
         "beside", "with", "over", "outside")  # fmt: skip
DIRECTIONS = ("north", "south", "east", "west")
SIDES = ("left", "right", "side", "back", "front")

Made = tuple[str, Phrase, str]


class Copulas:
    """Makes copular sentences over a lexicon."""

    def __init__(self, lexicon: Lexicon, rng: random.Random) -> None:
        self.lexicon, self.rng = lexicon, rng
        self.nouns = NounPhrases(lexicon, rng)
        self.predicates: dict[str, tuple[Callable[[], Phrase], float]] = {
            "place": (self._place, 34),
            "direction": (self._direction, 12),
            "side": (self._side, 8),
            "comparative": (self._comparative, 11),
            "governing": (self._governing, 12),
            "adjective": (self._adjective, 13),
            "nominal": (self._nominal, 10),
        }

    def make(self) -> Made:
        """One sentence: its source, its words, its final mark."""
        pick = self.rng.random()
        if pick < 0.14:
            return self._where()
        if pick < 0.18:
            return self._what_kind()
        if pick < 0.22:
            return self._existential()
        kinds = list(self.predicates)
        kind = self.rng.choices(kinds, [self.predicates[k][1] for k in kinds])[0]
        return self._predicated(kind)

    def _predicated(self, kind: str) -> Made:
        rng = self.rng
        form = rng.choices(("told", "yes-no", "wh-subject", "stranded"), (50, 22, 14, 14))[0]
        strandable = {"direction", "governing", "comparative", "place", "side"}
        if form == "stranded" and kind not in strandable:
            form = "told"
        if form == "wh-subject" and kind == "nominal":
            form = "told"
        if form == "stranded":
            return self._stranded(kind)
        predicate = self.predicates[kind][0]()
        top = head_of(predicate)
        if form == "wh-subject":
            word = rng.choices(("what", "who"), (70, 30))[0]
            subject = single(word, word, "PRON", "WP")
            if rng.random() < 0.2:
                subject = self._how_many()
        else:
            subject = self._subject(kind)
        copula = self._copula(subject, top)
        attach(subject, top, "nsubj")
        if form == "yes-no":
            return f"copula:{kind}", [copula, *subject, *predicate], "?"
        if form == "wh-subject":
            return f"copula:{kind}", [*subject, copula, *predicate], "?"
        predicate = self._alternative(kind, predicate)
        phrase = [*subject, copula, *self._modifiers(top), *predicate]
        if rng.random() < 0.12:
            phrase = fronted(phrase, rng, self.nouns)
        elif kind == "place" and rng.random() < 0.1:
            phrase = with_final_adjunct(phrase, rng, self.nouns, often=1)
        return f"copula:{kind}", phrase, "."

    # -- predicates ------------------------------------------------------------------------------

    def _place(self) -> Phrase:
        return prefixed(self.rng.choice(CASES), "ADP", "IN", "case", self.nouns.definite())

    def _direction(self) -> Phrase:
        form = self.rng.choice(DIRECTIONS)
        head = Word(form, form, "ADV", "RB")
        return [head, *attach(self._of("of", self.nouns.definite()), head, "obl")]

    def _side(self) -> Phrase:
        form = self.rng.choices(SIDES, (35, 35, 10, 10, 10))[0]
        head = Word(form, form, "NOUN", "NN")
        case = self.rng.choice(("to", "to", "on", "at"))
        words = [dependent(case, case, "ADP", "IN", head, "case"),
                 dependent("the", "the", "DET", "DT", head, "det"), head]  # fmt: skip
        return [*words, *attach(self._of("of", self.nouns.definite()), head, "nmod")]

    def _comparative(self) -> Phrase:
        form, lemma = self.rng.choice(self.lexicon.comparatives)
        head = Word(form, lemma, "ADJ", "JJR")
        other = self.nouns.definite() if self.rng.random() < 0.8 else self.nouns.name()
        return [head, *attach(self._of("than", other), head, "obl")]

    def _governing(self) -> Phrase:
        form, case = self.rng.choice(self.lexicon.governing)
        head = Word(form, form, "ADJ", "JJ")
        make = self.rng.choice((self.nouns.bare_plural, self.nouns.definite, self.nouns.name))
        return [head, *attach(self._of(case, make()), head, "obl")]

    def _adjective(self) -> Phrase:
        pool = self.lexicon.predicative if self.rng.random() < 0.6 else self.lexicon.adjectives
        form = self.rng.choice(pool).lower()
        return single(form, form, "ADJ", "JJ")

    def _nominal(self) -> Phrase:
        return self.nouns.definite("a")

    def _of(self, case: str, phrase: Phrase) -> Phrase:
        return prefixed(case, "ADP", "IN", "case", phrase)

    # -- sentence types --------------------------------------------------------------------------

    def _subject(self, kind: str) -> Phrase:
        rng = self.rng
        if kind in {"direction", "side", "comparative"}:
            return self.nouns.definite() if rng.random() < 0.85 else self.nouns.name()
        if kind == "governing" and rng.random() < 0.4:
            return self.nouns.bare_plural()
        return self.nouns.someone() if rng.random() < 0.75 else self.nouns.definite()

    def _copula(self, subject: Phrase, top: Word) -> Word:
        past, plural = self.rng.random() < 0.25, is_plural(subject)
        form = ("were" if plural else "was") if past else ("are" if plural else "is")
        xpos = "VBD" if past else "VBP" if plural else "VBZ"
        return dependent(form, "be", "AUX", xpos, top, "cop")

    def _modifiers(self, top: Word) -> Phrase:
        """Nothing, "not", "no longer", or an adverb."""
        pick = self.rng.random()
        if pick < 0.12:
            return [dependent("not", "not", "PART", "RB", top, "advmod")]
        if pick < 0.22:
            longer = dependent("longer", "long", "ADV", "RBR", top, "advmod")
            return [dependent("no", "no", "ADV", "RB", longer, "advmod"), longer]
        if pick < 0.3:
            form = self.rng.choice(("still", "now", "also", "just", "already", "always"))
            return [dependent(form, form, "ADV", "RB", top, "advmod")]
        return []

    def _alternative(self, kind: str, predicate: Phrase) -> Phrase:
        """The predicate, or "either" it "or" another of the same kind."""
        rng = self.rng
        if kind not in {"place", "adjective", "nominal"} or rng.random() > 0.2:
            return predicate
        other = self.nouns.definite() if kind == "place" else self.predicates[kind][0]()
        if kind == "place" and rng.random() < 0.3:
            other = prefixed(rng.choice(CASES), "ADP", "IN", "case", other)
        top, second = head_of(predicate), head_of(other)
        attach(other, top, "conj")
        joined = [*predicate, dependent("or", "or", "CCONJ", "CC", second, "cc"), *other]
        if rng.random() < 0.8:
            joined.insert(0, dependent("either", "either", "CCONJ", "CC", top, "cc:preconj"))
        return joined

    def _stranded(self, kind: str) -> Made:
        """The complement of the predicate asked for, its preposition left behind."""
        predicate = self.predicates[kind][0]()
        word = Word("what", "what", "PRON", "WP")
        if self.rng.random() < 0.15:
            word = Word("who", "who", "PRON", "WP")
        top = head_of(predicate)
        subject = self._subject(kind)
        if kind == "place":  # "What is it under?": the question word is the predicate
            case = predicate[0].form
            copula = self._copula(subject, word)
            attach(subject, word, "nsubj")
            rest = [dependent(case, case, "ADP", "IN", word, "case")]
            return f"copula:{kind}", [word, copula, *subject, *rest], "?"
        kept = predicate[: predicate.index(top) + 1]
        case_word = predicate[len(kept)]
        word.head, word.deprel = top, "nmod" if kind == "side" else "obl"
        copula = self._copula(subject, top)
        attach(subject, top, "nsubj")
        stranded = dependent(case_word.form, case_word.lemma, "ADP", "IN", word, "case")
        return f"copula:{kind}", [word, copula, *subject, *kept, stranded], "?"

    def _where(self) -> Made:
        """Where is the lamp? Where was she before the lunch?"""
        top = Word("where", "where", "ADV", "WRB")
        subject = self.nouns.someone() if self.rng.random() < 0.6 else self.nouns.definite()
        phrase = [top, self._copula(subject, top), *attach(subject, top, "nsubj")]
        if self.rng.random() < 0.5:
            phrase += attach(before_or_after(self.rng, self.nouns), top, "obl")
        return "copula:where", phrase, "?"

    def _what_kind(self) -> Made:
        """What size is the lamp? How old is she?"""
        subject = self._subject("adjective")
        if self.rng.random() < 0.6:
            noun = "color" if self.rng.random() < 0.1 else self.rng.choice(self.lexicon.nouns)
            top = Word(noun, noun, "NOUN", "NN")
            first = dependent("what", "what", "DET", "WDT", top, "det")
        else:
            top = self._adjective()[0]
            first = dependent("how", "how", "ADV", "WRB", top, "advmod")
        copula = self._copula(subject, top)
        return "copula:kind", [first, top, copula, *attach(subject, top, "nsubj")], "?"

    def _existential(self) -> Made:
        """There is a lamp in the shed."""
        thing = self.nouns.definite("a")
        verb = Word("is", "be", "VERB", "VBZ")
        there = dependent("there", "there", "PRON", "EX", verb, "expl")
        place = attach(self._place(), verb, "obl")
        attach(thing, verb, "nsubj")
        if self.rng.random() < 0.3:
            return "copula:there", [verb, there, *thing, *place], "?"
        return "copula:there", [there, verb, *thing, *place], "."

    def _how_many(self) -> Phrase:
        plural = self.nouns.bare_plural()
        many = dependent("many", "many", "ADJ", "JJ", plural[-1], "amod")
        return [dependent("how", "how", "ADV", "WRB", many, "advmod"), many, *plural]
