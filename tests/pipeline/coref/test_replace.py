from __future__ import annotations

from collections.abc import Sequence

from babi_cascade.pipeline.backends import coreference
from babi_cascade.pipeline.coref import Clusters, Mention
from babi_cascade.pipeline.coref.replace import replace_mentions
from babi_cascade.pipeline.read import REPLACED
from babi_cascade.pipeline.trees import Token, Tree
from tests.pipeline.coref.trees import go_together, goes, story


def told(trees: Sequence[Tree]) -> list[str]:
    return [s.text for s in replace_mentions(trees, coreference().resolve(trees))]


def test_first_mention_stands_for_the_others_and_the_original_is_kept() -> None:
    trees = story(go_together("Daniel", "Sandra"), goes("They", "office"))
    replaced = replace_mentions(trees, coreference().resolve(trees))
    assert [s.text for s in replaced] == [
        "Daniel and Sandra went to the mill.",
        "Daniel and Sandra went to the office.",
    ]
    assert replaced[1].original == "They went to the office."
    (change,) = replaced[1].changes
    assert (change.start, change.end, change.old) == (0, 4, "They")
    assert replaced[1].text[change.new_start : change.new_end] == change.new == "Daniel and Sandra"
    assert replaced[0].changes == ()


def test_the_tree_goes_with_the_words() -> None:
    trees = story(go_together("Daniel", "Sandra"), goes("They", "office"))
    new = replace_mentions(trees, coreference().resolve(trees))[1]
    assert [(t.id, t.form, t.head, t.deprel) for t in new.tree] == [
        (1, "Daniel", 4, "nsubj"),
        (2, "and", 3, "cc"),
        (3, "Sandra", 1, "conj"),
        (4, "went", 0, "root"),
        (5, "to", 7, "case"),
        (6, "the", 7, "det"),
        (7, "office", 4, "obl"),
        (8, ".", 4, "punct"),
    ]
    assert all(new.text[t.start : t.end] == t.form for t in new.tree)
    assert new.written is trees[1]
    assert new.origins == (1, 1, 1, 2, 3, 4, 5, 6)
    assert [new.kept(word) for word in (1, 3, 4)] == [False, False, True]


def test_of_lists_that_a_system_takes_for_one_another_the_members_stay() -> None:
    """Dcoref links "Kim and Lee" with "Lee and Ada": that would put people where they never were."""
    trees = story(go_together("Daniel", "Sandra"), go_together("Sandra", "Ingrid"))
    lists = [Mention(sentence, 1, 3, 1, "list") for sentence in (0, 1)]
    clusters = Clusters.of([lists])
    assert [s.text for s in replace_mentions(trees, clusters, REPLACED["all"])] == [
        "Daniel and Sandra went to the mill.",
        "Sandra and Ingrid went to the mill.",
    ]


def test_what_a_copula_says_of_somebody_is_no_mention_to_replace() -> None:
    """Stanford's dcoref links a predicate with its subject, whose first mention may stand far before."""
    cook = (
        "Ingrid/PROPN/4/nsubj is/AUX/4/cop the/DET/4/det cook/NOUN/0/root ./PUNCT/4/punct",
        "The/DET/2/det cook/NOUN/3/nsubj slept/VERB/0/root/sleep ./PUNCT/3/punct",
    )
    trees = story(goes("Ingrid"), *cook)
    ingrid = [Mention(0, 1, 1, 1, "name"), Mention(1, 1, 1, 1, "name")]
    clusters = Clusters.of([[*ingrid, Mention(1, 3, 4, 4), Mention(2, 1, 2, 2)]])
    assert [s.text for s in replace_mentions(trees, clusters, REPLACED["all"])][1:] == [
        "Ingrid is the cook.",
        "Ingrid slept.",
    ]


def test_possessives_and_objects() -> None:
    trees = story(
        goes("Ingrid"),
        "Tobias/PROPN/2/nsubj saw/VERB/0/root/see her/PRON/4/nmod:poss dog/NOUN/2/obj ./PUNCT/2/punct",
        "Tobias/PROPN/2/nsubj saw/VERB/0/root/see her/PRON/2/obj ./PUNCT/2/punct",
    )
    assert told(trees)[1:] == ["Tobias saw Ingrid's dog.", "Tobias saw Ingrid."]
    whose = replace_mentions(trees, coreference().resolve(trees))[1].tree
    assert [(t.form, t.head, t.deprel) for t in whose][2:5] == [
        ("Ingrid", 5, "nmod:poss"),
        ("'s", 3, "case"),
        ("dog", 2, "obj"),
    ]


def test_capitals_follow_the_place() -> None:
    man = "{}/DET/2/det man/NOUN/3/nsubj fell/VERB/0/root/fall ./PUNCT/3/punct"
    then = "Then/ADV/3/advmod he/PRON/3/nsubj slept/VERB/0/root/sleep ./PUNCT/3/punct"
    slept = "He/PRON/2/nsubj slept/VERB/0/root/sleep ./PUNCT/2/punct"
    assert told(story(man.format("A"), then, slept)) == [
        "A man fell.",
        "Then a man slept.",
        "A man slept.",
    ]


def test_only_some_kinds() -> None:
    old = "The/DET/3/det old/ADJ/3/amod mill/NOUN/4/nsubj burned/VERB/0/root/burn ./PUNCT/4/punct"
    trees = story(old, goes("Kofi", "mill"), goes("He", "mill"))
    clusters = coreference().resolve(trees)
    assert [s.text for s in replace_mentions(trees, clusters)][1:] == [
        "Kofi went to the old mill.",
        "Kofi went to the old mill.",
    ]
    assert [s.text for s in replace_mentions(trees, clusters, ["pronoun"])][1:] == [
        "Kofi went to the mill.",
        "Kofi went to the mill.",
    ]


def test_a_phrase_beside_its_first_mention_stays() -> None:
    trees = story(
        "Kofi/PROPN/4/nsubj is/AUX/4/cop/be the/DET/4/det baker/NOUN/0/root ./PUNCT/4/punct"
    )
    assert told(trees) == ["Kofi is the baker."]


def test_pronouns_without_a_noun_stay() -> None:
    trees = story("I/PRON/2/nsubj slept/VERB/0/root", "I/PRON/2/nsubj woke/VERB/0/root")
    assert told(trees) == ["I slept", "I woke"]


def test_trees_without_text() -> None:
    bare = Tree(
        (Token(1, "Go", "go", "VERB", "_", 0, "root"), Token(2, "!", "!", "PUNCT", "_", 1, "punct"))
    )
    both = [bare, Tree(())]
    assert [s.tree for s in replace_mentions(both, Clusters())] == both
    kim = Tree((Token(1, "Kim", "Kim", "PROPN", "_", 0, "root"),))
    clusters = Clusters.of([[Mention(0, 1, 1, 1, "name"), Mention(1, 1, 1, 1, "pronoun")]])
    assert replace_mentions([kim, bare], clusters)[1].text == "Kim !"
