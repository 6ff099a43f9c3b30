"""SRL verb pairs: each verb of one sentence with each verb of the other."""

from __future__ import annotations

from collections.abc import Iterable

from babi_cascade.features.group import SupportGroup
from babi_cascade.features.presets import RELATIONS
from babi_cascade.features.support.sentence_pairs import SentencePairs
from babi_cascade.pipeline.read import ReadSentence


class VerbPairs(SentencePairs, SupportGroup):
    """Group (4) of appendix B: a verb is one of which the labeller says something."""

    name = "verb-pairs"
    description = "each verb of one sentence with each verb of the other"

    def of_sentence(self, sentence: ReadSentence) -> Iterable[str]:
        """Return the distinct verbs of a sentence."""
        return dict.fromkeys(
            frame.verb for frame in sentence.frames if frame.is_labelled or self.roles == RELATIONS
        )

    def say_one(self, text: str) -> str:
        """Return a verb in quotes."""
        return f"the verb “{text}”"
