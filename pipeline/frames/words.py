"""The closed classes of English that grammar is about, and lemmas for words the lemmatizer did not know.

Only function words, words of time and place, and regular inflection: nothing here knows a name or thing.
"""

from __future__ import annotations

import re

from babi_cascade.pipeline.frames.irregular import AUXILIARIES, PASTS
from babi_cascade.pipeline.stories.stems import PLURALS
from babi_cascade.pipeline.trees import Token


def word_set(words: str) -> frozenset[str]:
    """Return words that are written with spaces between them as a set."""
    return frozenset(words.split())


WH_WORDS = frozenset({"what", "who", "whom", "whose", "which", "where", "when", "why", "how"})
WH_ADVERBS = frozenset({"where", "when", "why", "how"})
NEGATIONS = frozenset({"not", "n't", "nt", "n’t", "never", "neither", "nor", "hardly"})
PLACE_ADVERBS = word_set(
    "there here somewhere anywhere everywhere nowhere elsewhere home upstairs downstairs"
    " outside inside abroad indoors outdoors nearby"
)
TIME_ADVERBS = word_set(
    "yesterday today tomorrow tonight now then afterwards afterward later earlier soon"
    " recently previously meanwhile nowadays lately once thereafter beforehand"
)
# connect a sentence with the one before; a date says more
TIME_LINKS = frozenset({"then", "afterwards", "afterward", "later", "meanwhile", "thereafter"})
TIME_NOUNS = word_set(
    "morning afternoon evening night noon midnight midday day week weekend month year"
    " decade century hour minute moment season spring summer autumn winter yesterday"
    " today tomorrow tonight time monday tuesday wednesday thursday friday saturday"
    " sunday january february march april may june july august september october november"
    " december"
)
TIME_DETERMINERS = word_set("this that these those last next every each")
TIME_PREPOSITIONS = word_set("before after since until till during following")
# words that are a preposition when a noun phrase follows and an adverb when none does
PLACE_PREPOSITIONS = word_set(
    "inside outside near above below beneath underneath under over behind beside beyond"
    " along across around round past through throughout between before after within"
    " without opposite off up down in on aboard alongside atop"
)
# words that follow a verb and never introduce a noun: "put away the cup", "pushed aside the curtain"
ONLY_PARTICLES = word_set("away aside apart back together forth")
# a part of a thing that says where something is: "to the left of", "on top of", "in the middle of"
RELATIONAL_NOUNS = word_set(
    "left right top bottom front back rear side middle centre center end edge corner head"
    " foot base north south east west northeast northwest southeast southwest inside"
    " outside beginning start"
)
# prepositions that complete an adjective ("afraid of", "bigger than"), not merely follow it
ADJECTIVE_COMPLEMENTS = word_set("of than from to with about for at by as")
# adverbs that stand before what is said and stress it; never a name
STRESSING = word_set(
    "so very too really most more still not always never also just quite usually often even only"
)

_VOWELS = frozenset("aeiou")


def lemma_of(token: Token) -> str:
    """Return the lower-case lemma; inflection that the lemmatizer left in place is taken off.

    A dictionary lemmatizer returns words it never saw as they are; regular endings can still be undone.
    """
    form, lemma = token.form.lower(), token.lemma.lower()
    if not lemma or lemma == "_":
        lemma = form
    if lemma != form:
        return lemma
    if form in PLURALS and (token.upos == "NOUN" or (token.upos == "PROPN" and token.id == 1)):
        return PLURALS[form]  # no name: every sentence begins with a capital
    if token.upos in ("AUX", "VERB") and form in AUXILIARIES:
        return AUXILIARIES[form]
    if token.upos == "NOUN" and (token.xpos == "NNS" or token.has("Number=Plur")):
        return singular(form)
    if token.upos == "VERB":
        return _uninflected(form, token.xpos)
    return lemma


def singular(noun: str) -> str:
    """Undo the regular plural, and the irregular ones that everybody learns."""
    if noun in PLURALS:
        return PLURALS[noun]
    if noun.endswith("ies") and len(noun) > 4:
        return noun[:-3] + "y"
    if noun.endswith("lves"):
        return noun[:-3] + "f"
    if noun.endswith(("ches", "shes", "sses", "xes", "zes")):
        return noun[:-2]
    if noun.endswith("s") and not noun.endswith(("ss", "us", "is")) and len(noun) > 2:
        return noun[:-1]
    return noun


def _uninflected(verb: str, tag: str) -> str:
    if tag == "VBZ":
        return singular(verb)
    if tag in ("VBD", "VBN") and verb in PASTS:
        return PASTS[verb]
    ending = "ed" if tag in ("VBD", "VBN") else "ing" if tag == "VBG" else ""
    stem = verb.removesuffix(ending) if ending else verb
    if stem == verb or not any(letter in _VOWELS | {"y"} for letter in stem) or len(stem) < 2:
        return verb
    if stem.endswith("i") and ending == "ed":
        return stem[:-1] + "y"  # hurried
    if stem[-1] == stem[-2] and stem[-1] not in "fsz" + "".join(_VOWELS):
        # dropped, travelled; but called, strolled: "ll" stays after the only vowel
        vowels = re.findall("[aeiouy]+", stem)
        return stem if stem[-1] == "l" and len(vowels) < 2 else stem[:-1]
    # released, arrived, danced: a final e was swallowed
    if stem.endswith(("s", "v", "c", "u", "dg", "z")) and not stem.endswith("ss"):
        return stem + "e"
    return stem
