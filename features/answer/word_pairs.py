"""Word pairs of the question and its facts, conjoined with the answer."""

from __future__ import annotations

from babi_cascade.features.group import AnswerGroup
from babi_cascade.features.support.word_pairs import WordPairs


class AnswerWordPairs(WordPairs, AnswerGroup):
    """Each word of one sentence with each word of the other, with the answer."""

    name = "answer-word-pairs"
