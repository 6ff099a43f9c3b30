"""Number, gender, person and animacy of a mention, from its words and the verb it stands with."""

from __future__ import annotations

from typing import NamedTuple

from babi_cascade.pipeline.coref.lexicon import Lexicon, word_set
from babi_cascade.pipeline.coref.model import Animacy, Gender, Kind, Number
from babi_cascade.pipeline.trees import Token, Tree


class Attributes(NamedTuple):
    """What agreement looks at."""

    number: Number = "unknown"
    gender: Gender = "unknown"
    person: int = 3
    animacy: Animacy = "unknown"


def _table(words: str, attributes: Attributes) -> dict[str, Attributes]:
    return dict.fromkeys(words.split(), attributes)


PRONOUNS: dict[str, Attributes] = {
    **_table("i me my mine myself", Attributes("sing", "unknown", 1, "animate")),
    **_table("we us our ours ourselves 's", Attributes("plur", "unknown", 1, "animate")),
    **_table("you your yours yourself ya", Attributes("unknown", "unknown", 2, "animate")),
    **_table("yourselves", Attributes("plur", "unknown", 2, "animate")),
    **_table("he him his himself", Attributes("sing", "masc", 3, "animate")),
    **_table("she her hers herself", Attributes("sing", "fem", 3, "animate")),
    **_table("it its itself", Attributes("sing", "neut", 3, "inanimate")),
    **_table("they them their theirs themselves 'em", Attributes("plur", "unknown", 3)),
    **_table("one oneself", Attributes("sing", "unknown", 3, "animate")),
    **_table("this that", Attributes("sing", "neut", 3, "inanimate")),
    **_table("these those", Attributes("plur", "unknown", 3)),
    **_table("who whom whose which", Attributes()),
}
PERSONAL = frozenset(PRONOUNS) - word_set("this that these those who whom whose which one")
REFLEXIVE = word_set(
    "myself ourselves yourself yourselves himself herself itself themselves oneself"
)
DEMONSTRATIVE = word_set("this that these those")

_PLACE_CASES = word_set("in at near within throughout across outside inside")
_TITLES_F, _TITLES_M = word_set("mrs. mrs ms. ms miss"), word_set("mr. mr sir")
_SAYING = word_set("say tell ask think know want write reply answer shout whisper")


def attributes(tree: Tree, head: Token, kind: Kind, lexicon: Lexicon) -> Attributes:
    """Say what is known of a mention before the rest of the story is looked at."""
    if kind == "pronoun":
        return PRONOUNS.get(head.form.lower(), Attributes("sing"))
    if kind == "list":
        members = (head, *tree.children(head, "conj"))
        kinds = {_noun(tree, member, lexicon).animacy for member in members}
        return Attributes("plur", "unknown", 3, kinds.pop() if len(kinds) == 1 else "unknown")
    return _noun(tree, head, lexicon)


def name_parts(tree: Tree, head: Token) -> tuple[Token, ...]:
    """Return the words of a name in order.

    "George Gordon Byron" is a head with flat parts, "New York" a head with compounds before it.
    """
    parts = [t for t in tree.children(head, "flat", "compound", "nmod:desc") if _named(t)]
    return tuple(sorted([head, *parts], key=lambda t: t.id))


def _named(token: Token) -> bool:
    return token.upos == "PROPN" or token.form[:1].isupper()


def _noun(tree: Tree, head: Token, lexicon: Lexicon) -> Attributes:
    number = _number(head, lexicon)
    if head.upos == "PROPN":
        gender, animacy = _name(tree, head, lexicon)
        # "the Robinsons" are many, but "the Netherlands" is what it says of itself: leave it open.
        return Attributes("unknown" if number == "plur" else number, gender, 3, animacy)
    lemma = head.lemma.lower()
    learned = lexicon.animacy.get(head.lemma, "unknown")
    if head.form in lexicon.names and not tree.children(head, "det", "amod"):
        return Attributes(
            "sing", lexicon.names[head.form], 3, "animate"
        )  # whatever the tagger says
    if lemma in lexicon.persons and learned != "inanimate":
        return Attributes(number, lexicon.persons[lemma], 3, "animate")
    if lemma in lexicon.groups:
        return Attributes(number, "unknown", 3, "unknown")
    if learned == "inanimate":
        return Attributes(number, "neut", 3, "inanimate")
    if learned == "animate" or (learned == "unknown" and _human_subject(tree, head, lexicon)):
        return Attributes(number, "unknown", 3, "animate")
    return Attributes(number)


def _number(head: Token, lexicon: Lexicon) -> Number:
    if head.lemma.lower() in lexicon.groups and head.xpos != "NNS":
        return "unknown"
    if head.has("Number=Plur") or head.xpos in ("NNS", "NNPS"):
        return "plur"
    if head.upos not in ("NOUN", "PROPN"):
        return "unknown"
    # A tagger may give neither tags nor features: then a noun with an ending is more than one.
    untagged = head.xpos in ("_", "") and head.feats in ("_", "")
    inflected = head.upos == "NOUN" and head.form.lower() != head.lemma.lower()
    return "plur" if untagged and inflected and head.form.lower().endswith("s") else "sing"


def _name(tree: Tree, head: Token, lexicon: Lexicon) -> tuple[Gender, Animacy]:
    parts = name_parts(tree, head)
    forms = [token.form for token in parts]
    lower = {form.lower() for form in forms}
    if lower & _TITLES_F:
        return "fem", "animate"
    if lower & _TITLES_M:
        return "masc", "animate"
    learned = lexicon.animacy.get(parts[-1].lemma, lexicon.animacy.get(head.lemma, "unknown"))
    place = len(forms) == 1 and learned == "inanimate"
    named_after = tree.child(head, "det") is not None  # "the Austin Symphony"
    if forms[0] in lexicon.names and not place and not named_after:
        return lexicon.names[forms[0]], "animate"
    if learned == "inanimate":
        return "neut", "inanimate"
    if learned == "animate" or _human_subject(tree, head, lexicon):
        return "unknown", "animate"
    case = tree.child(head, "case")
    if tree.child(head, "det") or (case is not None and case.lemma.lower() in _PLACE_CASES):
        return "neut", "inanimate"
    return "unknown", "unknown"


def _human_subject(tree: Tree, head: Token, lexicon: Lexicon) -> bool:
    verb = tree.head(head)
    if verb is None or head.deprel != "nsubj" or verb.upos != "VERB":
        return False
    return verb.lemma in lexicon.human_verbs or verb.lemma in _SAYING
