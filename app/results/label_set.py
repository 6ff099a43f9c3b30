"""Whether what a language model said is right, by the labels that it names.

Of the first sentence, in lower case, all labels of the task are taken that occur in it, less those that
occur in the question. Right is who names the target and nothing else; of a list, exactly its items.

This file stands alone: a copy of it goes with the task files for lm-evaluation-harness.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

ENDS = (".", "<context>", "<example>", "Question")
"""Where the first sentence ends, and where a model has begun to make up more questions."""


def labels_of(targets: Iterable[str]) -> tuple[str, ...]:
    """Return the labels of a task, sorted: the items of all its answers."""
    items = {item.strip().lower() for target in targets for item in target.split(",")}
    return tuple(sorted(items - {""}))


def is_right(target: str, said: str, question: str, labels: Iterable[str]) -> bool:
    """Say whether exactly the target is named."""
    sentence = said.lower()
    for end in ENDS:
        sentence = sentence.split(end)[0]
    asked = question.lower()
    named = {label for label in labels if label in sentence and label not in asked}
    return named == {item.strip() for item in target.lower().split(",")}


def process_results(doc: Mapping[str, Any], results: Sequence[str]) -> dict[str, float]:
    """Score one document, as lm-evaluation-harness asks for it."""
    return {"label_set": float(is_right(doc["target"], results[0], doc["question"], doc["labels"]))}
