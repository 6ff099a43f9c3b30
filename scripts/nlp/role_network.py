"""How the role labeller's network is learned: the network of `pipeline/srl/network.py`, in torch."""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Container, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from babi_cascade.pipeline.srl.features import (
    PredicateView,
    argument_candidates,
    checksum,
    pair_features,
    predicate_candidates,
    word_features,
)
from babi_cascade.pipeline.srl.model_file import table
from babi_cascade.pipeline.srl.network import Network
from babi_cascade.pipeline.trees import Roles, Tree

WORD_SIZE, PAIR_SIZE, STATE_SIZE, HIDDEN_SIZE = 96, 64, 100, 160
LAYERS = 2
FORGOTTEN = 0.15  # features left out at random while learning
DROPOUT = 0.2
WORDS_PER_BATCH = 700
PEAK = 1.5e-3
Rows = NDArray[Any]


@dataclass(slots=True)
class Example:
    """A sentence as the network sees it: rows of features, what is a predicate, pairs and their roles."""

    words: Rows
    word_sizes: Rows
    pairs: Rows
    pair_sizes: Rows
    predicates: Rows  # 1, 0, or -1 where nothing is to be learned
    pair_predicates: Rows
    pair_words: Rows
    roles: Rows
    weight: float


def example(
    tree: Tree,
    roles: Roles,
    names: Sequence[str],
    weight: float,
    nominal: Container[int] | None = None,
) -> Example:
    """Return the example of a sentence, its features still as checksums; roles without a name are none.

    Without `nominal` (see `Network`), nothing is to be learned of what is a predicate.
    """
    words = [[checksum(f) for f in word_features(tree, t)] for t in tree]
    wanted = np.full(len(tree), -1, dtype=np.int8)
    if nominal is not None:
        for token in predicate_candidates(tree, nominal):
            wanted[token.id - 1] = token.id in roles
    pairs: list[list[int]] = []
    predicates: list[int] = []
    others: list[int] = []
    labels: list[int] = []
    number = {name: i for i, name in enumerate(names)}
    for predicate, arguments in roles.items():
        view = PredicateView(tree, tree[predicate])
        for token in argument_candidates(tree, tree[predicate]):
            pairs.append([checksum(f) for f in pair_features(view, token)])
            predicates.append(predicate - 1)
            others.append(token.id - 1)
            labels.append(number.get(arguments.get(token.id, ""), 0))
    return Example(
        _flat(words), _sizes(words), _flat(pairs), _sizes(pairs), wanted,
        np.array(predicates, dtype=np.int32), np.array(others, dtype=np.int32),
        np.array(labels, dtype=np.int64), weight,
    )  # fmt: skip


def learn(
    examples: Sequence[Example],
    names: Sequence[str],
    nominal: frozenset[int],
    *,
    epochs: Callable[[int], Sequence[int]],
    rounds: int,
    sizes: tuple[int, int],
    seed: int,
    say: Callable[[str], None],
    kept: Callable[[Network], None],
) -> Network:
    """Learn a network; `epochs` gives for each of the rounds which examples are seen in it.

    After each round the network is given to `kept`.

    `sizes` bounds how many features of words and of pairs are known: the most frequent ones.
    """
    torch.manual_seed(seed)
    torch.set_num_threads(1)
    chance = random.Random(seed)
    known = _most_frequent(examples, "words", sizes[0]), _most_frequent(examples, "pairs", sizes[1])
    for e in examples:
        e.words, e.pairs = _rows(e.words, known[0]), _rows(e.pairs, known[1])
    say(f"{len(known[0])} features of words, {len(known[1])} of pairs are known")
    model = RoleNetwork(len(known[0]), len(known[1]), len(names))
    optimizer = torch.optim.Adam(model.parameters(), lr=PEAK, betas=(0.9, 0.98))
    chosen = [epochs(number) for number in range(rounds)]
    total = sum(sum(len(examples[i].word_sizes) for i in some) for some in chosen)
    done = 0
    for number, some in enumerate(chosen):
        losses = []
        for indices in batches(some, examples, chance):
            batch = [examples[i] for i in indices]
            share = done / total
            for group in optimizer.param_groups:
                group["lr"] = PEAK * min(share / 0.02 + 0.01, 0.5 + 0.5 * math.cos(math.pi * share))
            optimizer.zero_grad()
            loss = model.loss(batch)
            loss.backward()  # type: ignore[no-untyped-call]
            nn.utils.clip_grad_norm_(model.parameters(), 5.0)
            optimizer.step()
            losses.append(float(loss.detach()))
            done += sum(len(e.word_sizes) for e in batch)
            if len(losses) % 200 == 0:
                say(f"{100 * done / total:5.1f} %  loss {np.mean(losses[-200:]):.4f}")
        say(f"round {number + 1} of {rounds}: loss {np.mean(losses):.4f}")
        kept(model.network(known, names, nominal))
    return model.network(known, names, nominal)


def batches(
    some: Sequence[int], examples: Sequence[Example], chance: random.Random
) -> Iterator[list[int]]:
    """Yield batches of sentences of about the same length, in an order by chance."""
    keyed = sorted((len(examples[i].word_sizes) + chance.random() * 3, i) for i in some)
    made: list[list[int]] = [[]]
    words = 0
    for _, i in keyed:
        size = len(examples[i].word_sizes)
        if made[-1] and words + size > WORDS_PER_BATCH:
            made.append([])
            words = 0
        made[-1].append(i)
        words += size
    chance.shuffle(made)
    yield from made


