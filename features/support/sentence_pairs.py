"""What the groups that pair texts of two sentences have in common."""

from __future__ import annotations

from babi_cascade.features.group import Attribute, Group


class SentencePairs(Group):
    """One indicator for each text of one sentence with each text of the other."""

    def say_one(self, text: str) -> str:
        """Return the text of one sentence in words."""
        return f"“{text}”"

    def say(self, attribute: Attribute, first: str, second: str) -> str:
        """Return "“went” in the first fact and “took” in the second fact"."""
        one, other = attribute
        return f"{self.say_one(one)} in the {first} and {self.say_one(other)} in the {second}"
