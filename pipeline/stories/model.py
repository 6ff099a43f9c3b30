"""What a story is to the rest of the project: numbered sentences, and questions about them."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields
from itertools import islice
from typing import Any, SupportsIndex, overload

# Punctuation is listed rather than taken from \W, because \w leaves out the vowel signs of Indic
# scripts and would cut their words in two. Apostrophe and hyphen may stand inside a word.
_MARKS = r"!-/:-@\[-^`{-~¡§«¶·»¿‐-‧‰-⁞।॥、-〃〈-】〔-〟！-／：-＠［-］｛-･"
_TOKEN = re.compile(rf"[^\s{_MARKS}]+(?:['’-][^\s{_MARKS}]+)*|[{_MARKS}]")


def tokenize(text: str) -> tuple[str, ...]:
    """Cut a text into words and single punctuation marks, as they are written."""
    return tuple(_TOKEN.findall(text))


def _setters(owner: type[Any]) -> list[Callable[[object, object], None]]:
    """Give the functions that set the slots of a data class, in the order of its fields."""
    return [getattr(owner, field.name).__set__ for field in fields(owner)]


# Sentence and Question are made by the hundred thousand. The constructor that dataclasses write for
# frozen classes looks each attribute up by name and takes twice the time of the slots' own setters,
# which are defined below the classes.


@dataclass(frozen=True, slots=True, init=False)
class Sentence:
    """A statement of a story and the number of its line there."""

    line: int
    text: str

    def __init__(self, line: int, text: str) -> None:
        _sentence_line(self, line)
        _sentence_text(self, text)

    @property
    def tokens(self) -> tuple[str, ...]:
        """Words and punctuation in order, upper and lower case kept."""
        return tokenize(self.text)


_sentence_line, _sentence_text = _setters(Sentence)


@dataclass(frozen=True, slots=True, init=False)
class Question:
    """A question, what is known of its answer, and the story so far.

    `support` holds the line numbers of the facts that give the answer, in the order of the file;
    None means that nothing is known of it, which is not the same as an empty support. `facts` are
    the statements that come before the question. `pad` is the white space that stood before the
    first TAB of a bAbI line: it means nothing, and is kept so that a released file survives
    reading and writing byte for byte. One of `choices`, where there are any, is the answer. `extra` is what
    else a JSON line said of it: it is handed on to the prediction and means nothing here.
    """

    line: int
    text: str
    answer: str | None
    support: tuple[int, ...] | None
    facts: Sequence[Sentence]
    id: str | None = None
    pad: str = ""
    choices: tuple[str, ...] | None = None
    extra: Mapping[str, Any] | None = field(default=None, hash=False)

    def __init__(
        self,
        line: int,
        text: str,
        answer: str | None,
        support: tuple[int, ...] | None,
        facts: Sequence[Sentence],
        id: str | None = None,
        pad: str = "",
        choices: tuple[str, ...] | None = None,
        extra: Mapping[str, Any] | None = None,
    ) -> None:
        _question_line(self, line)
        _question_text(self, text)
        _question_answer(self, answer)
        _question_support(self, support)
        _question_facts(self, facts)
        _question_id(self, id)
        _question_pad(self, pad)
        _question_choices(self, choices)
        _question_extra(self, extra)

    @property
    def answers(self) -> tuple[str, ...]:
        """The items of the answer: several are joined by commas; empty when it is not known."""
        if self.answer is None:
            return ()
        return tuple(item.strip() for item in self.answer.split(","))

    @property
    def tokens(self) -> tuple[str, ...]:
        """Words and punctuation in order, upper and lower case kept."""
        return tokenize(self.text)

    @property
    def supporting(self) -> tuple[Sentence, ...]:
        """The supporting facts themselves, in the order of `support`."""
        if not self.support:
            return ()
        by_line = {fact.line: fact for fact in self.facts}
        return tuple(by_line[line] for line in self.support)


(
    _question_line,
    _question_text,
    _question_answer,
    _question_support,
    _question_facts,
    _question_id,
    _question_pad,
    _question_choices,
    _question_extra,
) = _setters(Question)


@dataclass(frozen=True, slots=True)
class Story:
    """The lines of a story in order; `start` says where in its file the first one stands."""

    lines: tuple[Sentence | Question, ...]
    start: int = field(default=1, compare=False)

    @property
    def sentences(self) -> tuple[Sentence, ...]:
        """The statements, without the questions between them."""
        return tuple(line for line in self.lines if isinstance(line, Sentence))

    @property
    def questions(self) -> tuple[Question, ...]:
        """The questions, each of which knows the statements before it."""
        return tuple(line for line in self.lines if isinstance(line, Question))


class Prefix(Sequence[Sentence]):
    """The first `length` sentences of a list that only ever grows.

    All questions of a story share one list, so that a story with n questions costs memory for n
    small views and not for n copies. Equals (and hashes like) a tuple of the same sentences.
    """

    __slots__ = ("_length", "_sentences")

    def __init__(self, sentences: list[Sentence], length: int) -> None:
        self._sentences = sentences
        self._length = length

    @property
    def story(self) -> int:
        """A number that the questions of one story share, as long as one of them is kept."""
        return id(self._sentences)

    def __len__(self) -> int:
        return self._length

    @overload
    def __getitem__(self, index: SupportsIndex) -> Sentence: ...

    @overload
    def __getitem__(self, index: slice[Any, Any, Any]) -> tuple[Sentence, ...]: ...

    def __getitem__(
        self, index: SupportsIndex | slice[Any, Any, Any]
    ) -> Sentence | tuple[Sentence, ...]:
        if isinstance(index, slice):
            return tuple(self._sentences[i] for i in range(*index.indices(self._length)))
        return self._sentences[range(self._length)[index]]

    def __iter__(self) -> Iterator[Sentence]:
        return islice(self._sentences, self._length)

    def __eq__(self, other: object) -> bool:
        if isinstance(other, Prefix) and other._sentences is self._sentences:
            return other._length == self._length
        if isinstance(other, Sequence) and not isinstance(other, (str, bytes)):
            return len(other) == self._length and tuple(self) == tuple(other)
        return NotImplemented

    def __hash__(self) -> int:
        return hash(tuple(self))

    def __repr__(self) -> str:
        if not self._length:
            return "<Prefix: no sentences>"
        return f"<Prefix: {self._length} sentences, lines {self[0].line} to {self[-1].line}>"
