"""Small phrases as trees, and the words they are made of: all harvested from the treebanks.

A ``Word`` points at its head; a phrase is a list of words in order, of which exactly one (the head
of the phrase) has no head yet. Everything that later becomes a sentence is joined from phrases.
"""

from __future__ import annotations

import random
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from scripts.nlp.corpora import Token, Tree
from scripts.nlp.invented import invented

# Shares of made-up words among the names and nouns put into derived trees.
NEW_NAMES = 0.5
NEW_NOUNS = 0.12


@dataclass(eq=False, slots=True)
class Word:
    """A word that can be moved: its head is a reference, not a position."""

    form: str
    lemma: str
    upos: str
    xpos: str
    deprel: str = ""
    head: Word | None = None


Phrase = list[Word]


def head_of(phrase: Phrase) -> Word:
    """The one word of a phrase that is not attached yet."""
    (head,) = (word for word in phrase if word.head is None)
    return head


def attach(phrase: Phrase, head: Word, deprel: str) -> Phrase:
    """Attach a phrase to ``head``; returned for chaining."""
    top = head_of(phrase)
    top.head, top.deprel = head, deprel
    return phrase


def single(form: str, lemma: str, upos: str, xpos: str) -> Phrase:
    """A phrase of one word."""
    return [Word(form, lemma, upos, xpos)]


def dependent(form: str, lemma: str, upos: str, xpos: str, head: Word, deprel: str) -> Word:
    """A word already attached to ``head``."""
    return Word(form, lemma, upos, xpos, deprel, head)


def prefixed(form: str, upos: str, xpos: str, deprel: str, phrase: Phrase) -> Phrase:
    """The phrase with one word before it (a preposition, a determiner) attached to its head."""
    return [dependent(form, form.lower(), upos, xpos, head_of(phrase), deprel), *phrase]


def sentence(source: str, phrase: Phrase, mark: str) -> Tree:
    """A tree from a finished phrase: capital first, final punctuation ``mark`` ("" for none)."""
    top = head_of(phrase)
    words = list(phrase)
    if mark:
        words.append(dependent(mark, mark, "PUNCT", ".", top, "punct"))
    place = {id(word): number for number, word in enumerate(words, 1)}
    tokens = []
    for number, word in enumerate(words, 1):
        form = word.form[0].upper() + word.form[1:] if number == 1 else word.form
        head = place[id(word.head)] if word.head is not None else 0
        glued = number < len(words) and words[number].form in {"n't", ",", "'s", mark}
        deprel = "root" if word.head is None else word.deprel
        tokens.append(Token(form, word.lemma, word.upos, word.xpos, head, deprel, not glued))
    return Tree(source, tuple(tokens))


@dataclass(slots=True)
class Lexicon:
    """Words of the treebanks by class, each type once, so that rare words are met as often as
    frequent ones; made-up names and nouns; and the forms of verbs."""

    names: list[str] = field(default_factory=list)
    nouns: list[str] = field(default_factory=list)
    plurals: list[tuple[str, str]] = field(default_factory=list)
    adjectives: list[str] = field(default_factory=list)
    predicative: list[str] = field(default_factory=list)
    comparatives: list[tuple[str, str]] = field(default_factory=list)
    governing: list[tuple[str, str]] = field(default_factory=list)
    forms: dict[tuple[str, str], str] = field(default_factory=dict)
    new_names: list[str] = field(default_factory=list)
    new_nouns: list[str] = field(default_factory=list)

    def name(self, rng: random.Random) -> str:
        """A name of the treebanks or a made-up one."""
        new = self.new_names and rng.random() < NEW_NAMES
        return rng.choice(self.new_names if new else self.names)

    def noun(self, rng: random.Random) -> str:
        """A singular noun of the treebanks, seldom a made-up one."""
        new = self.new_nouns and rng.random() < NEW_NOUNS
        return rng.choice(self.new_nouns if new else self.nouns)

    def verb(self, lemma: str, xpos: str) -> str:
        """The form of a verb for a Penn tag: as found in the treebanks, else regular."""
        found = self.forms.get((lemma, xpos))
        return found if found is not None else _regular(lemma, xpos)


def harvest(trees: Iterable[Tree], seed: int = 0) -> Lexicon:
    """Collect the lexicon from gold trees; ``seed`` is for the made-up words."""
    known: set[str] = set()
    counts: dict[str, Counter[tuple[str, str]]] = defaultdict(Counter)
    forms: dict[tuple[str, str], Counter[str]] = defaultdict(Counter)
    for tree in trees:
        children = _children(tree)
        for number, token in enumerate(tree.tokens, 1):
            known.add(token.form)
            relations = {child.deprel for child in children[number]}
            if token.upos in {"VERB", "AUX"} and token.form.isalpha():
                forms[token.lemma, token.xpos][token.form.lower()] += 1
            kind = _kind(token, relations)
            if kind:
                counts[kind][token.form, token.lemma] += 1
            if token.upos == "ADJ" and "cop" in relations:
                for preposition in _complements(tree, number):
                    counts["governing"][token.form.lower(), preposition] += 1

    def types(kind: str, least: int = 1) -> list[tuple[str, str]]:
        return sorted(pair for pair, count in counts[kind].items() if count >= least)

    names = sorted({form for form, _ in types("name")})
    nouns = sorted({form for form, _ in types("noun", 2)})
    return Lexicon(
        names=names,
        nouns=nouns,
        new_names=invented(names, known, 4 * len(names), seed, names=True),
        new_nouns=invented(nouns, known, len(nouns), seed, names=False),
        plurals=types("plural", 2),
        adjectives=sorted({form for form, _ in types("adjective", 2)}),
        predicative=sorted({form for form, _ in types("predicative")}),
        comparatives=types("comparative"),
        governing=types("governing", 2),
        forms={key: found.most_common(1)[0][0] for key, found in forms.items()},
    )


