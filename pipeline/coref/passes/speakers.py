"""Pass: the people who talk. "I" is one person, "you" another, as long as nobody else speaks."""

from __future__ import annotations

from babi_cascade.pipeline.coref.document import Document, Node


class Speakers:
    """Join the pronouns of the first and second person, each number apart.

    The text alone does not say who speaks, so one speaker and one listener are assumed; that is
    right in letters, speeches and most of an interview, where one person answers.
    """

    name = "speakers"

    def run(self, document: Document) -> None:
        """Join every such pronoun with the last of its kind."""
        last: dict[tuple[int, str], Node] = {}
        for node in document.nodes:
            mention = node.mention
            if not node.personal or mention.person == 3:
                continue
            key = (mention.person, mention.number if mention.person == 1 else "unknown")
            if key in last:
                document.join(last[key], node)
            last[key] = node
