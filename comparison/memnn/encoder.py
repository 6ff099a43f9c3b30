"""E of appendix A: sentences become vectors of n numbers, side by side with those of other roles.

Eq. 4 is the plain sum of embeddings, U Phi(x). Eq. 6 follows it with two layers of tanh, eq. 5 (the
multilinear map) first multiplies each word with the matrix of its position. In all three the sentences of a
list [x, m_1, ...] are added up before anything nonlinear happens, so that a list costs one addition per hop.
"""

from __future__ import annotations

import torch
from torch import Tensor, nn

from babi_cascade.comparison.memnn.arrays import NOTHING

LINEAR = "linear"
NONLINEAR = "nonlinear"
MULTILINEAR = "multilinear"
FORMS = (LINEAR, NONLINEAR, MULTILINEAR)


class Encoder(nn.Module):
    """The embeddings of one module, O or R.

    Parameters
    ----------
    sizes : how many features each dictionary has; a word that stands in the question, in a supporting
        fact or in a candidate is a different feature each time
    dimension : n
    form : eq. 4, 6 or 5
    positions : how many bins of word positions the multilinear map has
    scale : standard deviation of the first embeddings
    generator : draws the first values
    """

    def __init__(
        self, sizes: tuple[int, ...], dimension: int, form: str, positions: int,
        scale: float, generator: torch.Generator,
    ) -> None:  # fmt: skip
        super().__init__()
        self.form = form
        self.embeddings = nn.ParameterList(
            nn.Parameter(scale * torch.randn(size, dimension, generator=generator))
            for size in sizes
        )
        near_identity = 0.5 * dimension**-0.5
        if form == NONLINEAR:
            noise = torch.randn(dimension, dimension, generator=generator)
            self.layer = nn.Parameter(torch.eye(dimension) + near_identity * noise)
        elif form == MULTILINEAR:
            noise = torch.randn(positions, dimension, dimension, generator=generator)
            self.maps = nn.Parameter(torch.eye(dimension) + near_identity * noise)

    @staticmethod
    def shapes(
        sizes: tuple[int, ...], dimension: int, form: str, positions: int
    ) -> dict[str, tuple[int, ...]]:
        """Return how large the parameters of such an encoder are."""
        found: dict[str, tuple[int, ...]] = {
            f"embeddings.{number}": (size, dimension) for number, size in enumerate(sizes)
        }
        if form == NONLINEAR:
            found["layer"] = (dimension, dimension)
        elif form == MULTILINEAR:
            found["maps"] = (positions, dimension, dimension)
        return found

    def bags(self, dictionary: int, features: Tensor, bins: Tensor) -> Tensor:
        """Return for each row of features what it adds to a list: sums of embeddings, mapped by position."""
        embeddings = self.embeddings[dictionary]
        if self.form != MULTILINEAR:
            return nn.functional.embedding_bag(
                features, embeddings, mode="sum", padding_idx=NOTHING
            )
        # Sum the words of each bin first: one product per bin and sentence instead of one per word.
        vectors = nn.functional.embedding(features, embeddings)
        present = (features != NOTHING).to(vectors.dtype)
        places = nn.functional.one_hot(bins, len(self.maps)).to(vectors.dtype)
        by_bin = torch.einsum("slp,sl,sln->spn", places, present, vectors)
        return torch.einsum("spn,pmn->sm", by_bin, self.maps)

    def words(self, dictionary: int) -> Tensor:
        """Return what each single word of a dictionary adds: a sentence of one word has the last position."""
        embeddings: Tensor = self.embeddings[dictionary]
        if self.form == MULTILINEAR:
            return embeddings @ self.maps[-1].T
        return embeddings

    def squash(self, total: Tensor) -> Tensor:
        """Return E from the sum of all that a list contains."""
        if self.form == NONLINEAR:
            return torch.tanh(torch.tanh(total) @ self.layer.T)
        if self.form == MULTILINEAR:
            return torch.tanh(total)
        return total
