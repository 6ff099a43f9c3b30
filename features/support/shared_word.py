"""Shared words: a fact without a word in common with the question or another fact is no candidate."""

from __future__ import annotations

from collections.abc import Iterable

from babi_cascade.features.group import Rule, SupportGroup
from babi_cascade.pipeline.read import ReadSentence


class SharedWord(SupportGroup):
    """The pruning of appendix B: words that are no determiners link sentences."""

    name = "shared-word"
    description = (
        "every chosen fact shares a word (no determiner) with the question or another chosen fact"
    )
    rule = Rule.LINKED_FACTS

    def links(self, sentence: ReadSentence) -> Iterable[str]:
        """Return the words that are no determiners."""
        return sentence.content
