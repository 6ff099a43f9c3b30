"""Last mentions: for each thing that the facts name, what was said of it last. Enough to count."""

from __future__ import annotations

from collections.abc import Iterable

from babi_cascade.features.answer_case import ANY_FACT, AnswerCase
from babi_cascade.features.group import AnswerGroup, Attribute
from babi_cascade.features.outline import match_text
from babi_cascade.features.wording import asked_words, match_words, role_words


class AnswerLastMentions(AnswerGroup):
    """What the last fact that names a thing says, conjoined with the answer; additive over the things.

    Things that the question names itself are left out. Only for chains: with a slot for each fact, the
    slots say more.
    """

    name = "answer-last-mentions"
    description = "what is said last of each thing that the facts name, with the answer"

    def of_context(self, case: AnswerCase) -> Iterable[Attribute]:
        """The last mention of each thing."""
        named = {filler for _, filler in case.question.roles}
        last: dict[str, tuple[str, str, str]] = {}
        for fact in case.facts:
            if fact.slot != ANY_FACT:
                return
            for role, filler in fact.outline.roles:
                if filler not in named:
                    last[filler] = (role, fact.outline.predicate, match_text(fact.match))
        for role, predicate, match in last.values():
            yield ("last", case.part, role, match)
            yield ("last says", case.part, role, predicate, match)
            yield ("last asked", case.part, role, predicate, match, case.question.kind)

    def say(self, attribute: Attribute, first: str, second: str) -> str:
        """Return "something is last named as the obj of “…”"."""
        template, _, role, *more = attribute
        said = f" of “{more.pop(0)}”" if template != "last" else ""
        clause = match_words(more.pop(0), "question", "fact")
        end = asked_words(more[0]) if more else ""
        return f"something is named last as the {role_words(role)}{said}, {clause}{end}"
