"""Answers by kind: "where" is answered by what "where" was answered by."""

from __future__ import annotations

from babi_cascade.features.group import AnswerGroup, Rule


class AnswerKinds(AnswerGroup):
    """Of the known answers only those that training gave to questions of the same kind are candidates."""

    name = "answer-kinds"
    description = "known answers are candidates for the kinds of questions that they answered"
    rule = Rule.ANSWERS_OF_KIND
