"""Each pass alone, on sentences made for it."""

from __future__ import annotations

from babi_cascade.pipeline.coref.document import Document
from babi_cascade.pipeline.coref.lexicon import shipped
from babi_cascade.pipeline.coref.passes import PASSES, Pass
from babi_cascade.pipeline.coref.passes.exact import ExactMatch
from babi_cascade.pipeline.coref.passes.heads import HeadMatch, ProperHeadMatch, RelaxedHeadMatch
from babi_cascade.pipeline.coref.passes.precise import PreciseConstructs
from babi_cascade.pipeline.coref.passes.pronouns import Pronouns
from babi_cascade.pipeline.coref.passes.speakers import Speakers
from tests.pipeline.coref.trees import go_together, goes, story, texts

STRICT = HeadMatch("strict head match")
FELL = "fell/VERB/0/root/fall ./PUNCT/{0}/punct"


def linked(one: Pass, *notations: str, relatives: bool = False) -> list[list[str]]:
    trees = story(*notations)
    document = Document(trees, shipped(), relatives=relatives)
    one.run(document)
    return texts(trees, document.clusters())


def subject(phrase: str) -> str:
    """A sentence whose subject is the phrase; the last word is its head."""
    *before, head = phrase.split()
    size = len(before) + 1
    kinds = {"the": "DET/{}/det", "a": "DET/{}/det", "that": "DET/{}/det"}
    words = [f"{w}/{kinds.get(w.lower(), 'ADJ/{}/amod').format(size)}" for w in before]
    return " ".join([*words, f"{head}/NOUN/{size + 1}/nsubj", FELL.format(size + 1)])


def name(*parts: str) -> str:
    """A sentence whose subject is a name of several flat parts."""
    size = len(parts)
    words = [f"{parts[0]}/PROPN/{size + 1}/nsubj", *(f"{p}/PROPN/1/flat" for p in parts[1:])]
    return " ".join([*words, FELL.format(size + 1)])


def test_the_list_of_passes_goes_from_precise_to_bold() -> None:
    names = [one.name for one in PASSES]
    assert len(set(names)) == len(names)
    order = [
        "exact match",
        "precise constructs",
        "strict head match",
        "proper head match",
        "relaxed head match",
        "pronouns",
    ]
    assert sorted(names.index(n) for n in order) == [names.index(n) for n in order]


def test_exact_match() -> None:
    assert linked(ExactMatch(), subject("the tall man"), subject("that tall man")) == [
        ["the tall man", "that tall man"]
    ]
    assert linked(ExactMatch(), subject("a man"), subject("a man")) == []
    assert linked(ExactMatch(), subject("the tall man"), subject("the man")) == []
    assert linked(ExactMatch(), goes("Kofi"), goes("He")) == [["the mill", "the mill"]]


def test_apposition() -> None:
    notation = (
        "Kofi/PROPN/6/nsubj ,/PUNCT/4/punct the/DET/4/det baker/NOUN/1/appos ,/PUNCT/4/punct "
        "sang/VERB/0/root/sing"
    )
    assert linked(PreciseConstructs(), notation) == [["Kofi", "the baker"]]


def test_predicate_nominative() -> None:
    notation = "Kofi/PROPN/4/nsubj is/AUX/4/cop/be the/DET/4/det baker/NOUN/0/root"
    assert linked(PreciseConstructs(), notation) == [["Kofi", "the baker"]]
    assert linked(PreciseConstructs(), notation.replace("the/DET", "a/DET")) == []
    denied = "Kofi/PROPN/5/nsubj is/AUX/5/cop/be not/PART/5/advmod the/DET/5/det baker/NOUN/0/root"
    assert linked(PreciseConstructs(), denied) == []
    place = "Kofi/PROPN/5/nsubj is/AUX/5/cop/be in/ADP/5/case the/DET/5/det mill/NOUN/0/root"
    assert linked(PreciseConstructs(), place) == []


def test_role_appositive() -> None:
    notation = "the/DET/3/det painter/NOUN/3/{} Amara/PROPN/4/nsubj sang/VERB/0/root/sing"
    for relation in ("compound", "nmod:desc"):
        assert linked(PreciseConstructs(), notation.format(relation)) == [
            ["the painter Amara", "painter"]
        ]
    title = "Dr./PROPN/2/nmod:desc Okri/PROPN/3/nsubj sang/VERB/0/root/sing"
    assert linked(PreciseConstructs(), title, title) == []