class RoleNetwork(nn.Module):
    """The network; its parts have the names that `Network.weights` has."""

    def __init__(self, words: int, pairs: int, roles: int) -> None:
        super().__init__()
        self.words = nn.EmbeddingBag(words + 1, WORD_SIZE, mode="sum", padding_idx=words)
        self.pairs = nn.EmbeddingBag(pairs + 1, PAIR_SIZE, mode="sum", padding_idx=pairs)
        for bag in (self.words, self.pairs):
            nn.init.normal_(bag.weight, std=0.1)
            with torch.no_grad():
                bag.weight[-1] = 0
        self.lstm = nn.LSTM(
            WORD_SIZE, STATE_SIZE, LAYERS, dropout=DROPOUT, bidirectional=True, batch_first=True
        )
        states = 2 * STATE_SIZE
        self.predicate1, self.predicate2 = nn.Linear(states, 64), nn.Linear(64, 1)
        self.predicate = nn.Linear(states, HIDDEN_SIZE)
        self.word = nn.Linear(states, HIDDEN_SIZE, bias=False)
        self.pair = nn.Linear(PAIR_SIZE, HIDDEN_SIZE, bias=False)
        self.hidden = nn.Linear(HIDDEN_SIZE, 96)
        self.roles = nn.Linear(96, roles)
        self.drop = nn.Dropout(DROPOUT)

    def loss(self, batch: Sequence[Example]) -> Tensor:
        """Return the loss of a batch: of its predicates and of the roles of its pairs."""
        lengths = [len(e.word_sizes) for e in batch]
        vectors = self.drop(self._bags(self.words, batch, "words", "word_sizes"))
        packed = nn.utils.rnn.pack_sequence(vectors.split(lengths), enforce_sorted=False)
        padded, _ = nn.utils.rnn.pad_packed_sequence(self.lstm(packed)[0], batch_first=True)
        states = self.drop(torch.cat([padded[i, :n] for i, n in enumerate(lengths)]))
        wanted = torch.from_numpy(np.concatenate([e.predicates for e in batch])).float()
        given = self.predicate2(self.drop(torch.relu(self.predicate1(states))))[:, 0]
        asked = wanted >= 0
        loss = nn.functional.binary_cross_entropy_with_logits(
            given[asked], wanted[asked], reduction="sum"
        )
        starts = np.concatenate([[0], np.cumsum(lengths)[:-1]])
        labels = torch.from_numpy(np.concatenate([e.roles for e in batch]))
        if len(labels):
            first = np.concatenate(
                [e.pair_predicates + s for e, s in zip(batch, starts, strict=True)]
            )
            second = np.concatenate([e.pair_words + s for e, s in zip(batch, starts, strict=True)])
            weights = np.concatenate([np.full(len(e.roles), e.weight) for e in batch])
            both = self.predicate(states)[torch.from_numpy(first)]
            both = both + self.word(states)[torch.from_numpy(second)]
            pairs = self.drop(self._bags(self.pairs, batch, "pairs", "pair_sizes"))
            hidden = self.drop(torch.relu(both + self.pair(pairs)))
            scores = self.roles(self.drop(torch.relu(self.hidden(hidden))))
            each = nn.functional.cross_entropy(scores, labels, reduction="none")
            loss = loss + (each * torch.from_numpy(weights).float()).sum()
        return loss / sum(lengths)

    def network(
        self, known: tuple[Rows, Rows], names: Sequence[str], nominal: frozenset[int]
    ) -> Network:
        """Return what was learned."""
        weights = {
            name: value.detach().numpy().astype(np.float32)
            for name, value in self.state_dict().items()
            if not name.startswith(("words.", "pairs."))
        }
        words, pairs = (
            table(checksums, bag.weight.detach().numpy()[:-1])
            for checksums, bag in zip(known, (self.words, self.pairs), strict=True)
        )
        return Network(words, pairs, weights, tuple(names), nominal)

    def _bags(
        self, bag: nn.EmbeddingBag, batch: Sequence[Example], what: str, sizes: str
    ) -> Tensor:
        rows = torch.from_numpy(np.concatenate([getattr(e, what) for e in batch]).astype(np.int64))
        counts = np.concatenate([getattr(e, sizes) for e in batch])
        rows[torch.rand(len(rows)) < FORGOTTEN] = bag.num_embeddings - 1
        offsets = torch.from_numpy(np.concatenate([[0], np.cumsum(counts)[:-1]]).astype(np.int64))
        made: Tensor = bag(rows, offsets)
        return made


def _most_frequent(examples: Sequence[Example], what: str, most: int) -> Rows:
    names, counts = np.unique(
        np.concatenate([getattr(e, what) for e in examples]), return_counts=True
    )
    order = np.argsort(-counts, kind="stable")[:most]
    return np.sort(names[order[counts[order] > 1]])


def _rows(checksums: Rows, known: Rows) -> Rows:
    places = np.searchsorted(known, checksums)
    found = known[np.minimum(places, len(known) - 1)] == checksums
    return np.where(found, places, len(known)).astype(np.int32)


def _flat(features: Sequence[Sequence[int]]) -> Rows:
    return np.array([c for some in features for c in some], dtype=np.uint32)


def _sizes(features: Sequence[Sequence[int]]) -> Rows:
    return np.array([len(some) for some in features], dtype=np.int32)
