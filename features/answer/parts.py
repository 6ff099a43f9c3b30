"""Answers in parts: lists and sequences are answered item by item."""

from __future__ import annotations

from babi_cascade.features.group import AnswerGroup, Rule


class AnswerParts(AnswerGroup):
    """Whether "salt,pepper" is a list of things, two choices in a row or one word is tried in training."""

    name = "answer-parts"
    description = "lists and sequences are put together from their items"
    rule = Rule.PARTS
