"""Saved stages of the extended preset: what a file says of them is checked, then taken over."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from numpy.typing import NDArray

from babi_cascade.cascade.content import (
    ContentError,
    fit_of,
    object_of,
    text_of,
    texts_of,
    weights_of,
)
from babi_cascade.cascade.extended_stages import ExtendedAnswerStage, ExtendedSupportStage
from babi_cascade.cascade.tables import ARRAYS, Tables, packed_tables
from babi_cascade.features.answer_parts import Shape
from babi_cascade.features.outline import FrameOutliner
from babi_cascade.features.positions import PositionalOutliner
from babi_cascade.features.selection import CHAIN, TUPLE
from babi_cascade.svm.selection import SLOTS, selection_size

if TYPE_CHECKING:
    from babi_cascade.cascade.estimator import Cascade

LONGEST_ATTRIBUTE = 16
TRAIT = 3
OUTLINERS = {
    FrameOutliner.kind: {"known": 2},
    PositionalOutliner.kind: {"small": 2, "names": 1, "joined": 2, "anchors": 1},
}
"""What outliners know, by their kind: lists of texts (1) or texts by text (2)."""

Arrays = Mapping[str, NDArray[Any]]
Record = Mapping[str, Any]


def packed_extended(support: Record, answer: Record) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return what both stages say in JSON as the parts of a header and as arrays."""
    parts: dict[str, Any] = {}
    arrays: dict[str, Any] = {}
    for stage, record in (("support", support), ("answer", answer)):
        encoder = dict(record["encoder"])
        names = ("items", "pairs") if stage == "support" else ("contexts", "copies")
        tables = {name: encoder.pop(name) for name in names}
        if stage == "support":
            outliner = encoder["outliner"]
            for name, width in OUTLINERS[outliner["kind"]].items():
                tables[name] = outliner[name].items() if width == 2 else zip(outliner[name])
            encoder["outliner"] = {"kind": outliner["kind"]}
        told, own = packed_tables(tables)
        parts[stage] = {**record, "encoder": encoder, **told}
        arrays |= {f"{stage}.{name}": array for name, array in own.items()}
    return parts, arrays


def restore_extended(made: Cascade, support: Record, answer: Record, arrays: Arrays) -> None:
    """Take over both stages; their features are counted before any of them is made."""
    first, second = made.support_stage_, made.answer_stage_
    assert isinstance(first, ExtendedSupportStage)
    assert isinstance(second, ExtendedAnswerStage)
    encoder = _support_record(object_of(support, "encoder"))
    widths = OUTLINERS[encoder["outliner"]["kind"]]
    tables = Tables(support, _own(arrays, "support"), {"items", "pairs", *widths})
    for name, width in widths.items():
        tables.check(name, width, width)
    for name in ("items", "pairs"):
        tables.check(name, 2, LONGEST_ATTRIBUTE, first.encoder.groups)
    needed = selection_size(
        tables.count("items"),
        tables.count("pairs"),
        len(first.encoder.size_kinds(encoder["sizes"])),
    )
    weights = weights_of(arrays["support.weights"], needed, "support")
    outliner = {name: _known(tables, name, width) for name, width in widths.items()}
    encoder["outliner"] |= outliner
    encoder |= {name: tables.rows(name) for name in ("items", "pairs")}
    first.restore({"encoder": encoder, "fit": fit_of(support)}, {"weights": weights})

    encoder = _answer_record(object_of(answer, "encoder"))
    tables = Tables(answer, _own(arrays, "answer"), ("contexts", "copies"))
    for name in ("contexts", "copies"):
        tables.check(name, 2, LONGEST_ATTRIBUTE, second.encoder.groups)
    needed = tables.count("copies") + tables.count("contexts") * len(encoder["answers"])
    weights = weights_of(arrays["answer.weights"], needed, "answer")
    encoder |= {name: tables.rows(name) for name in ("contexts", "copies")}
    record = {"encoder": encoder, "fit": fit_of(answer), "met": _met(object_of(answer, "met"))}
    second.restore(record, {"weights": weights})


def _own(arrays: Arrays, stage: str) -> dict[str, NDArray[Any]]:
    return {name: arrays[f"{stage}.{name}"] for name in ARRAYS}


def _known(tables: Tables, name: str, width: int) -> Any:
    rows = tables.rows(name)
    return {row[0]: row[1] for row in rows} if width == 2 else [row[0] for row in rows]


def _support_record(record: Record) -> dict[str, Any]:
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
    kind = text_of(object_of(record, "outliner"), "kind")
    if kind not in OUTLINERS:
        raise ContentError(f"found the outliner {kind!r:.40}")
    return {"outliner": {"kind": kind}, "modes": modes, "sizes": sizes}


def _answer_record(record: Record) -> dict[str, Any]:
    shapes = _kind_table(record, "shapes")
    for shape in (shapes["default"], *shapes["kinds"].values(), *shapes["words"].values()):
        try:
            Shape.from_text(shape)
        except ValueError as error:
            raise ContentError(str(error)) from error
    answers = _distinct(record, "answers")
    known = {name: _lists(record, name) for name in ("kinds", "words")}
    forms = _kind_table(record, "forms")
    return {"answers": answers, "shapes": shapes, "forms": forms, **known}


def _met(record: Record) -> dict[str, Any]:
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


def _kind_table(record: Record, name: str) -> dict[str, Any]:
    table = object_of(record, name)
    return {
        "default": text_of(table, "default"),
        "kinds": _texts_by_text(table, "kinds"),
        "words": _texts_by_text(table, "words"),
    }


def _texts_by_text(record: Record, name: str) -> dict[str, str]:
    table = object_of(record, name)
    if not all(isinstance(value, str) for value in table.values()):
        raise ContentError(f"found {name!r} with something else than texts")
    return table


def _lists(record: Record, name: str) -> dict[str, tuple[str, ...]]:
    table = object_of(record, name)
    return {key: texts_of(table, key) for key in table}


def _distinct(record: Record, name: str) -> tuple[str, ...]:
    texts = texts_of(record, name)
    if len(set(texts)) != len(texts):
        raise ContentError(f"found one of the {name} twice")
    return texts
