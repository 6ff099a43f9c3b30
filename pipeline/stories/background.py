"""Running text to hide a story in: what is drawn of it, and where the sentences of the story go.

A token is four characters, blanks between sentences included: a rule that needs no download and that
tokenizers of language models come close to in English prose. Whoever wants those of a tokenizer gives a
function that counts them.

A sentence of the background that names what a question rests on could change the answer. It is *in the way*,
and kept out: one that has a word of the question, or a word that two of question, answer and supporting facts
have in common, other than the most common words of the text.
"""

from __future__ import annotations

import hashlib
import math
import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from importlib import resources
from itertools import islice
from pathlib import Path

from babi_cascade.errors import UserError
from babi_cascade.pipeline.stories.errors import escaped
from babi_cascade.pipeline.stories.model import Question, Sentence, tokenize
from babi_cascade.pipeline.stories.splitting import split_book
from babi_cascade.pipeline.stories.stems import stem, stems

CHARACTERS = 4
"""Of a token."""

COMMON = 300
"""So many of the most common words of a text name nobody and nothing."""

LOOKED_AT = 20_000
"""Sentences in which the common words are counted."""

_REFERRING = re.compile(
    r"\b(he|him|his|himself|she|hers?|herself|its?|itself|they|them|theirs?|themselves)\b",
    re.IGNORECASE,
)

Count = Callable[[str], int]
"""Counts the tokens of a sentence and the blank behind it."""


def tokens(sentence: str) -> float:
    """Return how many tokens a sentence has, with the blank behind it."""
    return (len(sentence) + 1) / CHARACTERS


