"""The estimator: fit, predict, score, explain, save, load.

Two structured SVMs in a row, as in appendix B. The first selects the supporting facts, the second ranks
answers, given the question and the facts. The second is trained on the true facts; where nobody told them,
they are learned from the answers first. The cost C of each is chosen by holding out parts of the training
stories.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

import numpy as np

from babi_cascade.cascade.answerer import NotTrainedError, QuestionAnswerer
from babi_cascade.cascade.connected import Connected
from babi_cascade.cascade.doubt import judge
from babi_cascade.cascade.errors import CascadeError
from babi_cascade.cascade.explanation import Explanation, explain
from babi_cascade.cascade.imputation import Imputation, Imputer
from babi_cascade.cascade.prediction import Prediction
from babi_cascade.cascade.settings import AUTO, FACTS, Settings, State, Supervision
from babi_cascade.cascade.stages import AnswerStage, SupportStage
from babi_cascade.cascade.training import FitOptions
from babi_cascade.features.presets import STATE_GROUPS, Mentions, Roles
from babi_cascade.features.registry import ANSWER, SUPPORT, made, named
from babi_cascade.pipeline.read import ReadQuestion, StoryReader
from babi_cascade.pipeline.stories import Question
from babi_cascade.pipeline.stories.errors import escaped
from babi_cascade.pipeline.stories.given import question_in, questions_in

DEFAULT = Settings()


LONGEST_STORY = 5000
"""Facts before a question that is answered, unless more are asked for: memory grows with their square."""

READ_WHOLE = 400
"""Facts before a question that are all read; no question of the released files has more."""

__all__ = ["Cascade", "CascadeError"]


class Cascade(QuestionAnswerer):
    """Selects supporting facts, then ranks answers.

    Parameters
    ----------
    preset, features, without, roles, replace, supervision, state, learner, cost, gap, max_facts, seed : see
        `Settings`; among the features may be groups of your own, classes or objects
    longest_story : a question with more facts before it is refused rather than answered, since memory grows
        with the square of their number; not kept in model files
    read_whole : of a question with more facts before it only those are read that are connected with it
        (`cascade.connected`); not kept in model files
    reader : reads the stories; None reads words only
    progress : gets short texts about what is being done

    Attributes
    ----------
    support_stage_, answer_stage_ : the two trained stages; each has cost_, gap_, converged_, seconds_
    imputation_ : what was learned about supporting facts that nobody told, None if all were told
    trained_with_ : fingerprint of what read the training stories
    origin_ : what a loaded model says about how it was made
    """

    trained_with_: str
    imputation_: Imputation | None
    origin_: Mapping[str, Any]

    def __init__(
        self, *, preset: str = DEFAULT.preset, features: Sequence[Any] | None = DEFAULT.features,
        without: Sequence[str] = DEFAULT.without, roles: Roles | None = DEFAULT.roles,
        replace: Mentions | None = DEFAULT.replace, supervision: Supervision = DEFAULT.supervision,
        state: State = DEFAULT.state, learner: str = DEFAULT.learner,
        cost: float | None = DEFAULT.cost, gap: float = DEFAULT.gap,
        max_facts: int | None = DEFAULT.max_facts, seed: int = DEFAULT.seed,
        longest_story: int = LONGEST_STORY, read_whole: int = READ_WHOLE, reader: StoryReader | None = None,
        progress: Callable[[str], None] | None = None,
    ) -> None:  # fmt: skip
        self.preset = preset
        self.features = features
        self.without = without
        self.roles = roles
        self.replace = replace
        self.supervision = supervision
        self.state = state
        self.learner = learner
        self.cost = cost
        self.gap = gap
        self.max_facts = max_facts
        self.seed = seed
        self.longest_story = longest_story
        self.read_whole = read_whole
        self.reader = reader
        self.progress = progress

    # -- the estimator's surface -------------------------------------------------------------------

    @property
    def settings(self) -> Settings:
        """The parameters that decide what is learned, and so belong to a model file."""
        every = {each.name: getattr(self, each.name) for each in fields(Settings)}
        # A search over parameters gives numbers of numpy.
        every = {k: v.item() if isinstance(v, np.generic) else v for k, v in every.items()}
        features = None if self.features is None else named(self.features)
        return Settings(**every | {"features": features, "without": tuple(self.without)})

    def _fit(self, questions: list[Question]) -> None:
        self.settings.check()
        self.fit_read(self.story_reader.read(questions))

    def fit_read(self, read: Sequence[ReadQuestion]) -> Cascade:
        """Learn from questions that were read before."""
        from threadpoolctl import threadpool_limits

        _check_training(read, self.supervision)
        self.__dict__.pop("origin_", None)
        self.make_stages()
        self.trained_with_ = self.story_reader.fingerprint
        options = FitOptions(self.learner, self.cost, self.gap, self.seed, self.progress)
        with threadpool_limits(limits=1):  # sums in the same order, whatever the machine
            imputer = Imputer(self.max_facts, self.seed, self.progress)
            read, learned = imputer.supervise(read, self.supervision)
            self.support_stage_.fit(read, options)
            true_facts = [choice.positions for choice in self.support_stage_.gold(read)]
            self.answer_stage_.fit(read, true_facts, options)
            if learned is not None:
                answers = self.answer_stage_.predict(read, true_facts)
                right = [a.answer == q.source.answer for a, q in zip(answers, read, strict=True)]
                learned = dataclasses.replace(learned, explained=sum(right) / len(right))
            self.imputation_ = learned
        return self

    def answer(self, questions: Sequence[Question]) -> list[Prediction]:
        """Answer questions: each answer with its facts, scores and margins, and how sure it is."""
        return self.judged(self.read(questions_in(questions, "answer")))

    def _answer(self, questions: list[Question]) -> list[Prediction]:
        return self.answer_read(self.read(questions))

    def read(self, questions: Sequence[Question]) -> list[ReadQuestion]:
        """Read questions; of a long story only what is connected with its question."""
        reader = self._trained_reader()
        long = {i for i, question in enumerate(questions) if self.is_long(question)}
        short = [question for i, question in enumerate(questions) if i not in long]
        for question in short:  # before any of them is read
            self._check_size(question)
        read = iter(reader.read(short))
        return [
            Connected(reader, self.support_stage_.encoder, question).read()
            if i in long
            else next(read)
            for i, question in enumerate(questions)
        ]

    def is_long(self, question: Question) -> bool:
        """Say whether only what is connected with a question is read; a model from before reads all."""
        return len(question.facts) > self.read_whole and bool(self.support_stage_.encoder.links_)

    def judged(self, read: Sequence[ReadQuestion]) -> list[Prediction]:
        """Answer questions that were read before, and say how sure each answer is."""
        found = self.answer_read(read)
        return [
            replace(prediction, verdict=judge(self, asked, prediction))
            for asked, prediction in zip(read, found, strict=True)
        ]

    def answer_read(
        self, read: Sequence[ReadQuestion], *, gold_support: bool = False
    ) -> list[Prediction]:
        """Answer questions that were read before; with ``gold_support`` the true facts are given."""
        self._check_trained()
        for asked in read:
            self._check_size(asked.source)
        if gold_support:
            chosen = self.support_stage_.gold(read)
        else:
            chosen = self.support_stage_.predict(read)
        answers = self.answer_stage_.predict(read, [choice.positions for choice in chosen])
        return [
            Prediction(
                answer=answer.answer,
                support=tuple(asked.source.facts[i].line for i in choice.positions),
                score=answer.score,
                margin=answer.margin,
                support_score=choice.score,
                support_margin=choice.margin,
                id=asked.source.id,
                facts_learned=self.imputation_ is not None,
            )
            for asked, choice, answer in zip(read, chosen, answers, strict=True)
        ]

    def explain(self, question: Question) -> Explanation:
        """Return the prediction and the named features whose weights add up to its scores."""
        (asked,) = self.read([question_in(question, "explain")])
        return self.explain_read(asked)

    def explain_read(self, asked: ReadQuestion) -> Explanation:
        """Explain the prediction for a question that was read before."""
        return explain(self, asked)

    def forget(self, above: int = 0) -> None:
        """Let go of the sentences read so far when there are more: a stream has no end, memory has."""
        if self.reader is not None:
            self.story_reader.forget(above)
        self.support_stage_.encoder.forget(above)
        self.answer_stage_.encoder.forget(above)

    # -- files ---------------------------------------------------------------------------------------

    def save(self, path: str | Path, *, origin: Mapping[str, Any] | None = None) -> None:
        """Write the trained model to one file; ``origin`` is any JSON object about how it was made.

        Without one it says by which back ends stories were read, so that `babi_cascade.load` finds them.
        """
        from babi_cascade.cascade.saving import save

        self._check_trained()
        made = origin or getattr(self, "origin_", None) or {
            "settings": {"system": "cascade", "reading": self.story_reader.reading},
            "files": [],
            "questions": 0,
        }  # fmt: skip
        save(self, Path(path), made)

    @classmethod
    def load(cls, path: str | Path, *, reader: StoryReader | None = None) -> Cascade:
        """Read a model; ``reader`` must be one with the back ends it was trained with."""
        from babi_cascade.cascade.saving import load

        made = load(cls, Path(path))
        made.reader = reader
        if reader is not None:
            made._trained_reader()  # another reader is told now
        return made

    # -- inside --------------------------------------------------------------------------------------

    @property
    def story_reader(self) -> StoryReader:
        """What reads the stories: the reader, replacing the mentions that the settings say."""
        _, mentions = self.settings.looks_at
        reader = StoryReader() if self.reader is None else self.reader
        if not isinstance(reader, StoryReader):
            raise TypeError(
                f"reader: found {reader!r:.60}, expected what babi_cascade.reader(…) makes"
            )
        return reader.replacing(mentions)

    def _trained_reader(self) -> StoryReader:
        """Return the reader; one that reads otherwise than at training would give wrong answers."""
        self._check_trained()
        reader = self.story_reader
        if reader.fingerprint != self.trained_with_:
            raise CascadeError(
                f"the model was trained on stories read by {escaped(self.trained_with_)}; found a reader "
                f"{reader.fingerprint}; expected the same (parameter reader), or train again"
            )
        return reader

    def _check_trained(self) -> None:
        if not hasattr(self, "trained_with_"):
            raise NotTrainedError("the Cascade is not trained; call fit or load first")

    def _check_size(self, question: Question) -> None:
        """Refuse what would take more memory than anybody expects, before any of it is taken."""
        n_facts = len(question.facts)
        if n_facts > self.longest_story:
            raise CascadeError(
                f"the story is too long: found {n_facts} facts before the question, expected at most "
                f"{self.longest_story}; --longest-story (the parameter longest_story) allows more, if there "
                "is the memory"
            )

    def make_stages(self) -> None:
        """Begin with two untrained stages of the chosen feature groups."""
        self.settings.check()
        chosen = self.settings.groups
        roles, _ = self.settings.looks_at
        support = made(chosen.support, SUPPORT, roles=roles)
        answer = made(chosen.answer, ANSWER, roles=roles)
        state = any(name in STATE_GROUPS for name in chosen.names)
        self.support_stage_ = SupportStage(support, self.max_facts, roles, state)
        self.answer_stage_ = AnswerStage(answer, self.support_stage_)


def _check_training(read: Sequence[ReadQuestion], supervision: str) -> None:
    if not read:
        raise CascadeError("training: found no questions, expected at least one")
    for number, asked in enumerate(read, start=1):
        if asked.source.answer is None:
            raise CascadeError(
                f"training question {number} ({asked.source.text!r}): found no answer; "
                "every training question needs one"
            )
        if supervision == FACTS and not asked.source.support and asked.facts:
            raise CascadeError(
                f"training question {number} ({asked.source.text!r}): found no supporting facts; with "
                f"supervision {FACTS!r} every training question needs the numbers of its own, with {AUTO!r} "
                "those that are missing are learned from the answers"
            )
