"""Support selection as numbers: questions and their facts become the examples of a tuple problem."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from babi_cascade.features.group import SLOT_PAIRS, SLOTS, AttributeGroup, DifferenceGroup
from babi_cascade.features.vocabulary import Vocabulary, distinct_sentences
from babi_cascade.pipeline.read import ReadQuestion
from babi_cascade.svm.tuples import TupleExamples

SLOTS_OF_FACTS = len(SLOTS) - 1


class SupportEncoder:
    """Numbers the support features of chosen groups; all that it learns comes from training questions."""

    def __init__(
        self,
        groups: Mapping[str, AttributeGroup | DifferenceGroup],
        max_facts: int = SLOTS_OF_FACTS,
    ) -> None:
        self.groups = dict(groups)
        self.max_facts = max_facts
        self._attribute_groups = {
            name: group for name, group in groups.items() if isinstance(group, AttributeGroup)
        }
        self._difference_groups = {
            name: group for name, group in groups.items() if isinstance(group, DifferenceGroup)
        }

    def fit(self, questions: Sequence[ReadQuestion]) -> SupportEncoder:
        """Learn the attributes and differences that occur."""
        vocabulary = Vocabulary.learn(self._attribute_groups, distinct_sentences(questions))
        longest = max((asked.n_facts for asked in questions), default=0)
        return self._set(vocabulary, self._reach(longest))

    def _reach(self, longest: int) -> int:
        """Return the largest distance that some group tells from the one before it."""
        groups = self._difference_groups.values()
        reach = longest
        while reach > 1 and all(
            group.feature(sign * reach) == group.feature(sign * (reach - 1))
            for group in groups
            for sign in (-1, 1)
        ):
            reach -= 1
        return reach

    def _set(self, vocabulary: Vocabulary, reach: int) -> SupportEncoder:
        self.vocabulary_ = vocabulary
        self.reach_ = reach
        seen: dict[tuple[str, str], int] = {}
        for name, group in self._difference_groups.items():
            for difference in range(-reach, reach + 1):
                feature = group.feature(difference) if difference else None
                if feature is not None:
                    seen.setdefault((name, feature), len(seen))
        self.differences_ = seen
        return self

    def encode(self, questions: Sequence[ReadQuestion]) -> TupleExamples:
        """Return the examples; a question without known support has no facts as its label."""
        sentences = distinct_sentences(questions)
        number = {id(sentence): i for i, sentence in enumerate(sentences)}
        attribute_ptr, attribute_ids = _rows([self.vocabulary_.row(s) for s in sentences])
        words: dict[str, int] = {}
        content = [
            np.array(sorted(words.setdefault(w, len(words)) for w in sorted(s.content)), np.int32)
            for s in sentences
        ]
        content_ptr, content_ids = _rows(content)
        starts: dict[int, int] = {}
        lengths: dict[int, int] = {}
        for asked in questions:
            key = id(asked.story)
            lengths[key] = max(lengths.get(key, 0), asked.n_facts)
        facts: list[int] = []
        for asked in questions:
            key = id(asked.story)
            if key not in starts:
                starts[key] = len(facts)
                facts.extend(number[id(fact)] for fact in asked.story[: lengths[key]])
        difference_ptr, difference_ids = self._difference_rows()
        return TupleExamples(
            attribute_ptr=attribute_ptr,
            attribute_ids=attribute_ids,
            group_offsets=self.vocabulary_.offsets,
            content_ptr=content_ptr,
            content_ids=content_ids,
            difference_ptr=difference_ptr,
            difference_ids=difference_ids,
            n_difference_features=len(self.differences_),
            story_facts=np.array(facts, dtype=np.int32),
            fact_start=np.array([starts[id(a.story)] for a in questions], dtype=np.int64),
            n_facts=np.array([a.n_facts for a in questions], dtype=np.int32),
            question=np.array([number[id(a.question)] for a in questions], dtype=np.int32),
            labels=np.array([self.label(a) for a in questions], np.int32).reshape(
                -1, SLOTS_OF_FACTS
            ),
            max_facts=self.max_facts,
        )

    def forget(self, above: int = 0) -> None:
        """Let go of what was kept of sentences when it is more."""
        self.vocabulary_.forget(above)

    def _difference_rows(self) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
        """Feature ids for every difference from -reach-1 to reach+1; what is farther counts as the last."""
        rows = []
        for difference in range(-self.reach_ - 1, self.reach_ + 2):
            named = (
                (name, group.feature(difference)) for name, group in self._difference_groups.items()
            )
            ids = [self.differences_[key] for key in named if key in self.differences_]
            rows.append(np.array(ids, dtype=np.int32))
        return _rows(rows)

    def label(self, asked: ReadQuestion) -> list[int]:
        """Return the support as three positions, -1 for the empty fact.

        Of a support longer than ``max_facts`` (counting, lists) the last ones are kept: the latest
        events decide most of the answer, and the paper's model has room for three.
        """
        support = list(asked.support or ())[-self.max_facts :]
        return support + [-1] * (SLOTS_OF_FACTS - len(support))

    def explain(self, feature: int) -> tuple[str, str]:
        """Return the group of a feature and the feature in words."""
        sizes = self.vocabulary_.sizes
        block = sum(size * size for size in sizes) + len(self.differences_)
        pair, place = divmod(feature, block)
        if pair >= len(SLOT_PAIRS):
            return "empty-fact", f"there is no {SLOTS[place + 1]}"
        first, second = (SLOTS[slot] for slot in SLOT_PAIRS[pair])
        for (name, group), size in zip(self._attribute_groups.items(), sizes, strict=True):
            if place < size * size:
                attributes = self.vocabulary_.attributes[name]
                a, b = (group.say(attributes[i]) for i in divmod(place, size))
                return name, f"{a} in the {first} and {b} in the {second}"
            place -= size * size
        name, difference = list(self.differences_)[place]
        return name, self._difference_groups[name].say(difference, first, second)

    def to_json(self) -> dict[str, Any]:
        """Return what was learned."""
        return {"attributes": self.vocabulary_.to_json(), "reach": self.reach_}

    def restore(self, record: Mapping[str, Any]) -> SupportEncoder:
        """Take over what ``to_json`` returned."""
        vocabulary = Vocabulary(self._attribute_groups, record["attributes"])
        return self._set(vocabulary, int(record["reach"]))


def _rows(rows: Sequence[NDArray[np.int32]]) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
    """Join rows of different lengths: where each begins, and all values."""
    ptr = np.zeros(len(rows) + 1, dtype=np.int64)
    np.cumsum([len(row) for row in rows], out=ptr[1:])
    values = np.concatenate(rows) if rows else np.zeros(0)
    return ptr, values.astype(np.int32)
