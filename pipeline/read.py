"""Questions as the cascade sees them: coreference resolved, words and frames beside every sentence.

The paper's order: first each pronoun is replaced by the first mention of its entity, then the sentence is
labelled as it now reads. A sentence is read once, however many stories repeat it, and every story that
repeats it shares the same object: the feature groups work on distinct sentences.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from babi_cascade.pipeline.annotator import Annotator
from babi_cascade.pipeline.coref.replace import replace_mentions
from babi_cascade.pipeline.frames import Frame
from babi_cascade.pipeline.stories import Prefix, Question, Sentence, tokenize
from babi_cascade.pipeline.trees import Tree

REPLACED = ("pronoun",)
"""Kinds of mentions that are replaced. Names and noun phrases say themselves who they mean."""

_PRONOUN = {"PRP", "PRP$"}


@dataclass(frozen=True, slots=True, eq=False)
class ReadSentence:
    """A sentence after coreference; ``words`` are distinct, in order, in lower case, without punctuation.

    ``content`` are the words that are no determiners: what two sentences must share to be matched.
    """

    text: str
    words: tuple[str, ...]
    content: frozenset[str]
    frames: tuple[Frame, ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class ReadQuestion:
    """A question with the facts before it, all read. ``source`` is the question as it was given.

    ``story`` holds the facts of the whole story, shared by its questions; the first ``n_facts`` come before
    this question.
    """

    source: Question
    question: ReadSentence
    story: tuple[ReadSentence, ...]
    n_facts: int

    @property
    def facts(self) -> tuple[ReadSentence, ...]:
        """The facts that come before the question, in order."""
        return self.story[: self.n_facts]

    @property
    def support(self) -> tuple[int, ...] | None:
        """Positions of the supporting facts among the facts, in the order of the file."""
        if self.source.support is None:
            return None
        place = {fact.line: position for position, fact in enumerate(self.source.facts)}
        return tuple(place[line] for line in self.source.support)


class StoryReader:
    """Reads questions with the back ends of an annotator; without one, only words are read."""

    def __init__(self, annotator: Annotator | None = None) -> None:
        self.annotator = annotator
        self._read: dict[str, ReadSentence] = {}
        self._has_pronoun: dict[str, bool] = {}

    @property
    def fingerprint(self) -> str:
        """What decides the result."""
        return "words only" if self.annotator is None else self.annotator.fingerprint

    def read(self, questions: Iterable[Question]) -> list[ReadQuestion]:
        """Return the questions, read, in the same order."""
        asked = list(questions)
        stories = _stories(asked)
        texts = self._resolved(asked, stories)
        if self.annotator is not None:
            self.annotator.prepare(text for both in texts for part in both for text in part)
        read: list[ReadQuestion | None] = [None] * len(asked)
        for (facts, members), (told, questioned) in zip(stories, texts, strict=True):
            story = tuple(self._sentence(text) for text in told)
            assert len(story) == len(facts)
            for index, text in zip(members, questioned, strict=True):
                question = asked[index]
                n_facts = len(question.facts)
                read[index] = ReadQuestion(question, self._sentence(text), story, n_facts)
        return [question for question in read if question is not None]

    def forget(self, above: int = 0) -> None:
        """Let go of the sentences read so far when there are more; the cache on disk keeps them."""
        if len(self._read) > above:
            self._read.clear()
            self._has_pronoun.clear()
        if self.annotator is not None:
            self.annotator.forget(above)

    def _resolved(
        self, asked: list[Question], stories: list[tuple[Sequence[Sentence], list[int]]]
    ) -> list[tuple[list[str], list[str]]]:
        """Return the texts of facts and questions of every story with its pronouns replaced."""
        annotator = self.annotator
        plain = [
            ([fact.text for fact in facts], [asked[index].text for index in members])
            for facts, members in stories
        ]
        if annotator is None or annotator.coref.name == "none":
            return plain
        annotator.prepare(text for both in plain for part in both for text in part)
        # A story, or a question with what was told before it, each with its pronouns replaced.
        tellings: dict[tuple[str, ...], list[str]] = {}
        resolved: list[tuple[tuple[str, ...], list[tuple[str, ...]]]] = []
        for (told, questioned), (_, members) in zip(plain, stories, strict=True):
            before = [told[: len(asked[index].facts)] for index in members]
            resolved.append((tuple(told), [
                (*facts, text) if self._pronouns([text]) else (text,)
                for text, facts in zip(questioned, before, strict=True)
            ]))  # fmt: skip
            for each in (resolved[-1][0], *resolved[-1][1]):
                tellings.setdefault(each, list(each))
        self._replace(tellings)
        return [
            (tellings[told], [tellings[each][-1] for each in questioned])
            for told, questioned in resolved
        ]

    def _replace(self, tellings: dict[tuple[str, ...], list[str]]) -> None:
        """Replace the pronouns of those that have some."""
        annotator = self.annotator
        assert annotator is not None
        some = [told for told in tellings if self._pronouns(told)]
        for told, clusters in zip(some, annotator.resolve_all(some), strict=True):
            trees = [annotator.tree(text) for text in told]
            tellings[told] = [new.text for new in replace_mentions(trees, clusters, REPLACED)]

    def _pronouns(self, told: Sequence[str]) -> bool:
        known = self._has_pronoun
        for text in told:
            found = known.get(text)
            if found is None:
                found = known[text] = self._pronoun_in(text)
            if found:
                return True
        return False

    def _pronoun_in(self, text: str) -> bool:
        assert self.annotator is not None
        return any(token.xpos in _PRONOUN or (token.upos == "PRON" and token.xpos == "_")
                   for token in self.annotator.tree(text))  # fmt: skip

    def _sentence(self, text: str) -> ReadSentence:
        known = self._read.get(text)
        if known is None:
            known = self._read[text] = self._fresh(text)
        return known

    def _fresh(self, text: str) -> ReadSentence:
        words = tuple(
            dict.fromkeys(word.lower() for word in tokenize(text) if any(map(str.isalnum, word)))
        )
        if self.annotator is None:
            return ReadSentence(text, words, frozenset(words))
        tree = self.annotator.tree(text)
        content = frozenset(words) - _determiners(tree)
        return ReadSentence(text, words, content, self.annotator.frames(text))


def _determiners(tree: Tree) -> frozenset[str]:
    return frozenset(token.form.lower() for token in tree if token.upos == "DET")


def _stories(asked: list[Question]) -> list[tuple[Sequence[Sentence], list[int]]]:
    """Group questions that share their facts: the longest list of facts and the questions' indices."""
    groups: dict[tuple[str, int], tuple[Sequence[Sentence], list[int]]] = {}
    for index, question in enumerate(asked):
        facts = question.facts
        key = ("story", facts.story) if isinstance(facts, Prefix) else ("question", index)
        longest, members = groups.setdefault(key, (facts, []))
        members.append(index)
        if len(facts) > len(longest):
            groups[key] = (facts, members)
    return list(groups.values())
