"""The decoder of the parser: the best tree with one root, few repairs, and never a long wait."""

from __future__ import annotations

import itertools
import time
import warnings

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from babi_cascade.pipeline.parse.stanza import LONGEST, StanzaParser

pytest.importorskip("stanza", reason="the extra nlp is not installed")

from stanza.models.common.chuliu_edmonds import chuliu_edmonds_one_root
from stanza.models.common.vocab import VOCAB_PREFIX_SIZE
from stanza.models.depparse.head_constraints import find_head_constraint_violations
from stanza.models.depparse.model import GraphParser

from babi_cascade.pipeline.parse.decoder import decode_predictions
from babi_cascade.pipeline.parse.decoder_kernels import best_tree, decode

NAMES = ("nsubj", "obj", "csubj", "obl", "nsubj:outer", "iobj", "nmod", "conj")


class Vocabulary:
    """As many names of relations as a test needs, behind the entries that every one begins with."""

    def unmap(self, ids):
        return [NAMES[i - VOCAB_PREFIX_SIZE] for i in ids]


def log_softmax(scores):
    shifted = scores - scores.max(-1, keepdims=True)
    return (shifted - np.log(np.exp(shifted).sum(-1, keepdims=True))).astype(np.float32)


def sentence_scores(chance, n, spread=3.0):
    """Scores as a parser gives them: log-probabilities of heads and of labels."""
    arcs = chance.normal(0, spread, (n, n))
    np.fill_diagonal(arcs, -np.inf)
    return log_softmax(arcs), log_softmax(chance.normal(0, spread, (n, n, len(NAMES))))


def is_tree(heads):
    """Exactly one word hangs on the root, and every word leads up to it."""
    for word in range(1, len(heads)):
        steps = 0
        while word and steps <= len(heads):
            word, steps = heads[word], steps + 1
        if word:
            return False
    return list(heads[1:]).count(0) == 1 and heads[0] == 0


def best_sum(scores):
    """The best sum of all trees with one root, by trying every choice of heads."""
    n = len(scores)
    return max(
        sum(float(scores[d, h]) for d, h in enumerate(heads, 1))
        for heads in itertools.product(range(n), repeat=n - 1)
        if is_tree((0, *heads))
    )


@given(
    st.integers(2, 5).flatmap(
        lambda n: arrays.arrays(np.float32, (n, n), elements=st.integers(-6, 6).map(float))
    )
)
def test_no_tree_with_one_root_is_better(scores):
    heads = best_tree(scores)
    assert is_tree(heads)
    assert sum(float(scores[d, heads[d]]) for d in range(1, len(scores))) == best_sum(scores)


@given(
    st.integers(1, 12).flatmap(
        lambda n: arrays.arrays(np.float32, (n, n), elements=st.floats(width=32))
    )
)
def test_any_scores_give_a_tree(scores):
    heads = best_tree(scores)
    assert len(scores) == 1 or is_tree(heads)


@pytest.mark.parametrize("n", [2, 3, 10, 40, 120])
def test_the_trees_are_those_of_stanza(n):
    chance = np.random.default_rng(n)
    for _ in range(10):
        scores, _ = sentence_scores(chance, n)
        assert list(best_tree(scores)) == list(chuliu_edmonds_one_root(scores))


@pytest.mark.parametrize("n", [4, 8, 16])
def test_repairs_are_those_of_stanza_where_it_ends_them(n):
    chance, same = np.random.default_rng(n), 0
    for _ in range(60):
        scores, labels = sentence_scores(chance, n)
        best = labels.argmax(-1)[None] + VOCAB_PREFIX_SIZE
        asked = (Vocabulary(), 1, [scores[None], best, labels[None]], [n])
        with warnings.catch_warnings(record=True) as told:
            warnings.simplefilter("always")
            theirs = GraphParser.decode_graph_predictions(*asked, resolve_head_constraints=True)
        if not told:
            same += 1
            assert decode_predictions(*asked, resolve_head_constraints=True) == theirs
        plain = GraphParser.decode_graph_predictions(*asked)
        assert decode_predictions(*asked) == plain
    assert same > 40


@pytest.mark.parametrize("n", [5, 30, 100])
def test_no_word_keeps_two_subjects_or_objects(n):
    chance = np.random.default_rng(n)
    groups = np.array([1, 2, 1, 0, 4, 0, 0, 0], np.uint8)
    for _ in range(20):
        scores, labels = sentence_scores(chance, n)
        labels[:, :, :3] += 5  # nearly everybody wants to be subject or object
        heads, chosen = decode(scores, labels, groups)
        assert is_tree(heads)
        assert not find_head_constraint_violations(heads, [NAMES[label] for label in chosen[1:]])


def test_labels_that_cannot_be_repaired_end_too():
    scores, labels = sentence_scores(np.random.default_rng(0), 20)
    heads, _ = decode(scores, labels, np.ones(len(NAMES), np.uint8))
    assert is_tree(heads)


def test_decoding_takes_the_square_of_the_length():
    groups = np.array([1, 2, 1, 0, 4, 0, 0, 0], np.uint8)

    def seconds(n):
        scores, labels = sentence_scores(np.random.default_rng(n), n)
        labels[:, :, 0] += 5
        taken = []
        for _ in range(5):
            start = time.process_time()
            decode(scores, labels, groups)
            taken.append(time.process_time() - start)
        return min(taken)

    # Four times as many words: 16 times the work, 64 times if it were the cube.
    assert seconds(240) < 40 * seconds(60)


@pytest.mark.parametrize("words", [125, LONGEST - 5])
def test_a_sentence_made_to_be_slow_takes_less_than_a_second(words):
    parser = StanzaParser(jobs=1)
    parser.parse(["Angela left."])
    names = itertools.cycle(["Angela", "Victor", "Irina", "Tom"])
    text = " ".join(f"{name} said that" for name in itertools.islice(names, words // 3))
    for hostile in (text, f"{text} Ida left."):
        start = time.process_time()
        (tree,) = parser.parse([hostile])
        assert time.process_time() - start < 1
        assert {token.deprel for token in tree} != {"root", "dep"}
