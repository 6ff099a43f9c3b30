"""The one way from a story to what the cascade sees.

The paper's order: every sentence is parsed, the entities of the story are found, each mention (or each
pronoun) is replaced by the first mention of its entity, roles are labelled in the sentence as it now reads,
and tree and roles become frames. What the user sees of it (`annotate`, `ask`, `serve`, `report`) comes from
here too.

A sentence is read once, however many stories repeat it, and every story that repeats it shares the same
object: the feature groups work on distinct sentences.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from babi_cascade.pipeline.annotator import CHUNK, Annotator
from babi_cascade.pipeline.coref import Clusters, Mention, Replaced, replace_mentions
from babi_cascade.pipeline.coref.model import KINDS
from babi_cascade.pipeline.errors import ReadingError
from babi_cascade.pipeline.frames import Frame
from babi_cascade.pipeline.stories import Prefix, Question, Sentence, Story, tokenize
from babi_cascade.pipeline.trees import Tree

PRONOUNS = "pronouns"
REPLACED = {PRONOUNS: ("pronoun",), "all": tuple(kind for kind in KINDS if kind != "list")}
"""Kinds of mentions that are replaced. Left to themselves, names and noun phrases say who they mean.

Of a list ("Kofi and Ama") the members are replaced: some systems link it with any list that shares one.
"""

_PRONOUN = {"PRP", "PRP$"}


@dataclass(frozen=True, slots=True, eq=False)
class ReadSentence:
    """A sentence after coreference; ``words`` are distinct, in order, in lower case, without punctuation.

    ``content`` are the words that are no determiners: what two sentences must share to be matched.
    ``tree`` is that of the sentence as it reads now, None where only words are read.
    """

    text: str
    words: tuple[str, ...]
    content: frozenset[str]
    frames: tuple[Frame, ...] = ()
    tree: Tree | None = None


@dataclass(frozen=True, slots=True, eq=False)
class ReadQuestion:
    """A question with the facts before it, all read. ``source`` is the question as it was given.

    ``story`` holds the facts of the whole story, shared by its questions; the first ``n_facts`` come before
    this question. ``n_read`` says how many sentences were read for it, where these are not all of a story.
    """

    source: Question
    question: ReadSentence
    story: tuple[ReadSentence, ...]
    n_facts: int
    n_read: int | None = None

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


@dataclass(frozen=True, slots=True)
class ReadStory:
    """A story line by line, statements and questions: as it was written, and as the cascade gets it.

    ``clusters`` are the entities, their mentions in the sentences as written (``replaced[i].written``).
    """

    texts: tuple[str, ...]
    replaced: tuple[Replaced, ...]
    sentences: tuple[ReadSentence, ...]
    clusters: Clusters

    def to_json(self) -> dict[str, Any]:
        """Return texts, words, frames and entities as plain values.

        The numbers in frames count ``words``; those in entities count the words as written.
        """
        lines = []
        for text, sentence in zip(self.texts, self.sentences, strict=True):
            line: dict[str, Any] = {"text": text}
            if sentence.text != text:
                line["read_as"] = sentence.text
            line["words"] = [token.form for token in sentence.tree or ()]
            line["frames"] = [frame.to_json() for frame in sentence.frames]
            lines.append(line)
        return {"sentences": lines, **self.clusters.to_json()}


@dataclass(frozen=True, slots=True)
class _Told:
    """The facts of a story, and the questions about it with the number of facts before each."""

    facts: tuple[str, ...]
    questions: tuple[tuple[str, int], ...]

    def telling(self, question: int) -> tuple[str, ...]:
        """Return a question behind the facts that come before it: what its pronouns can mean."""
        text, n_facts = self.questions[question]
        return (*self.facts[:n_facts], text)

    @property
    def texts(self) -> list[str]:
        """The facts, then the questions."""
        return [*self.facts, *(text for text, _ in self.questions)]


@dataclass(frozen=True, slots=True)
class _Line:
    """A sentence after replacement, with the text it had before."""

    written: str
    sentence: Replaced

    @property
    def text(self) -> str:
        """The text after replacement; what was not changed keeps its own spaces."""
        return self.sentence.text if self.sentence.changes else self.written

    @property
    def key(self) -> str | Tree:
        """What decides how it is read."""
        return self.sentence.tree if self.sentence.changes else self.written


class StoryReader:
    """Reads stories with the stages of an annotator; without one, only words are read.

    Parameters
    ----------
    annotator : the stages
    replace : which mentions give way to the first mention of their entity: "pronouns" or "all"
    """

    def __init__(self, annotator: Annotator | None = None, replace: str = PRONOUNS) -> None:
        if replace not in REPLACED:
            raise ReadingError(f"replace: found {replace!r}, expected {' or '.join(REPLACED)}")
        self.annotator = annotator
        self.replace = replace
        self._others: dict[str, StoryReader] = {}
        self._read: dict[str | Tree, ReadSentence] = {}
        self._same: dict[tuple[str, frozenset[str], tuple[Frame, ...]], ReadSentence] = {}
        self._has_pronoun: dict[str, bool] = {}

    def __repr__(self) -> str:
        if self.annotator is None:
            return "StoryReader(words only)"
        return f"StoryReader(coref={self.annotator.coref.name}, srl={self.annotator.srl.name})"

    def __deepcopy__(self, memo: dict[int, Any]) -> StoryReader:
        """Return the same reader: what it has read is good for every copy of a system."""
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        """Go to another process without what was read so far."""
        return StoryReader, (self.annotator, self.replace)

    @property
    def fingerprint(self) -> str:
        """What decides the result."""
        if self.annotator is None:
            return "words only"
        other = "" if self.replace == PRONOUNS else f" | replaced: {self.replace}"
        return self.annotator.fingerprint + other

    def replacing(self, mentions: str) -> StoryReader:
        """Return a reader with the same stages that replaces these mentions."""
        if mentions == self.replace or self.annotator is None:
            return self
        other = self._others.get(mentions)
        if other is None:
            other = self._others[mentions] = StoryReader(self.annotator, mentions)
            other._others[self.replace] = self
        return other

    @property
    def reading(self) -> dict[str, str]:
        """The names of the back ends, and the fingerprints of all stages: how the stories are read."""
        annotator = self.annotator
        if annotator is None:
            return dict.fromkeys(("parser", "coref", "srl"), "none")
        return {
            "parser": annotator.parser.name,
            "coref": annotator.coref.name,
            "srl": annotator.srl.name,
            **{f"{stage}_fingerprint": made for stage, made in annotator.fingerprints.items()},
        }

    def read(self, questions: Iterable[Question]) -> list[ReadQuestion]:
        """Return the questions, read, in the same order."""
        asked = list(questions)
        groups = _stories(asked)
        told = [
            _Told(
                tuple([fact.text for fact in facts]),
                tuple([(asked[index].text, len(asked[index].facts)) for index in members]),
            )
            for facts, members in groups
        ]
        read: list[ReadQuestion | None] = [None] * len(asked)
        for (facts, members), sentences in zip(groups, self._sentences(told), strict=True):
            story = tuple(sentences[: len(facts)])
            for index, sentence in zip(members, sentences[len(facts) :], strict=True):
                question = asked[index]
                read[index] = ReadQuestion(question, sentence, story, len(question.facts))
        return [question for question in read if question is not None]

    def sentences(self, places: Sequence[tuple[tuple[str, ...], str]]) -> list[ReadSentence]:
        """Read sentences, each behind those that its pronouns may point back to."""
        if self.annotator is None:
            return [self._words_only(text) for _, text in places]
        self.annotator.parse(text for before, own in places for text in (*before, own))
        lines = [each[-1] for each in self._replaced([_behind(*place) for place in places])]
        self._label(lines)
        return [self._read[line.key] for line in lines]

    def stories(self, stories: Iterable[Story], *, entities: bool = True) -> Iterator[ReadStory]:
        """Yield stories line by line, read exactly as for their questions.

        Entities take most of the time where everything else is in the cache: every question is resolved
        with all that comes before it. Whoever shows none can leave them out.
        """
        annotator = self.annotator
        if annotator is None:
            raise ValueError("entities and frames need an annotator")
        every = list(stories)
        annotator.parse(line.text for story in every for line in story.lines)
        for start in range(0, len(every), CHUNK):
            part = every[start : start + CHUNK]
            told = [_told(story) for story in part]
            lines = self._replaced(told)
            self._label(line for each in lines for line in each)
            tellings = [telling for each in told for telling in _tellings(each)] if entities else []
            resolved = iter(annotator.resolve(tellings))
            for story, each, own in zip(part, told, lines, strict=True):
                order = _order(story)
                found = [next(resolved) for _ in _tellings(each)] if entities else []
                yield ReadStory(
                    tuple([line.text for line in story.lines]),
                    tuple([own[place].sentence for place in order]),
                    tuple([self._read[own[place].key] for place in order]),
                    _joined(each, found, order) if entities else Clusters(),
                )

    def forget(self, above: int = 0) -> None:
        """Let go of the sentences read so far when there are more; the cache on disk keeps them."""
        if len(self._read) > above:
            self._read.clear()
            self._same.clear()
            self._has_pronoun.clear()
        if self.annotator is not None:
            self.annotator.forget(above)

    def _sentences(self, told: Sequence[_Told]) -> list[list[ReadSentence]]:
        """Return the sentences of stories as they are read, facts first, then questions."""
        if self.annotator is None:
            return [[self._words_only(text) for text in each.texts] for each in told]
        self.annotator.parse(text for each in told for text in each.texts)
        lines = self._replaced(told)
        self._label(line for each in lines for line in each)
        return [[self._read[line.key] for line in each] for each in lines]

    def _replaced(self, told: Sequence[_Told]) -> list[list[_Line]]:
        """Return the sentences of stories with their mentions replaced, facts first, then questions."""
        annotator = self.annotator
        assert annotator is not None
        # Facts without a mention to replace stay as they are, and so does such a question.
        tellings: dict[tuple[str, ...], tuple[Replaced, ...]] = {}
        for each in told:
            if self._to_replace(each.facts):
                tellings[each.facts] = ()
            for number, (text, _) in enumerate(each.questions):
                if self._to_replace([text]):
                    tellings[each.telling(number)] = ()
        for telling, clusters in zip(tellings, annotator.resolve(list(tellings)), strict=True):
            trees = [annotator.tree(text) for text in telling]
            tellings[telling] = replace_mentions(trees, clusters, REPLACED[self.replace])
        found = []
        for each in told:
            facts = tellings.get(each.facts) or [self._as_written(text) for text in each.facts]
            lines = [_Line(text, new) for text, new in zip(each.facts, facts, strict=True)]
            for number, (text, _) in enumerate(each.questions):
                if self._to_replace([text]):
                    lines.append(_Line(text, tellings[each.telling(number)][-1]))
                else:
                    lines.append(_Line(text, self._as_written(text)))
            found.append(lines)
        return found

    def _label(self, lines: Iterable[_Line]) -> None:
        """Label the sentences that were not read yet, and make their frames."""
        assert self.annotator is not None
        new = {line.key: line for line in lines if line.key not in self._read}
        every = self.annotator.frames([line.sentence for line in new.values()])
        for (key, line), frames in zip(new.items(), every, strict=True):
            words = _words(line.text)
            content = frozenset(words) - _determiners(line.sentence.tree)
            fresh = ReadSentence(line.text, words, content, frames, line.sentence.tree)
            # The same object where one story has the name and another a pronoun for it.
            self._read[key] = self._same.setdefault((line.text, content, frames), fresh)

    def _as_written(self, text: str) -> Replaced:
        assert self.annotator is not None
        tree = self.annotator.tree(text)
        return Replaced(tree, tree)

    def _words_only(self, text: str) -> ReadSentence:
        known = self._read.get(text)
        if known is None:
            words = _words(text)
            known = self._read[text] = ReadSentence(text, words, frozenset(words))
        return known

    def _to_replace(self, told: Sequence[str]) -> bool:
        """Say whether a sentence may have a mention that is replaced."""
        assert self.annotator is not None
        if self.replace != PRONOUNS:
            return self.annotator.coref.name != "none"
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


def _words(text: str) -> tuple[str, ...]:
    words = (word.lower() for word in tokenize(text) if any(map(str.isalnum, word)))
    return tuple(dict.fromkeys(words))


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


def _told(story: Story) -> _Told:
    """Return the facts and questions of a story."""
    facts: list[str] = []
    questions: list[tuple[str, int]] = []
    for line in story.lines:
        if isinstance(line, Question):
            questions.append((line.text, len(facts)))
        else:
            facts.append(line.text)
    return _Told(tuple(facts), tuple(questions))


def _behind(before: tuple[str, ...], text: str) -> _Told:
    """Return a sentence as if it were a question about those before it."""
    return _Told(before, ((text, len(before)),))


def _order(story: Story) -> list[int]:
    """Return for each line of a story its place among the facts and, behind these, the questions."""
    questions = [isinstance(line, Question) for line in story.lines]
    n_facts = questions.count(False)
    places = {False: iter(range(n_facts)), True: iter(range(n_facts, len(questions)))}
    return [next(places[asked]) for asked in questions]


def _tellings(told: _Told) -> list[tuple[str, ...]]:
    """Return the facts, then every question behind the facts before it."""
    return [told.facts, *(told.telling(number) for number in range(len(told.questions)))]


def _joined(told: _Told, resolved: Sequence[Clusters], order: Sequence[int]) -> Clusters:
    """Return the entities of a whole story: those of its facts, with what its questions mention of them.

    Every question was resolved with the facts before it, as the cascade reads it.
    """
    line_of = {place: line for line, place in enumerate(order)}
    facts, *questions = resolved
    groups: dict[tuple[int, int], list[Mention]] = {}
    known: dict[tuple[int, int, int], int] = {}
    for number, entity in enumerate(facts):
        groups[0, number] = [replace(m, sentence=line_of[m.sentence]) for m in entity]
        known |= {mention.span: number for mention in entity}
    for question, ((_, n_facts), clusters) in enumerate(
        zip(told.questions, questions, strict=True)
    ):
        line = line_of[len(told.facts) + question]
        for number, entity in enumerate(clusters):
            told_before = [known[m.span] for m in entity if m.span in known]
            group = (0, told_before[0]) if told_before else (question + 1, number)
            asked = [replace(m, sentence=line) for m in entity if m.sentence == n_facts]
            if asked:
                groups.setdefault(group, []).extend(asked)
    return Clusters.of(groups.values())
