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

from features.group import SLOT_PAIRS, SLOTS, AttributeGroup
from features.question_words import QuestionWords
from features.vocabulary import Vocabulary, distinct_sentences
from pipeline.annotate.reader import ReadQuestion, ReadSentence
from svm.ranking import RankingExamples

Codes = NDArray[np.int64]
Support = Sequence[int]


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
        codes = [self._codes(a, s) for a, s in zip(questions, supports, strict=True)]
        if codes:
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

    def encode(
        self, questions: Sequence[ReadQuestion], supports: Sequence[Support]
    ) -> RankingExamples:
        """Return the examples; an answer that was not met in training, or is not known, is -1."""
        rows = [self._known(self._codes(a, s)) for a, s in zip(questions, supports, strict=True)]
        ptr = np.zeros(len(rows) + 1, dtype=np.int64)
        np.cumsum([len(row) for row in rows], out=ptr[1:])
        labels = [self._answer_number.get(a.source.answer or "", -1) for a in questions]
        return RankingExamples(
            attribute_ptr=ptr,
            attribute_ids=np.concatenate(rows) if rows else np.zeros(0, dtype=np.int32),
            n_attributes=len(self.codes_),
            n_classes=len(self.answers_),
            labels=np.array(labels, dtype=np.int32),
        )

    def _known(self, codes: Codes) -> NDArray[np.int32]:
        place = np.searchsorted(self.codes_, codes)
        place[place == len(self.codes_)] = 0
        known: NDArray[np.int32] = place[self.codes_[place] == codes].astype(np.int32)
        return known

    def _codes(self, asked: ReadQuestion, support: Support) -> Codes:
        """Return the codes of a question with some facts, ascending."""
        alone = [
            self._word_number[word]
            for group in self._alone.values()
            for word in group.of_question(asked.question)
            if word in self._word_number
        ]
        parts = [np.array([0, *(1 + number for number in sorted(alone))], dtype=np.int64)]
        chosen: list[ReadSentence] = [asked.question, *(asked.story[i] for i in support)]
        rows = [self.vocabulary_.row(sentence) for sentence in chosen]
        for pair, (first, second) in enumerate(SLOT_PAIRS):
            if second < len(rows):
                parts.append(self._pair_codes(pair, rows[first], rows[second]))
        return np.concatenate(parts)

    def _pair_codes(self, pair: int, a: NDArray[np.int32], b: NDArray[np.int32]) -> Codes:
        base = self._pair_base + pair * self._block
        offsets, codes = self.vocabulary_.offsets, []
        for start, end in pairwise(offsets.tolist()):
            size = int(end - start)
            p = a[np.searchsorted(a, start) : np.searchsorted(a, end)].astype(np.int64) - start
            q = b[np.searchsorted(b, start) : np.searchsorted(b, end)].astype(np.int64) - start
            codes.append((base + p[:, None] * size + q[None, :]).ravel())
            base += size * size
        return np.concatenate(codes) if codes else np.zeros(0, dtype=np.int64)

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
