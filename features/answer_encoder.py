"""Answering as numbers: every part of an answer chooses among candidates.

Candidates are the answers that training gave and, if some group looks at where a candidate stands, whatever
the chosen facts name. Context attributes have a weight for each known answer, others one for any candidate.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from babi_cascade.features.answer_case import ANY_FACT, AnswerCase, ChosenFact, Place
from babi_cascade.features.answer_parts import (
    IN,
    LEMMA,
    LIST,
    MOST_ITEMS,
    OUT,
    SEQUENCE,
    TEXT,
    Shape,
    items,
    joined,
)
from babi_cascade.features.by_heart import Met, telling
from babi_cascade.features.group import AnswerGroup, Attribute, Rule, rules_of, said_safely, using
from babi_cascade.features.outline import Outline
from babi_cascade.features.question_kinds import KindTable, asked_for
from babi_cascade.features.story_cases import Numbers, StoryCases
from babi_cascade.features.support_encoder import FACTS, PAIRS_OF_FACTS, QUESTION, SupportEncoder
from babi_cascade.features.vocabulary import Vocabulary, distinct_sentences
from babi_cascade.features.world.states import Said
from babi_cascade.pipeline.read import ReadQuestion, ReadSentence
from babi_cascade.svm.arrays import Ints, Longs
from babi_cascade.svm.ranking import RankingExamples

Support = Sequence[int]

KNOWN, TOLD, ECHOED = "known", "told", "echoed"
SOURCES = (KNOWN, TOLD, ECHOED)
"""Where the answers to a kind of question come from: never from its facts ("yes"), from them but never out
of the question's own words, from anywhere. What training never did is not done."""

KEPT = 0.25
"""Questions with their facts that may be kept for each sentence that may be."""

PAIRS_OF_SENTENCES = (*((QUESTION, fact) for fact in FACTS), *PAIRS_OF_FACTS)
"""The pairs of appendix B, (x,f1) (x,f2) (x,f3) (f1,f2) (f2,f3) (f1,f3), and those of a chain."""


@dataclass(frozen=True, slots=True)
class Part:
    """One choice of an answer: what is looked for, among which candidates, which of them is true."""

    name: str
    candidates: tuple[str, ...]
    true: int


@dataclass(frozen=True, slots=True)
class _Rows:
    """Features of one part: of its context, and of each candidate by itself, one after the other."""

    context: Ints
    own: Ints
    counts: Ints  # [candidates] how many features of its own each has
    classes: Ints  # [candidates] which known answer each is, -1 for none


@dataclass(frozen=True, slots=True)
class AnswerChoices:
    """A question with its facts, the shape of its answer, and the parts to choose.

    ``rows`` are the features of each part, once they are known. ``allowed`` are the answers that may be
    given, None for any.
    """

    case: AnswerCase
    shape: Shape
    places: dict[str, tuple[Place, ...]]
    parts: tuple[Part, ...]
    rows: dict[str, _Rows]
    allowed: tuple[str, ...] | None = None