def test_relative_pronoun() -> None:
    notation = (
        "the/DET/2/det man/NOUN/5/nsubj who/PRON/4/nsubj/who/PronType=Rel sings/VERB/2/acl:relcl/sing "
        "left/VERB/0/root/leave"
    )
    assert linked(PreciseConstructs(), notation) == []
    # It lies within the phrase it belongs to, and still means the same.
    assert linked(PreciseConstructs(), notation, relatives=True) == [["the man who sings", "who"]]


def test_acronym() -> None:
    full = (
        "the/DET/4/det World/PROPN/4/compound Health/PROPN/4/compound Organization/PROPN/5/nsubj "
        "spoke/VERB/0/root/speak"
    )
    assert linked(PreciseConstructs(), full, goes("WHO")) == [
        ["the World Health Organization", "WHO"]
    ]
    assert linked(PreciseConstructs(), full, goes("WTO")) == []


def test_demonym() -> None:
    assert linked(PreciseConstructs(), goes("France"), goes("French")) == [["France", "French"]]
    assert linked(PreciseConstructs(), goes("France"), goes("Danish")) == []


def test_strict_head_match_asks_for_known_words_and_modifiers() -> None:
    assert linked(STRICT, subject("the old mill"), subject("the mill")) == [
        ["the old mill", "the mill"]
    ]
    assert linked(STRICT, subject("the mill"), subject("the old mill")) == []
    assert linked(STRICT, subject("the old mill"), subject("a mill")) == []


def test_variants_of_strict_head_match() -> None:
    # "small" was said of the river of the first phrase, not of its mill.
    first = (
        "the/DET/2/det mill/NOUN/7/nsubj by/ADP/6/case the/DET/6/det small/ADJ/6/amod river/NOUN/2/nmod "
        "fell/VERB/0/root/fall"
    )
    second = subject("the small mill")
    assert linked(STRICT, first, second) == []
    assert linked(HeadMatch("free", modifiers=False), first, second) == [
        ["the mill by the small river", "the small mill"]
    ]


def test_head_match_in_a_long_story_looks_back_from_where_it_is() -> None:
    many = [subject("a mill")] * 300
    found = linked(STRICT, subject("the old mill"), subject("the mill"), *many)
    assert found == [["the old mill", "the mill"]]


def test_a_bag_of_nails_is_not_the_bag() -> None:
    nails = "the/DET/2/det bag/NOUN/5/nsubj of/ADP/4/case {0} fell/VERB/0/root/fall ./PUNCT/5/punct"
    bare = nails.format("nails/NOUN/2/nmod/nail")
    assert linked(STRICT, bare, subject("the bag")) == []
    assert linked(STRICT, bare, bare)[0] == ["the bag of nails", "the bag of nails"]
    assert linked(STRICT, nails.format("Kofi/PROPN/2/nmod"), subject("the bag")) == [
        ["the bag of Kofi", "the bag"]
    ]


def test_head_match_keeps_numbers_and_nested_phrases_apart() -> None:
    free = HeadMatch("free", inclusion=False, modifiers=False)
    assert linked(free, subject("the 2 mill"), subject("the 3 mill")) == []
    nested = "the/DET/2/det king/NOUN/6/nsubj of/ADP/5/case the/DET/5/det king/NOUN/2/nmod fell/VERB/0/root"
    assert linked(free, nested) == []


def test_proper_head_match() -> None:
    assert linked(ProperHeadMatch(), name("Ada", "Lovelace"), name("Lovelace")) == [
        ["Ada Lovelace", "Lovelace"]
    ]
    assert linked(ProperHeadMatch(), name("George", "Byron"), name("Ada", "Byron")) == []
    assert linked(ProperHeadMatch(), name("Byron"), name("George", "Byron")) == [
        ["Byron", "George Byron"]
    ]
    # Of things only a person gains words later.
    assert linked(ProperHeadMatch(), name("Zorvia"), "New/PROPN/2/compound " + name("Zorvia")) == []


