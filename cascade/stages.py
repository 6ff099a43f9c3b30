"""The two stages of the cascade: each an encoder of features and a trained structured SVM."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from babi_cascade.cascade.training import FitOptions, Fitted, fit_problem, folds
from babi_cascade.features.answer_encoder import AnswerChoices, AnswerEncoder
from babi_cascade.features.answer_parts import LEMMA, TEXT, WORD, Shape, possible_shapes
from babi_cascade.features.experience import Experience, Novelty
from babi_cascade.features.group import AnswerGroup, Rule, SupportGroup
from babi_cascade.features.presets import Roles
from babi_cascade.features.question_kinds import KindTable
from babi_cascade.features.support_encoder import SupportEncoder
from babi_cascade.pipeline.read import ReadQuestion
from babi_cascade.svm.ranking import RankingProblem
from babi_cascade.svm.selection import SelectionProblem

Named = tuple[str, str, float]
"""A feature's group, the feature in words, its weight."""

TRIAL_COST = 0.1
"""C of the small fits that decide which shape the answers to a kind of question have."""

HELD_OUT_COSTS = (0.1, 1.0)
"""C of those that say how many answers are found: the better one counts."""

TRIAL_PASSES = 12
"""Passes of these fits: what cannot be learned is not worth more."""

NO_WEIGHT = 5e-5
"""A share this small is none: it is what the learner leaves of a feature that says nothing."""

MOST_PAIRS = 1 << 25
"""Pairs of facts that are searched at a time; a question with more is searched alone."""


@dataclass(frozen=True, slots=True)
class Choice:
    """Positions of the chosen facts in order, their score, and the distance of the runner-up."""

    positions: tuple[int, ...]
    score: float = 0.0
    margin: float | None = None


@dataclass(frozen=True, slots=True)
class Answer:
    """The best answer, its score, and the distance of the runner-up; None if none is known."""

    answer: str | None
    score: float
    margin: float | None


class Stage:
    """What both stages have: weights, and how they were found."""

    encoder: Any
    fitted_: Fitted

    @property
    def cost_(self) -> float:
        """The C that was chosen."""
        return self.fitted_.cost

    @property
    def gap_(self) -> float:
        """The certified relative duality gap: how far the weights are from the best, at most."""
        return self.fitted_.gap

    @property
    def converged_(self) -> bool:
        """Whether the gap that was asked for was reached."""
        return self.fitted_.converged

    @property
    def seconds_(self) -> float:
        """How long choosing C and fitting took; 0 for a model that was loaded."""
        return self.fitted_.seconds

    @property
    def n_features_(self) -> int:
        """How many weights are not zero."""
        return int(np.count_nonzero(self.fitted_.weights))

    def arrays(self) -> dict[str, NDArray[Any]]:
        """Return the arrays of the model file."""
        return {"weights": self.fitted_.weights}

    def to_json(self) -> dict[str, Any]:
        """Return the rest of the model file."""
        return {"encoder": self.encoder.to_json(), "fit": self.fitted_.to_json()}

    def _in_words(self, ids: NDArray[np.int32]) -> list[Named]:
        """Return features with their weights."""
        weights = self.fitted_.weights
        return [(*self.encoder.explain(int(i)), float(weights[i])) for i in ids]


