"""Problems in which one thing is chosen of several: a label is its number, the loss 0 or 1."""

from __future__ import annotations

import numpy as np

from babi_cascade.svm.arrays import Floats, Ints, Longs
from babi_cascade.svm.errors import SvmError
from babi_cascade.svm.problem import Problem


class OneOfSeveral(Problem):
    """A problem with one number for a label; subclasses say how it is found and which features it has."""

    label_length = 1
    thing: str
    """What is chosen, for messages."""

    _labels: Ints  # [examples]; -1 where it is not known, for prediction only

    def losses_batch(self, examples: Longs, labels: Ints) -> Floats:
        """1 where the choice is wrong."""
        return np.asarray(self._labels[examples] != labels[:, 0], np.float64)

    def gold_batch(self, examples: Longs) -> Ints:
        """True choices."""
        return self._labels[examples, None]

    def check_gold(self) -> None:
        """Refuse to be learned from if some true choice is not known."""
        unknown = int(np.sum(self._labels < 0))
        if unknown:
            raise SvmError(f"{unknown} of {self.n_examples} examples have no true {self.thing}")

    def label_loss(self, gold: Ints, label: Ints) -> float:
        """0 or 1."""
        return float(gold[0] != label[0])
