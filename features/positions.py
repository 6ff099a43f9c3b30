"""Roles without a parser: learned from where words stand in training questions and their facts.

Three things are learned, all of them by counting:

* which capital letter goes with which small one (words that differ in the first letter only);
* which words *name* something: they are answers, or they stand in a question and in its supporting facts
  (or in two of these) together more often than by chance, and do not always stand in the same place; a word
  that always stands beside the same name belongs to it;
* which of the other words are frequent: these *anchors* name the role of what stands between them.

What is left of a sentence when its names are taken out is its predicate. Letters are only compared, never
looked at, so the same text in another alphabet gives the same roles.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from babi_cascade.features.outline import Outline
from babi_cascade.pipeline.read import ReadQuestion, ReadSentence
from babi_cascade.pipeline.stories import tokenize

FREQUENT = 0.3
"""Share of the statements (or questions) that an anchor stands in."""

LIFT = 1.2
"""So many times more often than by chance a name of a question stands in its facts."""

FACT_LIFT = 2.0
"""The same for two facts of one question: these resemble each other anyhow."""

RARE = 0.5
"""Share of the statements below which a word of a question leads to what it rests on."""

SHORT = 2
"""Words that are not longer prove nothing about letters: too many differ in the first one only."""

START, GAP = "^", "_"


class PositionalOutliner:
    """Outlines sentences by learned names and anchors."""

    kind = "positions"

    def __init__(self) -> None:
        self.small: dict[str, str] = {}
        self.names: dict[str, None] = {}
        self.joined: dict[str, str] = {}
        self.anchors: dict[str, None] = {}

    def fit(self, questions: Sequence[ReadQuestion]) -> PositionalOutliner:
        """Learn letters, names and anchors from training questions."""
        facts: dict[str, list[str]] = {}
        asked: dict[str, list[str]] = {}
        for question in questions:
            asked.setdefault(question.question.text, _words(question.question.text))
            for fact in question.facts:
                facts.setdefault(fact.text, _words(fact.text))
        answers = [a for q in questions for a in _words((q.source.answer or "").replace(",", " "))]
        self.small = _small_letters([*facts.values(), *asked.values(), answers])
        told = {text: self._folded(words) for text, words in facts.items()}
        posed = {text: self._folded(words) for text, words in asked.items()}
        frequent = _frequent(told.values()) | _frequent(posed.values())
        answered = dict.fromkeys(self._folded(answers))
        shared = _associated(questions, told, posed)
        fixed = _fixed([*told.values(), *posed.values()])
        said = dict.fromkeys(word for words in told.values() for word in words)
        self.names = {
            word: None
            for word in said
            if word in answered or (word in shared and word not in fixed)
        }
        self.joined = _companions([*told.values(), *posed.values()], self.names)
        self.anchors = {
            word: None for word in frequent if word not in self.names and word not in self.joined
        }
        return self

    def outline(self, sentence: ReadSentence) -> Outline:
        """Outline a sentence: names in their roles, the rest is its predicate."""
        original = _words(sentence.text)
        words, original = self._with_companions(self._folded(original), original)
        question = "?" in sentence.text
        roles: list[tuple[str, str]] = []
        texts: dict[str, str] = {}
        before: list[str] = [START]
        for at, word in enumerate(words):
            if self._is_name(word):
                role = " ".join(before[-2:]) or f"{GAP} {self._next_anchor(words[at + 1 :])}"
                roles.append((role, word))
                texts.setdefault(word, original[at])
                before = []
            elif word in self.anchors:
                before.append(word)
        skeleton = " ".join(GAP if self._is_name(word) else word for word in words)
        others = [word for word in words if not self._is_name(word)]
        return Outline(
            predicate=skeleton,
            shape=" / ".join(dict.fromkeys(role for role, _ in roles)),
            time="",
            kind=skeleton if question else "",
            asked=others[0] if question and others else "",
            roles=tuple(dict.fromkeys(roles)),
            texts=texts,
        )

    def to_json(self) -> dict[str, Any]:
        """Return what was learned."""
        return {
            "kind": self.kind,
            "small": self.small,
            "names": list(self.names),
            "joined": self.joined,
            "anchors": list(self.anchors),
        }

    def restore(self, record: Mapping[str, Any]) -> PositionalOutliner:
        """Take over what ``to_json`` returned."""
        self.small = dict(record["small"])
        self.names = dict.fromkeys(record["names"])
        self.joined = dict(record["joined"])
        self.anchors = dict.fromkeys(record["anchors"])
        return self

    def _folded(self, words: Iterable[str]) -> list[str]:
        return [self.small.get(word[0], word[0]) + word[1:] for word in words]

    def _is_name(self, word: str) -> bool:
        return " " in word or word in self.names

    def _with_companions(
        self, words: list[str], original: list[str]
    ) -> tuple[list[str], list[str]]:
        """Join every name with the words that belong to it."""
        out: list[str] = []
        shown: list[str] = []
        for word, text in zip(words, original, strict=True):
            before = out[-1].rpartition(" ")[2] if out else ""
            if out and (self.joined.get(before) == word or self.joined.get(word) == before):
                out[-1] += f" {word}"
                shown[-1] += f" {text}"
            else:
                out.append(word)
                shown.append(text)
        return out, shown

    def _next_anchor(self, words: Sequence[str]) -> str:
        return next((word for word in words if word in self.anchors), "")


def _words(text: str) -> list[str]:
    return [word for word in tokenize(text) if any(map(str.isalnum, word))]


def _small_letters(sentences: Iterable[Sequence[str]]) -> dict[str, str]:
    """Return for every capital letter the small one that most words have in its place."""
    heads: dict[str, dict[str, None]] = {}
    for words in sentences:
        for word in words:
            if len(word) > SHORT:
                heads.setdefault(word[1:], {})[word[0]] = None
    votes: dict[str, Counter[str]] = {}
    for letters in heads.values():
        small = [letter for letter in letters if not letter.isupper()]
        for capital in letters:
            if capital.isupper() and len(small) == 1:
                votes.setdefault(capital, Counter())[small[0]] += 1
    return {capital: seen.most_common(1)[0][0] for capital, seen in votes.items()}


def _frequent(sentences: Iterable[Sequence[str]]) -> dict[str, None]:
    counts: Counter[str] = Counter()
    total = 0
    for words in sentences:
        counts.update(list(dict.fromkeys(words)))
        total += 1
    return {word: None for word, count in counts.items() if count >= FREQUENT * total}


def _associated(
    questions: Sequence[ReadQuestion], told: Mapping[str, list[str]], posed: Mapping[str, list[str]]
) -> set[str]:
    """Return the words of questions that their supporting facts have more often than other facts do."""
    of_story: Counter[str] = Counter()
    n_facts = 0
    together: Counter[str] = Counter()
    expected: Counter[str] = Counter()
    for question in questions:
        for fact in question.facts:
            of_story.update(set(told[fact.text]))
            n_facts += 1
    share = {word: count / n_facts for word, count in of_story.items()}
    supports = {id(q): q.support or _guessed(q, told, posed, share) for q in questions}
    for question in questions:
        support = [told[question.story[i].text] for i in supports[id(question)]]
        for word in set(posed[question.question.text]):
            absent = 1.0
            for _ in support:
                absent *= 1.0 - of_story[word] / max(n_facts, 1)
            expected[word] += 1.0 - absent  # type: ignore[assignment]
            together[word] += any(word in fact for fact in support)
    found = {word for word, count in together.items() if count > LIFT * expected[word]}
    return found | _linking(questions, told, share, supports)


def _guessed(
    question: ReadQuestion,
    told: Mapping[str, list[str]],
    posed: Mapping[str, list[str]],
    share: Mapping[str, float],
) -> tuple[int, ...]:
    """Guess which facts a question rests on, where nobody told: the last with each rare word of it.

    Then the last with the answer. The guess only has to be right more often than chance: what names something
    is found by counting. ``share`` says which words are rare.
    """
    facts = [set(told[fact.text]) for fact in question.facts]
    answer = set(_words((question.source.answer or "").replace(",", " ")))
    asked = [word for word in posed[question.question.text] if share.get(word, 1.0) < RARE]
    wanted = [*({word} for word in asked), answer]
    last = [[i for i, fact in enumerate(facts) if fact & words][-1:] for words in wanted]
    return tuple(dict.fromkeys(i for found in last for i in found))


def _linking(
    questions: Sequence[ReadQuestion],
    told: Mapping[str, list[str]],
    share: Mapping[str, float],
    supports: Mapping[int, tuple[int, ...]],
) -> set[str]:
    """Return the words that stand in two supporting facts of one question more often than by chance."""
    together: Counter[str] = Counter()
    seen: Counter[str] = Counter()
    for question in questions:
        support = [set(told[question.story[i].text]) for i in supports[id(question)]]
        for one, fact in enumerate(support):
            for two, other in enumerate(support):
                if one != two:
                    seen.update(fact)
                    together.update(fact & other)
    return {
        word for word, count in together.items() if count > FACT_LIFT * seen[word] * share[word]
    }


def _companions(sentences: Sequence[Sequence[str]], names: Mapping[str, None]) -> dict[str, str]:
    """Return the words that are no names but always stand right before, or right after, the same name."""
    after: dict[str, set[str]] = {}
    before: dict[str, set[str]] = {}
    for words in sentences:
        for at, word in enumerate(words):
            after.setdefault(word, set()).add(words[at + 1] if at + 1 < len(words) else "")
            before.setdefault(word, set()).add(words[at - 1] if at else "")
    found: dict[str, str] = {}
    for word in after:
        for beside in (after[word], before[word]):
            if len(beside) == 1 and word not in names and next(iter(beside)) in names:
                found[word] = next(iter(beside))
    return found


def _fixed(sentences: Iterable[Sequence[str]]) -> set[str]:
    """Return words that always have the same word behind them, or the same one or two before them."""
    after: dict[str, set[str]] = {}
    before: dict[str, set[tuple[str, ...]]] = {}
    for words in sentences:
        for at, word in enumerate(words):
            after.setdefault(word, set()).add(words[at + 1] if at + 1 < len(words) else "")
            before.setdefault(word, set()).add(tuple(words[max(at - 2, 0) : at]))
    return {
        word
        for word in after
        if (len(after[word]) == 1 and "" not in after[word])
        or (len(before[word]) == 1 and () not in before[word])
    }
