"""SRL verb-argument pairs: each verb with an argument, with the same of the other sentence."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from babi_cascade.features.group import SupportGroup
from babi_cascade.features.presets import NO_ROLES, RELATIONS
from babi_cascade.features.support.sentence_pairs import SentencePairs
from babi_cascade.pipeline.frames import Frame
from babi_cascade.pipeline.read import ReadSentence


class VerbArgumentPairs(SentencePairs, SupportGroup):
    """Group (5) of appendix B: what the labeller says of a verb, and nothing else.

    An argument is told with its role and its preposition ("ARG4 to harbour"); a question word, a negation and
    a time are arguments where the labeller calls them so. With the dependency relations as roles every
    argument of the tree counts.
    """

    name = "verb-argument-pairs"
    description = "each verb and argument of one sentence with each of the other"

    def of_sentence(self, sentence: ReadSentence) -> Iterable[str]:
        """Return "verb|role|filler", distinct, in order."""
        return dict.fromkeys(
            f"{self.predicate(frame)}|{role if self.roles != NO_ROLES else ''}|{filler}"
            for frame in sentence.frames
            for role, filler in self.arguments(frame)
        )

    def predicate(self, frame: Frame) -> str:
        """Return what stands for the predicate of a frame."""
        return frame.verb

    def arguments(self, frame: Frame) -> Iterator[tuple[str, str]]:
        """Yield roles and fillers."""
        relations = self.roles == RELATIONS
        for each in frame.arguments:
            if relations:
                yield each.relation, each.phrase
            elif each.role:
                yield each.role, f"{each.preposition} {each.phrase}".strip()
        asks = frame.asks
        if asks is not None and (relations or asks.role):
            yield asks.relation if relations else asks.role, f"{asks.word} {asks.phrase}".strip()
        if not relations:
            yield from frame.unplaced

    def say_one(self, text: str) -> str:
        """Return "“go” with ARG4 = to harbour"."""
        predicate, role, filler = text.split("|", 2)
        return f"“{predicate}” with {role or 'argument'} = {filler}"
