"""Word pairs: one indicator for each word of one sentence with each word of the other."""

from __future__ import annotations

from collections.abc import Iterable

from babi_cascade.pipeline.read import ReadSentence


class WordPairs:
    """Group (1) of appendix B."""

    name = "word-pairs"
    description = "each word of one sentence with each word of the other"

    def attributes(self, sentence: ReadSentence) -> Iterable[str]:
        """Return the words, in lower case, without punctuation."""
        return sentence.words

    def say(self, attribute: str) -> str:
        """Return a word in quotes."""
        return f"“{attribute}”"
