"""The measures against worked examples from the literature, and against brute force."""

from __future__ import annotations

from itertools import permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scripts.nlp.coref_scores import CorefScores, score

TRUTH = ["12345", "67", "89ABC"]


def near(value: float) -> object:
    return pytest.approx(value, abs=0.0006)


def test_predicted_mentions_of_pradhan_2014() -> None:
    # "Scoring Coreference Partitions of Predicted Mentions": e is missed, h and i are spurious.
    found = score(["abc", "defg"], ["ab", "cd", "fghi"])
    assert (found.muc.recall, found.muc.precision, found.muc.f1) == (
        near(0.4),
        near(0.4),
        near(0.4),
    )
    # By hand: recall ((4+1)/3 + (1+4)/4) / 7, precision (4/2 + 2/2 + 4/4) / 8.
    assert found.b_cubed.recall == pytest.approx(35 / 12 / 7)
    assert found.b_cubed.precision == pytest.approx(4 / 8)
    # φ4: {a,b,c} with {a,b} 4/5, {d,e,f,g} with {f,g,h,i} 4/8; 1.3 of 2 and of 3 entities.
    assert found.ceaf_e.recall == pytest.approx(0.65)
    assert found.ceaf_e.precision == pytest.approx(1.3 / 3)
    assert found.ceaf_e.f1 == near(0.52)
    assert found.mentions.recall == pytest.approx(6 / 7)
    assert found.mentions.precision == pytest.approx(6 / 8)


@pytest.mark.parametrize(
    ("response", "muc", "b_cubed", "ceaf"),
    [
        (["12345", "6789ABC"], 0.947, 0.865, 0.733),
        (["1234589ABC", "67"], 0.947, 0.737, 0.667),
        (["123456789ABC"], 0.900, 0.545, 0.294),
        (list("123456789ABC"), 0.0, 0.400, 0.178),
    ],
)
def test_table_of_luo_2005(response: list[str], muc: float, b_cubed: float, ceaf: float) -> None:
    # "On Coreference Resolution Performance Metrics", responses (a) to (d) of figure 1.
    found = score(TRUTH, response)
    assert (found.muc.f1, found.b_cubed.f1, found.ceaf_e.f1) == (
        near(muc),
        near(b_cubed),
        near(ceaf),
    )


def test_vilain_1995() -> None:
    # Key A-B-C-D against A-B, C-D: one of three links is missing, none is wrong.
    found = score(["ABCD"], ["AB", "CD"]).muc
    assert found.recall == pytest.approx(2 / 3)
    assert found.precision == 1.0


def test_the_same_is_perfect_and_nothing_is_zero() -> None:
    assert score(TRUTH, TRUTH).conll == 1.0
    assert score(TRUTH, []).conll == 0.0
    assert score([], TRUTH).conll == 0.0
    assert score([], []).conll == 0.0


def test_counts_are_summed_over_documents() -> None:
    both = score(["ab"], ["ab"]) + score(["cdef"], [])
    assert both.muc.recall == pytest.approx(1 / 4)
    assert both.muc.precision == 1.0
    assert CorefScores() + both == both
    assert both.to_json()["conll_f1"] == both.conll


PARTITION = st.lists(st.integers(0, 3), min_size=1, max_size=8).map(
    lambda labels: [
        frozenset(i for i, x in enumerate(labels) if x == v) for v in sorted(set(labels))
    ]
)


@given(PARTITION, PARTITION)
def test_the_alignment_of_entities_is_the_best_there_is(
    one: list[frozenset[int]], other: list[frozenset[int]]
) -> None:
    few, many = sorted((one, other), key=len)
    best = max(
        sum(2 * len(a & b) / (len(a) + len(b)) for a, b in zip(few, order, strict=True))
        for order in permutations(many, len(few))
    )
    assert score(one, other).ceaf_e.recall == pytest.approx(best / len(one))


@given(PARTITION, PARTITION)
def test_recall_and_precision_trade_places(
    one: list[frozenset[int]], other: list[frozenset[int]]
) -> None:
    there, back = score(one, other), score(other, one)
    for a, b in ((there.muc, back.muc), (there.b_cubed, back.b_cubed), (there.ceaf_e, back.ceaf_e)):
        assert a.recall == pytest.approx(b.precision)
        assert 0 <= a.f1 <= 1 + 1e-9