class AnswerEncoder:
    """Numbers the answer features of chosen groups; all that it learns comes from training."""

    def __init__(self, groups: Mapping[str, AnswerGroup], support: SupportEncoder) -> None:
        self.groups = dict(groups)
        self.support = support
        self.rules = rules_of(groups)
        self._context = using(groups, "of_context")
        self._copy = using(groups, "of_places")
        self._listens = any(group.speaks_alone for group in groups.values())
        self.of_sentences = using(groups, "of_sentence")

    def fit(
        self,
        questions: Sequence[ReadQuestion],
        supports: Sequence[Support],
        shapes: KindTable,
    ) -> AnswerEncoder:
        """Learn candidates and attributes, given the shapes of answers by the kind of question."""
        kinds: dict[str, dict[str, None]] = {}
        words: dict[str, dict[str, None]] = {}
        listed: list[str] = []
        self.forms_ = self._learn_forms(questions, supports)
        self.sources_ = self._learn_sources(questions, supports)
        for asked in questions:
            outline = self.stories.outline(asked.question)
            shape = Shape.from_text(shapes.of(outline))
            if shape.kind == LIST:
                listed = [IN, OUT]
                continue
            answer = asked.source.answer or ""
            own = items(answer) if shape.kind == SEQUENCE else [answer]
            kinds.setdefault(outline.kind, {}).update(dict.fromkeys(own))
            for word in asked_for(outline.asked):
                words.setdefault(word, {}).update(dict.fromkeys(own))
        answers = list(dict.fromkeys([*listed, *(a for own in kinds.values() for a in own)]))
        vocabulary = Vocabulary.learn(self.of_sentences, distinct_sentences(questions))
        self._set(answers, [], [], vocabulary, np.zeros(0, np.int64), shapes, kinds, words)
        tell = telling(self._names(questions, supports))
        contexts: Numbers[Attribute] = Numbers()
        copies: Numbers[Attribute] = Numbers()
        codes: dict[tuple[int, ...], Longs] = {}
        for question, support in zip(questions, supports, strict=True):
            choices = self.choices(question, support)
            for part in choices.parts:
                case = _for_part(choices.case, part)
                for attribute in self._of_context(case):
                    named = self._named(attribute)
                    if named is None or named[0] in tell:
                        contexts.of(attribute)
                for candidate in part.candidates:
                    for attribute in self._of_places(case, candidate, choices.places):
                        copies.of(attribute)
                for at, pair, one, other in self._pairs_of(case):
                    key = (at, pair, id(one), id(other))
                    if key not in codes:
                        codes[key] = self._codes(at, pair, one, other)
        met = np.unique(np.concatenate([np.zeros(0, np.int64), *codes.values()]))
        self._set(answers, contexts.things, copies.things, vocabulary, met, shapes, kinds, words)
        return self

    def _names(
        self, questions: Sequence[ReadQuestion], supports: Sequence[Support]
    ) -> Iterator[Met]:
        """Yield what is named where, with the answer and the story."""
        if not using(self._context, "named"):
            return
        for question, support in zip(questions, supports, strict=True):
            choices = self.choices(question, support)
            for part in choices.parts:
                for attribute in self._of_context(_for_part(choices.case, part)):
                    named = self._named(attribute)
                    if named is not None and part.true >= 0:
                        yield (*named, part.candidates[part.true], id(question.story))

    def _named(self, attribute: Attribute) -> tuple[Attribute, str] | None:
        group, *own = attribute
        return self._context[group].named(tuple(own))

    def _learn_forms(
        self, questions: Sequence[ReadQuestion], supports: Sequence[Support]
    ) -> KindTable:
        """Learn by the kind of question whether what is copied is written as lemma or as in the story.

        Answers that are written alike either way say nothing.
        """
        outlines: list[Outline] = []
        forms: list[str] = []
        for asked, support in zip(questions, supports, strict=True):
            for position in support:
                for filler, text in self.stories.outline(asked.story[position]).texts.items():
                    if filler != text and asked.source.answer in (filler, text):
                        outlines.append(self.stories.outline(asked.question))
                        forms.append(LEMMA if asked.source.answer == filler else TEXT)
        return KindTable(TEXT).learn(outlines, forms)

    def _learn_sources(
        self, questions: Sequence[ReadQuestion], supports: Sequence[Support]
    ) -> KindTable:
        """Learn by the kind of question where answers come from: the widest source that one of them had."""
        outlines = [self.stories.outline(asked.question) for asked in questions]
        levels: dict[str, int] = {}
        for asked, outline, support in zip(questions, outlines, supports, strict=True):
            own = set(items(asked.source.answer or ""))
            told = own & _spelled(self.stories.outline(asked.story[at]) for at in support)
            level = (len(told) > 0) + (len(told & _spelled([outline])) > 0)
            levels[outline.kind] = max(level, levels.get(outline.kind, 0))
        return KindTable(ECHOED).learn(outlines, [SOURCES[levels[o.kind]] for o in outlines])

    def _set(
        self,
        answers: Sequence[str],
        contexts: Sequence[Attribute],
        copies: Sequence[Attribute],
        vocabulary: Vocabulary,
        codes: Longs,
        shapes: KindTable,
        kinds: Mapping[str, Iterable[str]],
        words: Mapping[str, Iterable[str]],
    ) -> None:
        self.answers_ = tuple(answers)
        self.contexts_ = tuple(contexts)
        self.copies_ = tuple(copies)
        self.vocabulary_ = vocabulary
        self.codes_ = codes
        self.shapes_ = shapes
        self.kinds_ = {kind: tuple(own) for kind, own in kinds.items()}
        self.words_ = {word: tuple(own) for word, own in words.items()}
        self._any_answer = frozenset(self.answers_).difference((IN, OUT))
        self._any_kind = tuple(sorted(self._any_answer))
        self._answer_number = {answer: i for i, answer in enumerate(self.answers_)}
        self._context_number = {a: i for i, a in enumerate(self.contexts_)}
        self._copy_number = {a: i for i, a in enumerate(self.copies_)}
        self._choices: dict[tuple[Any, ...], tuple[tuple[ReadSentence, ...], AnswerChoices]] = {}
        self._known_pairs: dict[tuple[int, ...], tuple[ReadSentence, ReadSentence, Ints]] = {}

    @property
    def stories(self) -> StoryCases:
        """The sentences as the support stage reads them."""
        return self.support.stories

    @property
    def copies(self) -> bool:
        """Whether some group looks at where a candidate stands, so that it can be copied."""
        return bool(self._copy)

    @property
    def n_contexts(self) -> int:
        """Named context attributes first, then pairs of texts of two sentences."""
        return len(self.contexts_) + len(self.codes_)

    # -- questions and their parts -------------------------------------------------------------------

    def choices(self, asked: ReadQuestion, support: Support) -> AnswerChoices:
        """Return a question with its facts as the groups see it, and the parts of its answer."""
        sentences = (asked.question, *[asked.story[position] for position in support])
        said = self.support.says(asked) if self._listens else None
        key = (*map(id, sentences), said and replace(said, made=()))
        known = self._choices.get(key)
        if known is None:
            # The sentences are kept, so that their ids stay their own.
            known = self._choices[key] = (
                sentences,
                self._make(sentences, self.support.is_chain(asked), said),
            )
        made, source = known[1], asked.source
        if source.answer is None and source.choices is None:
            return made
        parts = self._parts(made.case, made.shape, made.places, source.answer, source.choices)
        if source.choices is None:
            return replace(made, parts=parts)
        # Features belong to candidates: a question that brings its own has rows of its own.
        return replace(made, parts=parts, rows={}, allowed=tuple(source.choices))

    def _make(
        self, sentences: tuple[ReadSentence, ...], chain: bool, said: Said | None
    ) -> AnswerChoices:
        asked, *told = sentences
        question = self.stories.outline(asked)
        facts = tuple(
            ChosenFact(
                ANY_FACT if chain or slot >= 3 else FACTS[slot],
                self.stories.outline(fact),
                self.stories.match(asked, fact),
            )
            for slot, fact in enumerate(told)
        )
        between = {
            (p, p + 1): self.stories.match(told[p], told[p + 1]) for p in range(len(told) - 1)
        }
        places = places_of(facts) if self._copy else {}
        shape = Shape.from_text(self.shapes_.of(question))
        case = AnswerCase(question, facts, between, shape.kind, sentences, said)
        return AnswerChoices(case, shape, places, self._parts(case, shape, places, None), {})

    def _parts(
        self,
        case: AnswerCase,
        shape: Shape,
        places: Mapping[str, tuple[Place, ...]],
        answer: str | None,
        choices: Sequence[str] | None = None,
    ) -> tuple[Part, ...]:
        question = case.question
        known = self._known_answers(question)
        if shape.kind == LIST:
            asked_for = {filler for _, filler in question.roles}
            true = () if answer is None else items(answer)
            told: tuple[str, ...] = ()
            if case.said is not None:
                told = case.said.values if shape.form == LEMMA else case.said.texts
            found = (item for item in places if _has(shape.form, places[item]))
            return tuple(
                Part(f"{LIST}:{item}", (IN, OUT), -1 if answer is None else int(item not in true))
                for item in dict.fromkeys((*told, *found))
                if item not in asked_for
            )
        if shape.kind == SEQUENCE:
            own = items(answer) if answer is not None else []
            return tuple(
                Part(
                    f"{SEQUENCE} {t + 1}",
                    known or ("",),
                    _index(known, own[t] if t < len(own) else None),
                )
                for t in range(shape.size)
            )
        if choices is not None:
            return (Part(shape.kind, tuple(choices), _index(choices, answer)),)
        other = self._other_spellings(case, known) | self._unfit(question, places)
        named = tuple(self._told(case, known)) if self._copy else ()
        found = (p for p in places if p not in other)
        candidates = tuple(dict.fromkeys((*known, *found, *named)))
        return (Part(shape.kind, candidates or ("",), _index(candidates, answer)),)

    def _told(self, case: AnswerCase, known: Sequence[str]) -> Iterator[str]:
        """Yield what the state names, as it is written in known answers or in answers to such questions."""
        form = self.forms_.of(case.question)
        for value, text in (
            () if case.said is None else zip(case.said.values, case.said.texts, strict=True)
        ):
            if value not in known and text not in known:
                yield value if form == LEMMA else text

    def _known_answers(self, question: Outline) -> tuple[str, ...]:
        if Rule.ANSWERS_OF_KIND in self.rules:
            by_word = (self.words_.get(word) for word in asked_for(question.asked))
            known = self.kinds_.get(question.kind) or next(filter(None, by_word), None)
            if known is not None:
                return known
        return self._any_kind

    def _unfit(self, question: Outline, places: Iterable[str]) -> set[str]:
        """Return what the facts name that does not answer such a question.

        What is never answered from facts is not looked for there. What the question itself says is left out
        (of the key the old key too), and so is what training knows as an answer, but never to such a
        question.
        """
        source = self.sources_.of(question)
        if source == KNOWN:
            return set(places)
        own = next((self.words_[w] for w in asked_for(question.asked) if w in self.words_), None)
        unfit: set[str] = set() if own is None else set(self._any_answer.difference(own))
        if source == TOLD:
            said = _spelled([question])
            unfit |= said | {
                each for each in places if any(each.endswith(f" {word}") for word in said)
            }
        return unfit

    def _other_spellings(self, case: AnswerCase, known: Sequence[str]) -> set[str]:
        """Return the spellings of what the facts name that are no candidates: each thing is one.

        It is written as a known answer is, or in the form that such questions are answered in.
        """
        spellings: dict[str, dict[str, None]] = {}
        for fact in case.facts:
            for _, filler in fact.outline.roles:
                text = fact.outline.texts.get(filler, filler)
                spellings.setdefault(filler, {filler: None})[text] = None
        form = self.forms_.of(case.question)
        other: set[str] = set()
        kept: set[str] = set()
        for own in spellings.values():
            ordered = list(own) if form == LEMMA else [*list(own)[1:], *list(own)[:1]]
            best = next((each for each in ordered if each in known), ordered[0])
            kept.add(best)
            other.update(own)
        return other - kept

    def answer(self, asked: AnswerChoices, chosen: Sequence[int]) -> str:
        """Put an answer together from the candidates that were chosen for its parts."""
        taken = [part.candidates[c] for part, c in zip(asked.parts, chosen, strict=True)]
        if asked.shape.kind != LIST:
            return joined(taken)
        inside = [
            part.name.partition(":")[2]
            for part, choice in zip(asked.parts, taken, strict=True)
            if choice == IN
        ]
        return joined(inside) if inside else asked.shape.empty

    def labels(self, asked: AnswerChoices, answer: str) -> list[int] | None:
        """Take an answer apart into what is chosen for its parts; None where it has other parts."""
        own = [answer] if asked.shape.kind not in (LIST, SEQUENCE) else items(answer)
        if asked.shape.kind == LIST:
            named = {part.name.partition(":")[2] for part in asked.parts}
            wanted = set() if answer == asked.shape.empty else set(own)
            if not wanted <= named:
                return None
            own = [IN if part.name.partition(":")[2] in wanted else OUT for part in asked.parts]
        if len(own) != len(asked.parts):
            return None
        found = [_index(p.candidates, each) for p, each in zip(asked.parts, own, strict=True)]
        return found if -1 not in found else None

    # -- numbers -------------------------------------------------------------------------------------

    def encode(self, asked: Sequence[AnswerChoices]) -> RankingExamples:
        """Return one example for each part of each question."""
        rows: list[_Rows] = []
        labels: list[int] = []
        for question in asked:
            for part in question.parts:
                own = question.rows.get(part.name)
                if own is None:
                    own = question.rows[part.name] = self._part_rows(question, part)
                rows.append(own)
                labels.append(part.true)
        count = np.array([len(each.classes) for each in rows], np.int32)
        context_count = np.array([len(each.context) for each in rows], np.int32)
        return RankingExamples(
            first=_before(count),
            counts=count,
            classes=_joined([each.classes for each in rows]),
            own_ptr=np.concatenate(([0], np.cumsum(_joined([each.counts for each in rows])))),
            own_ids=_joined([each.own for each in rows]),
            n_own=len(self.copies_),
            context_first=_before(context_count),
            context_count=context_count,
            context_ids=_joined([each.context for each in rows]),
            n_contexts=self.n_contexts,
            n_classes=len(self.answers_),
            labels=np.array(labels, np.int32),
        )

    def _part_rows(self, choices: AnswerChoices, part: Part) -> _Rows:
        case = _for_part(choices.case, part)
        number = self._context_number
        context = [number[a] for a in self._of_context(case) if a in number]
        pairs = [self._known_codes(*each) for each in self._pairs_of(case)]
        ids: list[int] = []
        counts: list[int] = []
        for candidate in part.candidates:
            before = len(ids)
            for a in self._of_places(case, candidate, choices.places):
                copy = self._copy_number.get(a)
                if copy is not None:
                    ids.append(copy)
            counts.append(len(ids) - before)
        classes = [self._answer_number.get(c, -1) if c != OUT else -1 for c in part.candidates]
        return _Rows(
            _joined([np.array(context, np.int32), *pairs]),
            np.array(ids, np.int32),
            np.array(counts, np.int32),
            np.array(classes, np.int32),
        )

    # -- pairs of texts of two sentences: first a code, those that occur in training are numbered ------

    def _pairs_of(self, case: AnswerCase) -> Iterator[tuple[int, int, ReadSentence, ReadSentence]]:
        """Yield the pairs of sentences of a part: its number, that of the pair, and the two."""
        if not _speaking(self.of_sentences, case) or case.part.startswith(LIST):
            return
        part = int(case.part.rpartition(" ")[2]) if case.part.startswith(SEQUENCE) else 0
        asked, *facts = case.sentences
        slots = [fact.slot for fact in case.facts]
        for p, fact in enumerate(facts):
            yield part, FACTS.index(slots[p]), asked, fact
        for p in range(len(facts) - 1):
            tied = slots[p + 1] == ANY_FACT
            yield part, len(FACTS) + (3 if tied else p), facts[p], facts[p + 1]
        if len(facts) > 2 and slots[2] != ANY_FACT:
            yield part, len(FACTS) + 2, facts[0], facts[2]

    def _codes(self, part: int, pair: int, first: ReadSentence, second: ReadSentence) -> Longs:
        start = (part * len(PAIRS_OF_SENTENCES) + pair) * self.vocabulary_.n_pairs
        return start + self.vocabulary_.pairs(first, second)

    def _known_codes(self, part: int, pair: int, first: ReadSentence, second: ReadSentence) -> Ints:
        """Return the context attributes of a pair of sentences; found once, since stories repeat them."""
        key = (part, pair, id(first), id(second))
        known = self._known_pairs.get(key)
        if known is None:
            codes = self._codes(part, pair, first, second)
            place = np.searchsorted(self.codes_, codes)
            place[place == len(self.codes_)] = 0
            met = self.codes_[place] == codes if len(self.codes_) else np.zeros(len(codes), bool)
            ids = (len(self.contexts_) + place[met]).astype(np.int32)
            # The sentences are kept, so that their ids stay their own.
            known = self._known_pairs[key] = (first, second, ids)
        return known[2]

    def _of_context(self, case: AnswerCase) -> Iterable[Attribute]:
        if case.part.startswith(LIST):
            return ()  # whatever it is called, it is in or out
        groups = _speaking(self._context, case)
        return ((n, *a) for n, group in groups.items() for a in group.of_context(case))

    def _of_places(
        self, case: AnswerCase, candidate: str, places: Mapping[str, tuple[Place, ...]]
    ) -> Iterable[Attribute]:
        if case.part.startswith(SEQUENCE) or candidate == OUT:
            return ()
        if case.part.startswith(LIST):
            candidate, case = case.part.partition(":")[2], _for_list(case)
            # Whether something is still in a list is decided where it was named last.
            own = places.get(candidate, ())
            return self._copied(case, candidate, own[-1:])
        return self._copied(case, candidate, places.get(candidate, ()))

    def _copied(
        self, case: AnswerCase, candidate: str, places: tuple[Place, ...]
    ) -> Iterable[Attribute]:
        return (
            (n, *a)
            for n, group in _speaking(self._copy, case).items()
            for a in group.of_places(case, candidate, places)
        )

    def forget(self, above: int = 0) -> None:
        """Let go of questions with their facts when there are many."""
        if len(self._choices) > KEPT * above:
            self._choices.clear()
        if len(self._known_pairs) > above:
            self._known_pairs.clear()
        self.vocabulary_.forget(above)

    # -- in words ------------------------------------------------------------------------------------

    def explain(self, feature: int) -> tuple[str, str]:
        """Return the group of a feature of the ranking problem and the feature in words."""
        if feature < len(self.copies_):
            return self._say(self.copies_[feature])
        context, answer = divmod(feature - len(self.copies_), len(self.answers_))
        if context < len(self.contexts_):
            name, words = self._say(self.contexts_[context])
        else:
            code = int(self.codes_[context - len(self.contexts_)])
            pair, number = divmod(code, self.vocabulary_.n_pairs)
            own, texts = self.vocabulary_.pair(number)
            sentences = PAIRS_OF_SENTENCES[pair % len(PAIRS_OF_SENTENCES)]
            name, words = self._say((own, *texts), *sentences)
        return name, f"{words}, for the answer “{self.answers_[answer]}”"

    def _say(self, attribute: Attribute, first: str = "", second: str = "") -> tuple[str, str]:
        name, own = attribute[0], attribute[1:]
        return name, said_safely(lambda: self.groups[name].say(own, first, second), own)

    # -- in files ------------------------------------------------------------------------------------

    def most_codes(self, n_pairs: int) -> int:
        """Return the number that no code reaches, where a pair of sentences has so many pairs of texts."""
        return MOST_ITEMS * len(PAIRS_OF_SENTENCES) * n_pairs

    def to_json(self) -> dict[str, Any]:
        """Return what was learned, but for ``codes_``."""
        return {
            "answers": list(self.answers_),
            "contexts": [list(a) for a in self.contexts_],
            "copies": [list(a) for a in self.copies_],
            "texts": [list(entry) for entry in self.vocabulary_.entries()],
            "shapes": self.shapes_.to_json(),
            "kinds": {kind: list(own) for kind, own in self.kinds_.items()},
            "words": {word: list(own) for word, own in self.words_.items()},
            "forms": self.forms_.to_json(),
            "sources": self.sources_.to_json(),
        }

    def restore(self, record: Mapping[str, Any], codes: Longs) -> AnswerEncoder:
        """Take over what ``to_json`` returned."""
        self._set(
            record["answers"],
            [tuple(a) for a in record["contexts"]],
            [tuple(a) for a in record["copies"]],
            Vocabulary(self.of_sentences, ((name, text) for name, text in record["texts"])),
            codes,
            KindTable.from_json(record["shapes"]),
            record["kinds"],
            record["words"],
        )
        self.forms_ = KindTable.from_json(record["forms"])
        self.sources_ = KindTable.from_json(record["sources"])
        return self


