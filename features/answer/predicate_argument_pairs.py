"""Predicates and arguments of the question and its facts in pairs, conjoined with the answer."""

from __future__ import annotations

from babi_cascade.features.group import AnswerGroup
from babi_cascade.features.support.predicate_argument_pairs import PredicateArgumentPairs


class AnswerPredicateArgumentPairs(PredicateArgumentPairs, AnswerGroup):
    """Each of one sentence with each of the other, with the answer."""

    name = "answer-predicate-argument-pairs"
