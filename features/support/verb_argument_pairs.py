"""SRL verb-argument pairs: each predicate with an argument, with the same of the other sentence."""

from __future__ import annotations

from collections.abc import Iterable

from babi_cascade.features.group import SupportGroup
from babi_cascade.features.support.sentence_pairs import SentencePairs
from babi_cascade.pipeline.frames import Frame
from babi_cascade.pipeline.read import ReadSentence


class VerbArgumentPairs(SentencePairs, SupportGroup):
    """Group (5) of appendix B.

    With ``roles`` an argument is told with its role, as the relation to its predicate (subject, object,
    preposition), else only that it is an argument of the predicate. What a question asks for is an
    argument too, filled by its question word.
    """

    name = "verb-argument-pairs"
    description = "each predicate and argument of one sentence with each of the other"

    def of_sentence(self, sentence: ReadSentence) -> Iterable[str]:
        """Return "predicate|role|filler", distinct, in order."""
        return dict.fromkeys(a for frame in sentence.frames for a in self._of(frame))

    def _of(self, frame: Frame) -> Iterable[str]:
        predicate = f"not {frame.predicate}" if frame.negated else frame.predicate
        fillers = [(argument.relation, argument.phrase) for argument in frame.arguments]
        if frame.asks is not None:
            fillers.append((frame.asks.relation, f"{frame.asks.word}?"))
        if frame.time is not None:
            fillers.append(("time", frame.time))
        for relation, phrase in fillers:
            yield f"{predicate}|{relation if self.roles else ''}|{phrase}"

    def say_one(self, text: str) -> str:
        """Return "“go” with obl:to = harbour"."""
        predicate, relation, phrase = text.split("|", 2)
        return f"“{predicate}” with {relation or 'argument'} = {phrase}"
