"""Answering of the extended preset as numbers: every part of an answer chooses among candidates.

Candidates are the answers that training gave to questions of the same kind, and whatever the chosen facts
name. Context attributes have a weight for each training answer, copy attributes one for any candidate.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from babi_cascade.features.answer_case import (
    ANY_FACT,
    AnswerCase,
    ChosenFact,
    ContextGroup,
    CopyGroup,
    Place,
)
from babi_cascade.features.answer_parts import (
    IN,
    LEMMA,
    LIST,
    OUT,
    SEQUENCE,
    TEXT,
    Shape,
    items,
    joined,
)
from babi_cascade.features.extended_group import Attribute, said_safely
from babi_cascade.features.outline import Outline
from babi_cascade.features.question_kinds import KindTable
from babi_cascade.features.selection import ORDINALS, SelectionEncoder
from babi_cascade.features.story_cases import Numbers, StoryCases
from babi_cascade.pipeline.read import ReadQuestion, ReadSentence
from babi_cascade.svm.arrays import Ints
from babi_cascade.svm.candidates import CandidateExamples

Support = Sequence[int]
_Rows = tuple[Ints, Ints]
"""Features of candidates, one after the other, and how many each has."""

ASKED = 0.25
"""Questions with their facts that may be kept for each sentence that may be."""


@dataclass(frozen=True, slots=True)
class Part:
    """One choice of an answer: what is looked for, among which candidates, which of them is true."""

    name: str
    candidates: tuple[str, ...]
    true: int


@dataclass(frozen=True, slots=True)
class Asked:
    """A question with its facts, the shape of its answer, and the parts to choose.

    ``rows`` are the features of each part's candidates, once they are known.
    """

    case: AnswerCase
    shape: Shape
    places: dict[str, tuple[Place, ...]]
    parts: tuple[Part, ...]
    rows: dict[str, _Rows]


class CandidateEncoder:
    """Numbers the features of the extended answer groups; all that it learns comes from training."""

    def __init__(
        self, groups: Mapping[str, ContextGroup | CopyGroup], support: SelectionEncoder
    ) -> None:
        self.groups = dict(groups)
        self.support = support
        self._context = {n: g for n, g in groups.items() if isinstance(g, ContextGroup)}
        self._copy = {n: g for n, g in groups.items() if isinstance(g, CopyGroup)}

    def fit(
        self,
        questions: Sequence[ReadQuestion],
        supports: Sequence[Support],
        shapes: KindTable,
        tied: Sequence[bool],
    ) -> CandidateEncoder:
        """Learn candidates and attributes, given the shapes of answers by the kind of question.

        ``tied`` says of every question whether its facts are a chain, without slots of their own.
        """
        kinds: dict[str, dict[str, None]] = {}
        words: dict[str, dict[str, None]] = {}
        listed: list[str] = []
        self.forms_ = self._learn_forms(questions, supports)
        for asked in questions:
            outline = self.stories.outline(asked.question)
            shape = Shape.from_text(shapes.of(outline))
            if shape.kind == LIST:
                listed = [IN, OUT]
                continue
            answer = asked.source.answer or ""
            own = items(answer) if shape.kind == SEQUENCE else [answer]
            kinds.setdefault(outline.kind, {}).update(dict.fromkeys(own))
            words.setdefault(outline.asked, {}).update(dict.fromkeys(own))
        answers = list(dict.fromkeys([*listed, *(a for own in kinds.values() for a in own)]))
        self._set(
            answers, [], [], shapes,
            {kind: list(own) for kind, own in kinds.items()},
            {word: list(own) for word, own in words.items()},
        )  # fmt: skip
        contexts: Numbers[Attribute] = Numbers()
        copies: Numbers[Attribute] = Numbers()
        for question, support, chain in zip(questions, supports, tied, strict=True):
            asked_for = self.ask(question, support, chain)
            for part in asked_for.parts:
                case = _for_part(asked_for.case, part)
                for attribute in self._of_context(case):
                    contexts.of(attribute)
                for candidate in part.candidates:
                    for attribute in self._of_places(case, candidate, asked_for.places):
                        copies.of(attribute)
        self._set(answers, contexts.things, copies.things, shapes, self.kinds_, self.words_)
        return self

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

    def _set(
        self,
        answers: Sequence[str],
        contexts: Sequence[Attribute],
        copies: Sequence[Attribute],
        shapes: KindTable,
        kinds: Mapping[str, Sequence[str]],
        words: Mapping[str, Sequence[str]],
    ) -> None:
        self.answers_ = tuple(answers)
        self.contexts_ = tuple(contexts)
        self.copies_ = tuple(copies)
        self.shapes_ = shapes
        self.kinds_ = {kind: tuple(own) for kind, own in kinds.items()}
        self.words_ = {word: tuple(own) for word, own in words.items()}
        self._answer_number = {answer: i for i, answer in enumerate(self.answers_)}
        self._context_number = {a: i for i, a in enumerate(self.contexts_)}
        self._asked: dict[tuple[int, ...], tuple[tuple[ReadSentence, ...], Asked]] = {}
        self._copy_number = {a: i for i, a in enumerate(self.copies_)}

    @property
    def stories(self) -> StoryCases:
        """The sentences as the support stage reads them."""
        return self.support.stories

    @property
    def n_features(self) -> int:
        """Copy attributes first, then every context attribute with every answer."""
        return len(self.copies_) + len(self.contexts_) * len(self.answers_)

    # -- questions and their parts -------------------------------------------------------------------

    def ask(self, asked: ReadQuestion, support: Support, chain: bool) -> Asked:
        """Return a question with its facts as the groups see it, and the parts of its answer."""
        sentences = (asked.question, *[asked.story[position] for position in support])
        key = (chain, *map(id, sentences))
        known = self._asked.get(key)
        if known is None:
            # The sentences are kept, so that their ids stay their own.
            known = self._asked[key] = (sentences, self._ask(sentences, chain))
        told, answer = known[1], asked.source.answer
        if answer is None:
            return told
        return replace(told, parts=self._parts(told.case, told.shape, told.places, answer))

    def _ask(self, sentences: Sequence[ReadSentence], chain: bool) -> Asked:
        asked, *told = sentences
        question = self.stories.outline(asked)
        facts = tuple(
            ChosenFact(
                ANY_FACT if chain or slot >= 3 else ORDINALS[slot],
                self.stories.outline(fact),
                self.stories.match(asked, fact),
            )
            for slot, fact in enumerate(told)
        )
        between = {
            (p, p + 1): self.stories.match(told[p], told[p + 1]) for p in range(len(told) - 1)
        }
        places = _places(facts)
        shape = Shape.from_text(self.shapes_.of(question))
        case = AnswerCase(question, facts, between, shape.kind)
        return Asked(case, shape, places, self._parts(case, shape, places, None), {})

    def _parts(
        self,
        case: AnswerCase,
        shape: Shape,
        places: Mapping[str, tuple[Place, ...]],
        answer: str | None,
    ) -> tuple[Part, ...]:
        question = case.question
        known = self.kinds_.get(question.kind) or self.words_.get(question.asked)
        if shape.kind == LIST:
            asked_for = {filler for _, filler in question.roles}
            true = () if answer is None else items(answer)
            return tuple(
                Part(f"{LIST}:{item}", (IN, OUT), -1 if answer is None else int(item not in true))
                for item in places
                if item not in asked_for and _has(shape.form, places[item])
            )
        if known is None:
            known = tuple(a for a in self.answers_ if a not in (IN, OUT))
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
        other = self._other_spellings(case, known)
        candidates = tuple(dict.fromkeys((*known, *(p for p in places if p not in other))))
        return (Part(shape.kind, candidates or ("",), _index(candidates, answer)),)

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

    def answer(self, asked: Asked, chosen: Sequence[int]) -> str:
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

    # -- numbers -------------------------------------------------------------------------------------

    def encode(self, asked: Sequence[Asked]) -> CandidateExamples:
        """Return one example for each part of each question."""
        rows: list[_Rows] = []
        counts: list[int] = []
        labels: list[int] = []
        for question in asked:
            for part in question.parts:
                own = question.rows.get(part.name)
                if own is None:
                    own = question.rows[part.name] = self._part_rows(question, part)
                rows.append(own)
                counts.append(len(part.candidates))
                labels.append(part.true)
        none = np.zeros(0, np.int32)
        return CandidateExamples(
            first=np.cumsum([0, *counts], dtype=np.int64),
            feature_ptr=np.cumsum(np.concatenate([[0], *[n for _, n in rows]]), dtype=np.int64),
            feature_ids=np.concatenate([none, *[ids for ids, _ in rows]]),
            n_features=self.n_features,
            labels=np.array(labels, np.int32),
        )

    def _part_rows(self, asked: Asked, part: Part) -> _Rows:
        case = _for_part(asked.case, part)
        number = self._context_number
        start, step = len(self.copies_), len(self.answers_)
        context = [start + number[a] * step for a in self._of_context(case) if a in number]
        ids: list[int] = []
        lengths: list[int] = []
        for candidate in part.candidates:
            before = len(ids)
            for a in self._of_places(case, candidate, asked.places):
                copy = self._copy_number.get(a)
                if copy is not None:
                    ids.append(copy)
            answer = self._answer_number.get(candidate)
            if answer is not None and candidate != OUT:
                ids += [base + answer for base in context]
            lengths.append(len(ids) - before)
        return np.array(ids, np.int32), np.array(lengths, np.int32)

    def _of_context(self, case: AnswerCase) -> Iterable[Attribute]:
        if case.part.startswith(LIST):
            return ()  # whatever it is called, it is in or out
        return ((n, *a) for n, group in self._context.items() for a in group.of_context(case))

    def _of_places(
        self, case: AnswerCase, candidate: str, places: Mapping[str, tuple[Place, ...]]
    ) -> Iterable[Attribute]:
        if case.part.startswith(SEQUENCE) or candidate == OUT:
            return ()
        if case.part.startswith(LIST):
            candidate, case = case.part.partition(":")[2], _for_list(case)
            # Whether something is still in a list is decided where it was named last.
            own = places[candidate]
            return self._copied(case, candidate, own[-1:])
        return self._copied(case, candidate, places.get(candidate, ()))

    def _copied(
        self, case: AnswerCase, candidate: str, places: tuple[Place, ...]
    ) -> Iterable[Attribute]:
        return (
            (n, *a)
            for n, group in self._copy.items()
            for a in group.of_places(case, candidate, places)
        )

    def forget(self, above: int = 0) -> None:
        """Let go of questions with their facts when there are many."""
        if len(self._asked) > ASKED * above:
            self._asked.clear()

    # -- in words ------------------------------------------------------------------------------------

    def explain(self, feature: int) -> tuple[str, str]:
        """Return the group of a feature of the candidate problem and the feature in words."""
        if feature < len(self.copies_):
            name, own = self.copies_[feature][0], self.copies_[feature][1:]
            return name, said_safely(lambda: self.groups[name].say(own), own)
        context, answer = divmod(feature - len(self.copies_), len(self.answers_))
        name, own = self.contexts_[context][0], self.contexts_[context][1:]
        words = said_safely(lambda: self.groups[name].say(own), own)
        return name, f"{words}, for the answer “{self.answers_[answer]}”"

    def to_json(self) -> dict[str, Any]:
        """Return what was learned."""
        return {
            "answers": list(self.answers_),
            "contexts": [list(a) for a in self.contexts_],
            "copies": [list(a) for a in self.copies_],
            "shapes": self.shapes_.to_json(),
            "kinds": {kind: list(own) for kind, own in self.kinds_.items()},
            "words": {word: list(own) for word, own in self.words_.items()},
            "forms": self.forms_.to_json(),
        }

    def restore(self, record: Mapping[str, Any]) -> CandidateEncoder:
        """Take over what ``to_json`` returned."""
        self._set(
            record["answers"],
            [tuple(a) for a in record["contexts"]],
            [tuple(a) for a in record["copies"]],
            KindTable.from_json(record["shapes"]),
            record["kinds"],
            record["words"],
        )
        self.forms_ = KindTable.from_json(record["forms"])
        return self


def _places(facts: Sequence[ChosenFact]) -> dict[str, tuple[Place, ...]]:
    """Return what the facts name, by lemma and by text, and where; in the order of first mention."""
    found: dict[str, list[Place]] = {}
    for number, fact in enumerate(facts):
        for role, filler in fact.outline.roles:
            found.setdefault(filler, []).append(Place(number, role, LEMMA))
            text = fact.outline.texts.get(filler, filler)
            found.setdefault(text, []).append(Place(number, role, TEXT))
    return {name: tuple(places) for name, places in found.items()}


def _has(form: str, places: tuple[Place, ...]) -> bool:
    return any(place.form == form for place in places)


def _for_part(case: AnswerCase, part: Part) -> AnswerCase:
    return AnswerCase(case.question, case.facts, case.between, part.name)


def _for_list(case: AnswerCase) -> AnswerCase:
    return AnswerCase(case.question, case.facts, case.between, LIST)


def _index(candidates: Sequence[str], answer: str | None) -> int:
    return candidates.index(answer) if answer is not None and answer in candidates else -1
