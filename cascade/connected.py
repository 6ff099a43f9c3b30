"""Long stories: only what hangs together with the question is read.

A sentence that names nothing of the question can be a supporting fact all the same, where it names what
another one leads to. Which links lead on is learned, by kinds of questions: in training, facts that name
nothing of the question were linked with others by a filler, in one role here and another there. Of a long
story are read

* the sentences that share a filler with the question,
* those that share one, other than a pronoun, with one of these, in roles that led on in training, and so
  on, as many steps as training needed for questions of the kind.

Whom a pronoun means is looked for in the sentence before it. All else is as in a short story, and what the
search chooses among these sentences is exact.

The index gives the sentences that have the words of a filler; whether they have the filler their outline
says. With ``whole`` every sentence is read, and the result is the same: the index leaves out only what has
no filler of that name.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from babi_cascade.features.links import linked
from babi_cascade.features.outline import Outline
from babi_cascade.features.support_encoder import SupportEncoder
from babi_cascade.pipeline.coref.attributes import PRONOUNS
from babi_cascade.pipeline.read import ReadQuestion, ReadSentence, StoryReader
from babi_cascade.pipeline.stories import Question, Sentence
from babi_cascade.pipeline.stories.background import refers_back
from babi_cascade.pipeline.stories.book import Book, Index

BEFORE = 1
"""Sentences before a pronoun in which whom it means is looked for."""

MOST = 300
"""What more sentences may name leads nowhere: nothing hangs together by it."""


class Connected:
    """Reads what is connected with a question in the sentences before it.

    ``n_read`` counts the sentences that were read.
    """

    def __init__(
        self,
        reader: StoryReader,
        encoder: SupportEncoder,
        question: Question,
        *,
        whole: bool = False,
    ) -> None:
        self._reader = reader
        self._encoder = encoder
        self._question = question
        self._facts = question.facts
        self._index = None if whole else index_of(question.facts)
        self._read: dict[int, ReadSentence] = {}

    @property
    def n_read(self) -> int:
        """How many sentences were read."""
        return len(self._read)

    def read(self) -> ReadQuestion:
        """Return the question with the facts that are connected with it."""
        (asked,) = self._reader.sentences([((), self._question.text)])
        outline = self._encoder.stories.outline(asked)
        fresh = found = self._sharing((outline,), None)
        for roles in self._encoder.links_.of(outline):
            fresh = self._sharing((self._outline(i) for i in sorted(fresh)), roles) - found
            found = found | fresh
        return self._as_read(asked, sorted(found))

    def _sharing(
        self, outlines: Iterable[Outline], roles: frozenset[tuple[str, str]] | None
    ) -> set[int]:
        """Return the sentences that share a filler with one of these, in linked roles if any are given."""
        sought: dict[str, list[Outline]] = {}
        for outline in outlines:
            for role, filler in outline.roles:
                if filler not in PRONOUNS and (
                    roles is None or any(linked(role, a) for a, _ in roles)
                ):
                    sought.setdefault(filler, []).append(outline)
        places = {filler: self._naming(filler) for filler in sought}
        if roles is not None:
            places = {filler: there for filler, there in places.items() if len(there) <= MOST}
        self._read_all(dict.fromkeys(i for there in places.values() for i in there))
        found = set()
        for filler, there in places.items():
            for i in there:
                outline = self._outline(i)
                if roles is None:
                    shares = any(name == filler for _, name in outline.roles)
                else:
                    shares = any(_leads(one, outline, filler, roles) for one in sought[filler])
                if shares:
                    found.add(i)
        return found

    def _naming(self, filler: str) -> list[int]:
        """Return the sentences that may have a filler: by its words, or by a pronoun not far behind them."""
        if self._index is None:
            return list(range(len(self._facts)))
        places = self._index.having([filler]).tolist()
        n = len(self._facts)
        behind = (j for i in places for j in range(i + 1, min(i + 1 + BEFORE, n)))
        return sorted({*places, *(j for j in behind if refers_back(self._facts[j].text))})

    def _read_all(self, places: Iterable[int]) -> None:
        new = [i for i in places if i not in self._read]
        texts = [self._facts[i].text for i in new]
        before = [
            tuple(fact.text for fact in self._facts[max(0, i - BEFORE) : i])
            if refers_back(text)
            else ()
            for i, text in zip(new, texts, strict=True)
        ]
        self._read.update(
            zip(new, self._reader.sentences(list(zip(before, texts, strict=True))), strict=True)
        )

    def _outline(self, place: int) -> Outline:
        return self._encoder.stories.outline(self._read[place])

    def _as_read(self, asked: ReadSentence, places: Sequence[int]) -> ReadQuestion:
        question = self._question
        facts = tuple([self._facts[i] for i in places])
        lines = {fact.line for fact in facts}
        support = question.support and tuple(line for line in question.support if line in lines)
        return ReadQuestion(
            replace(question, facts=facts, support=support),
            asked,
            tuple([self._read[i] for i in places]),
            len(places),
            self.n_read,
        )


def _leads(one: Outline, other: Outline, filler: str, roles: frozenset[tuple[str, str]]) -> bool:
    """Say whether two sentences share a filler in roles that lead on."""
    return any(
        linked(here, a) and linked(there, b)
        for a, b in roles
        for here, name in one.roles
        if name == filler
        for there, same in other.roles
        if same == filler
    )


def index_of(facts: Sequence[Sentence]) -> Index:
    """Return the index of a story."""
    return facts.words if isinstance(facts, Book) else Index.of(fact.text for fact in facts)
