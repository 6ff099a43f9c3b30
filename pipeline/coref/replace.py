"""Put the first mention of its entity in the place of each mention, as the paper does.

"Pat and Robin went home. Then they slept." becomes "… Then Pat and Robin slept." The text as it was
written stays beside the new one, with the place of every change in both.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from babi_cascade.pipeline.coref.lexicon import word_set
from babi_cascade.pipeline.coref.model import KINDS, Clusters, Mention
from babi_cascade.pipeline.trees import Token, Tree

_POSSESSIVE = word_set("my your his its our their mine yours hers ours theirs whose")
_MARKS = ("'s", "’s", "'", "’")


@dataclass(frozen=True, slots=True)
class Change:
    """One mention that was replaced: where it stood, where its replacement stands, both texts."""

    start: int
    end: int
    new_start: int
    new_end: int
    old: str
    new: str
    entity: int


@dataclass(frozen=True, slots=True)
class Replaced:
    """A sentence after replacement (``text``) and as it was written (``original``)."""

    text: str
    original: str
    changes: tuple[Change, ...] = ()

    def to_json(self) -> dict[str, Any]:
        """Return the documented JSON form."""
        return {
            "text": self.text,
            "original": self.original,
            "changes": [
                {name: getattr(change, name) for name in Change.__slots__}
                for change in self.changes
            ],
        }


def replace_mentions(
    story: Sequence[Tree], clusters: Clusters, kinds: Sequence[str] = KINDS
) -> tuple[Replaced, ...]:
    """Return every sentence of a story with its mentions replaced, only those of some kinds if named.

    Of nested mentions the outermost that changes anything is replaced. A noun phrase in the same
    sentence as the first mention stays ("Kofi is the baker" would become "Kofi is Kofi"); so does
    everything of an entity that only pronouns mention.
    """
    by_sentence: list[list[Mention]] = [[] for _ in story]
    for mention in clusters.mentions:  # in the order of the text, the longer of two first
        if mention.kind in kinds:
            by_sentence[mention.sentence].append(mention)
    return tuple(
        _sentence(story, index, mentions, clusters) for index, mentions in enumerate(by_sentence)
    )


def _sentence(
    story: Sequence[Tree], index: int, mentions: list[Mention], clusters: Clusters
) -> Replaced:
    tree = story[index]
    original, offsets = _text(tree)
    text = ""
    changes: list[Change] = []
    done = 0  # how much of the original is in the new text, or stays as it is
    for mention in mentions:
        start, end = offsets[mention.start - 1][0], offsets[mention.end - 1][1]
        new = _replacement(story, mention, clusters)
        old = original[start:end]
        if start < done or new is None or new.lower() == old.lower():
            continue
        text += original[done:start]
        entity = clusters.entity(mention)
        changes.append(Change(start, end, len(text), len(text) + len(new), old, new, entity))
        text += new
        done = end
    return Replaced(text + original[done:], original, tuple(changes))


def _replacement(story: Sequence[Tree], mention: Mention, clusters: Clusters) -> str | None:
    """Return what stands for a mention, None if it stays as it is."""
    first = clusters.first(mention)
    if first is mention or first.kind == "pronoun":
        return None
    if first.sentence == mention.sentence and (
        mention.kind != "pronoun" or mention.start < first.end
    ):
        return None
    tree = story[mention.sentence]
    source = story[first.sentence]
    text = first.text(story)
    if source[first.end].form in _MARKS and first.end > first.start:
        text = text[: -len(source[first.end].form)].rstrip()
    if first.start == 1 and not _keeps_capital(source[1]):
        text = text[:1].lower() + text[1:]
    if mention.start == 1 and tree[1].form[:1].isupper():
        text = text[:1].upper() + text[1:]
    return text + "'s" if _possessive(tree, mention) else text


def _possessive(tree: Tree, mention: Mention) -> bool:
    last = tree[mention.end]
    form = last.form.lower()
    if mention.kind == "pronoun":
        return form in _POSSESSIVE or (form == "her" and last.deprel == "nmod:poss")
    return form in _MARKS


def _keeps_capital(token: Token) -> bool:
    """Say whether a word is capitalised anywhere, not only where a sentence begins."""
    return token.upos == "PROPN" or token.form == "I" or token.form[1:2].isupper()


def _text(tree: Tree) -> tuple[str, list[tuple[int, int]]]:
    """Return the text of a sentence and the offsets of its words, made up if the tree has none."""
    if tree.text and all(tree.text[token.start : token.end] == token.form for token in tree):
        return tree.text, [(token.start, token.end) for token in tree]
    offsets, length = [], 0
    for token in tree:
        offsets.append((length, length + len(token.form)))
        length += len(token.form) + 1
    return " ".join(token.form for token in tree), offsets
