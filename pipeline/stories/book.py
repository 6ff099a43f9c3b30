"""A text of millions of words as a story: its sentences, and an index from their words to their places.

Nothing of it is parsed here. The text is kept as bytes and a sentence is made when somebody asks for it, so
that memory is that of the text and of the index: about eight bytes a word.
"""

from __future__ import annotations

import hashlib
import io
import re
from array import array
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import SupportsIndex, overload
from zipfile import BadZipFile

import numpy as np
from numpy.typing import NDArray

from babi_cascade.errors import UserError
from babi_cascade.pipeline.stories.errors import escaped
from babi_cascade.pipeline.stories.model import Sentence, tokenize
from babi_cascade.pipeline.stories.saving import drafted
from babi_cascade.pipeline.stories.splitting import split_book
from babi_cascade.pipeline.stories.stems import stems

FORM = 1
_WORDS = re.compile(r"[a-z0-9'’-]+")
"""The words of a sentence in plain lower-case letters, found fast; others go through the tokenizer."""

Places = NDArray[np.int32]
NOWHERE: Places = np.zeros(0, np.int32)


class Index:
    """Where which stem stands: the sentences of each, ascending, each once."""

    def __init__(self, vocabulary: Sequence[str], ends: NDArray[np.int64], places: Places) -> None:
        self.vocabulary = vocabulary
        self.ends = ends
        self.places = places
        self._number = {word: number for number, word in enumerate(vocabulary)}

    @classmethod
    def of(cls, sentences: Iterable[str]) -> Index:
        """Index sentences."""
        numbers = _Numbers()
        tokens, lengths = array("i"), array("i")
        for text in sentences:
            small = text.lower()
            words = _WORDS.findall(small) if small.isascii() else tokenize(small)
            tokens.extend([numbers[word] for word in words])
            lengths.append(len(words))
        vocabulary = _Numbers()
        split = [[vocabulary[s] for s in stems(word)] for word in numbers]
        many = np.array([len(each) for each in split], np.int64)
        flat = np.array([number for each in split for number in each], np.int32)
        start = np.cumsum(many) - many
        words_of, counted = np.array(tokens, np.int32), np.array(lengths, np.int32)
        sentence = np.repeat(np.arange(len(counted), dtype=np.int32), counted)
        keys = []
        for depth in range(int(many.max(initial=0))):
            has = many[words_of] > depth
            stem_of = flat[start[words_of[has]] + depth]
            keys.append(stem_of.astype(np.int64) << 32 | sentence[has])
        every = np.unique(np.concatenate(keys)) if keys else np.zeros(0, np.int64)
        counts = np.bincount(every >> 32, minlength=len(vocabulary))
        return cls(list(vocabulary), np.cumsum(counts), (every & (1 << 32) - 1).astype(np.int32))

    def having(self, words: Iterable[str]) -> Places:
        """Return the sentences that have the stems of all of some words."""
        found: Places | None = None
        own = [s for word in words for token in tokenize(word) for s in stems(token)]
        for places in sorted((self._of(s) for s in own if any(map(str.isalnum, s))), key=len):
            found = places if found is None else np.intersect1d(found, places, assume_unique=True)
        return NOWHERE if found is None else found

    def _of(self, word: str) -> Places:
        number = self._number.get(word)
        if number is None:
            return NOWHERE
        first = int(self.ends[number - 1]) if number else 0
        return self.places[first : int(self.ends[number])]


class _Numbers(dict[str, int]):
    """Numbers words as they are met."""

    def __missing__(self, word: str) -> int:
        number = self[word] = len(self)
        return number


class Book(Sequence[Sentence]):
    """The sentences of a text in order, numbered from 1, with their index."""

    def __init__(self, text: bytes, ends: NDArray[np.int64], index: Index) -> None:
        self._text = text
        self._ends = ends
        self.words = index

    @classmethod
    def of(cls, sentences: Iterable[str]) -> Book:
        """Make a book of sentences."""
        buffer, ends = io.BytesIO(), array("q")

        def kept() -> Iterator[str]:
            for sentence in sentences:
                buffer.write(sentence.encode())
                ends.append(buffer.tell())
                yield sentence

        index = Index.of(kept())
        return cls(buffer.getvalue(), np.array(ends, np.int64), index)

    def __len__(self) -> int:
        return len(self._ends)

    @overload
    def __getitem__(self, index: SupportsIndex) -> Sentence: ...

    @overload
    def __getitem__(self, index: slice) -> tuple[Sentence, ...]: ...

    def __getitem__(self, index: SupportsIndex | slice) -> Sentence | tuple[Sentence, ...]:
        if isinstance(index, slice):
            return tuple(self[i] for i in range(*index.indices(len(self))))
        place = range(len(self))[index]
        first = int(self._ends[place - 1]) if place else 0
        return Sentence(place + 1, self._text[first : int(self._ends[place])].decode())

    def save(self, path: Path) -> None:
        """Keep the book; all of it or nothing."""
        words = "\n".join(self.words.vocabulary).encode()
        path.parent.mkdir(parents=True, exist_ok=True)
        with drafted(path) as draft, draft.open("xb") as stream:
            np.savez(
                stream, form=np.array([FORM]), text=np.frombuffer(self._text, np.uint8), ends=self._ends,
                words=np.frombuffer(words, np.uint8), word_ends=self.words.ends, places=self.words.places,
            )  # fmt: skip

    @classmethod
    def load(cls, path: Path) -> Book | None:
        """Return the book that was kept; None where there is none, or none that is whole."""
        try:
            with np.load(path, allow_pickle=False) as kept:
                if kept["form"].tolist() != [FORM]:
                    return None
                words = kept["words"].tobytes().decode().split("\n")
                index = Index(words, kept["word_ends"], kept["places"])
                book = cls(kept["text"].tobytes(), kept["ends"], index)
        except (OSError, ValueError, KeyError, EOFError, BadZipFile):
            return None
        return book if book._is_whole() else None

    def _is_whole(self) -> bool:
        """Say whether nothing that was read from a file leads outside."""
        words, ends = self.words, self._ends
        return bool(
            len(ends) > 0 < len(words.ends) == len(words.vocabulary)
            and ends[-1] == len(self._text)
            and words.ends[-1] == len(words.places)
            and all(np.all(each[1:] >= each[:-1]) and each[0] >= 0 for each in (ends, words.ends))
            and np.all((words.places >= 0) & (words.places < len(ends)))
        )


def open_book(path: Path, keep: Path | None = None) -> Book:
    """Return a text file as a book; in the folder ``keep`` it is ready the next time."""
    try:
        content = path.read_bytes()
        kept = keep / f"{hashlib.sha256(content).hexdigest()}.npz" if keep is not None else None
        book = Book.load(kept) if kept is not None else None
        if book is None:
            book = Book.of(split_book(content.decode("utf-8-sig")))
            if kept is not None and len(book):
                book.save(kept)
    except UnicodeDecodeError as error:
        raise UserError(f"{escaped(str(path))}: not UTF-8 text at byte {error.start}") from error
    except OSError as error:
        raise UserError(f"{escaped(str(path))}: cannot be read: {error.strerror}") from error
    if not len(book):
        raise UserError(f"{escaped(str(path))}: found no sentences, expected a text")
    return book
