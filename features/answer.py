"""Answer ranking as numbers: a question with chosen facts becomes a set of attributes.

The response stage of appendix B: words of the question, and pairs of words, verbs and verb-arguments of the
question and the supporting facts (the same six pairs as before), each conjoined with the answer. The
conjunction is the ranking problem's: one weight for every attribute and answer.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from babi_cascade.features.group import SLOT_PAIRS, SLOTS, AttributeGroup
from babi_cascade.features.question_words import QuestionWords
from babi_cascade.features.vocabulary import Vocabulary, distinct_sentences
from babi_cascade.pipeline.read import ReadQuestion, ReadSentence
from babi_cascade.svm.ranking import RankingExamples

Codes = NDArray[np.int64]
Support = Sequence[int]

ALONE = -1
Piece = tuple[int, ReadSentence, ReadSentence]
"""A pair of slots and the two sentences in it; ALONE with the question twice is what it says by itself."""


class AnswerEncoder:
    """Numbers the answer features of chosen groups; answers and attributes come from training questions.

    A feature is first a *code* (slot pair, group, attribute, attribute); the codes that occur in training
    are numbered, in ascending order, and make up the columns of the ranking problem.
    """

    codes_: Codes

    def __init__(self, groups: Mapping[str, AttributeGroup | QuestionWords]) -> None:
        self.groups = dict(groups)
        self._pairs = {n: g for n, g in groups.items() if isinstance(g, AttributeGroup)}
        self._alone = {n: g for n, g in groups.items() if isinstance(g, QuestionWords)}

    def fit(self, questions: Sequence[ReadQuestion], supports: Sequence[Support]) -> AnswerEncoder:
        """Learn answers, attributes and the codes that occur with the given supports."""
        answers = sorted({a.source.answer for a in questions if a.source.answer is not None})
        vocabulary = Vocabulary.learn(self._pairs, distinct_sentences(questions))
        words = sorted(
            {
                w
                for asked in questions
                for g in self._alone.values()
                for w in g.of_question(asked.question)
            }
        )
        self._set(answers, vocabulary, words, np.zeros(0, dtype=np.int64))
        pieces = {
            _key(piece): piece
            for asked, support in zip(questions, supports, strict=True)
            for piece in _pieces(asked, support)
        }
        if pieces:
            codes = [self._codes(*piece) for piece in pieces.values()]
            self.codes_ = np.unique(np.concatenate(codes))
        return self

    def _set(
        self, answers: Sequence[str], vocabulary: Vocabulary, words: Sequence[str], codes: Codes
    ) -> None:
        self.answers_ = tuple(answers)
        self.vocabulary_ = vocabulary
        self.words_ = tuple(words)
        self.codes_ = codes
        self._word_number = {word: i for i, word in enumerate(self.words_)}
        self._answer_number = {answer: i for i, answer in enumerate(self.answers_)}
        # Code 0 is there for every question: how frequent an answer is.
        self._pair_base = 1 + len(self.words_)
        self._block = sum(size * size for size in vocabulary.sizes)
        self._columns: dict[tuple[int, int, int], tuple[Piece, NDArray[np.int32]]] = {}

    def encode(
        self, questions: Sequence[ReadQuestion], supports: Sequence[Support]
    ) -> RankingExamples:
        """Return the examples; an answer that was not met in training, or is not known, is -1."""
        rows: list[NDArray[np.int32]] = [np.zeros(0, dtype=np.int32)]
        ptr = np.zeros(len(questions) + 1, dtype=np.int64)
        for number, (asked, support) in enumerate(zip(questions, supports, strict=True), start=1):
            own = [self._columns_of(piece) for piece in _pieces(asked, support)]
            rows += own
            ptr[number] = ptr[number - 1] + sum(map(len, own))
        labels = [self._answer_number.get(a.source.answer or "", -1) for a in questions]
        return RankingExamples(
            attribute_ptr=ptr,
            attribute_ids=np.concatenate(rows),
            n_attributes=len(self.codes_),
            n_classes=len(self.answers_),
            labels=np.array(labels, dtype=np.int32),
        )

    def _columns_of(self, piece: Piece) -> NDArray[np.int32]:
        """Return the columns of a piece; found once, since stories repeat their sentences."""
        key = _key(piece)
        found = self._columns.get(key)
        if found is None:
            # The sentences are kept beside their columns, so that their ids stay their own.
            found = self._columns[key] = (piece, self._known(self._codes(*piece)))
        return found[1]

    def _known(self, codes: Codes) -> NDArray[np.int32]:
        place = np.searchsorted(self.codes_, codes)
        place[place == len(self.codes_)] = 0
        known: NDArray[np.int32] = place[self.codes_[place] == codes].astype(np.int32)
        return known

    def _codes(self, pair: int, first: ReadSentence, second: ReadSentence) -> Codes:
        """Return the codes of a piece, ascending."""
        if pair == ALONE:
            alone = [
                1 + self._word_number[word]
                for group in self._alone.values()
                for word in group.of_question(first)
                if word in self._word_number
            ]
            return np.array([0, *sorted(alone)], dtype=np.int64)
        a, b = self.vocabulary_.row(first), self.vocabulary_.row(second)
        offsets = self.vocabulary_.offsets
        cuts_a, cuts_b = np.searchsorted(a, offsets).tolist(), np.searchsorted(b, offsets).tolist()
        base, codes = self._pair_base + pair * self._block, [np.zeros(0, dtype=np.int64)]
        for group, (start, end) in enumerate(pairwise(offsets.tolist())):
            size = end - start
            p = a[cuts_a[group] : cuts_a[group + 1]].astype(np.int64) - start
            q = b[cuts_b[group] : cuts_b[group + 1]].astype(np.int64) - start
            codes.append((base + p[:, None] * size + q[None, :]).ravel())
            base += size * size
        return np.concatenate(codes)

    def forget(self, above: int = 0) -> None:
        """Let go of what was kept of sentences when it is more."""
        self.vocabulary_.forget(above)
        if len(self._columns) > above:
            self._columns.clear()

    def explain(self, feature: int) -> tuple[str, str]:
        """Return the group of a feature of the ranking problem and the feature in words."""
        attribute, answer = divmod(feature, len(self.answers_))
        group, words = self._in_words(int(self.codes_[attribute]))
        return group, f"{words}, for the answer “{self.answers_[answer]}”"

    def _in_words(self, code: int) -> tuple[str, str]:
        if code == 0:
            return "answer", "how often it is the answer"
        if code < self._pair_base:
            name, group = next(iter(self._alone.items()))
            return name, group.say(self.words_[code - 1])
        pair, place = divmod(code - self._pair_base, self._block)
        first, second = (SLOTS[slot] for slot in SLOT_PAIRS[pair])
        for (name, pairs), size in zip(self._pairs.items(), self.vocabulary_.sizes, strict=True):
            if place < size * size:
                attributes = self.vocabulary_.attributes[name]
                a, b = (pairs.say(attributes[i]) for i in divmod(place, size))
                return name, f"{a} in the {first} and {b} in the {second}"
            place -= size * size
        raise IndexError(f"no answer feature has the code {code}")

    def to_json(self) -> dict[str, Any]:
        """Return what was learned, but for ``codes_``."""
        return {
            "answers": list(self.answers_),
            "attributes": self.vocabulary_.to_json(),
            "words": list(self.words_),
        }

    def restore(self, record: Mapping[str, Any], codes: Codes) -> AnswerEncoder:
        """Take over what ``to_json`` returned."""
        vocabulary = Vocabulary(self._pairs, record["attributes"])
        self._set(record["answers"], vocabulary, record["words"], codes)
        return self


def _pieces(asked: ReadQuestion, support: Support) -> list[Piece]:
    """Return what the features of a question with some facts come from, in the order of their codes."""
    chosen = [asked.question, *(asked.story[i] for i in support)]
    pairs = [
        (pair, chosen[first], chosen[second])
        for pair, (first, second) in enumerate(SLOT_PAIRS)
        if second < len(chosen)
    ]
    return [(ALONE, asked.question, asked.question), *pairs]


def _key(piece: Piece) -> tuple[int, int, int]:
    pair, first, second = piece
    return pair, id(first), id(second)
