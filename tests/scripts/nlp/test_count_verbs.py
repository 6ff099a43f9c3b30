"""Counting what verbs take, on trees small enough to count by hand."""

from babi_cascade.pipeline.frames.verbs import dative_verbs, phrasal_verbs, transitive_verbs
from scripts.nlp.count_verbs import (
    count_dative_verbs,
    count_phrasal_verbs,
    count_transitive_verbs,
)
from tests.pipeline.frames.small_trees import tree

SWITCH = tree("Kim:PROPN:2:nsubj switched/switch:VERB:0:root off:ADP:2:compound:prt it:PRON:2:obj")
RUN = tree("Kim:PROPN:2:nsubj ran/run:VERB:0:root down:ADP:5:case the:DET:5:det hill:NOUN:2:obl")
LEND = tree("Kim:PROPN:2:nsubj lent/lend:VERB:0:root Lee:PROPN:2:iobj money:NOUN:2:obj")


def test_particles_are_not_prepositions() -> None:
    assert count_phrasal_verbs([SWITCH] * 2 + [RUN] * 5) == [("switch", "off")]
    assert count_phrasal_verbs([SWITCH]) == []  # once is no habit


def test_receivers_and_objects() -> None:
    assert count_dative_verbs([LEND, LEND, SWITCH, SWITCH]) == ["lend"]
    assert count_transitive_verbs([SWITCH] * 10 + [RUN] * 10 + [LEND] * 9) == ["switch"]


def test_the_shipped_counts_know_common_verbs() -> None:
    assert ("pick", "up") in phrasal_verbs()
    assert ("walk", "down") not in phrasal_verbs()
    assert {"give", "send", "tell"} <= dative_verbs()
    assert {"bring", "make"} <= transitive_verbs()
    assert not {"go", "walk", "sleep"} & transitive_verbs()
