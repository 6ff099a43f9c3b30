"""Chains: questions that rest on more facts than there are slots."""

from __future__ import annotations

from babi_cascade.features.group import Rule, SupportGroup


class Chain(SupportGroup):
    """Where training has more than three facts for a kind of question, any number may be chosen.

    The facts of a chain ascend and share the weights of one slot; counting and lists need this.
    """

    name = "chain"
    description = "any number of facts for questions of a kind that had more than three in training"
    rule = Rule.CHAINS
