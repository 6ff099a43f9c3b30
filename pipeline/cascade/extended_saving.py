"""Saved stages of the extended preset: what a file says of them is checked, then taken over."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from numpy.typing import NDArray

from features.answer_parts import Shape
from features.outline import FrameOutliner
from features.positions import PositionalOutliner
from features.selection import CHAIN, TUPLE
from pipeline.cascade.content import (
    ContentError,
    fit_of,
    listed,
    object_of,
    text_of,
    texts_of,
    weights_of,
)
from pipeline.cascade.extended_stages import ExtendedAnswerStage, ExtendedSupportStage
from svm.candidates import CandidateProblem
from svm.selection import SLOTS, SelectionProblem

if TYPE_CHECKING:
    from pipeline.cascade.estimator import Cascade

LONGEST_ATTRIBUTE = 16
TRAIT = 3


def restore_extended(
    made: Cascade,
    support: Mapping[str, Any],
    answer: Mapping[str, Any],
    arrays: Mapping[str, NDArray[Any]],
) -> None:
    """Take over both stages."""
    first, second = made.support_stage_, made.answer_stage_
    assert isinstance(first, ExtendedSupportStage)
    assert isinstance(second, ExtendedAnswerStage)
    encoder = _support_record(object_of(support, "encoder"), set(first.encoder.groups))
    first.encoder.restore(encoder)
    needed = SelectionProblem(first.encoder.encode([])).size_joint_feature
    weights = weights_of(arrays["support.weights"], needed, "support")
    first.restore({"encoder": encoder, "fit": fit_of(support)}, {"weights": weights})
    encoder = _answer_record(object_of(answer, "encoder"), set(second.encoder.groups))
    second.encoder.restore(encoder)
    needed = CandidateProblem(second.encoder.encode([])).size_joint_feature
    weights = weights_of(arrays["answer.weights"], needed, "answer")
    met = {"met": _met(object_of(answer, "met"))} if "met" in answer else {}
    second.restore({"encoder": encoder, "fit": fit_of(answer), **met}, {"weights": weights})


def _support_record(record: Mapping[str, Any], groups: set[str]) -> dict[str, Any]:
    sizes = object_of(record, "sizes")
    for allowed in sizes.values():
        if (
            not isinstance(allowed, list)
            or len(allowed) != SLOTS + 1
            or not all(isinstance(each, bool) for each in allowed)
        ):
            raise ContentError("found no list of the numbers of facts that may be chosen")
    modes = _kind_table(record, "modes")
    for mode in (modes["default"], *modes["kinds"].values(), *modes["words"].values()):
        if mode not in (TUPLE, CHAIN):
            raise ContentError(f"found the way to choose facts {mode!r:.40}")
    return {
        "outliner": _outliner(object_of(record, "outliner")),
        "items": _attributes(record, "items", groups),
        "pairs": _attributes(record, "pairs", groups),
        "modes": modes,
        "sizes": sizes,
    }


def _answer_record(record: Mapping[str, Any], groups: set[str]) -> dict[str, Any]:
    shapes = _kind_table(record, "shapes")
    for shape in (shapes["default"], *shapes["kinds"].values(), *shapes["words"].values()):
        try:
            Shape.from_text(shape)
        except ValueError as error:
            raise ContentError(str(error)) from error
    answers = _distinct(record, "answers")
    known = {name: _lists(record, name) for name in ("kinds", "words")}
    forms = {"forms": _kind_table(record, "forms")} if "forms" in record else {}
    return {
        "answers": answers,
        "contexts": _attributes(record, "contexts", groups),
        "copies": _attributes(record, "copies", groups),
        "shapes": shapes,
        **known,
        **forms,
    }


def _met(record: Mapping[str, Any]) -> dict[str, Any]:
    """Return what was met in training: three texts for every trait, what is asked for every kind."""
    kinds = object_of(record, "kinds")
    for traits in kinds.values():
        if not isinstance(traits, list) or not all(
            isinstance(trait, list)
            and len(trait) == TRAIT
            and all(isinstance(part, str) for part in trait)
            for trait in traits
        ):
            raise ContentError("found no list of traits of facts")
    asked = _texts_by_text(record, "asked")
    if set(asked) != set(kinds):
        raise ContentError("found other kinds of questions than were asked")
    words = {name: texts_of(record, name) for name in ("told", "questioned")}
    return {**words, "asked": asked, "kinds": kinds}


def _outliner(record: Mapping[str, Any]) -> dict[str, Any]:
    kind = text_of(record, "kind")
    if kind == FrameOutliner.kind:
        return {"kind": kind, "known": _texts_by_text(record, "known")}
    if kind != PositionalOutliner.kind:
        raise ContentError(f"found the outliner {kind!r:.40}")
    return {
        "kind": kind,
        "small": _texts_by_text(record, "small"),
        "names": texts_of(record, "names"),
        "joined": _texts_by_text(record, "joined"),
        "anchors": texts_of(record, "anchors"),
    }


def _attributes(record: Mapping[str, Any], name: str, groups: set[str]) -> list[list[str]]:
    """Return attributes: lists of texts, each once, the first text a group of the model."""
    value = record.get(name)
    if not isinstance(value, list):
        raise ContentError(f"found no list {name!r}")
    seen: set[tuple[str, ...]] = set()
    for each in value:
        if (
            not isinstance(each, list)
            or not 2 <= len(each) <= LONGEST_ATTRIBUTE
            or not all(isinstance(part, str) for part in each)
            or each[0] not in groups
        ):
            raise ContentError(
                f"found an attribute of {name} that no group of {listed(groups)} has"
            )
        seen.add(tuple(each))
    if len(seen) != len(value):
        raise ContentError(f"found an attribute of {name} twice")
    return value


def _kind_table(record: Mapping[str, Any], name: str) -> dict[str, Any]:
    table = object_of(record, name)
    return {
        "default": text_of(table, "default"),
        "kinds": _texts_by_text(table, "kinds"),
        "words": _texts_by_text(table, "words"),
    }


def _texts_by_text(record: Mapping[str, Any], name: str) -> dict[str, str]:
    table = object_of(record, name)
    if not all(isinstance(value, str) for value in table.values()):
        raise ContentError(f"found {name!r} with something else than texts")
    return table


def _lists(record: Mapping[str, Any], name: str) -> dict[str, tuple[str, ...]]:
    table = object_of(record, name)
    return {key: texts_of(table, key) for key in table}


def _distinct(record: Mapping[str, Any], name: str) -> tuple[str, ...]:
    texts = texts_of(record, name)
    if len(set(texts)) != len(texts):
        raise ContentError(f"found one of the {name} twice")
    return texts
