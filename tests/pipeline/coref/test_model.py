from __future__ import annotations

from babi_cascade.pipeline.coref import Clusters, Mention
from tests.pipeline.coref.trees import story

MARY = Mention(0, 1, 1, 1, "name", "sing", "fem", 3, "animate")
SHE = Mention(1, 2, 2, 2, "pronoun", "sing", "fem", 3, "animate")
MILL = Mention(0, 4, 5, 5)


def test_entities_are_in_the_order_of_their_first_mentions() -> None:
    clusters = Clusters.of([[MILL], [SHE, MARY], []])
    assert clusters.entities == ((MARY, SHE), (MILL,))
    assert clusters.entity(SHE) == 0
    assert clusters.first(SHE) is MARY
    assert clusters.mentions == (MARY, MILL, SHE)
    assert clusters.without_singletons().entities == ((MARY, SHE),)
    assert len(clusters) == 2


def test_json() -> None:
    clusters = Clusters.of([[MARY, SHE], [MILL]])
    first = clusters.to_json()["entities"][0]
    assert first["id"] == 0
    assert [mention["gender"] for mention in first["mentions"]] == ["fem", "fem"]


def test_text_of_a_mention() -> None:
    trees = story("the/DET/2/det mill/NOUN/0/root 's/PART/2/case")
    assert Mention(0, 1, 3, 2).text(trees) == "the mill's"
