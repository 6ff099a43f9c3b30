"""What a model file may say: every value is held against the kind it must have, before it is used."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from babi_cascade.errors import UserError
from babi_cascade.pipeline.stories.errors import escaped, shown

KIND = "cascade"
FORMAT = 4
LARGEST_WEIGHT = 1e100
"""Sums of weights must stay numbers."""


class ContentError(UserError):
    """What a model file says cannot be a trained cascade."""


class MissingGroupError(ContentError):
    """A model was trained with a feature group that is not installed here."""

    def __init__(self, name: str, known: Collection[str]) -> None:
        super().__init__(
            f"needs the feature group {shown(name)}, which is not here; found {listed(known)}"
        )


def described(meta: Any) -> dict[str, Any]:
    """Return what a file says of itself, if it is a cascade at all."""
    if not isinstance(meta, dict) or meta.get("kind") != KIND:
        kind = meta.get("kind") if isinstance(meta, dict) else None
        what = shown(kind) if isinstance(kind, str) else "another kind"
        raise ContentError(
            f"found a model of {what}, expected one of the cascade (the class of a comparison system loads "
            "its own)"
        )
    if meta.get("format") != FORMAT:
        found = shown(str(meta.get("format"))[:40])
        raise ContentError(
            f"found format {found} of a cascade, this program reads {FORMAT}; train the model again"
        )
    return meta


def fit_of(record: Mapping[str, Any]) -> dict[str, Any]:
    """Return what is said of the training of a stage."""
    fit = object_of(record, "fit")
    names = ("cost", "gap", "converged", "right", "n_held_out")
    if set(fit) != set(names):
        raise ContentError(f"found {listed(fit)} about the training, expected {listed(names)}")
    return {
        "cost": number_of(fit, "cost"),
        "gap": number_of(fit, "gap"),
        "converged": flag_of(fit, "converged"),
        "right": number_of(fit, "right"),
        "n_held_out": int(number_of(fit, "n_held_out")),
    }


def imputation_of(meta: Mapping[str, Any]) -> dict[str, Any] | None:
    """Return what is said of facts that were learned from answers; None where all were told."""
    if meta.get("imputation") is None:
        return None
    found = object_of(meta, "imputation")
    names = ("n_told", "n_imputed", "likelihood", "explained", "modes")
    if set(found) != set(names):
        raise ContentError(f"found {listed(found)} about learned facts, expected {listed(names)}")
    modes = object_of(found, "modes")
    for each in modes.values():
        good = isinstance(each, list) and len(each) == 2 and each[0] in ("1", "2", "3", "chain")
        if not good or type(each[1]) not in (int, float) or not 0 <= each[1] <= 1:
            raise ContentError("found a number of facts that no training gives")
    counts = {name: number_of(found, name) for name in ("n_told", "n_imputed")}
    explained = number_of(found, "explained")
    likelihood = None if found["likelihood"] is None else number_of(found, "likelihood")
    whole = all(type(n) is int and n >= 0 for n in counts.values())
    if not (whole and 0 <= explained <= 1 and (likelihood is None or likelihood <= 0)):
        raise ContentError("found figures about learned facts that no training gives")
    return {
        **counts,
        "likelihood": likelihood,
        "explained": explained,
        "modes": {kind: (mode, float(share)) for kind, (mode, share) in modes.items()},
    }


def weights_of(weights: NDArray[Any], needed: int, stage: str) -> NDArray[np.float64]:
    """Return weights that are exactly as many as needed, and numbers."""
    if weights.dtype != np.float64 or weights.shape != (needed,):
        raise ContentError(
            f"found {stage} weights of type {weights.dtype} and shape {weights.shape}, "
            f"expected {needed} of type float64"
        )
    # Smallest and largest take no memory; neither comparison holds for NaN.
    if needed and not (weights.min() >= -LARGEST_WEIGHT and weights.max() <= LARGEST_WEIGHT):
        raise ContentError(f"found {stage} weights that no training gives")
    return weights


def object_of(record: Mapping[str, Any], name: str) -> dict[str, Any]:
    """Return an object by its name."""
    value = record.get(name)
    if not isinstance(value, dict):
        raise ContentError(f"found no object {name!r}")
    return value


def text_of(record: Mapping[str, Any], name: str) -> str:
    """Return a text by its name."""
    value = record.get(name)
    if not isinstance(value, str):
        raise ContentError(f"found no text {name!r}")
    return value


def texts_of(record: Mapping[str, Any], name: str) -> tuple[str, ...]:
    """Return a list of texts by its name."""
    value = record.get(name)
    if not isinstance(value, list) or not all(isinstance(each, str) for each in value):
        raise ContentError(f"found no list of texts {name!r}")
    return tuple(value)


def flag_of(record: Mapping[str, Any], name: str) -> bool:
    """Return true or false by its name."""
    value = record.get(name)
    if not isinstance(value, bool):
        raise ContentError(f"found {name!r} that is neither true nor false")
    return value


def number_of(record: Mapping[str, Any], name: str) -> float:
    """Return a finite number by its name."""
    value = record.get(name)
    # A whole number of hundreds of digits has no place in a float.
    if type(value) is int and abs(value) < 2**53:
        return value
    if type(value) is float and math.isfinite(value):
        return value
    raise ContentError(f"found {name!r} that is no number")


def listed(names: Any) -> str:
    """Return names for a message."""
    return escaped((", ".join(sorted(map(str, names))) or "nothing")[:200])
