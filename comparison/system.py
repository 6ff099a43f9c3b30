"""The surface that every system of this room shares: parameters, score, one-file models."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar, TypeVar

import numpy as np
from numpy.typing import NDArray

from babi_cascade.cascade.answerer import QuestionAnswerer
from babi_cascade.cascade.prediction import Prediction
from babi_cascade.errors import UserError
from babi_cascade.pipeline.stories import Question
from babi_cascade.pipeline.stories.errors import escaped
from babi_cascade.svm.model_file import ModelFileError, load_model, save_model

FORMAT = 1
UNSAVED = ("progress",)
LARGEST_PARAMETER = 10_000
"""In a file: more hops or bins than this would only take time and memory."""

Own = TypeVar("Own", bound="ComparisonSystem")


class ComparisonSystem(QuestionAnswerer):
    """A system that learns from questions and answers others.

    A subclass is a data class of its keyword parameters, so that `sklearn.base.clone` and searches over
    parameters work; what was learned ends in an underscore.
    """

    kind: ClassVar[str]
    """What model files call the system."""

    packages: ClassVar[tuple[str, ...]]
    """What it learns with, as pip calls it: another version may give other figures."""

    finds_facts: ClassVar[bool] = True
    """Whether predictions name supporting facts."""

    @abstractmethod
    def _state(self) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
        """Return what was learned: a JSON value and arrays."""

    @abstractmethod
    def _restore(self, meta: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]]) -> None:
        """Take over what `_state` returned."""

    def save(self, path: str | Path) -> None:
        """Write the trained model to one file."""
        params = {k: v for k, v in self.get_params().items() if k not in UNSAVED}
        learned, arrays = self._state()
        meta = {"kind": self.kind, "format": FORMAT, "params": params, "learned": learned}
        save_model(Path(path), arrays, meta)

    @classmethod
    def load(cls: type[Own], path: str | Path) -> Own:
        """Read a model that `save` wrote."""
        arrays, meta = load_model(Path(path))
        wanted = (cls.kind, FORMAT)
        if not isinstance(meta, dict) or (meta.get("kind"), meta.get("format")) != wanted:
            raise ModelFileError(Path(path), f"found no model of {cls.kind!r}, format {FORMAT}")
        try:
            made = cls(**cls._saved_parameters(meta["params"]))
            _check_finite(arrays)
            made._restore(meta["learned"], arrays)
        except (
            ArithmeticError, AttributeError, LookupError, RuntimeError, TypeError, ValueError,
        ) as error:  # fmt: skip
            problem = f"what was learned does not fit together ({escaped(str(error)[:200])})"
            raise ModelFileError(Path(path), problem) from error
        return made

    @classmethod
    def _saved_parameters(cls, given: Mapping[str, Any]) -> dict[str, Any]:
        """Return parameters of a file; each must be of the kind that its default is of."""
        if not set(given).isdisjoint(UNSAVED):
            raise ValueError("found a parameter that is not kept in files")
        own = cls(**{name: tuple(v) if isinstance(v, list) else v for name, v in given.items()})
        defaults = cls().get_params()
        for name, value in own.get_params().items():
            default = defaults[name]
            if name == "seed" and type(value) is int and 0 <= value < 2**63:
                continue
            each, like = (value, default) if isinstance(default, tuple) else ((value,), (default,))
            if not isinstance(each, tuple) or not all(_is_like(one, like[0]) for one in each):
                raise ValueError(f"parameter {name}: found {value!r:.40}")
        return dict(own.get_params())


class AnswerClassifier(ComparisonSystem):
    """A system that chooses among the answers met in training, and looks for no facts.

    Attributes
    ----------
    answers_ : the answers met in training
    """

    finds_facts = False

    answers_: list[str]

    @abstractmethod
    def _scores(self, questions: Sequence[Question]) -> NDArray[np.float64]:
        """Return a score for each question and answer."""

    def _answer(self, questions: list[Question]) -> list[Prediction]:
        found = []
        for asked, row in zip(questions, self._scores(questions) if questions else (), strict=True):
            best = int(np.argmax(row))
            others = np.delete(row, best)
            margin = float(row[best] - others.max()) if len(others) else None
            answer, score = self.answers_[best], float(row[best])
            found.append(Prediction(answer, score=score, margin=margin, id=asked.id))
        return found

    def _number_answers(self, questions: Sequence[Question]) -> NDArray[np.int64]:
        """Take over the answers of training questions, and return the number of each one."""
        self.answers_ = sorted({asked.answer or "" for asked in questions})
        place = {answer: i for i, answer in enumerate(self.answers_)}
        return np.array([place[asked.answer or ""] for asked in questions])


def check_positive(system: ComparisonSystem, *names: str) -> None:
    """Refuse parameters under 1; one that is None says nothing."""
    for name in names:
        value = getattr(system, name)
        if value is not None and value < 1:
            raise UserError(f"{name}: found {value}, expected 1 or more")


def check_training(questions: Sequence[Question], *, support: bool) -> None:
    """Refuse training questions that nothing can be learned from."""
    if not questions:
        raise UserError("training: found no questions, expected at least one")
    for number, asked in enumerate(questions, start=1):
        missing = None
        if asked.answer is None:
            missing = "answer"
        elif support and asked.support is None:
            missing = "supporting facts"
        if missing is not None:
            raise UserError(
                f"training question {number} ({asked.text!r}): found no {missing}; every training "
                f"question needs {'its answer and its supporting facts' if support else 'its answer'}"
            )


def check_shapes(
    arrays: Mapping[str, NDArray[Any]], expected: Mapping[str, tuple[int, ...]]
) -> None:
    """Refuse arrays of a file that are smaller or larger than its header says, before any room is made."""
    for name, shape in expected.items():
        if arrays[name].shape != shape:
            raise ValueError(f"array {name}: found {arrays[name].shape}, expected {shape}")


def texts_in(value: Any) -> list[str]:
    """Return a list of texts of a file; anything else is refused."""
    if not isinstance(value, list) or not value or not all(isinstance(each, str) for each in value):
        raise ValueError("found no list of texts")
    return value


def _is_like(value: Any, default: Any) -> bool:
    """Tell whether a parameter of a file can stand where its default does; numbers may not be wild."""
    if isinstance(default, (bool, str)):
        return type(value) is type(default)
    if value is None:
        return default is None
    whole = type(value) is int and 0 <= value <= LARGEST_PARAMETER
    fraction = isinstance(default, float) and type(value) is float and 0 < value < LARGEST_PARAMETER
    return whole or fraction


def _check_finite(arrays: Mapping[str, NDArray[Any]]) -> None:
    for name, array in arrays.items():
        if not np.isfinite(array).all():
            raise ValueError(f"array {name}: found something else than numbers")
