"""Word vectors of the npm package: the frequent words and the needed ones."""

from __future__ import annotations

import io
import json
import tarfile
from pathlib import Path

import pytest

from scripts.nlp.vectors import PACKAGE, read_vectors

pytest.importorskip("torch", reason="training needs the extra nlp")


def package(folder: Path) -> Path:
    content = {
        "dimensions": 2,
        "words": ["the", "cat", "sat", "rare"],
        "vectors": {w: [n, n + 0.5, 9.0, n] for n, w in enumerate(["the", "cat", "sat", "rare"])},
    }
    data = json.dumps(content).encode()
    path = folder / "vectors.tgz"
    with tarfile.open(path, "w:gz") as archive:
        info = tarfile.TarInfo(f"package/{PACKAGE}.json")
        info.size = len(data)
        archive.addfile(info, io.BytesIO(data))
    return path


def test_frequent_and_needed_words_are_read_without_what_follows_the_numbers(
    tmp_path: Path,
) -> None:
    vectors = read_vectors(package(tmp_path), {"rare", "unheard"}, frequent=2)
    assert {word: list(each) for word, each in vectors.items()} == {
        "the": [0.0, 0.5], "cat": [1.0, 1.5], "rare": [3.0, 3.5],
    }  # fmt: skip


def test_words_have_their_vectors_plus_what_is_learned_of_frequent_ones(tmp_path: Path) -> None:
    import torch

    from scripts.nlp.parser import WordVectors

    fixed = torch.tensor([[0.0, 0.0], [1.0, 2.0], [3.0, 4.0]])
    words = WordVectors(fixed, learned=2)
    assert torch.equal(words(torch.tensor([2, 1])), fixed[[2, 1]])
    words(torch.tensor([1, 2])).sum().backward()
    grown = words.learned.weight.grad
    assert grown.tolist() == [[0.0, 0.0], [1.0, 1.0], [0.0, 0.0]]
    with torch.no_grad():
        words.learned.weight[1] += 1.0
    assert words.summed().tolist() == [[0.0, 0.0], [2.0, 3.0], [3.0, 4.0]]
    assert torch.equal(words(torch.tensor([0, 1, 2])), words.summed())
