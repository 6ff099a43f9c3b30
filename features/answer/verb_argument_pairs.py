"""Verbs and arguments of the question and its facts in pairs, conjoined with the answer."""

from __future__ import annotations

from babi_cascade.features.group import AnswerGroup
from babi_cascade.features.support.verb_argument_pairs import VerbArgumentPairs


class AnswerVerbArgumentPairs(VerbArgumentPairs, AnswerGroup):
    """Each verb and argument of one sentence with each of the other, with the answer."""

    name = "answer-verb-argument-pairs"
