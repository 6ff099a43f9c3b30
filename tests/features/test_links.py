from babi_cascade.features.links import Links
from babi_cascade.features.outline import Outline


def outline(roles, kind="", asked=""):
    return Outline("", "", "", kind, asked, tuple(roles.items()))


LAMP = outline({"nsubj": "lamp"}, "where is", "where")
TOOK = outline({"nsubj": "ana", "obj": "lamp"})
WENT = outline({"nsubj": "ana", "obl:to": "mill"})
OTHER = outline({"nsubj": "kofi", "obl:to": "mill"})


def test_a_fact_that_names_nothing_of_the_question_is_reached_by_what_it_shares_with_another():
    links = Links().learn([(LAMP, [TOOK, WENT])])
    assert links.of(LAMP) == ({("nsubj", "nsubj")},)


def test_every_step_has_its_own_and_a_preposition_does_not_matter():
    links = Links().learn([(LAMP, [TOOK, WENT, OTHER])])
    assert links.of(LAMP) == ({("nsubj", "nsubj")}, {("obl", "obl")})


def test_where_every_fact_names_something_of_the_question_nothing_leads_on():
    assert Links().learn([(LAMP, [TOOK])]).of(LAMP) == ()


def test_a_kind_that_training_did_not_have_takes_its_question_word_then_all():
    who = outline({"obj": "lamp"}, "who took", "who")
    links = Links().learn([(LAMP, [TOOK, WENT]), (who, [TOOK])])
    assert links.of(outline({}, "where was", "where")) == ({("nsubj", "nsubj")},)
    assert links.of(outline({}, "who dropped", "who")) == ()
    assert links.of(outline({}, "how", "how")) == ({("nsubj", "nsubj")},)


def test_what_was_learned_survives_a_file():
    links = Links().learn([(LAMP, [TOOK, WENT, OTHER])])
    assert Links.from_json(links.to_json()).to_json() == links.to_json()
