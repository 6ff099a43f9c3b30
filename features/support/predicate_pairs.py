"""Predicate pairs: what the tree makes of verbs, in pairs of sentences."""

from __future__ import annotations

from collections.abc import Iterable

from babi_cascade.features.group import SupportGroup
from babi_cascade.features.support.sentence_pairs import SentencePairs
from babi_cascade.pipeline.read import ReadSentence


class PredicatePairs(SentencePairs, SupportGroup):
    """More than appendix B has: a copula counts with what makes it a relation ("be north of")."""

    name = "predicate-pairs"
    description = "each predicate of one sentence with each predicate of the other"

    def of_sentence(self, sentence: ReadSentence) -> Iterable[str]:
        """Return the distinct predicates of a sentence; a negated one is another predicate."""
        return dict.fromkeys(frame.full_predicate for frame in sentence.frames)

    def say_one(self, text: str) -> str:
        """Return a predicate in quotes."""
        return f"the predicate “{text}”"