class SupportStage(Stage):
    """Selects supporting facts: up to three in order, or a chain of any length."""

    encoder: SupportEncoder

    def __init__(
        self, groups: Mapping[str, SupportGroup], max_facts: int | None, roles: Roles,
        state: bool = False,
    ) -> None:  # fmt: skip
        self.encoder = SupportEncoder(groups, max_facts, roles, state)

    def problem(self, read: Sequence[ReadQuestion]) -> SelectionProblem:
        """Return the selection of facts for these questions as a structured problem."""
        return SelectionProblem(self.encoder.encode(read))

    def fit(self, read: Sequence[ReadQuestion], options: FitOptions) -> SupportStage:
        """Learn from questions with known support; C by how often exactly the true facts are found."""
        self.encoder.fit(read)
        self.fitted_ = fit_problem(self.problem(read), story_numbers(read), options, "support")
        return self

    def predict(self, read: Sequence[ReadQuestion]) -> list[Choice]:
        """Return the facts of every question."""
        return [choice for some in _portions(read) for choice in self._predict(some)]

    def _predict(self, read: Sequence[ReadQuestion]) -> Iterator[Choice]:
        problem = self.problem(read)
        every = np.arange(problem.n_examples, dtype=np.int64)
        labels, scores = problem.search_batch(every, self.fitted_.weights)
        _, seconds = problem.search_batch(every, self.fitted_.weights, exclude=labels)
        for label, score, second in zip(labels, scores, seconds, strict=True):
            margin = float(score - second) if np.isfinite(second) else None
            yield Choice(tuple(int(i) for i in label if i >= 0), float(score), margin)

    def runner_up(self, asked: ReadQuestion) -> Choice | None:
        """Return the second best choice of facts, None if there is none."""
        (label,), (score,) = self.problem([asked]).runner_up(self.fitted_.weights)
        if not np.isfinite(score):
            return None
        return Choice(tuple(int(i) for i in label if i >= 0), float(score))

    def gold(self, read: Sequence[ReadQuestion]) -> list[Choice]:
        """Return the true facts, cut as in training."""
        return [Choice(tuple(self.encoder.label(asked))) for asked in read]

    def explain(self, asked: ReadQuestion, positions: Sequence[int]) -> list[Named]:
        """Return every feature of a choice of facts with its weight."""
        problem = self.problem([asked])
        label = [*positions, *[-1] * (problem.label_length - len(positions))]
        _, ids = problem.features(0, np.array([label], dtype=np.int32))
        return self._in_words(ids)

    def restore(self, record: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]]) -> None:
        """Take over a saved stage."""
        self.encoder.restore(record["encoder"])
        self.fitted_ = Fitted.from_json(record["fit"], arrays["weights"])