def _kind(token: Token, relations: set[str]) -> str:
    form = token.form
    if not form.isalpha() or len(form) < 3:
        return ""
    if token.xpos == "NNP" and not relations & {"flat", "compound", "det", "amod"}:
        title = form[0].isupper() and form[1:].islower()
        person = token.deprel in {"nsubj", "vocative", "iobj", "nsubj:pass", "nmod:poss"}
        return "name" if title and person and token.upos == "PROPN" else ""
    if not form.islower():
        return ""
    if token.upos == "NOUN" and token.xpos == "NN":
        return "noun" if "det" in relations else ""
    if token.upos == "NOUN" and token.xpos == "NNS":
        return "plural"
    if token.upos == "ADJ" and token.xpos == "JJR":
        return "comparative" if form.endswith("er") else ""
    if token.upos == "ADJ" and token.xpos == "JJ":
        return "predicative" if "cop" in relations else "adjective" * (token.deprel == "amod")
    return ""


def _children(tree: Tree) -> dict[int, list[Token]]:
    children: dict[int, list[Token]] = defaultdict(list)
    for token in tree.tokens:
        children[token.head].append(token)
    return children


def _complements(tree: Tree, number: int) -> list[str]:
    """Prepositions that follow the adjective at ``number`` and introduce its complement."""
    found = []
    for place, token in enumerate(tree.tokens, 1):
        if token.deprel == "case" and place == number + 1 and token.form.lower() != "than":
            head = tree.tokens[token.head - 1]
            if head.head == number and head.deprel == "obl":
                found.append(token.form.lower())
    return found


def _regular(lemma: str, xpos: str) -> str:
    if xpos in {"VB", "VBP"}:
        return lemma
    stem_y = lemma.endswith("y") and lemma[-2:-1] not in "aeiou"
    if xpos == "VBZ":
        if stem_y:
            return lemma[:-1] + "ies"
        return lemma + ("es" if lemma.endswith(("s", "x", "z", "ch", "sh", "o")) else "s")
    if xpos == "VBG":
        return (lemma[:-1] if lemma.endswith("e") and not lemma.endswith("ee") else lemma) + "ing"
    if stem_y:
        return lemma[:-1] + "ied"
    return lemma + ("d" if lemma.endswith("e") else "ed")


class NounPhrases:
    """Random noun phrases over a lexicon."""

    def __init__(self, lexicon: Lexicon, rng: random.Random) -> None:
        self.lexicon = lexicon
        self.rng = rng

    def name(self) -> Phrase:
        """A name; one time in five in lower case, as people type."""
        form = self.lexicon.name(self.rng)
        return single(form.lower() if self.rng.random() < 0.2 else form, form, "PROPN", "NNP")

    def definite(self, article: str = "the") -> Phrase:
        """A determiner, sometimes an adjective, and a noun ("the lamp", "the box of pens")."""
        rng, noun = self.rng, self.lexicon.noun(self.rng)
        head = Word(noun, noun, "NOUN", "NN")
        phrase = [head]
        if rng.random() < 0.28:
            adjective = rng.choice(self.lexicon.adjectives)
            phrase.insert(0, dependent(adjective, adjective, "ADJ", "JJ", head, "amod"))
        elif rng.random() < 0.08:
            other = attach(self.bare_plural(), head, "nmod")
            phrase += [dependent("of", "of", "ADP", "IN", other[-1], "case"), *other]
        if article == "a" and phrase[0].form[0] in "aeiou":
            article = "an"
        lemma = "a" if article == "an" else article
        return [dependent(article, lemma, "DET", "DT", head, "det"), *phrase]

    def bare_plural(self) -> Phrase:
        """A plural noun."""
        form, lemma = self.rng.choice(self.lexicon.plurals)
        return single(form, lemma, "NOUN", "NNS")

    def pronoun(self, forms: Sequence[str] = ("he", "she", "they", "it", "we", "you")) -> Phrase:
        """A personal pronoun."""
        form = self.rng.choice(forms)
        return single(form, form, "PRON", "PRP")

    def pair(self) -> Phrase:
        """Two names or two noun phrases joined by "and"."""
        make = self.name if self.rng.random() < 0.75 else self.definite
        first, second = make(), make()
        top, other = head_of(first), head_of(second)
        attach(second, top, "conj")
        return [*first, dependent("and", "and", "CCONJ", "CC", other, "cc"), *second]

    def someone(self) -> Phrase:
        """A subject: mostly a name."""
        pick = self.rng.random()
        if pick < 0.54:
            return self.name()
        if pick < 0.66:
            return self.pronoun()
        return self.pair() if pick < 0.78 else self.definite()


def is_plural(subject: Phrase) -> bool:
    """Whether a subject takes a plural verb."""
    top = head_of(subject)
    joined = any(word.deprel == "conj" and word.head is top for word in subject)
    return joined or top.xpos == "NNS" or top.form.lower() in {"they", "we", "you", "i"}
