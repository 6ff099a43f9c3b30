"""A log-linear model with a hidden choice: p(answer | x) = Σ_s p(s | x) p(answer | x, s).

Of each example only the answer is known; which of the candidate choices it rests on is not. The marginal
likelihood has many bad maxima (all mass on one constant answer is one), so responsibilities are annealed: at
first every choice counts alike, and what answers learn from all of them tells later which choice was right.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from sklearn.base import BaseEstimator

from babi_cascade.svm.arrays import Bools, Floats, Longs
from babi_cascade.svm.errors import SvmError
from babi_cascade.svm.latent_arrays import LatentArrays

MOST_WEIGHTS = 2**27
"""Of answers; there are three arrays of them, of a gigabyte each."""

ANNEALING = (0.0, 0.0, 0.0, 0.25, 0.5, 0.75)
"""Exponents of the responsibilities in the first passes; 1 afterwards."""


@dataclass(frozen=True, slots=True)
class Explained:
    """What a model makes of examples whose answers are known."""

    likelihood: Floats  # log-likelihood of each answer
    choices: Longs  # which choice explains it best


class LatentChoice(BaseEstimator):  # type: ignore[misc]  # scikit-learn has no types
    """Learns which choices answers rest on, by stochastic gradients with a rate for each weight (Adagrad).

    Parameters
    ----------
    n_passes : over the examples, those of the annealing included
    rate : of the steps
    decay : L2 penalty of an example
    per_item : what each chosen item adds to the score of a choice; negative, since few should do
    seed : order of the examples

    Attributes
    ----------
    choice_weights_, target_weights_ : what was learned
    """

    def __init__(
        self,
        n_passes: int = 25,
        rate: float = 0.2,
        decay: float = 1e-2,
        per_item: float = -0.7,
        seed: int = 0,
    ) -> None:
        self.n_passes = n_passes
        self.rate = rate
        self.decay = decay
        self.per_item = per_item
        self.seed = seed

    def fit(self, arrays: LatentArrays, examples: Longs) -> LatentChoice:
        """Learn from some of the examples."""
        from babi_cascade.svm.latent_kernels import learn_pass

        size = arrays.n_copies + arrays.n_contexts * arrays.n_classes
        if size >= MOST_WEIGHTS:
            raise SvmError(
                f"{arrays.n_classes} different answers with {arrays.n_contexts} attributes of facts are too "
                "many to learn facts from; give the facts, or fewer different answers"
            )
        w = np.zeros(arrays.n_scores)
        v = np.zeros(size)
        squares = np.zeros_like(w), np.zeros_like(v)
        rng = np.random.default_rng(self.seed)
        for number in range(self.n_passes):
            beta = ANNEALING[number] if number < len(ANNEALING) else 1.0
            learn_pass(
                arrays, rng.permutation(examples), beta, self.per_item, self.rate, self.decay,
                w, squares[0], v, squares[1],
            )  # fmt: skip
        self.choice_weights_, self.target_weights_ = w, v
        return self

    def explain(self, arrays: LatentArrays, examples: Longs) -> Explained:
        """Return how likely the answers are, and which choices explain them best."""
        from babi_cascade.svm.latent_kernels import explain_examples

        likelihood, chosen = np.empty(len(examples)), np.zeros(len(examples), np.int32)
        explain_examples(
            arrays, examples, self.per_item, self.choice_weights_, self.target_weights_, likelihood, chosen
        )  # fmt: skip
        return Explained(likelihood, arrays.first[examples] + chosen)

    def right(self, arrays: LatentArrays, examples: Longs) -> Bools:
        """Say which answers are found: first the best choice, then the best answer to it."""
        from babi_cascade.svm.latent_kernels import best_choices, target_examples

        chosen = np.zeros(len(examples), np.int32)
        best_choices(arrays, examples, self.per_item, self.choice_weights_, chosen)
        right = np.zeros(len(examples), np.bool_)
        target_examples(arrays, examples, chosen, self.target_weights_, right)
        return right
