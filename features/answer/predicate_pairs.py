"""Predicates of the question and its facts in pairs, conjoined with the answer."""

from __future__ import annotations

from babi_cascade.features.group import AnswerGroup
from babi_cascade.features.support.predicate_pairs import PredicatePairs


class AnswerPredicatePairs(PredicatePairs, AnswerGroup):
    """Each of one sentence with each of the other, with the answer."""

    name = "answer-predicate-pairs"
