"""Word pairs: one indicator for each word of one sentence with each word of the other."""

from __future__ import annotations

from collections.abc import Iterable

from babi_cascade.features.group import SupportGroup
from babi_cascade.features.support.sentence_pairs import SentencePairs
from babi_cascade.pipeline.read import ReadSentence


class WordPairs(SentencePairs, SupportGroup):
    """Group (1) of appendix B."""

    name = "word-pairs"
    description = "each word of one sentence with each word of the other"

    def of_sentence(self, sentence: ReadSentence) -> Iterable[str]:
        """Return the words, in lower case, without punctuation."""
        return sentence.words