def places_of(facts: Sequence[ChosenFact]) -> dict[str, tuple[Place, ...]]:
    """Return what the facts name, by lemma and by text, and where; in the order of first mention."""
    found: dict[str, list[Place]] = {}
    for number, fact in enumerate(facts):
        for role, filler in fact.outline.roles:
            found.setdefault(filler, []).append(Place(number, role, LEMMA))
            text = fact.outline.texts.get(filler, filler)
            found.setdefault(text, []).append(Place(number, role, TEXT))
    return {name: tuple(places) for name, places in found.items()}


def _speaking(groups: dict[str, AnswerGroup], case: AnswerCase) -> dict[str, AnswerGroup]:
    """Return the groups that fire: where the state suffices, only those that look at it."""
    if case.said is None or not case.said.suffices:
        return groups
    return {name: group for name, group in groups.items() if group.speaks_alone}


def _spelled(outlines: Iterable[Outline]) -> set[str]:
    """Return what outlines name, as lemma and as text."""
    return {
        spelling
        for outline in outlines
        for _, filler in outline.roles
        for spelling in (filler, outline.texts.get(filler, filler))
    }


def _has(form: str, places: tuple[Place, ...]) -> bool:
    return any(place.form == form for place in places)


def _for_part(case: AnswerCase, part: Part) -> AnswerCase:
    return replace(case, part=part.name)


def _for_list(case: AnswerCase) -> AnswerCase:
    return replace(case, part=LIST)


def _index(candidates: Sequence[str], answer: str | None) -> int:
    return candidates.index(answer) if answer is not None and answer in candidates else -1


def _before(counts: Ints) -> Longs:
    return np.cumsum(counts, dtype=np.int64) - counts


def _joined(rows: Sequence[Ints]) -> Ints:
    return np.concatenate([np.zeros(0, np.int32), *rows]).astype(np.int32, copy=False)
