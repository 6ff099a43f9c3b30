"""What training was like: which questions were asked, and what the facts behind their answers looked like.

A linear model has a best answer to anything. Features that it never met count nothing, so a fact that says
the contrary of every fact in training ("did not go") can score like one of them. Here it is kept what was
met, to be able to say what was not.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

from babi_cascade.features.answer_case import ANY_FACT, AnswerCase
from babi_cascade.features.cases import AFTER, BEFORE
from babi_cascade.features.outline import match_text
from babi_cascade.features.question_kinds import asked_for
from babi_cascade.features.wording import MARK_ALTERNATIVE, role_words
from babi_cascade.pipeline.read import ReadQuestion

SAYS, ROLE, FUNCTION, MATCH = "says", "role", "function", "match"
SAYS_SO, TOGETHER, NAMED, PASSED = "says so", "together", "named", "passed over"
ORDER, KIND, UNSAID = "order", "kind", "never said"
ASPECTS = (SAYS, ROLE, FUNCTION, MATCH, SAYS_SO, TOGETHER, NAMED, PASSED, ORDER, KIND, UNSAID)
"""What can be new."""
Trait = tuple[str, str, str]
"""An aspect of the facts of a question, the slot of the fact, and what was met there."""

ANY_WORD = "*"
APART = " / "


@dataclass(frozen=True, slots=True)
class Novelty:
    """Something that training never had.

    ``grave``: what was met is used in a way that was not, so that nothing is known of its meaning; otherwise
    something new stands in a place that other things had. ``words`` are empty where there is no more to say.
    ``aspect`` is what is new.
    """

    words: str
    grave: bool
    aspect: str


class Experience:
    """What was met in training: words, kinds of questions, and the traits of their facts."""

    def __init__(self) -> None:
        self.told: dict[str, None] = {}  # words of facts
        self.questioned: dict[str, None] = {}  # words of questions
        self.kinds: dict[str, dict[Trait, None]] = {}
        self.asked: dict[str, str] = {}  # by kind

    def learn(
        self,
        questions: Sequence[ReadQuestion],
        cases: Sequence[AnswerCase],
        supports: Sequence[Sequence[int]],
        passed: Sequence[Iterable[str]],
    ) -> Experience:
        """Take in training questions with the facts they rest on.

        ``supports`` has where these facts stand in their stories, ``passed`` what the other facts say that
        match the question.
        """
        stories = {id(asked.story): asked.story for asked in questions}
        sentences = {id(fact): fact for story in stories.values() for fact in story}
        self.told = dict.fromkeys(word for fact in sentences.values() for word in fact.words)
        self.questioned = {}
        self.kinds, self.asked = {}, {}
        for asked, case, places, others in zip(questions, cases, supports, passed, strict=True):
            self.questioned.update(dict.fromkeys(asked.question.words))
            self.asked[case.question.kind] = case.question.asked
            met = self.kinds.setdefault(case.question.kind, {})
            met.update(dict.fromkeys(_traits(case, places)))
            # Sorted: the order of a set differs from one process to the next.
            met.update(dict.fromkeys((PASSED, "", predicate) for predicate in sorted(others)))
        return self

    def novelties(
        self,
        case: AnswerCase,
        names: Sequence[str],
        places: Sequence[int],
        passed: Iterable[tuple[str, str]] = (),
    ) -> list[Novelty]:
        """Return what is new about a question and its facts.

        ``names`` are what the facts are called, ``places`` where they stand in the story; ``passed`` has the
        names of the other facts that match the question, and what they say.
        """
        kind = case.question.kind
        met = self.kinds.get(kind)
        found = []
        if met is None:
            found.append(Novelty("no question like this was met in training", False, KIND))
            met = {}
            word = asked_for(case.question.asked)[-1]
            for other, asked in self.asked.items():
                if asked_for(asked)[-1] == word:
                    met |= self.kinds[other]
        for number, fact in enumerate(case.facts):
            new = [trait for trait in _of_fact(case, number) if trait not in met]
            found += self._judged(new, met, names[number], fact.outline.predicate)
        for number, trait in enumerate(_together(case)):
            if trait not in met:
                said = f"{names[number]} and {names[number + 1]} hang together as no facts did in training"
                found.append(Novelty(said, True, TOGETHER))
        for p, q, trait in _order(case, places):
            found += self._disordered(trait, met, f"{names[p]} and {names[q]}")
        if _named(case) not in met:
            found.append(Novelty(_unnamed(case), True, NAMED))
        usual = {value for aspect, _, value in met if aspect in (SAYS, PASSED)}
        unusual = [name for name, predicate in passed if predicate not in usual]
        if unusual:
            words = (
                f"what {unusual[0]} means for such a question was not learned, it was passed over"
            )
            found.append(Novelty(words, not case.facts, PASSED))
        return found

    def _judged(
        self, new: Sequence[Trait], met: Mapping[Trait, None], name: str, predicate: str
    ) -> Iterator[Novelty]:
        """Say what is new about one fact; of its roles, the gravest."""
        aspects = {aspect for aspect, _, _ in new}
        start = "in training no such question rested on a fact that"
        if SAYS in aspects:
            pattern = self._pattern(predicate)
            others = (v for a, slot, v in met if a == SAYS and slot == new[0][1])
            grave = not any(_fits(pattern, other.split()) for other in others)
            aspect = SAYS if not grave or predicate in self._said else UNSAID
            # A new verb is named among the new words.
            yield Novelty(f"{start} says “{predicate}” ({name})" if grave else "", grave, aspect)
        gravest = FUNCTION if FUNCTION in aspects else ROLE
        for role in (value for aspect, _, value in new if aspect == gravest):
            yield Novelty(
                f"{start} has a {role_words(role)} ({name})", gravest == FUNCTION, gravest
            )
        if MATCH in aspects:
            yield Novelty(
                f"in training no fact matched such a question as {name} does", True, MATCH
            )
        elif SAYS_SO in aspects and SAYS not in aspects:
            yield Novelty(
                f"{start} says “{predicate}” and matches it as {name} does", True, SAYS_SO
            )

    def _disordered(self, trait: Trait, met: Mapping[Trait, None], names: str) -> Iterator[Novelty]:
        """Say whether facts that match the question like these were met, but never in this order.

        One new time in the place of others is a mild doubt; how two new ones follow each other is not known.
        """
        usual = {value for aspect, slots, value in met if (aspect, slots) == trait[:2]}
        if not usual or trait[2] in usual:
            return
        place, *times = trait[2].split(APART)
        known = {
            time
            for traits in self.kinds.values()
            for aspect, _, value in traits
            if aspect == ORDER
            for time in ("", *value.split(APART)[1:])
        }
        pattern = [place, *(time if time in known else ANY_WORD for time in times)]
        fits = any(_fits(pattern, value.split(APART)) for value in usual)
        grave = not fits or pattern.count(ANY_WORD) > 1
        said = f"in training no facts of such a question followed in time as {names} do"
        yield Novelty(said, grave, ORDER)

    @property
    def _said(self) -> set[str]:
        """Return what any fact said."""
        traits = (trait for met in self.kinds.values() for trait in met)
        return {value for aspect, _, value in traits if aspect in (SAYS, PASSED)}

    def _pattern(self, predicate: str) -> list[str]:
        """Return the words of a predicate, those that were never met as a place for any word."""
        known = {
            word
            for met in self.kinds.values()
            for aspect, _, value in met
            if aspect in (SAYS, PASSED)
            for word in value.split()
        }
        return [word if word in known else ANY_WORD for word in predicate.split()]

    def to_json(self) -> dict[str, Any]:
        """Return what was met."""
        return {
            "told": list(self.told),
            "questioned": list(self.questioned),
            "asked": self.asked,
            "kinds": {kind: [list(t) for t in traits] for kind, traits in self.kinds.items()},
        }

    @classmethod
    def from_json(cls, record: Mapping[str, Any]) -> Experience:
        """Take over what ``to_json`` returned."""
        made = cls()
        made.told = dict.fromkeys(record["told"])
        made.questioned = dict.fromkeys(record["questioned"])
        made.asked = dict(record["asked"])
        made.kinds = {
            kind: dict.fromkeys((a, slot, value) for a, slot, value in traits)
            for kind, traits in record["kinds"].items()
        }
        return made


def _traits(case: AnswerCase, places: Sequence[int]) -> Iterator[Trait]:
    for number in range(len(case.facts)):
        yield from _of_fact(case, number)
    yield from _together(case)
    yield from (trait for _, _, trait in _order(case, places))
    yield _named(case)


def _of_fact(case: AnswerCase, number: int) -> Iterator[Trait]:
    fact = case.facts[number]
    yield (SAYS, fact.slot, fact.outline.predicate)
    yield (MATCH, fact.slot, match_text(fact.match))
    yield (SAYS_SO, fact.slot, f"{fact.outline.predicate}, {match_text(fact.match)}")
    for role, _ in fact.outline.roles:
        mark = MARK_ALTERNATIVE if role.endswith(MARK_ALTERNATIVE) else ""
        yield (ROLE, fact.slot, role)
        yield (FUNCTION, fact.slot, role.removesuffix(mark).partition(":")[0] + mark)


def _together(case: AnswerCase) -> Iterator[Trait]:
    for (p, _), match in sorted(case.between.items()):
        yield (TOGETHER, case.facts[p].slot, match_text(match))


def _order(case: AnswerCase, places: Sequence[int]) -> Iterator[tuple[int, int, Trait]]:
    """Yield for every two facts with slots of their own which stands first in the story, and their times.

    What an order means depends on how the facts match the question, so that is a part of the trait. The
    facts of a chain share a slot: any of them may come first.
    """
    own = [(number, fact) for number, fact in enumerate(case.facts) if fact.slot != ANY_FACT]
    for (p, one), (q, other) in combinations(own, 2):
        slots = f"{one.slot} ({match_text(one.match)}), {other.slot} ({match_text(other.match)})"
        place = BEFORE if places[p] < places[q] else AFTER
        yield p, q, (ORDER, slots, APART.join((place, one.outline.time, other.outline.time)))


def _named(case: AnswerCase) -> Trait:
    """Return which roles of the question are named by its facts."""
    met = {role for fact in case.facts for role, _ in fact.match}
    return (NAMED, "", "; ".join(sorted(met)))


def _unnamed(case: AnswerCase) -> str:
    met = {role for fact in case.facts for role, _ in fact.match}
    left = dict.fromkeys(f"“{filler}”" for role, filler in case.question.roles if role not in met)
    if not left:
        return "in training the facts of such a question never named all that it names"
    return f"no chosen fact says anything of {', '.join(left)}"


def _fits(pattern: Sequence[str], words: Sequence[str]) -> bool:
    return len(pattern) == len(words) and all(
        one in (ANY_WORD, other) for one, other in zip(pattern, words, strict=True)
    )