def test_relaxed_head_match() -> None:
    assert linked(RelaxedHeadMatch(), name("Clara", "Schumann"), name("Clara")) == [
        ["Clara Schumann", "Clara"]
    ]
    assert linked(RelaxedHeadMatch(), name("Clara"), name("Schumann")) == []


def test_speakers() -> None:
    notation = "I/PRON/2/nsubj like/VERB/0/root my/PRON/4/nmod:poss dog/NOUN/2/obj"
    assert linked(Speakers(), notation, "we/PRON/2/nsubj like/VERB/0/root you/PRON/2/obj") == [
        ["I", "my"]
    ]


def test_pronoun_takes_the_nearest_subject_that_agrees() -> None:
    assert linked(Pronouns(), goes("Ingrid"), goes("Tobias"), goes("He")) == [["Tobias", "He"]]
    assert linked(Pronouns(), goes("Ingrid"), goes("Tobias"), goes("She")) == [["Ingrid", "She"]]
    assert linked(Pronouns(), goes("Ingrid", "mill"), goes("It")) == [["the mill", "It"]]


def test_subject_before_object() -> None:
    saw = "Ingrid/PROPN/2/nsubj saw/VERB/0/root/see Leila/PROPN/2/obj"
    assert linked(Pronouns(), saw, goes("She")) == [["Ingrid", "She"]]


def test_plural_pronoun_takes_the_conjunction_as_one() -> None:
    assert linked(Pronouns(), go_together("Kofi", "Leila"), goes("They")) == [
        ["Kofi and Leila", "They"]
    ]
    assert linked(Pronouns(), go_together("Kofi", "Leila"), goes("She")) == [["Leila", "She"]]


def test_unknown_names_agree_with_he_and_she_not_with_it_and_they() -> None:
    for pronoun in ("He", "She"):
        assert linked(Pronouns(), name("Quillmar"), goes(pronoun)) == [["Quillmar", pronoun]]
    for pronoun in ("It", "They"):
        assert linked(Pronouns(), name("Quillmar"), goes(pronoun)) == []


def test_names_that_the_tagger_takes_for_something_else() -> None:
    for tag in ("NOUN", "X", "ADJ"):
        told = goes("Tavlo").replace("PROPN", tag)
        assert linked(Pronouns(), goes("Kofi"), told, goes("He")) == [["Tavlo", "He"]]
        told = goes("Ingrid").replace("PROPN", tag)
        assert linked(Pronouns(), goes("Leila"), told, goes("He"), goes("She")) == [
            ["Ingrid", "She"]
        ]


def test_gender_is_learned_within_the_document() -> None:
    # "She" makes a woman of Quillmar, so that "he" must mean Tavlo, though Quillmar is nearer.
    assert linked(Pronouns(), goes("Tavlo"), goes("Quillmar"), goes("She"), goes("He")) == [
        ["Tavlo", "He"],
        ["Quillmar", "She"],
    ]


def test_window_of_three_sentences() -> None:
    other = subject("the rain")
    assert linked(Pronouns(), goes("Kofi"), other, other, goes("He")) == [["Kofi", "He"]]
    assert linked(Pronouns(), goes("Kofi"), other, other, other, goes("He")) == []


def test_binding() -> None:
    seen = "Kofi/PROPN/2/nsubj saw/VERB/0/root/see {}/PRON/2/obj"
    assert linked(Pronouns(), seen.format("him")) == []
    assert linked(Pronouns(), seen.format("himself")) == [["Kofi", "himself"]]
    assert linked(Pronouns(), goes("Tobias"), seen.format("him")) == [["Tobias", "him"]]
    owned = (
        "Kofi/PROPN/2/nsubj saw/VERB/0/root/see his/PRON/4/nmod:poss dog/NOUN/2/obj ./PUNCT/2/punct"
    )
    assert linked(Pronouns(), owned) == [["Kofi", "his"]]


def test_last_pass_takes_what_is_unknown() -> None:
    notation = subject("the zorb")
    assert linked(Pronouns(), notation, goes("She")) == []
    assert linked(Pronouns("free", strict=False), notation, goes("She")) == [["the zorb", "She"]]
