"""Distances between samples of stories, and how large they are by chance.

Stories, not sentences, are drawn again: what is said within one story hangs together, and a
resample of single sentences would make chance look smaller than it is. A resample is a vector of
weights (how often each story was drawn), and its counts are the weights times the count matrix.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float32]

BLOCK = 4_000_000
"""Weights that are held at a time."""


def shares(counts: Floats) -> Floats:
    """Return the share of each category in counts (the last axis); all 0 where nothing was counted."""
    totals = counts.sum(axis=-1, keepdims=True)
    found: Floats = np.divide(counts, totals, out=np.zeros_like(counts), where=totals > 0)
    return found


def total_variation(one: Floats, other: Floats) -> Floats:
    """Return half the sum of the differences of shares: the part that would have to be moved."""
    distance: Floats = np.abs(one - other).sum(axis=-1) / 2
    return distance


def resampled_distances(
    counts: Sequence[Floats],
    references: Sequence[Floats],
    *,
    drawn: int,
    resamples: int,
    dice: np.random.Generator,
) -> list[Floats]:
    """Draw stories with replacement and return the distances of the resamples to the references.

    Parameters
    ----------
    counts : one (stories x categories) matrix for each measure, the stories the same in all
    references : the shares to compare with, one vector for each measure
    drawn : the number of stories of a resample
    """
    stories = len(counts[0])
    blocks: list[list[Floats]] = [[] for _ in counts]
    size = max(1, BLOCK // max(stories, drawn))
    for start in range(0, resamples, size):
        weights = story_weights(stories, drawn, min(size, resamples - start), dice)
        for matrix, reference, block in zip(counts, references, blocks, strict=True):
            block.append(total_variation(shares(weights @ matrix), reference))
    return [np.concatenate(block) for block in blocks]


def story_weights(stories: int, drawn: int, resamples: int, dice: np.random.Generator) -> Floats:
    """Return how often each story is drawn in each resample (resamples x stories)."""
    draws = dice.integers(stories, size=(resamples, drawn))
    draws += np.arange(resamples)[:, np.newaxis] * stories
    counted = np.bincount(draws.ravel(), minlength=resamples * stories)
    return counted.reshape(resamples, stories).astype(np.float32)


def matched_size(real: int, simulated: int) -> int:
    """Return how many stories a resample needs to be as noisy as the difference of two samples.

    The variances of both add up: 1/n = 1/real + 1/simulated. For a simulated sample much larger
    than the real one that is the size of the real one.
    """
    return max(1, round(1 / (1 / real + 1 / simulated)))


def noise_limit(distances: Floats, confidence: float) -> float:
    """Return the distance that chance exceeds in a share of 1 - confidence of the cases."""
    return float(np.quantile(distances, confidence, method="higher"))


def interval(distance: float, resampled: Floats, level: float) -> tuple[float, float]:
    """Return the interval of the distance that an endless real sample would show.

    Noise only ever adds to a distance, and a resample carries the noise twice. What the resampling
    added is therefore taken off (the "basic" bootstrap), and the interval may lie below the distance.
    """
    low, high = np.quantile(resampled, ((1 - level) / 2, (1 + level) / 2))
    return min(1.0, max(0.0, 2 * distance - float(high))), min(
        1.0, max(0.0, 2 * distance - float(low))
    )


def chance_of_absence(holding: int, stories: int, others: int) -> float:
    """Return how likely none of ``others`` stories holds what ``holding`` of ``stories`` hold."""
    return float((1 - holding / stories) ** others)