@dataclass(frozen=True)
class Background:
    """Sentences of running text in order."""

    sentences: Sequence[str]
    name: str

    @cached_property
    def common(self) -> frozenset[str]:
        """The stems of the most common words; a name is none of them, however often it comes."""
        some = self.sentences[:: len(self.sentences) // LOOKED_AT + 1]
        counts = Counter(s for text in some for s in stems_in(text))
        names = Counter(s for text in some for s in _capitals(text))
        small = [(s, n) for s, n in counts.items() if names[s] < n / 2 or s == stem("i")]
        return frozenset(s for s, _ in sorted(small, key=lambda each: (-each[1], each[0]))[:COMMON])

    @cached_property
    def fingerprint(self) -> str:
        """What tells one text from another."""
        return hashlib.sha256("\n".join(self.sentences).encode()).hexdigest()[:12]

    def part(self, first: float, last: float) -> Background:
        """Return the sentences between two shares of the text."""
        n = len(self.sentences)
        return Background(self.sentences[int(first * n) : int(last * n)], self.name)

    def since(self, start: int) -> Iterator[str]:
        """Yield the sentences from one of them on; behind the last one comes the first, without end."""
        while True:
            yield from islice(self.sentences, start, None)
            start = 0


def background_in(path: Path | None) -> Background:
    """Read a file, or all .txt files of a folder in the order of their names; None is what ships."""
    folder = (
        Path(str(resources.files("babi_cascade.data") / "background")) if path is None else path
    )
    files = sorted(folder.glob("*.txt")) if folder.is_dir() else [folder]
    sentences: list[str] = []
    for file in files:
        try:
            sentences += split_book(file.read_text(encoding="utf-8-sig"))
        except (OSError, UnicodeDecodeError) as error:
            reason = getattr(error, "strerror", None) or "not UTF-8 text"
            raise UserError(f"{escaped(str(file))}: cannot be read: {reason}") from error
    if not sentences:
        raise UserError(
            f"{escaped(str(folder))}: found no text, expected a text file, or a folder with .txt files"
        )
    return Background(sentences, "the sample" if path is None else path.name)


def named_background(path: Path) -> Background:
    """Read running text; the bare name "sample" means what ships, unless there is such a file."""
    return background_in(None if str(path) == "sample" and not path.exists() else path)


@dataclass(frozen=True, slots=True)
class Hidden:
    """A question whose facts stand among other sentences.

    ``places`` are the line numbers of the facts, in their order; ``kept_out`` the sentences of the background
    that were in the way.
    """

    question: Question
    places: tuple[int, ...]
    tokens: int
    kept_out: int


def hide(
    question: Question, background: Background, length: float, draw: Callable[[], float], *,
    between: tuple[float, float] = (0.0, 1.0), count: Callable[[str], float] = tokens,
) -> Hidden:  # fmt: skip
    """Return a question about a story of so many tokens.

    Parameters
    ----------
    draw : gives numbers from 0 to 1: where the background begins, and where the facts go
    between : the part of the background where the facts go, as two shares of its sentences
    count : counts the tokens of a sentence
    """
    facts = [fact.text for fact in question.facts]
    left = length - sum(map(count, facts))
    start = int(draw() * len(background.sentences))
    blocked = in_the_way(question, background.common)
    others: list[str] = []
    kept_out = 0
    for seen, sentence in enumerate(background.since(start), start=1):
        if not blocked.isdisjoint(stems_in(sentence)):
            kept_out += 1
            if kept_out == seen == len(background.sentences):
                raise UserError(f"{background.name}: every sentence names what a question rests on")
            continue
        left -= count(sentence)
        if left < 0:
            break
        others.append(sentence)
    return _placed(question, others, kept_out, draw, between, count)


def hide_among(
    question: Question, background: Background, n: int, draw: Callable[[], float]
) -> Hidden:
    """Return a question whose facts stand among so many sentences of the background."""
    start = int(draw() * len(background.sentences))
    blocked = in_the_way(question, background.common)
    free = (s for s in background.since(start) if blocked.isdisjoint(stems_in(s)))
    return _placed(question, list(islice(free, n)), 0, draw, (0.0, 1.0), tokens)


def _placed(
    question: Question, others: Sequence[str], kept_out: int, draw: Callable[[], float],
    between: tuple[float, float], count: Callable[[str], float],
) -> Hidden:  # fmt: skip
    """Put the facts at random boundaries; one that points back by a pronoun stays behind the one before."""
    first, last = (round(share * len(others)) for share in between)
    pointing = [i > 0 and refers_back(fact.text) for i, fact in enumerate(question.facts)]
    drawn = sorted(first + int(draw() * (last - first + 1)) for held in pointing if not held)
    gaps = iter(drawn)
    texts: list[str] = []
    places: list[int] = []
    done = gap = 0
    for fact, held in zip(question.facts, pointing, strict=True):
        if not held:
            gap = next(gaps)
        texts += others[done:gap]
        done = gap
        texts.append(fact.text)
        places.append(len(texts))
    texts += others[done:]
    line_of = {fact.line: place for fact, place in zip(question.facts, places, strict=True)}
    support = question.support
    hidden = replace(
        question,
        facts=tuple([Sentence(line, text) for line, text in enumerate(texts, start=1)]),
        line=len(texts) + 1,
        support=None if support is None else tuple([line_of[line] for line in support]),
        pad="",
    )
    return Hidden(hidden, tuple(places), math.ceil(sum(map(count, texts))), kept_out)


def in_the_way(question: Question, common: frozenset[str]) -> frozenset[str]:
    """Return the stems that no sentence of a background may have."""
    asked = set(stems_in(question.text))
    rests_on = [set(stems_in(question.answer or "")), asked]
    rests_on += [set(stems_in(fact.text)) for fact in question.supporting]
    counts = Counter(word for words in rests_on for word in words)
    return frozenset(word for word in counts if word in asked or counts[word] > 1) - common


def refers_back(text: str) -> bool:
    """Say whether a sentence has a pronoun of the third person."""
    return _REFERRING.search(text) is not None


def _capitals(text: str) -> Iterator[str]:
    """Yield the stems of the capitalised words that do not begin a text."""
    for token in tokenize(text)[1:]:
        if token[:1].isupper():
            yield from stems(token)


def stems_in(text: str) -> Iterator[str]:
    """Yield the stems of the words of a text."""
    for token in tokenize(text):
        if any(map(str.isalnum, token)):
            yield from stems(token)
