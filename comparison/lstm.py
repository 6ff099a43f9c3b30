"""The LSTM of section 5: reads the story and the question as one sequence of words, then answers.

Supporting facts are not used. The answer is one of those met in training, as a whole, chosen by a linear
layer over the last state. Very long stories are read from their end, where the question is.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from babi_cascade.comparison.system import (
    AnswerClassifier,
    check_positive,
    check_shapes,
    check_training,
    texts_in,
)
from babi_cascade.comparison.texts import padded, story_numbers, texts_of, words
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
from babi_cascade.pipeline.stories import Question

PADDING, UNKNOWN, BREAK = range(3)
"""The first word numbers: filling, a word never met in training, the end of a sentence."""

FIRST = 3

BLOCK = 16
"""Every word is a step of its own: padding would cost more than anything else."""


@dataclass(kw_only=True, eq=False, repr=False)
class LSTMClassifier(AnswerClassifier):
    """Reads words one by one and answers when the question ends.

    Parameters
    ----------
    rates, dimensions : learning rates and sizes of embeddings and states to choose from
    longest : at most so many words are read, the last ones
    epochs : at most so many
    patience : training ends when so many epochs brought nothing on held-out stories
    batch : questions in a step
    seed : first weights, order of the questions, choice of the held-out stories
    progress : gets short texts about what is being done

    Attributes
    ----------
    vocabulary_ : word to number
    answers_ : the answers met in training
    module_ : the network
    chosen_ : setting, epochs and held-out result
    """

    kind = "lstm"
    packages = ("torch",)

    rates: Sequence[float] = (0.01, 0.003)
    dimensions: Sequence[int] = (50,)
    longest: int = 200
    epochs: int = 50
    patience: int = 5
    batch: int = 32
    seed: int = 0
    progress: Callable[[str], None] | None = None

    def _fit(self, questions: list[Question]) -> None:
        check_training(questions, support=False)
        check_positive(self, "longest", "epochs", "patience", "batch")
        choices = Choices(self.rates, (1.0,), self.dimensions)  # the loss has no margin
        choices.check()
        found = sorted({word for text in texts_of(questions) for word in words(text)})
        self.vocabulary_ = {word: FIRST + i for i, word in enumerate(found)}
        target = torch.from_numpy(self._number_answers(questions))
        sequences, lengths = self._sequences(questions)
        trained = train_best(
            lambda setting: _LSTMLearner(self._module(setting), sequences, lengths, target),
            choices,
            story_numbers(questions),
            Schedule(self.epochs, self.patience, self.batch, self.seed, self.progress, block=BLOCK),
            "words",
        )
        self.module_ = trained.learner.module
        self.chosen_ = trained.to_json()

    def _scores(self, questions: Sequence[Question]) -> NDArray[np.float64]:
        sequences, lengths = self._sequences(questions)
        with one_thread(), torch.no_grad():
            found = [
                self.module_(*cut(sequences, lengths, rows))
                for rows in slices(torch.arange(len(questions)), BATCH_FOR_SCORING)
            ]
        return torch.cat(found).double().numpy()

    def _sequences(self, questions: Sequence[Question]) -> tuple[Tensor, Tensor]:
        """Return all words as padded rows of numbers (Q, L), and how many each row has."""
        read: dict[str, list[int]] = {}

        def numbers(text: str) -> list[int]:
            if text not in read:
                read[text] = [*(self.vocabulary_.get(w, UNKNOWN) for w in words(text)), BREAK]
            return read[text]

        rows = []
        for asked in questions:
            row = numbers(asked.text)[-self.longest :]
            for fact in reversed(asked.facts):  # from the end, until there is no more room
                room = self.longest - len(row)
                if room <= 0:
                    break
                row = numbers(fact.text)[-room:] + row
            rows.append(row)
        return torch.from_numpy(padded(rows, PADDING)), torch.tensor([len(row) for row in rows])

    def _module(self, setting: Hyperparameters) -> LSTMModule:
        size = FIRST + len(self.vocabulary_)
        return LSTMModule(size, setting.dimension, len(self.answers_), seeded(self.seed))

    def _state(self) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
        meta = {"words": list(self.vocabulary_), "answers": self.answers_, "chosen": self.chosen_}
        return meta, weights_of(self.module_)

    def _restore(self, meta: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]]) -> None:
        self.vocabulary_ = {word: FIRST + i for i, word in enumerate(texts_in(meta["words"]))}
        self.answers_ = texts_in(meta["answers"])
        self.chosen_ = dict(meta["chosen"])
        setting = Hyperparameters(**self.chosen_["setting"])
        size, n = FIRST + len(self.vocabulary_), setting.dimension
        check_shapes(
            arrays,
            {
                "embeddings.weight": (size, n),
                "lstm.weight_ih_l0": (4 * n, n),
                "lstm.weight_hh_l0": (4 * n, n),
                "answers.weight": (len(self.answers_), n),
            },
        )
        self.module_ = self._module(setting)
        load_weights(self.module_, arrays)


class LSTMModule(nn.Module):
    """Word embeddings, one LSTM layer, and a score for every answer from the last state."""

    def __init__(self, size: int, dimension: int, answers: int, generator: torch.Generator) -> None:
        super().__init__()
        self.embeddings = nn.Embedding(size, dimension, padding_idx=PADDING)
        self.lstm = nn.LSTM(dimension, dimension, batch_first=True)
        self.answers = nn.Linear(dimension, answers)
        with torch.no_grad():
            for weights in self.parameters():
                weights.uniform_(-(dimension**-0.5), dimension**-0.5, generator=generator)
            self.embeddings.weight[PADDING] = 0.0
            # the gate that forgets begins open: what was read early must reach the question
            self.lstm.get_parameter("bias_ih_l0")[dimension : 2 * dimension] += 1.0

    def forward(self, sequences: Tensor, lengths: Tensor) -> Tensor:
        """Return (B, answers). Rows end in padding, which comes after the state that is used."""
        states, _ = self.lstm(self.embeddings(sequences))
        last = states[torch.arange(len(lengths)), lengths - 1]
        scores: Tensor = self.answers(last)
        return scores


def cut(sequences: Tensor, lengths: Tensor, rows: Tensor) -> tuple[Tensor, Tensor]:
    """Return some of the rows, no longer than the longest of them."""
    own = lengths[rows]
    return sequences[rows, : int(own.max())], own


class _LSTMLearner:
    """Learns to give the true answer the highest score."""

    def __init__(
        self, module: LSTMModule, sequences: Tensor, lengths: Tensor, target: Tensor
    ) -> None:
        self.module = module
        self._sequences = sequences
        self._lengths = lengths
        self._target = target

    @property
    def sizes(self) -> Tensor:
        """Return how many words are read for each question."""
        return self._lengths

    def loss(self, rows: Tensor) -> Tensor:
        """Return the sum of the cross entropies."""
        scores = self._scores(rows)
        return nn.functional.cross_entropy(scores, self._target[rows], reduction="sum")

    def right(self, rows: Tensor) -> Tensor:
        """Return whether the best answer is the true one."""
        return self._scores(rows).argmax(dim=1) == self._target[rows]

    def _scores(self, rows: Tensor) -> Tensor:
        scores: Tensor = self.module(*cut(self._sequences, self._lengths, rows))
        return scores
