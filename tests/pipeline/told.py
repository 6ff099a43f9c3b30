"""Stories for tests, from their lines."""

from __future__ import annotations

from babi_cascade.pipeline.coref import Replaced
from babi_cascade.pipeline.stories import Question, Sentence, Story
from babi_cascade.pipeline.trees import Tree


def told(*texts: str) -> Story:
    """A story; lines that end in a question mark are its questions."""
    facts: list[Sentence] = []
    lines: list[Sentence | Question] = []
    for number, text in enumerate(texts, start=1):
        if text.endswith("?"):
            lines.append(Question(number, text, None, None, tuple(facts)))
        else:
            facts.append(Sentence(number, text))
            lines.append(facts[-1])
    return Story(tuple(lines))


def as_written(*trees: Tree) -> list[Replaced]:
    """Sentences in which nothing was replaced."""
    return [Replaced(tree, tree) for tree in trees]
