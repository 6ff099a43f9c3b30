from __future__ import annotations

import pytest

from babi_cascade.pipeline.coref.detection import detect, pleonastic
from babi_cascade.pipeline.coref.lexicon import shipped
from babi_cascade.pipeline.coref.model import Mention
from babi_cascade.pipeline.trees import Tree
from tests.pipeline.coref.trees import go_together, goes, tree


def found(one: Tree, *, relatives: bool = False) -> dict[str, Mention]:
    mentions, _ = detect([one], shipped(), relatives=relatives)
    return {m.text([one]): m for m in mentions[0]}


def test_noun_phrases_names_and_pronouns() -> None:
    mentions = found(tree(goes("Ingrid", "bakery")))
    assert list(mentions) == ["Ingrid", "the bakery"]
    assert mentions["Ingrid"].kind == "name"
    assert (mentions["Ingrid"].gender, mentions["Ingrid"].animacy) == ("fem", "animate")
    assert mentions["the bakery"].kind == "nominal"
    assert found(tree(goes("She")))["She"].kind == "pronoun"


def test_a_conjunction_is_a_list_and_its_members() -> None:
    mentions = found(tree(go_together("Kofi", "Leila")))
    assert list(mentions) == ["Kofi and Leila", "Kofi", "Leila", "the mill"]
    whole = mentions["Kofi and Leila"]
    assert (whole.kind, whole.number, whole.animacy) == ("list", "plur", "animate")


def test_alternatives_are_no_group() -> None:
    notation = go_together("Kofi", "Leila").replace("and/CCONJ", "or/CCONJ")
    assert "Kofi or Leila" not in found(tree(notation))


def test_full_phrases_nest() -> None:
    # The old mill by the river that we saw burned.
    mentions = found(
        tree(
            "The/DET/3/det old/ADJ/3/amod mill/NOUN/10/nsubj by/ADP/6/case the/DET/6/det "
            "river/NOUN/3/nmod that/PRON/9/obj/that/PronType=Rel we/PRON/9/nsubj saw/VERB/6/acl:relcl/see "
            "burned/VERB/0/root/burn ./PUNCT/10/punct"
        )
    )
    assert list(mentions) == [
        "The old mill by the river that we saw",
        "the river that we saw",
        "we",
    ]


def test_prepositions_predicates_and_edges_stay_outside() -> None:
    # "Kofi was not the baker in May, sadly."
    mentions = found(
        tree(
            "Kofi/PROPN/5/nsubj was/AUX/5/cop/be not/PART/5/advmod the/DET/5/det baker/NOUN/0/root "
            "in/ADP/7/case May/PROPN/5/obl ,/PUNCT/9/punct sadly/ADV/5/advmod ./PUNCT/5/punct"
        )
    )
    assert list(mentions) == ["Kofi", "the baker", "May"]


def test_possessive_mark_belongs_to_the_owner() -> None:
    mentions = found(
        tree("Kofi/PROPN/3/nmod:poss 's/PART/1/case dog/NOUN/4/nsubj barked/VERB/0/root")
    )
    assert list(mentions) == ["Kofi's dog", "Kofi's"]


@pytest.mark.parametrize(
    "notation",
    [
        "It/PRON/2/nsubj rained/VERB/0/root/rain ./PUNCT/2/punct",
        "It/PRON/2/expl seems/VERB/0/root/seem",
        "It/PRON/3/nsubj is/AUX/3/cop/be clear/ADJ/0/root that/SCONJ/6/mark he/PRON/6/nsubj "
        "left/VERB/3/ccomp/leave",
        "It/PRON/2/nsubj seems/VERB/0/root/seem that/SCONJ/5/mark he/PRON/5/nsubj left/VERB/2/ccomp",
    ],
)
def test_pleonastic_it_is_no_mention(notation: str) -> None:
    one = tree(notation)
    assert pleonastic(one, one[1])
    assert "It" not in found(one)


def test_it_that_means_something_is_a_mention() -> None:
    one = tree("It/PRON/2/nsubj fell/VERB/0/root/fall")
    assert not pleonastic(one, one[1])
    assert "It" in found(one)


def test_question_words_and_quantifiers_are_left_out() -> None:
    assert not found(tree("Who/PRON/2/nsubj knows/VERB/0/root nothing/PRON/2/obj ?/PUNCT/2/punct"))
    assert not found(tree("There/PRON/2/expl is/VERB/0/root hope/ADV/2/advmod"))


def test_relative_pronouns_on_request() -> None:
    one = tree(
        "the/DET/2/det man/NOUN/0/root who/PRON/4/nsubj/who/PronType=Rel sings/VERB/2/acl:relcl/sing"
    )
    assert "who" not in found(one)
    assert found(one, relatives=True)["who"].kind == "pronoun"
