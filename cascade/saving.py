"""Trained cascades as files. Whoever hands us a file may have written anything into it.

`svm.model_file` sees that a file is whole; here its content is held against what a cascade is: parameters of
the right kind, tables of texts, and arrays exactly as large as the encoders need them. Nothing reaches a
compiled kernel before that, and features are counted before any of them is made.
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
    imputation_of,
    listed,
    object_of,
    text_of,
    texts_of,
    weights_of,
    world_of,
)
from babi_cascade.cascade.imputation import Imputation
from babi_cascade.cascade.settings import Settings, SettingsError
from babi_cascade.cascade.tables import ARRAYS, Tables, packed_tables
from babi_cascade.features.answer_encoder import AnswerEncoder
from babi_cascade.features.answer_parts import Shape
from babi_cascade.features.outline import FrameOutliner
from babi_cascade.features.positions import PositionalOutliner
from babi_cascade.features.question_kinds import KindTable
from babi_cascade.features.registry import FeatureError
from babi_cascade.features.support_encoder import CHAIN, TUPLE, SupportEncoder
from babi_cascade.features.world.states import READOUTS
from babi_cascade.svm.errors import SvmError
from babi_cascade.svm.model_file import ModelFileError, load_model, save_model
from babi_cascade.svm.selection import SLOTS, SelectionLayout

if TYPE_CHECKING:
    from babi_cascade.cascade.estimator import Cascade

LONGEST_STORY = 1_000_000
"""Facts before a question of any model; the features of larger distances would only fill memory."""

LONGEST_ATTRIBUTE = 16
TRAIT = 3
TABLES = {"support": ("items", "pairs", "texts"), "answer": ("contexts", "copies", "texts")}
OUTLINERS = {
    FrameOutliner.kind: {"known": 2},
    PositionalOutliner.kind: {"small": 2, "names": 1, "joined": 2, "anchors": 1},
}
"""What outliners know, by their kind: lists of texts (1) or texts by text (2)."""

_INSTALL = (
    "if another package has it, install that and name the group with --plugin (load(…, plugins=[…]) in "
    "Python), or train the model again"
)

Arrays = Mapping[str, NDArray[Any]]
Record = Mapping[str, Any]


def save(cascade: Cascade, path: Path, origin: Record) -> None:
    """Write a trained cascade to one file, in full or not at all."""
    parts: dict[str, Any] = {}
    arrays: dict[str, NDArray[Any]] = {}
    for name, stage in (("support", cascade.support_stage_), ("answer", cascade.answer_stage_)):
        parts[name], own = _packed(name, stage.to_json())
        arrays |= {f"{name}.{key}": array for key, array in (own | stage.arrays()).items()}
    learned = cascade.imputation_
    meta = {
        "kind": KIND,
        "format": FORMAT,
        "params": cascade.settings.to_json(),
        "reader": cascade.trained_with_,
        **parts,
        "imputation": None if learned is None else learned.to_json(),
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


def _packed(name: str, record: Record) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
    """Return what a stage says in JSON as the part of a header and as arrays."""
    encoder = dict(record["encoder"])
    tables = {table: encoder.pop(table) for table in TABLES[name]}
    if "outliner" in encoder:
        outliner = encoder["outliner"]
        for table, width in OUTLINERS[outliner["kind"]].items():
            tables[table] = outliner[table].items() if width == 2 else zip(outliner[table])
        encoder["outliner"] = {"kind": outliner["kind"]}
    told, arrays = packed_tables(tables)
    return {**record, "encoder": encoder, **told}, dict(arrays)


def _restored(kind: type[Cascade], arrays: Arrays, meta: Record) -> Cascade:
    settings = Settings.from_json(object_of(meta, "params"))
    _ = settings.groups  # a file lets no other package join
    made = kind(**asdict(settings))
    made.make_stages()
    names = {"support": (*ARRAYS, "weights"), "answer": (*ARRAYS, "weights", "codes")}
    expected = {f"{stage}.{name}" for stage, own in names.items() for name in own}
    if set(arrays) != expected:
        raise ContentError(f"found the arrays {listed(arrays)}, expected {listed(expected)}")
    own = {stage: {n: arrays[f"{stage}.{n}"] for n in names[stage]} for stage in names}
    support, answer = object_of(meta, "support"), object_of(meta, "answer")
    record, checked = _support(made.support_stage_.encoder, support, own["support"])
    made.support_stage_.restore(record, checked)
    record, checked = _answer(made.answer_stage_.encoder, answer, own["answer"])
    made.answer_stage_.restore(record, checked)
    made.trained_with_ = text_of(meta, "reader")
    learned = imputation_of(meta)
    made.imputation_ = None if learned is None else Imputation(**learned)
    made.origin_ = object_of(meta, "origin")
    return made


# -- the support stage ---------------------------------------------------------------------------------


def _support(encoder: SupportEncoder, record: Record, arrays: Arrays) -> tuple[Record, Arrays]:
    """Return what a file says of the support stage, checked."""
    told = object_of(record, "encoder")
    kind = text_of(object_of(told, "outliner"), "kind")
    if kind not in OUTLINERS:
        raise ContentError(f"found the outliner {kind!r:.40}")
    tables = Tables(record, _of_tables(arrays), {*TABLES["support"], *OUTLINERS[kind]})
    for name, width in OUTLINERS[kind].items():
        tables.check(name, width, width)
    for name in ("items", "pairs"):
        tables.check(name, 2, LONGEST_ATTRIBUTE, encoder.groups)
    tables.check("texts", 2, 2, encoder.of_sentences)
    modes = _modes(told)
    sizes = _sizes(told)
    reach = told.get("reach")
    if type(reach) is not int or not 0 <= reach <= LONGEST_STORY:
        raise ContentError(f"found the reach {reach!r:.40}, expected 0 to {LONGEST_STORY}")
    weights = arrays["weights"]
    if encoder.of_differences and reach > 1 and 2 * reach > weights.size:
        # Every distance has features of its own; told before one of them is made.
        raise ContentError(f"found {weights.size} support weights, too few for its features")
    counts = tables.counts("texts", encoder.of_sentences)
    layout = encoder.layout(
        tables.count("items"),
        tables.count("pairs"),
        np.cumsum([0, *counts]),
        encoder.count_differences(reach),
        sizes,
        KindTable.from_json(modes),
    )
    weights = _weights(layout, weights)
    restored = {
        "world": _world(encoder, told),
        "outliner": {
            "kind": kind,
            **{name: _known(tables, name, width) for name, width in OUTLINERS[kind].items()},
        },
        **{name: tables.rows(name) for name in TABLES["support"]},
        "reach": reach,
        "modes": modes,
        "sizes": sizes,
        "links": _links(told),
    }
    return {"encoder": restored, "fit": fit_of(record)}, {"weights": weights}


def _weights(layout: SelectionLayout, weights: NDArray[Any]) -> NDArray[np.float64]:
    return weights_of(weights, layout.size, "support")


def _world(encoder: SupportEncoder, record: Record) -> dict[str, Any] | None:
    """Return what is said of the state of the world, if the groups look at one."""
    if (record.get("world") is None) != (encoder.world is None):
        raise ContentError("found a state of the world that no group looks at, or none for one")
    if encoder.world is None:
        return None
    world = world_of(record)
    readouts = _kind_table(world, "readouts")
    for readout in (readouts["default"], *readouts["kinds"].values(), *readouts["words"].values()):
        if readout and readout not in (f"{name}:{i}" for name in READOUTS for i in (0, 1)):
            raise ContentError(f"found the read-out {readout!r:.40}")
    return {**world, "readouts": readouts}


def _modes(record: Record) -> dict[str, Any]:
    modes = _kind_table(record, "modes")
    for mode in (modes["default"], *modes["kinds"].values(), *modes["words"].values()):
        if mode not in (TUPLE, CHAIN):
            raise ContentError(f"found the way to choose facts {mode!r:.40}")
    return modes


def _links(record: Record) -> dict[str, Any]:
    """Return which roles lead from fact to fact; models from before know none."""
    if "links" not in record:
        return {"kinds": {}, "words": {}}
    links = object_of(record, "links")
    found = {name: object_of(links, name) for name in ("kinds", "words")}
    for steps in (each for table in found.values() for each in table.values()):
        if not isinstance(steps, list) or not all(isinstance(pairs, list) for pairs in steps):
            raise ContentError("found no list of steps from fact to fact")
        if not all(
            isinstance(pair, list) and len(pair) == 2 and all(isinstance(r, str) for r in pair)
            for pairs in steps
            for pair in pairs
        ):
            raise ContentError("found no list of pairs of roles")
    return found


def _sizes(record: Record) -> dict[str, list[bool]]:
    sizes = object_of(record, "sizes")
    for allowed in sizes.values():
        if (
            not isinstance(allowed, list)
            or len(allowed) != SLOTS + 1
            or not all(isinstance(each, bool) for each in allowed)
        ):
            raise ContentError("found no list of the numbers of facts that may be chosen")
    return sizes


# -- the answer stage ----------------------------------------------------------------------------------


def _answer(encoder: AnswerEncoder, record: Record, arrays: Arrays) -> tuple[Record, Arrays]:
    """Return what a file says of the answer stage, checked."""
    told = object_of(record, "encoder")
    tables = Tables(record, _of_tables(arrays), TABLES["answer"])
    for name in ("contexts", "copies"):
        tables.check(name, 2, LONGEST_ATTRIBUTE, encoder.groups)
    tables.check("texts", 2, 2, encoder.of_sentences)
    answers = texts_of(told, "answers")
    if len(set(answers)) != len(answers):
        raise ContentError("found one of the answers twice")
    counts = tables.counts("texts", encoder.of_sentences)
    codes = _codes(arrays["codes"], encoder.most_codes(sum(n * n for n in counts)))
    contexts = tables.count("contexts") + codes.size
    needed = tables.count("copies") + contexts * len(answers)
    weights = weights_of(arrays["weights"], needed, "answer")
    restored = {
        "answers": answers,
        **{name: tables.rows(name) for name in TABLES["answer"]},
        "shapes": _shapes(told),
        "kinds": _lists(told, "kinds"),
        "words": _lists(told, "words"),
        "forms": _kind_table(told, "forms"),
        "sources": _kind_table(told, "sources"),
    }
    met = _met(object_of(record, "met"))
    return (
        {"encoder": restored, "fit": fit_of(record), "met": met},
        {"weights": weights, "codes": codes},
    )


def _codes(codes: NDArray[Any], limit: int) -> NDArray[np.int64]:
    """Return the pairs of texts that occur: ascending numbers under a limit."""
    if codes.dtype != np.int64 or codes.ndim != 1:
        raise ContentError("found answer codes of another type or shape than a list of numbers")
    if codes.size and (codes[0] < 0 or int(codes[-1]) >= limit or np.any(codes[1:] <= codes[:-1])):
        raise ContentError("found answer codes that are no ascending numbers of features")
    return codes


def _shapes(record: Record) -> dict[str, Any]:
    shapes = _kind_table(record, "shapes")
    for shape in (shapes["default"], *shapes["kinds"].values(), *shapes["words"].values()):
        try:
            Shape.from_text(shape)
        except ValueError as error:
            raise ContentError(str(error)) from error
    return shapes


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


# -- parts of both ---------------------------------------------------------------------------------------


def _of_tables(arrays: Arrays) -> dict[str, NDArray[Any]]:
    return {name: arrays[name] for name in ARRAYS}


def _known(tables: Tables, name: str, width: int) -> Any:
    rows = tables.rows(name)
    return {row[0]: row[1] for row in rows} if width == 2 else [row[0] for row in rows]


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