class AnswerStage(Stage):
    """Chooses the parts of an answer among known answers and what the facts name."""

    encoder: AnswerEncoder

    def __init__(self, groups: Mapping[str, AnswerGroup], support: SupportStage) -> None:
        self.encoder = AnswerEncoder(groups, support.encoder)

    def fit(
        self, read: Sequence[ReadQuestion], supports: Sequence[Sequence[int]], options: FitOptions
    ) -> AnswerStage:
        """Learn from questions with known answers and the facts they rest on."""
        shapes = self._choose_shapes(read, supports, options)
        self.encoder.fit(read, supports, shapes)
        choices = _choices(self.encoder, read, supports)
        passed = [
            {said for _, said in self._passed_over(one, s)}
            for one, s in zip(read, supports, strict=True)
        ]
        self.met_ = Experience().learn(read, [each.case for each in choices], supports, passed)
        stories = np.repeat(story_numbers(read), [len(each.parts) for each in choices])
        problem = RankingProblem(self.encoder.encode(choices))
        if problem.n_examples:
            self.fitted_ = fit_problem(problem, stories, options, "answer")
        else:  # every list is empty: there is nothing to choose
            weights = np.zeros(problem.size_joint_feature)
            self.fitted_ = Fitted(weights, 0.0, 0.0, True, 0.0)
        return self

    def _choose_shapes(
        self, read: Sequence[ReadQuestion], supports: Sequence[Sequence[int]], options: FitOptions
    ) -> KindTable:
        """Try every shape that the answers to a kind of question can have on held-out stories."""
        words = KindTable(Shape().to_text())
        if Rule.PARTS not in self.encoder.rules:
            return words
        outlines = [self.encoder.stories.outline(asked.question) for asked in read]
        kinds: dict[str, list[int]] = {}
        for i, outline in enumerate(outlines):
            kinds.setdefault(outline.kind, []).append(i)
        chosen: dict[str, str] = {}
        for kind, members in kinds.items():
            own = [read[i] for i in members]
            if any(asked.source.choices is not None for asked in own):
                chosen[kind] = words.default  # who gives choices gives whole answers
                continue
            facts = [supports[i] for i in members]
            found = [self._fillers(asked, s) for asked, s in zip(own, facts, strict=True)]
            shapes = possible_shapes([asked.source.answer or "" for asked in own], found)
            best = shapes[0]
            if len(shapes) > 1:
                parts = folds(story_numbers(own), options.seed)[:1] or [np.arange(len(own))]
                best = max(
                    shapes,
                    key=lambda shape: self._trial(shape, own, facts, parts, options.seed)[
                        TRIAL_COST
                    ].sum(),
                )
            chosen[kind] = best.to_text()
        return words.learn(outlines, [chosen[o.kind] for o in outlines])

    def _fillers(self, asked: ReadQuestion, support: Sequence[int]) -> dict[str, frozenset[str]]:
        """Return what can be copied from the facts, by the form it is written in."""
        copied = support if self.encoder.copies else ()
        outlines = [self.encoder.stories.outline(asked.story[i]) for i in copied]
        fillers = frozenset(filler for outline in outlines for _, filler in outline.roles)
        return {
            LEMMA: fillers,
            TEXT: frozenset(text for outline in outlines for text in outline.texts.values()),
        }

    def held_out_right(
        self,
        read: Sequence[ReadQuestion],
        supports: Sequence[Sequence[int]],
        parts: Sequence[NDArray[np.int64]],
        seed: int,
        least: float = 0.0,
    ) -> NDArray[np.float64]:
        """Say which questions of one kind small fits answer when they are held out.

        The shape of the answers and the C are those that do best on the first part. Where fewer than
        ``least`` of that part are right, its share stands for all.
        """
        if not parts:
            return np.zeros(len(read))
        found = [self._fillers(asked, s) for asked, s in zip(read, supports, strict=True)]
        shapes = possible_shapes([asked.source.answer or "" for asked in read], found)
        first = parts[0]
        tried = {
            (shape, cost): found
            for shape in shapes
            for cost, found in self._trial(
                shape, read, supports, [first], seed, HELD_OUT_COSTS
            ).items()
        }
        best = max(tried, key=lambda each: int(tried[each].sum()))
        right: NDArray[np.float64] = tried[best].astype(np.float64)
        share = float(right[first].mean())
        if share < least:
            return np.full(len(read), share)
        shape, cost = best
        return right + self._trial(shape, read, supports, parts[1:], seed, (cost,))[cost]

    def _trial(
        self,
        shape: Shape,
        read: Sequence[ReadQuestion],
        supports: Sequence[Sequence[int]],
        parts: Sequence[NDArray[np.int64]],
        seed: int,
        costs: Sequence[float] = (TRIAL_COST,),
    ) -> dict[float, NDArray[np.bool_]]:
        """Say by C which questions small fits with this shape answer; a part is held out from each fit."""
        from babi_cascade.svm.learner import BlockFrankWolfe

        right = {cost: np.zeros(len(read), bool) for cost in costs}
        for test in parts:
            train = np.setdiff1d(np.arange(len(read)), test) if len(test) < len(read) else test
            encoder = AnswerEncoder(self.encoder.groups, self.encoder.support)
            questions, facts = [read[i] for i in train], [supports[i] for i in train]
            encoder.fit(questions, facts, KindTable(shape.to_text()))
            problem = RankingProblem(encoder.encode(_choices(encoder, questions, facts)))
            if not problem.n_examples:
                continue
            others = [read[i] for i in test]
            choices = _choices(encoder, others, [supports[i] for i in test])
            for cost in costs:
                learner = BlockFrankWolfe(C=cost, gap=1e-2, max_passes=TRIAL_PASSES, seed=seed)
                answers = _answers(encoder, choices, learner.fit(problem).coef_)
                right[cost][test] = [
                    a.answer == q.source.answer for a, q in zip(answers, others, strict=True)
                ]
        return right

    def predict(
        self, read: Sequence[ReadQuestion], supports: Sequence[Sequence[int]]
    ) -> list[Answer]:
        """Return the best answer to every question, given the facts."""
        choices = _choices(self.encoder, read, supports)
        return _answers(self.encoder, choices, self.fitted_.weights)

    def explain(
        self, asked: ReadQuestion, positions: Sequence[int], answer: str | None
    ) -> list[Named]:
        """Return every feature of the parts of an answer with its weight."""
        choices = self.encoder.choices(asked, positions)
        problem = RankingProblem(self.encoder.encode([choices]))
        labels = problem.predict(self.fitted_.weights)
        said = None if answer is None else self.encoder.labels(choices, answer)
        if said is not None:
            labels[:, 0] = said
        every = np.arange(problem.n_examples, dtype=np.int64)
        _, ids = problem.features_batch(every, labels)
        return self._in_words(ids)

    def weighed(self, asked: ReadQuestion, positions: Sequence[int], answer: str) -> bool:
        """Say whether any feature group spoke for or against an answer."""
        shares: dict[str, float] = {}
        for group, _, weight in self.explain(asked, positions, answer):
            shares[group] = shares.get(group, 0.0) + weight
        return any(abs(share) > NO_WEIGHT for share in shares.values())

    def novelties(self, asked: ReadQuestion, positions: Sequence[int]) -> list[Novelty]:
        """Return what training never had of such a question and facts."""
        lines = [fact.line for fact in asked.source.facts]
        return self.met_.novelties(
            self.encoder.choices(asked, positions).case,
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

    def candidates(
        self, asked: ReadQuestion, positions: Sequence[int]
    ) -> list[tuple[str, float, str]]:
        """Return every candidate of every part with its score, the best first."""
        choices = self.encoder.choices(asked, positions)
        problem = RankingProblem(self.encoder.encode([choices]))
        found: list[tuple[str, float, str]] = []
        for number, part in enumerate(choices.parts):
            scores = _scores(problem, number, self.fitted_.weights)
            name = part.name if len(choices.parts) > 1 or part.name != choices.shape.kind else ""
            own = [(c, score, name) for c, score in zip(part.candidates, scores, strict=True)]
            found += sorted(own, key=lambda each: (-each[1], each[0]))
        return found

    def arrays(self) -> dict[str, NDArray[Any]]:
        """Return the arrays of the model file."""
        return {**super().arrays(), "codes": self.encoder.codes_}

    def to_json(self) -> dict[str, Any]:
        """Return the rest of the model file, with what was met in training."""
        return super().to_json() | {"met": self.met_.to_json()}

    def restore(self, record: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]]) -> None:
        """Take over a saved stage."""
        self.encoder.restore(record["encoder"], arrays["codes"])
        self.fitted_ = Fitted.from_json(record["fit"], arrays["weights"])
        self.met_ = Experience.from_json(record["met"])


