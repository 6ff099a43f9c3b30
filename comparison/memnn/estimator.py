"""Memory networks: fit, predict, score, save, load; every extension of appendix A is a parameter."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from babi_cascade.cascade.prediction import Prediction
from babi_cascade.comparison.memnn.arrays import NONE, QuestionArrays, TextFeatures
from babi_cascade.comparison.memnn.encoder import FORMS, MULTILINEAR, Encoder
from babi_cascade.comparison.memnn.output import OutputLearner, OutputModule
from babi_cascade.comparison.memnn.response import END, ResponseLearner, ResponseModule
from babi_cascade.comparison.system import (
    ComparisonSystem,
    check_positive,
    check_shapes,
    check_training,
    texts_in,
)
from babi_cascade.comparison.texts import spelled_words, story_numbers, texts_of
from babi_cascade.comparison.train import (
    BATCH_FOR_SCORING,
    Choices,
    Hyperparameters,
    Schedule,
    load_weights,
    one_thread,
    seeded,
    slices,
    train_best,
    weights_of,
)
from babi_cascade.errors import UserError
from babi_cascade.pipeline.stories import Question


@dataclass(kw_only=True, eq=False, repr=False)
class MemoryNetwork(ComparisonSystem):
    """Finds supporting memories hop by hop, then ranks words as answers.

    Parameters
    ----------
    adaptive : AM, a stop fact and a stop word instead of a fixed number of hops and a single word
    longest : N-grams of 1 to so many words stand for a text; NG has 3
    form : "linear" (eq. 4), "nonlinear" (NL, eq. 6) or "multilinear" (eq. 5)
    positions : how many bins of word positions the multilinear map has
    hops : how many memories are found; None is 2, or with ``adaptive`` at most 10
    rates, dimensions, margins : learning rates, embedding sizes and margins to choose from
    scale : standard deviation of the first embeddings
    epochs : at most so many
    patience : training ends when so many epochs brought nothing on held-out stories
    batch : questions in a step
    seed : first weights, order of the questions, choice of the held-out stories
    progress : gets short texts about what is being done

    Attributes
    ----------
    vocabulary_, responses_ : the features of texts; the words that can be said
    output_, response_ : the modules O and R
    chosen_ : setting, epochs and held-out result of both modules
    """

    kind = "memnn"
    packages = ("torch",)

    adaptive: bool = False
    longest: int = 1
    form: str = "linear"
    positions: int = 5
    hops: int | None = None
    rates: Sequence[float] = (0.01, 0.003)
    dimensions: Sequence[int] = (50, 100)
    margins: Sequence[float] = (1.0, 0.1)
    scale: float = 0.03
    epochs: int = 80
    patience: int = 10
    batch: int = 32
    seed: int = 0
    progress: Callable[[str], None] | None = None

    def _fit(self, questions: list[Question]) -> None:
        check_training(questions, support=True)
        self._check_parameters()
        self._make_vocabularies(questions)
        data = self._arrays(questions)
        stories = story_numbers(questions)
        schedule = Schedule(self.epochs, self.patience, self.batch, self.seed, self.progress)
        output = train_best(
            lambda setting: OutputLearner(self._output(setting), data),
            self._choices, stories, schedule, "supporting facts",
        )  # fmt: skip
        self.output_ = output.learner.module
        facts = self._true_facts(data)
        response = train_best(
            lambda setting: ResponseLearner(self._response(setting), data, facts),
            self._choices, stories, schedule, "answers",
        )  # fmt: skip
        self.response_ = response.learner.module
        self.chosen_ = {"output": output.to_json(), "response": response.to_json()}

    def _answer(self, questions: list[Question]) -> list[Prediction]:
        if not questions:
            return []
        data = self._arrays(questions)
        predictions = []
        with one_thread():
            for rows in slices(torch.arange(len(questions)), BATCH_FOR_SCORING):
                batch = data.batch(rows)
                found = self.output_.find(batch)
                said = self.response_.say(batch, found.numbers)
                columns = (found.numbers, found.scores, found.margins,
                           said.numbers, said.scores, said.margins)  # fmt: skip
                for row, *parts in zip(rows.tolist(), *(c.tolist() for c in columns), strict=True):
                    predictions.append(self._prediction(questions[row], *parts))
        return predictions

    # -- inside --------------------------------------------------------------------------------------

    def _prediction(
        self, asked: Question, positions: list[int], support_score: float, support_margin: float,
        words: list[int], score: float, margin: float,
    ) -> Prediction:  # fmt: skip
        lines = [asked.facts[place].line for place in positions if place != NONE]
        return Prediction(
            answer=",".join(self.responses_[word] for word in words if word != NONE),
            support=tuple(dict.fromkeys(lines)),  # a fixed number of hops may stay with one fact
            score=score,
            margin=_finite(margin),
            support_score=support_score,
            support_margin=_finite(support_margin),
            id=asked.id,
        )

    def _check_parameters(self) -> None:
        if self.form not in FORMS:
            raise UserError(f"form: found {self.form!r}, expected one of {', '.join(FORMS)}")
        if self.form == MULTILINEAR and self.longest != 1:
            raise UserError(
                f"longest: found {self.longest}, expected 1 with the multilinear map: it gives "
                "positions to single words"
            )
        check_positive(self, "longest", "positions", "hops", "epochs", "patience", "batch")
        self._choices.check()

    def _make_vocabularies(self, questions: Sequence[Question]) -> None:
        texts = texts_of(questions)
        bins = self.positions if self.form == MULTILINEAR else 0
        self.vocabulary_ = TextFeatures.of_texts(texts, longest=self.longest, positions=bins)
        # all words that were seen can be said, as they are written; END is number 0
        sayable = {word for text in texts for word in spelled_words(text)}
        sayable.update(word for asked in questions for word in asked.answers)
        self.responses_ = ["", *sorted(sayable - {""})]

    def _arrays(self, questions: Sequence[Question]) -> QuestionArrays:
        numbers = {word: i for i, word in enumerate(self.responses_) if i != END}
        return QuestionArrays(questions, self.vocabulary_, numbers)

    @property
    def _choices(self) -> Choices:
        return Choices(self.rates, self.margins, self.dimensions)

    @property
    def _hops(self) -> int:
        if self.hops is not None:
            return self.hops
        return 10 if self.adaptive else 2

    def _output(self, setting: Hyperparameters) -> OutputModule:
        return OutputModule(
            len(self.vocabulary_), dimension=setting.dimension, form=self.form,
            positions=self.positions, hops=self._hops, adaptive=self.adaptive,
            margin=setting.margin, scale=self.scale, generator=seeded(self.seed),
        )  # fmt: skip

    def _response(self, setting: Hyperparameters) -> ResponseModule:
        return ResponseModule(
            len(self.vocabulary_), len(self.responses_), dimension=setting.dimension,
            form=self.form, positions=self.positions, longest=self._hops if self.adaptive else 1,
            margin=setting.margin, scale=self.scale, generator=seeded(self.seed),
        )  # fmt: skip

    def _true_facts(self, data: QuestionArrays) -> Tensor:
        """Return the true facts of every question in the order in which O finds them."""
        table = torch.full((len(data), self._hops), NONE)
        with one_thread():
            for rows in slices(torch.arange(len(data)), BATCH_FOR_SCORING):
                order = self.output_.order(data.batch(rows))
                table[rows, : order.shape[1]] = order
        used = int((table != NONE).sum(dim=1).max())
        return table[:, :used]

    def _state(self) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
        meta = {
            "features": self.vocabulary_.features,
            "responses": self.responses_,
            "chosen": self.chosen_,
        }
        arrays = weights_of(self.output_, "output.") | weights_of(self.response_, "response.")
        return meta, arrays

    def _restore(self, meta: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]]) -> None:
        self._check_parameters()
        bins = self.positions if self.form == MULTILINEAR else 0
        self.vocabulary_ = TextFeatures(
            texts_in(meta["features"]), longest=self.longest, positions=bins
        )
        self.responses_ = texts_in(meta["responses"])
        self.chosen_ = dict(meta["chosen"])
        settings = {
            n: Hyperparameters(**self.chosen_[n]["setting"]) for n in ("output", "response")
        }
        size, answers = len(self.vocabulary_), len(self.responses_)
        sizes = {"output": (size,) * 3, "response": (size, size, answers, answers, size)}
        for name, setting in settings.items():
            shapes = Encoder.shapes(sizes[name], setting.dimension, self.form, self.positions)
            check_shapes(arrays, {f"{name}.encoder.{n}": shape for n, shape in shapes.items()})
        self.output_ = self._output(settings["output"])
        self.response_ = self._response(settings["response"])
        load_weights(self.output_, arrays, "output.")
        load_weights(self.response_, arrays, "response.")


def _finite(margin: float) -> float | None:
    return margin if np.isfinite(margin) else None
