"""How many pronouns of simulated stories are understood, by their truth files."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from babi_cascade.pipeline.backends import Coreference
from babi_cascade.pipeline.coref.lexicon import word_set
from babi_cascade.pipeline.coref.replace import replace_mentions
from babi_cascade.pipeline.trees import Tree

_PRONOUNS = word_set("he she it they him her them his its their")


class PronounTally:
    """Counts pronouns that are replaced by the names of exactly those whom they mean."""

    def __init__(self) -> None:
        self.pronouns = 0
        self.right = 0
        self.faults: Counter[str] = Counter()

    @property
    def accuracy(self) -> float:
        """The share of pronouns that are right; 1 where there are none."""
        return self.right / self.pronouns if self.pronouns else 1.0

    def add(
        self, lines: Sequence[Mapping[str, Any]], trees: Mapping[str, Tree], coref: Coreference
    ) -> None:
        """Compare the statements of one story, as truth files have them."""
        told = [line for line in lines if not line.get("question")]
        story = [trees[line["text"]] for line in told]
        if not any(_is_pronoun(mention) for line in told for mention in line["mentions"]):
            return
        names = _names(lines)
        replaced = replace_mentions(story, coref.resolve(story), ["pronoun"])
        for line, new in zip(told, replaced, strict=True):
            found = {change.start: change.new for change in new.changes}
            for mention in line["mentions"]:
                if not _is_pronoun(mention):
                    continue
                expected = {names.get(entity, entity) for entity in mention["entities"]}
                text = found.get(mention["start"], mention["text"])
                self.pronouns += 1
                if {part.strip().lower() for part in text.split(" and ")} == expected:
                    self.right += 1
                else:
                    means = " and ".join(sorted(expected))
                    self.faults[f"{mention['text']} → {text}, means {means}"] += 1

    def report(self, most: int = 10) -> list[str]:
        """Return the result and the most frequent faults as lines."""
        lines = [f" {100 * self.accuracy:.2f} % of {self.pronouns} pronouns mean whom they should"]
        return lines + [f"{count:6} × {fault}" for fault, count in self.faults.most_common(most)]


def _is_pronoun(mention: Mapping[str, Any]) -> bool:
    return str(mention["text"]).lower() in _PRONOUNS


def _names(lines: Sequence[Mapping[str, Any]]) -> dict[str, str]:
    """Return what each entity is called in the story."""
    return {
        mention["entities"][0]: mention["text"].lower()
        for line in lines
        for mention in line["mentions"]
        if len(mention["entities"]) == 1 and not _is_pronoun(mention)
    }
