"""Pronouns against truth files: right only if exactly those are named whom the pronoun means."""

from __future__ import annotations

from typing import Any

from babi_cascade.pipeline.backends import coreference
from babi_cascade.pipeline.trees import Tree
from scripts.nlp.coref_truth import PronounTally
from tests.pipeline.frames.small_trees import tree

TREES = {
    "Kim slept.": "Kim:PROPN:2:nsubj slept/sleep:VERB:0:root .:PUNCT:2:punct",
    "Then she left.": "Then:ADV:3:advmod she/she/PRP:PRON:3:nsubj left/leave:VERB:0:root .:PUNCT:3:punct",
}


def line(text: str, *mentions: tuple[str, list[str]]) -> dict[str, Any]:
    return {
        "text": text,
        "mentions": [
            {"start": text.index(word), "end": text.index(word) + len(word), "text": word,
             "entities": entities}
            for word, entities in mentions
        ],
    }  # fmt: skip


def tally(meant: list[str]) -> PronounTally:
    trees = {text: Tree(tree(spec).tokens, "") for text, spec in TREES.items()}
    story = [
        line("Kim slept.", ("Kim", ["kim"])),
        line("Then she left.", ("she", meant)),
        {"text": "Where is Kim?", "question": True, "mentions": []},
    ]
    found = PronounTally()
    found.add(story, trees, coreference("sieve"))
    return found


def test_a_pronoun_with_the_name_it_means_is_right() -> None:
    found = tally(["kim"])
    assert (found.right, found.pronouns) == (1, 1)
    assert "100.00 % of 1 pronouns" in found.report()[0]


def test_a_pronoun_that_means_another_or_more_is_wrong_and_told() -> None:
    assert tally(["pat"]).right == 0
    found = tally(["kim", "pat"])
    assert found.accuracy == 0
    assert found.report()[1].endswith("× she → Kim, means kim and pat")


def test_a_story_without_pronouns_counts_nothing() -> None:
    found = PronounTally()
    found.add(
        [line("Kim slept.", ("Kim", ["kim"]))], {"Kim slept.": Tree(())}, coreference("sieve")
    )
    assert found.pronouns == 0
    assert found.accuracy == 1


def test_two_pronouns_of_one_clause_mean_two() -> None:
    story = [
        tree("Kofi:PROPN:2:nsubj met/meet:VERB:0:root Pavel:PROPN:2:obj"),
        tree("He/he/PRP:PRON:2:nsubj waved/wave:VERB:0:root at:ADP:4:case him/he/PRP:PRON:2:obl"),
    ]
    clusters = coreference("sieve").resolve(story)
    he, him = (m for m in clusters.mentions if m.sentence == 1)
    assert clusters.entity(he) != clusters.entity(him)
