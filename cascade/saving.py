"""Trained cascades as files. Whoever hands us a file may have written anything into it.

`svm.model_file` sees that a file is whole; here its content is held against what a cascade is: parameters of
the right kind, lists of texts, and arrays exactly as large as the encoders need them. Nothing reaches a
compiled kernel before that.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from babi_cascade.cascade.content import (
    FORMAT,
    KIND,
    ContentError,
    MissingGroupError,
    described,
    fit_of,
    listed,
    object_of,
    text_of,
    texts_of,
    weights_of,
)
from babi_cascade.cascade.extended_saving import packed_extended, restore_extended
from babi_cascade.cascade.extended_stages import ExtendedSupportStage
from babi_cascade.cascade.settings import Settings, SettingsError
from babi_cascade.cascade.stages import AnswerStage, SupportStage
from babi_cascade.cascade.tables import ARRAYS
from babi_cascade.features.group import SLOT_PAIRS
from babi_cascade.features.registry import FeatureError
from babi_cascade.features.support import SLOTS_OF_FACTS
from babi_cascade.svm.errors import SvmError
from babi_cascade.svm.model_file import ModelFileError, load_model, save_model
from babi_cascade.svm.ranking import RankingProblem
from babi_cascade.svm.tuples import TupleProblem

if TYPE_CHECKING:
    from babi_cascade.cascade.estimator import Cascade

LONGEST_STORY = 1_000_000
"""Facts before a question of any model; the features of larger distances would only fill memory."""

_INSTALL = "install the package that has it, or train the model again"

Arrays = Mapping[str, NDArray[Any]]


def save(cascade: Cascade, path: Path, origin: Mapping[str, Any]) -> None:
    """Write a trained cascade to one file, in full or not at all."""
    support, answer = cascade.support_stage_, cascade.answer_stage_
    parts = {"support": support.to_json(), "answer": answer.to_json()}
    arrays = {f"support.{name}": array for name, array in support.arrays().items()}
    arrays |= {f"answer.{name}": array for name, array in answer.arrays().items()}
    if isinstance(support, ExtendedSupportStage):
        parts, tables = packed_extended(**parts)
        arrays |= tables
    meta = {
        "kind": KIND,
        "format": FORMAT,
        "params": cascade.settings.to_json(),
        "reader": cascade.trained_with_,
        **parts,
        "origin": dict(origin),
    }
    save_model(path, arrays, meta)


def load(kind: type[Cascade], path: Path) -> Cascade:
    """Read a trained cascade; whatever is wrong with its file is a ModelFileError."""
    return restored(kind, path, *load_model(path))


def restored(kind: type[Cascade], path: Path, arrays: Arrays, meta: Any) -> Cascade:
    """Return the cascade that a file holds; ``path`` is for messages."""
    try:
        return _restored(kind, arrays, described(meta))
    except (FeatureError, MissingGroupError) as error:
        raise ModelFileError(path, str(error), _INSTALL) from error
    except (ContentError, SettingsError, SvmError) as error:
        raise ModelFileError(path, str(error)) from error


def _restored(kind: type[Cascade], arrays: Arrays, meta: Mapping[str, Any]) -> Cascade:
    made = kind(**asdict(Settings.from_json(object_of(meta, "params"))))
    made.make_stages()
    support, answer = object_of(meta, "support"), object_of(meta, "answer")
    extended = isinstance(made.support_stage_, ExtendedSupportStage)
    expected = {"support.weights", "answer.weights"}
    if extended:
        expected |= {f"{stage}.{name}" for stage in ("support", "answer") for name in ARRAYS}
    else:
        expected.add("answer.codes")
    if set(arrays) != expected:
        raise ContentError(f"found the arrays {listed(arrays)}, expected {listed(expected)}")
    if extended:
        restore_extended(made, support, answer, arrays)
    else:
        _restore_support(made, support, arrays["support.weights"])
        _restore_answer(made, answer, arrays["answer.weights"], arrays["answer.codes"])
    made.trained_with_ = text_of(meta, "reader")
    # Models of the first days say nothing of their origin.
    made.origin_ = object_of(meta, "origin") if "origin" in meta else {}
    return made


def _restore_support(made: Cascade, record: Mapping[str, Any], weights: NDArray[Any]) -> None:
    stage = made.support_stage_
    assert isinstance(stage, SupportStage)
    encoder = object_of(record, "encoder")
    sizes = _check_attributes(encoder, [n for n, g in stage.encoder.groups.items()
                                        if hasattr(g, "attributes")])  # fmt: skip
    reach = encoder.get("reach")
    if type(reach) is not int or not 0 <= reach <= LONGEST_STORY:
        raise ContentError(f"found the reach {reach!r:.40}, expected 0 to {LONGEST_STORY}")
    room = (weights.size - SLOTS_OF_FACTS) // len(SLOT_PAIRS) - sum(n * n for n in sizes)
    if reach > 1 and 2 * reach > room:
        # Every distance has features of its own; told before one of them is made.
        raise ContentError(f"found {weights.size} support weights, too few for its features")
    fit = fit_of(record)
    stage.encoder.restore(encoder)
    needed = TupleProblem(stage.encoder.encode([])).size_joint_feature
    stage.restore(
        {"encoder": encoder, "fit": fit}, {"weights": weights_of(weights, needed, "support")}
    )


def _restore_answer(
    made: Cascade, record: Mapping[str, Any], weights: NDArray[Any], codes: NDArray[Any]
) -> None:
    stage = made.answer_stage_
    assert isinstance(stage, AnswerStage)
    encoder = object_of(record, "encoder")
    sizes = _check_attributes(encoder, [n for n, g in stage.encoder.groups.items()
                                        if hasattr(g, "attributes")])  # fmt: skip
    for name in ("answers", "words"):
        if len(set(texts_of(encoder, name))) != len(encoder[name]):
            raise ContentError(f"found one of the {name} twice")
    if not encoder["answers"]:
        raise ContentError("found no answers, expected at least one")
    if encoder["words"] and not any(
        hasattr(g, "of_question") for g in stage.encoder.groups.values()
    ):
        raise ContentError("found words of questions that no feature group uses")
    limit = 1 + len(encoder["words"]) + len(SLOT_PAIRS) * sum(n * n for n in sizes)
    if codes.dtype != np.int64 or codes.ndim != 1 or not codes.size or codes[0] != 0:
        raise ContentError("found answer codes of another type or shape than a list from 0")
    if np.any(codes[1:] <= codes[:-1]) or int(codes[-1]) >= limit:
        raise ContentError("found answer codes that are no ascending numbers of features")
    fit = fit_of(record)
    stage.encoder.restore(encoder, codes)
    needed = RankingProblem(stage.encoder.encode([], [])).size_joint_feature
    stage.restore(
        {"encoder": encoder, "fit": fit},
        {"weights": weights_of(weights, needed, "answer"), "codes": codes},
    )


def _check_attributes(encoder: Mapping[str, Any], groups: list[str]) -> list[int]:
    """Return how many attributes each group has, every one once."""
    attributes = object_of(encoder, "attributes")
    unknown = set(attributes) - set(groups)
    if unknown:
        raise MissingGroupError(min(unknown), groups)
    if set(attributes) != set(groups):
        raise ContentError(
            f"found attributes of the groups {listed(attributes)}, expected {listed(groups)}"
        )
    sizes = []
    for name in groups:
        texts = texts_of(attributes, name)
        if len(set(texts)) != len(texts):
            raise ContentError(f"found an attribute of {name} twice")
        sizes.append(len(texts))
    return sizes
