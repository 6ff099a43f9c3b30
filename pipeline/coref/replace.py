"""Put the first mention of its entity in the place of each mention, as the paper does.

"Pat and Robin went home. Then they slept." becomes "… Then Pat and Robin slept." The tree goes with the
words: the phrase of the first mention takes the place of the pronoun, under its head and with its relation,
so that a sentence need not be parsed, or looked up, a second time. The sentence as it was written stays
beside the new one, with the place of every change in both.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from babi_cascade.pipeline.coref.lexicon import word_set
from babi_cascade.pipeline.coref.model import KINDS, Clusters, Mention
from babi_cascade.pipeline.trees import Roles, Token, Tree

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
    """A sentence after replacement (``tree``) and as it was written (``written``).

    ``origins`` has for each word of ``tree`` the id of the word of ``written`` that it stands for: its own,
    or the head of the mention that was replaced. It is empty where nothing was changed.
    """

    tree: Tree
    written: Tree
    changes: tuple[Change, ...] = ()
    origins: tuple[int, ...] = ()

    @property
    def text(self) -> str:
        """The sentence after replacement."""
        return self.tree.text

    @property
    def original(self) -> str:
        """The sentence as it was written."""
        return _text(self.written)[0]

    def origin(self, word: int) -> int:
        """Return the id of the written word that a word of the new sentence stands for."""
        return self.origins[word - 1] if self.origins else word

    def kept(self, word: int) -> bool:
        """Say whether a word of the new sentence was written there."""
        place = self.tree[word].start
        return not any(change.new_start <= place < change.new_end for change in self.changes)

    def carried(self, roles: Roles) -> dict[int, dict[int, str]]:
        """Return roles of the written sentence as roles of the new one.

        A replaced word hands its role to the head of the phrase that stands for it.
        """
        if not self.changes:
            return {predicate: dict(found) for predicate, found in roles.items()}
        place = self._heads()
        return {
            place[predicate]: {place[word]: role for word, role in found.items() if word in place}
            for predicate, found in roles.items()
            if predicate in place
        }

    def _heads(self) -> dict[int, int]:
        """Return for each written word the word that stands for it: of several, the head."""
        found: dict[int, int] = {}
        for word, origin in enumerate(self.origins, start=1):
            above = self.tree[word].head
            if origin not in found or not above or self.origins[above - 1] != origin:
                found[origin] = word
        return found


def replace_mentions(
    story: Sequence[Tree], clusters: Clusters, kinds: Sequence[str] = KINDS
) -> tuple[Replaced, ...]:
    """Return every sentence of a story with its mentions replaced, only those of some kinds if named.

    Of nested mentions the outermost that changes anything is replaced. A noun phrase in the same
    sentence as the first mention stays ("Kofi is the baker" would become "Kofi is Kofi"); so does
    everything of an entity that only pronouns mention, and what is said of somebody by a copula: it says
    something, it does not point.
    """
    by_sentence: list[list[Mention]] = [[] for _ in story]
    for mention in clusters.mentions:  # in the order of the text, the longer of two first
        if mention.kind in kinds:
            by_sentence[mention.sentence].append(mention)
    return tuple(
        _sentence(story, index, mentions, clusters) if mentions else Replaced(tree, tree)
        for index, (tree, mentions) in enumerate(zip(story, by_sentence, strict=True))
    )


@dataclass(frozen=True, slots=True)
class _Phrase:
    """Words with ids from 1 and offsets from 0, the head of which has the head 0."""

    text: str
    words: tuple[Token, ...]

    @property
    def head(self) -> int:
        """The id of the head within the phrase."""
        return next(word.id for word in self.words if not word.head)


@dataclass(frozen=True, slots=True)
class _Piece:
    """Words of the sentence as written, what stands for them now, and the entity if it is another."""

    first: int
    last: int
    phrase: _Phrase
    entity: int | None = None


def _sentence(
    story: Sequence[Tree], index: int, mentions: list[Mention], clusters: Clusters
) -> Replaced:
    tree = story[index]
    original, offsets = _text(tree)
    pieces: list[_Piece] = []
    done = 0  # words before this one have their piece
    for mention in mentions:
        if mention.start <= done or (mention.kind != "pronoun" and _is_said(tree, mention)):
            continue
        phrase = _replacement(story, mention, clusters)
        old = original[offsets[mention.start - 1][0] : offsets[mention.end - 1][1]]
        if phrase is not None and phrase.text.lower() != old.lower():
            pieces += [_kept(token) for token in tree.tokens[done : mention.start - 1]]
            entity = clusters.entity(mention)
            pieces.append(_Piece(mention.start, mention.end, phrase, entity))
            done = mention.end
    if not pieces:
        return Replaced(tree, tree)
    return _joined(tree, [*pieces, *(_kept(token) for token in tree.tokens[done:])])


def _is_said(tree: Tree, mention: Mention) -> bool:
    """Say whether a mention is the predicate of a copula, as "the baker" in "Kofi is the baker"."""
    top = _top(tree, mention.start, mention.end)
    return any(token.head == top.id and token.deprel == "cop" for token in tree)


def _joined(tree: Tree, pieces: Sequence[_Piece]) -> Replaced:
    """Return the sentence that consists of these pieces."""
    original, offsets = _text(tree)
    place = {0: 0}  # written word → the new word that stands for it
    size = 0
    for piece in pieces:
        place.update(dict.fromkeys(range(piece.first, piece.last + 1), size + piece.phrase.head))
        size += len(piece.phrase.words)
    tokens: list[Token] = []
    origins: list[int] = []
    changes: list[Change] = []
    text, done = "", 0
    for piece in pieces:
        start, end = offsets[piece.first - 1][0], offsets[piece.last - 1][1]
        text += original[done:start]
        top = _top(tree, piece.first, piece.last)
        before, here = len(tokens), len(text)
        for word in piece.phrase.words:
            inside = word.head != 0
            tokens.append(
                replace(
                    word,
                    id=before + word.id,
                    head=before + word.head if inside else place[top.head],
                    deprel=word.deprel if inside else top.deprel,
                    start=here + word.start,
                    end=here + word.end,
                )
            )
            origins.append(top.id)
        text += piece.phrase.text
        done = end
        if piece.entity is not None:
            old, new = original[start:end], piece.phrase.text
            changes.append(Change(start, end, here, len(text), old, new, piece.entity))
    return Replaced(
        Tree(tuple(tokens), text + original[done:]), tree, tuple(changes), tuple(origins)
    )


def _kept(token: Token) -> _Piece:
    """Return a word that stays as it is."""
    alone = replace(token, id=1, head=0, start=0, end=len(token.form))
    return _Piece(token.id, token.id, _Phrase(token.form, (alone,)))


def _replacement(story: Sequence[Tree], mention: Mention, clusters: Clusters) -> _Phrase | None:
    """Return what stands for a mention, None if it stays as it is."""
    first = clusters.first(mention)
    if first is mention or first.kind == "pronoun":
        return None
    if first.sentence == mention.sentence and (
        mention.kind != "pronoun" or mention.start < first.end
    ):
        return None
    tree, source = story[mention.sentence], story[first.sentence]
    last = first.end
    if source[last].form in _MARKS and last > first.start:
        last -= 1
    phrase = _phrase(source, first.start, last)
    if first.start == 1 and not _keeps_capital(source[1]):
        phrase = _begun(phrase, phrase.text[:1].lower())
    if mention.start == 1 and tree[1].form[:1].isupper():
        phrase = _begun(phrase, phrase.text[:1].upper())
    return _owning(phrase) if _possessive(tree, mention) else phrase


def _phrase(source: Tree, first: int, last: int) -> _Phrase:
    """Copy some words of a sentence; all that leads out of them is hung under their head."""
    text, offsets = _text(source)
    base = offsets[first - 1][0]
    top = _top(source, first, last).id
    words = []
    for word in range(first, last + 1):
        head = source[word].head
        above = head if first <= head <= last else top
        start, end = offsets[word - 1]
        words.append(
            replace(
                source[word],
                id=word - first + 1,
                head=0 if word == top else above - first + 1,
                start=start - base,
                end=end - base,
            )
        )
    return _Phrase(text[base : offsets[last - 1][1]], tuple(words))


def _begun(phrase: _Phrase, letter: str) -> _Phrase:
    """Return a phrase with another first letter."""
    word = phrase.words[0]
    begun = replace(word, form=letter + word.form[1:])
    return _Phrase(letter + phrase.text[1:], (begun, *phrase.words[1:]))


def _owning(phrase: _Phrase) -> _Phrase:
    """Return a phrase with the mark of the possessive behind it."""
    end = len(phrase.text)
    mark = Token(
        len(phrase.words) + 1, "'s", "'s", "PART", "POS", phrase.head, "case", "_", end, end + 2
    )
    return _Phrase(phrase.text + "'s", (*phrase.words, mark))


def _top(tree: Tree, first: int, last: int) -> Token:
    """Return the word of a span whose head lies outside it."""
    words = tree.tokens[first - 1 : last]
    return next((word for word in words if not first <= word.head <= last), words[0])


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
