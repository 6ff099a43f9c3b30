"""Tree-preserving substitution: the same gold tree with other names and nouns in it.

Pronouns and names in argument positions become other names or definite noun phrases of the same
number, so that agreement stays; nouns become other nouns of the same number. Sometimes the capital
or the final punctuation is dropped, as people type.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import replace

from scripts.nlp.corpora import Token, Tree
from scripts.nlp.phrases import Lexicon

_SINGULAR = {"he", "she", "it", "him", "that", "this"}
_ARGUMENTS = {"nsubj", "obj", "iobj", "obl", "nmod", "conj", "nsubj:pass"}


def substituted(
    trees: Sequence[Tree], lexicon: Lexicon, count: int, seed: int, longest: int = 14
) -> Iterator[Tree]:
    """``count`` variants of random short trees."""
    rng = random.Random(seed)
    short = [tree for tree in trees if 3 <= len(tree.tokens) <= longest]
    made = 0
    while made < count:
        tree = rng.choice(short)
        variant = substitute(tree, lexicon, rng)
        if variant is not None:
            made += 1
            yield variant


def substitute(tree: Tree, lexicon: Lexicon, rng: random.Random) -> Tree | None:
    """A variant of ``tree``, or None if nothing in it can be replaced."""
    tokens = list(tree.tokens)
    with_children = {token.head for token in tokens}
    changed = False
    inserted: dict[int, Token] = {}
    for i, token in enumerate(tokens):
        bare = i + 1 not in with_children
        if token.deprel in _ARGUMENTS and bare and _is_singular_pronoun(token):
            if rng.random() < 0.7:
                tokens[i] = _name(token, lexicon, rng)
            else:
                tokens[i] = _noun(token, lexicon, rng)
                inserted[i] = Token("the", "the", "DET", "DT", i + 1, "det")
            changed = True
        elif token.upos == "PROPN" and token.xpos == "NNP" and rng.random() < 0.8:
            tokens[i] = _name(token, lexicon, rng)
            changed = True
        elif token.upos == "NOUN" and token.xpos == "NN" and token.form.islower():
            if _article_before(tree, i) and rng.random() < 0.4:
                tokens[i] = _noun(token, lexicon, rng)
                changed = True
        elif token.upos == "NOUN" and token.xpos == "NNS" and rng.random() < 0.4:
            form, lemma = rng.choice(lexicon.plurals)
            tokens[i] = replace(token, form=form, lemma=lemma)
            changed = True
    if not changed:
        return None
    tokens = _insert(tokens, inserted)
    return Tree(tree.source + "#other", tuple(_typed(tokens, rng)))


def _is_singular_pronoun(token: Token) -> bool:
    return token.upos == "PRON" and token.form.lower() in _SINGULAR and token.space_after


def _article_before(tree: Tree, index: int) -> bool:
    """Only after "the", "this", "that": another noun cannot disturb "a" or "an" there."""
    return index > 0 and tree.tokens[index - 1].form.lower() in {
        "the",
        "this",
        "that",
        "my",
        "your",
    }


def _name(token: Token, lexicon: Lexicon, rng: random.Random) -> Token:
    name = lexicon.name(rng)
    return replace(token, form=name, lemma=name, upos="PROPN", xpos="NNP")


def _noun(token: Token, lexicon: Lexicon, rng: random.Random) -> Token:
    noun = lexicon.noun(rng)
    return replace(token, form=noun, lemma=noun, upos="NOUN", xpos="NN")


def _insert(tokens: list[Token], before: dict[int, Token]) -> list[Token]:
    """Insert determiners before the given positions and renumber the heads."""
    place, shift = {0: 0}, 0
    for i in range(len(tokens)):
        shift += i in before
        place[i + 1] = i + 1 + shift
    result = []
    for i, token in enumerate(tokens):
        for each in ([before[i]] if i in before else []) + [token]:
            result.append(replace(each, head=place[each.head]))
    return result


def _typed(tokens: list[Token], rng: random.Random) -> list[Token]:
    """Capital at the start; sometimes no capitals at all, sometimes no final punctuation."""
    first = tokens[0]
    tokens[0] = replace(first, form=first.form[0].upper() + first.form[1:])
    if rng.random() < 0.08:
        tokens = [replace(token, form=token.form.lower()) for token in tokens]
    last = len(tokens)
    droppable = tokens[-1].upos == "PUNCT" and all(token.head != last for token in tokens)
    if rng.random() < 0.1 and droppable and last > 2:
        tokens = tokens[:-1]
    return tokens
