"""Grammatical transformations: clauses of gold trees told again as other sentence types.

Natural treebanks hold few short questions with names in them, few fronted time phrases and hardly
any "no longer" or "either … or". Here clauses taken from the gold trees (``clauses``), with noun
phrases over the treebanks' own words (``phrases``), are put into those forms: inversion, do-support,
wh-fronting with stranding, adjuncts, negation, dative alternation. The trees follow the conventions
of English Web Treebank. The only words named here and in ``copulas`` belong to the grammar
(auxiliaries, question words, prepositions, time adverbs).
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import replace

from scripts.nlp.clauses import Clause, copy_phrase
from scripts.nlp.copulas import Copulas
from scripts.nlp.corpora import Tree
from scripts.nlp.phrases import (
    Lexicon,
    NounPhrases,
    Phrase,
    Word,
    attach,
    dependent,
    is_plural,
    prefixed,
    sentence,
    single,
)
from scripts.nlp.time_adjuncts import fronted, with_final_adjunct

PLACES = ("in", "into", "to", "on", "from", "at", "near", "behind", "under")


def transformed(pool: Sequence[Clause], lexicon: Lexicon, count: int, seed: int) -> list[Tree]:
    """``count`` sentences made from the clauses of ``pool``."""
    maker = Transformer(pool, lexicon, random.Random(seed))
    return [maker.make() for _ in range(count)]


class Transformer:
    """Makes sentences from gold clauses."""

    def __init__(self, pool: Sequence[Clause], lexicon: Lexicon, rng: random.Random) -> None:
        self.rng, self.lexicon = rng, lexicon
        self.nouns = NounPhrases(lexicon, rng)
        self.copulas = Copulas(lexicon, rng)
        # One list a verb, so that a rare verb is told as often as a frequent one.
        self.by_verb: dict[str, list[Clause]] = {}
        for clause in pool:
            self.by_verb.setdefault(clause.lemma, []).append(clause)
        self.verbs = sorted(self.by_verb)
        self.every = list(pool)
        self.moving = [c for c in pool if not c.has_object and set(c.cases) & set(PLACES)]
        self.phrasal = [c for c in pool if c.particle and c.has_object] or list(pool)
        self.giving = [c for c in pool if c.has_recipient] or list(pool)

    def make(self) -> Tree:
        """One sentence of a random type, sometimes without capital or final mark."""
        pick = self.rng.random()
        if pick < 0.38:
            source, phrase, mark = self.copulas.make()
        elif pick < 0.50:
            source, phrase, mark = self._dative()
        else:
            source, phrase, mark = self._verbal(self._clause())
        if self.rng.random() < 0.08:
            mark = ""
        tree = sentence(f"{source}#told", phrase, mark)
        if self.rng.random() < 0.08:
            first = replace(tree.tokens[0], form=tree.tokens[0].form.lower())
            tree = replace(tree, tokens=(first, *tree.tokens[1:]))
        return tree

    def _clause(self) -> Clause:
        pick = self.rng.random()
        if pick < 0.3:
            return self.rng.choice(self.moving)
        if pick < 0.42:
            return self.rng.choice(self.phrasal)
        if pick < 0.72:
            return self.rng.choice(self.by_verb[self.rng.choice(self.verbs)])
        return self.rng.choice(self.every)

    # -- the parts of a verbal clause ------------------------------------------------------------

    def _verb(self, lemma: str, plural: bool, support: bool) -> tuple[list[Word], Word]:
        """Auxiliaries and main verb in a random tense; ``support`` asks for an auxiliary."""
        rng = self.rng
        tense = rng.choices(("past", "present", "will", "progressive"), (50, 20, 10, 20))[0]
        verb = Word("", lemma, "VERB", "")
        if tense == "progressive":
            past = rng.random() < 0.3
            form = ("were" if plural else "was") if past else ("are" if plural else "is")
            xpos = "VBD" if past else "VBP" if plural else "VBZ"
            verb.xpos = "VBG"
            auxiliaries = [dependent(form, "be", "AUX", xpos, verb, "aux")]
        elif tense == "will":
            modal = rng.choice(("will", "will", "can", "should", "must", "would", "could"))
            verb.xpos = "VB"
            auxiliaries = [dependent(modal, modal, "AUX", "MD", verb, "aux")]
        elif support:
            xpos = "VBD" if tense == "past" else "VBP" if plural else "VBZ"
            form = {"VBD": "did", "VBP": "do", "VBZ": "does"}[xpos]
            verb.xpos = "VB"
            auxiliaries = [dependent(form, "do", "AUX", xpos, verb, "aux")]
        else:
            verb.xpos = "VBD" if tense == "past" else "VBP" if plural else "VBZ"
            auxiliaries = []
        verb.form = self.lexicon.verb(lemma, verb.xpos)
        return auxiliaries, verb

    def _complements(self, clause: Clause, verb: Word) -> dict[str, list[Phrase]]:
        """Particle, object and prepositional phrases, attached; half with new noun phrases."""
        rng = self.rng
        parts: dict[str, list[Phrase]] = {"particle": [], "object": [], "oblique": []}
        if clause.particle:
            particle = single(clause.particle, clause.particle, "ADP", "RP")
            parts["particle"].append(attach(particle, verb, "compound:prt"))
        if clause.has_object:
            new = self.nouns.definite(rng.choice(("the", "the", "the", "a", "this")))
            phrase = new if rng.random() < 0.65 else copy_phrase(clause.object)
            parts["object"].append(attach(phrase, verb, "obj"))
        for case, gold in zip(clause.cases[:2], clause.obliques[:2], strict=True):
            phrase = copy_phrase(gold)
            if rng.random() < 0.65:
                inside = self.nouns.definite() if rng.random() < 0.85 else self.nouns.name()
                phrase = prefixed(case, "ADP", "IN", "case", inside)
            parts["oblique"].append(attach(phrase, verb, "obl"))
        return parts

    def _verbal(self, clause: Clause) -> tuple[str, Phrase, str]:
        rng = self.rng
        kind = rng.choices(
            ("told", "negated", "yes-no", "wh-subject", "wh-object", "stranded", "wh-adverb"),
            (46, 6, 11, 8, 13, 5, 11),
        )[0]
        if kind in {"told", "negated"}:
            return self._told(clause, negated=kind == "negated")
        if kind == "wh-object" and not clause.has_object:
            kind = "wh-adverb"
        if kind == "stranded" and not clause.cases:
            kind = "wh-adverb"
        return self._asked(clause, kind)

    def _told(self, clause: Clause, negated: bool = False) -> tuple[str, Phrase, str]:
        """A statement, perhaps negated, perhaps with a time or place adjunct."""
        rng, subject = self.rng, self.nouns.someone()
        auxiliaries, verb = self._verb(clause.lemma, is_plural(subject), negated)
        parts = self._complements(clause, verb)
        middle: Phrase = [*auxiliaries]
        if negated:
            contracted = rng.random() < 0.4 and auxiliaries[0].form not in {"will", "can", "am"}
            form = "n't" if contracted else "not"
            middle.append(dependent(form, "not", "PART", "RB", verb, "advmod"))
        elif rng.random() < 0.06:
            middle += self._adverb(verb)
        phrase = [*attach(subject, verb, "nsubj"), *middle, verb, *self._rest(parts, verb)]
        if rng.random() < 0.3:
            phrase = fronted(phrase, rng, self.nouns)
        else:
            phrase = with_final_adjunct(phrase, rng, self.nouns)
        return clause.source, phrase, "."

    def _adverb(self, verb: Word) -> Phrase:
        if self.rng.random() < 0.4:
            longer = dependent("longer", "long", "ADV", "RBR", verb, "advmod")
            return [dependent("no", "no", "ADV", "RB", longer, "advmod"), longer]
        form = self.rng.choice(("still", "also", "just", "then", "never", "already"))
        return [dependent(form, form, "ADV", "RB", verb, "advmod")]

    def _rest(self, parts: dict[str, list[Phrase]], verb: Word) -> Phrase:
        """Everything after the verb; a particle before or after a full object."""
        particle, objects = _joined(parts["particle"]), _joined(parts["object"])
        swap = bool(objects) and self.rng.random() < 0.3
        first = [*objects, *particle] if swap else [*particle, *objects]
        if not objects and parts["oblique"] and self.rng.random() < 0.12:
            first.append(dependent("back", "back", "ADV", "RB", verb, "advmod"))
        return [*first, *_joined(parts["oblique"])]

    # -- questions -------------------------------------------------------------------------------

    def _asked(self, clause: Clause, kind: str) -> tuple[str, Phrase, str]:
        """A question: yes/no, or about the subject, the object, a prepositional phrase, an adverb."""
        rng, subject = self.rng, self.nouns.someone()
        if kind == "wh-subject":
            auxiliaries, verb = self._verb(clause.lemma, False, False)
            word = single(
                *rng.choice((("who", "who"), ("who", "who"), ("what", "what"))), "PRON", "WP"
            )
            rest = self._rest(self._complements(clause, verb), verb)
            return clause.source, [*attach(word, verb, "nsubj"), *auxiliaries, verb, *rest], "?"
        auxiliaries, verb = self._verb(clause.lemma, is_plural(subject), True)
        parts = self._complements(clause, verb)
        question: Phrase = []
        stranded: Phrase = []
        if kind == "wh-object":
            parts["object"] = []
            question = attach(self._wh_phrase(), verb, "obj")
        elif kind == "stranded":
            parts["oblique"] = parts["oblique"][:-1]
            question = attach(self._wh_phrase(), verb, "obl")
            case = clause.cases[: len(parts["oblique"]) + 1][-1]
            stranded = [
                dependent(case, case, "ADP", "IN", head_of_attached(question, verb), "case")
            ]
        elif kind == "wh-adverb":
            form = rng.choices(("where", "why", "when", "how"), (50, 20, 10, 20))[0]
            if form == "where":
                parts["oblique"] = []
            question = attach(single(form, form, "ADV", "WRB"), verb, "advmod")
        attach(subject, verb, "nsubj")
        rest = [*self._rest(parts, verb), *stranded]
        phrase = [*question, auxiliaries[0], *subject, *auxiliaries[1:], verb, *rest]
        if not stranded:
            phrase = with_final_adjunct(phrase, rng, self.nouns, often=0.12)
        return clause.source, phrase, "?"

    def _wh_phrase(self) -> Phrase:
        """What, who, which lamp, how many lamps."""
        rng, pick = self.rng, self.rng.random()
        if pick < 0.42:
            return single("what", "what", "PRON", "WP")
        if pick < 0.58:
            return single("who", "who", "PRON", "WP")
        if pick < 0.7:
            noun = self.lexicon.noun(rng)
            form = rng.choice(("what", "which"))
            return prefixed(form, "DET", "WDT", "det", single(noun, noun, "NOUN", "NN"))
        plural = self.nouns.bare_plural()
        many = dependent("many", "many", "ADJ", "JJ", plural[-1], "amod")
        return [dependent("how", "how", "ADV", "WRB", many, "advmod"), many, *plural]

    # -- giving ----------------------------------------------------------------------------------

    def _dative(self) -> tuple[str, Phrase, str]:
        """A verb of giving with its recipient as object or after "to", told or asked."""
        rng, clause = self.rng, self.rng.choice(self.giving)
        kind = rng.choices(("told", "who", "what", "whom", "yes-no"), (50, 16, 14, 14, 6))[0]
        subject = single("who", "who", "PRON", "WP") if kind == "who" else self.nouns.someone()
        asks = kind in {"what", "whom", "yes-no"}
        auxiliaries, verb = self._verb(clause.lemma, kind != "who" and is_plural(subject), asks)
        thing = attach(self.nouns.definite(), verb, "obj") if kind != "what" else []
        recipient = self.nouns.name() if rng.random() < 0.8 else self.nouns.pronoun(("him", "her"))
        shifted = kind not in {"whom"} and rng.random() < 0.35
        question: Phrase = []
        if kind == "whom":
            question = attach(single("who", "who", "PRON", "WP"), verb, "obl")
            rest = [*thing, dependent("to", "to", "ADP", "IN", question[0], "case")]
        elif shifted:
            rest = [*attach(recipient, verb, "iobj"), *thing]
        elif kind == "who" and rng.random() < 0.3:
            rest = thing
        else:
            rest = [*thing, *attach(prefixed("to", "ADP", "IN", "case", recipient), verb, "obl")]
        if kind == "what":
            question = attach(single("what", "what", "PRON", "WP"), verb, "obj")
        attach(subject, verb, "nsubj")
        if asks:
            phrase = [*question, auxiliaries[0], *subject, *auxiliaries[1:], verb, *rest]
        else:
            phrase = [*subject, *auxiliaries, verb, *rest]
            if kind == "told" and rng.random() < 0.2:
                phrase = fronted(phrase, rng, self.nouns)
        return clause.source, phrase, "." if kind == "told" else "?"


def _joined(phrases: list[Phrase]) -> Phrase:
    return [word for phrase in phrases for word in phrase]


def head_of_attached(phrase: Phrase, governor: Word) -> Word:
    """The head word of a phrase that is already attached to ``governor``."""
    (top,) = (word for word in phrase if word.head is governor)
    return top