def story_numbers(read: Sequence[ReadQuestion]) -> NDArray[np.int64]:
    """Return for every question which story it belongs to."""
    numbers: dict[int, int] = {}
    return np.array([numbers.setdefault(id(asked.story), len(numbers)) for asked in read])


def _portions(read: Sequence[ReadQuestion]) -> Iterator[list[ReadQuestion]]:
    """Yield questions in portions whose pairs of facts are not too many."""
    portion: list[ReadQuestion] = []
    pairs = 0
    for asked in read:
        if portion and pairs + asked.n_facts**2 > MOST_PAIRS:
            yield portion
            portion, pairs = [], 0
        portion.append(asked)
        pairs += asked.n_facts**2
    if portion:
        yield portion


def _choices(
    encoder: AnswerEncoder, read: Sequence[ReadQuestion], supports: Sequence[Sequence[int]]
) -> list[AnswerChoices]:
    return [encoder.choices(asked, support) for asked, support in zip(read, supports, strict=True)]


def _answers(
    encoder: AnswerEncoder, choices: Sequence[AnswerChoices], weights: NDArray[np.float64]
) -> list[Answer]:
    """Choose every part; the score of an answer is their sum, its margin the smallest of theirs."""
    problem = RankingProblem(encoder.encode(choices))
    every = np.arange(problem.n_examples, dtype=np.int64)
    labels, scores = problem.search_batch(every, weights)
    _, seconds = problem.search_batch(every, weights, exclude=labels)
    answers = []
    at = 0
    for question in choices:
        own = slice(at, at + len(question.parts))
        at = own.stop
        if question.allowed is not None and question.shape.kind != WORD:
            answers.append(_allowed(encoder, question, weights))
            continue
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


def _allowed(
    encoder: AnswerEncoder, choices: AnswerChoices, weights: NDArray[np.float64]
) -> Answer:
    """Choose a whole answer of several parts among those that are allowed."""
    problem = RankingProblem(encoder.encode([choices]))
    parts = [_scores(problem, number, weights) for number in range(problem.n_examples)]
    allowed = choices.allowed or ()
    scores = {
        answer: sum(part[label] for part, label in zip(parts, labels, strict=True))
        for answer in allowed
        if (labels := encoder.labels(choices, answer)) is not None
    } or dict.fromkeys(allowed, 0.0)
    best, *others = sorted(scores, key=lambda answer: -scores[answer])
    return Answer(best, scores[best], scores[best] - scores[others[0]] if others else None)


def _scores(problem: RankingProblem, example: int, weights: NDArray[np.float64]) -> list[float]:
    """Return the score of every candidate of an example."""
    n = int(problem.examples.counts[example])
    labels = np.arange(n, dtype=np.int32)[:, None]
    ptr, ids = problem.features_batch(np.full(n, example, np.int64), labels)
    return [float(weights[ids[a:b]].sum()) for a, b in pairwise(ptr)]
