"""Pass: two noun phrases with the same words mean the same."""

from __future__ import annotations

from babi_cascade.pipeline.coref.document import Document, Node, nested


class ExactMatch:
    """Join phrases that agree in all words, articles apart ("the tall man", "that tall man").

    "A man" after "a man" is a second man, and is left alone.
    """

    name = "exact match"

    def run(self, document: Document) -> None:
        """Join each phrase with the last one of the same words."""
        last: dict[tuple[str, bool], Node] = {}
        for node in document.nodes:
            if node.pronoun:
                continue
            key = (node.text, node.mention.kind == "list")
            earlier = last.get(key)
            if earlier is not None and not node.indefinite and not nested(earlier, node):
                document.join(earlier, node)
            last[key] = node
