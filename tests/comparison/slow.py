"""Appendix A once more, number by number: plain loops over words, memories and pairs, for comparison."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from babi_cascade.comparison.memnn.encoder import Encoder

Vector = NDArray[np.float64]
Sentence = Sequence[tuple[int, int]]
"""Features with their bins."""


def embedded(encoder: Encoder, parts: Sequence[tuple[int, Sentence]]) -> Vector:
    """E of a list of sentences, each with the dictionary it is looked up in; eqs. 4, 5 and 6."""
    tables = [table.detach().numpy() for table in encoder.embeddings]
    dimension = tables[0].shape[1]
    total = [0.0] * dimension
    for dictionary, sentence in parts:
        for feature, place in sentence:
            vector = tables[dictionary][feature]
            if encoder.form == "multilinear":
                matrix = encoder.maps.detach().numpy()[place]
                vector = [sum(matrix[a][b] * vector[b] for b in range(dimension))
                          for a in range(dimension)]  # fmt: skip
            total = [have + new for have, new in zip(total, vector, strict=True)]
    if encoder.form == "linear":
        return np.array(total)
    total = [math.tanh(value) for value in total]
    if encoder.form == "nonlinear":
        matrix = encoder.layer.detach().numpy()
        total = [math.tanh(sum(matrix[a][b] * total[b] for b in range(dimension)))
                 for a in range(dimension)]  # fmt: skip
    return np.array(total)


def against(
    query: Vector, candidates: Sequence[Vector], times: Vector, last: float, older: int, newer: int
) -> float:
    """s(x, y, y') of an older memory y against a newer y'; ``last`` is the position of x."""
    assert older < newer
    clock = np.zeros_like(query)
    if last < older:
        clock = clock + times[0]
    if last < newer:
        clock = clock + times[1]
    clock = clock + times[2]
    return float(query @ (candidates[older] - candidates[newer] + clock))


def winner(
    query: Vector, candidates: Sequence[Vector], times: Vector, last: float, free: Sequence[int]
) -> int:
    """The loop over memories that keeps the better of the winner so far and the next one."""
    best = free[0]
    for place in free[1:]:
        if against(query, candidates, times, last, best, place) < 0:
            best = place
    return best


def preferred(
    query: Vector, candidates: Sequence[Vector], times: Vector, last: float, own: int, other: int
) -> float:
    """How far a memory is preferred to another, whichever is older."""
    if own < other:
        return against(query, candidates, times, last, own, other)
    return -against(query, candidates, times, last, other, own)
