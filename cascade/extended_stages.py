"""The two stages of the extended preset: facts by tuple or chain, answers part by part."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from babi_cascade.cascade.stages import Answer, Named, SelectingStage, Stage, story_numbers
from babi_cascade.cascade.training import FitOptions, Fitted, fit_problem, held_out
from babi_cascade.features.answer_case import ContextGroup, CopyGroup
from babi_cascade.features.answer_parts import LEMMA, TEXT, Shape, possible_shapes
from babi_cascade.features.candidates import Asked, CandidateEncoder
from babi_cascade.features.experience import Experience, Strange
from babi_cascade.features.extended_group import SelectionGroup
from babi_cascade.features.question_kinds import KindTable
from babi_cascade.features.selection import CHAIN, SelectionEncoder
from babi_cascade.pipeline.read import ReadQuestion
from babi_cascade.svm.candidates import CandidateProblem
from babi_cascade.svm.selection import SelectionProblem

TRIAL_COST = 0.1
"""C of the small fits that decide which shape the answers to a kind of question have."""


class ExtendedSupportStage(SelectingStage):
    """Selects supporting facts: up to three in order, or a chain of any length."""

    encoder: SelectionEncoder

    def __init__(self, groups: Mapping[str, SelectionGroup], max_facts: int | None) -> None:
        self.encoder = SelectionEncoder(groups, max_facts)

    def problem(self, read: Sequence[ReadQuestion]) -> SelectionProblem:
        """Return the choice of a tuple or a chain."""
        return SelectionProblem(self.encoder.encode(read))

    def chains(self, read: Sequence[ReadQuestion]) -> list[bool]:
        """Return whether the facts of each question are a chain."""
        outline = self.encoder.stories.outline
        return [self.encoder.modes_.of(outline(asked.question)) == CHAIN for asked in read]


class ExtendedAnswerStage(Stage):
    """Chooses the parts of an answer among training answers and what the facts name."""

    encoder: CandidateEncoder

    def __init__(
        self, groups: Mapping[str, ContextGroup | CopyGroup], support: ExtendedSupportStage
    ) -> None:
        self.encoder = CandidateEncoder(groups, support.encoder)
        self.support = support

    def fit(
        self, read: Sequence[ReadQuestion], supports: Sequence[Sequence[int]], options: FitOptions
    ) -> ExtendedAnswerStage:
        """Learn from questions with known answers and the facts they rest on."""
        tied = self.support.chains(read)
        shapes = self._choose_shapes(read, supports, tied, options)
        self.encoder.fit(read, supports, shapes, tied)
        asked = self._ask(self.encoder, read, supports, tied)
        passed = [
            {said for _, said in self._passed_over(one, s)}
            for one, s in zip(read, supports, strict=True)
        ]
        self.met_ = Experience().learn(read, [each.case for each in asked], supports, passed)
        stories = np.repeat(story_numbers(read), [len(each.parts) for each in asked])
        known = [each for each in asked if each.parts]
        problem = CandidateProblem(self.encoder.encode(known))
        if problem.n_examples:
            self.fitted_ = fit_problem(problem, stories, options, "answer")
        else:  # every list is empty: there is nothing to choose
            self.fitted_ = Fitted(np.zeros(self.encoder.n_features), 0.0, 0.0, True, 0.0)
        return self

    def _choose_shapes(
        self,
        read: Sequence[ReadQuestion],
        supports: Sequence[Sequence[int]],
        tied: Sequence[bool],
        options: FitOptions,
    ) -> KindTable:
        """Try every shape that the answers to a kind of question can have on held-out stories."""
        outlines = [self.encoder.stories.outline(asked.question) for asked in read]
        kinds: dict[str, list[int]] = {}
        for i, outline in enumerate(outlines):
            kinds.setdefault(outline.kind, []).append(i)
        chosen: dict[str, str] = {}
        for kind, members in kinds.items():
            own = [read[i] for i in members]
            facts = [supports[i] for i in members]
            found = [self._fillers(asked, s) for asked, s in zip(own, facts, strict=True)]
            shapes = possible_shapes([asked.source.answer or "" for asked in own], found)
            best = shapes[0]
            if len(shapes) > 1:
                chains = [tied[i] for i in members]
                best = max(
                    shapes, key=lambda shape: self._trial(shape, own, facts, chains, options)
                )
            chosen[kind] = best.to_text()
        return KindTable(Shape().to_text()).learn(outlines, [chosen[o.kind] for o in outlines])

    def _fillers(self, asked: ReadQuestion, support: Sequence[int]) -> dict[str, frozenset[str]]:
        """Return what the facts name, by the form it is written in."""
        outlines = [self.encoder.stories.outline(asked.story[i]) for i in support]
        fillers = frozenset(filler for outline in outlines for _, filler in outline.roles)
        return {
            LEMMA: fillers,
            TEXT: frozenset(text for outline in outlines for text in outline.texts.values()),
        }

    def _trial(
        self,
        shape: Shape,
        read: Sequence[ReadQuestion],
        supports: Sequence[Sequence[int]],
        tied: Sequence[bool],
        options: FitOptions,
    ) -> float:
        """Return the share of held-out questions that a small fit with this shape answers."""
        from babi_cascade.svm.learner import BlockFrankWolfe

        parts = held_out(story_numbers(read), options.seed)
        train, test = parts if parts is not None else (np.arange(len(read)),) * 2

        def of(every: Sequence[Any], indices: NDArray[np.int64]) -> list[Any]:
            return [every[i] for i in indices]

        encoder = CandidateEncoder(self.encoder.groups, self.support.encoder)
        questions = of(read, train)
        encoder.fit(questions, of(supports, train), KindTable(shape.to_text()), of(tied, train))
        asked = self._ask(encoder, questions, of(supports, train), of(tied, train))
        problem = CandidateProblem(encoder.encode([each for each in asked if each.parts]))
        if not problem.n_examples:
            return 0.0
        learner = BlockFrankWolfe(C=TRIAL_COST, gap=1e-2, seed=options.seed).fit(problem)
        others = of(read, test)
        asked = self._ask(encoder, others, of(supports, test), of(tied, test))
        answers = self._answers(encoder, asked, learner.coef_)
        right = sum(a.answer == q.source.answer for a, q in zip(answers, others, strict=True))
        return float(right / len(others))

    @staticmethod
    def _ask(
        encoder: CandidateEncoder,
        read: Sequence[ReadQuestion],
        supports: Sequence[Sequence[int]],
        tied: Sequence[bool],
    ) -> list[Asked]:
        return [
            encoder.ask(asked, support, chain)
            for asked, support, chain in zip(read, supports, tied, strict=True)
        ]

    def predict(
        self, read: Sequence[ReadQuestion], supports: Sequence[Sequence[int]]
    ) -> list[Answer]:
        """Return the best answer to every question, given the facts."""
        asked = self._ask(self.encoder, read, supports, self.support.chains(read))
        return self._answers(self.encoder, asked, self.fitted_.weights)

    def _answers(
        self, encoder: CandidateEncoder, asked: Sequence[Asked], weights: NDArray[np.float64]
    ) -> list[Answer]:
        """Choose every part; the score of an answer is their sum, its margin the smallest of theirs."""
        problem = CandidateProblem(encoder.encode(asked))
        every = np.arange(problem.n_examples, dtype=np.int64)
        labels, scores = problem.search_batch(every, weights)
        _, seconds = problem.search_batch(every, weights, exclude=labels)
        answers = []
        at = 0
        for question in asked:
            own = slice(at, at + len(question.parts))
            at = own.stop
            margins = scores[own] - seconds[own]
            finite = margins[np.isfinite(margins)]
            answers.append(
                Answer(
                    encoder.answer(question, labels[own, 0].tolist()),
                    float(np.sum(scores[own])),
                    float(finite.min()) if len(finite) else None,
                )
            )
        return answers

    def explain(
        self, asked: ReadQuestion, positions: Sequence[int], answer: str | None
    ) -> list[Named]:
        """Return every feature of the parts of an answer with its weight."""
        (question,) = self._ask(self.encoder, [asked], [positions], self.support.chains([asked]))
        problem = CandidateProblem(self.encoder.encode([question]))
        labels = problem.predict(self.fitted_.weights)
        if len(question.parts) == 1 and answer in question.parts[0].candidates:
            labels[0, 0] = question.parts[0].candidates.index(answer)
        every = np.arange(problem.n_examples, dtype=np.int64)
        _, ids = problem.features_batch(every, labels)
        weights = self.fitted_.weights
        return [(*self.encoder.explain(int(i)), float(weights[i])) for i in ids]

    def strange(self, asked: ReadQuestion, positions: Sequence[int]) -> list[Strange]:
        """Return what training never had of such a question and facts; of an old model nothing is known."""
        (question,) = self._ask(self.encoder, [asked], [positions], self.support.chains([asked]))
        lines = [fact.line for fact in asked.source.facts]
        return self.met_.strange(
            question.case,
            [f"fact {lines[i]}" for i in positions],
            positions,
            [(f"fact {lines[i]}", said) for i, said in self._passed_over(asked, positions)],
        )

    def _passed_over(
        self, asked: ReadQuestion, positions: Sequence[int]
    ) -> Iterator[tuple[int, str]]:
        """Yield the facts that match the question and were not chosen, and what they say."""
        stories = self.encoder.stories
        for position, fact in enumerate(asked.facts):
            if position not in positions and stories.match(asked.question, fact):
                yield position, stories.outline(fact).predicate

    def to_json(self) -> dict[str, Any]:
        """Return the rest of the model file, with what was met in training."""
        return super().to_json() | {"met": self.met_.to_json()}

    def restore(self, record: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]]) -> None:
        """Take over a saved stage."""
        super().restore(record, arrays)
        self.met_ = Experience.from_json(record["met"])

    def candidates(
        self, asked: ReadQuestion, positions: Sequence[int]
    ) -> list[tuple[str, float, str]]:
        """Return every candidate of every part with its score, the best first."""
        (question,) = self._ask(self.encoder, [asked], [positions], self.support.chains([asked]))
        problem = CandidateProblem(self.encoder.encode([question]))
        weights = self.fitted_.weights
        found: list[tuple[str, float, str]] = []
        for number, part in enumerate(question.parts):
            n = len(part.candidates)
            labels = np.arange(n, dtype=np.int32)[:, None]
            ptr, ids = problem.features_batch(np.full(n, number, np.int64), labels)
            scores = [float(weights[ids[a:b]].sum()) for a, b in pairwise(ptr)]
            name = part.name if len(question.parts) > 1 or part.name != question.shape.kind else ""
            own = [(c, score, name) for c, score in zip(part.candidates, scores, strict=True)]
            found += sorted(own, key=lambda each: (-each[1], each[0]))
        return found
