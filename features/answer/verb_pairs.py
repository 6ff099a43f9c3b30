"""Verbs of the question and its facts in pairs, conjoined with the answer."""

from __future__ import annotations

from babi_cascade.features.group import AnswerGroup
from babi_cascade.features.support.verb_pairs import VerbPairs


class AnswerVerbPairs(VerbPairs, AnswerGroup):
    """Each verb of one sentence with each verb of the other, with the answer."""

    name = "answer-verb-pairs"
