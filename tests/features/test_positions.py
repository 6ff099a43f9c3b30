"""Roles learned from where words stand: letters, names and anchors; any alphabet gives the same."""

from __future__ import annotations

import json
import random

import pytest

from babi_cascade.cascade import Cascade
from babi_cascade.features.positions import PositionalOutliner
from babi_cascade.pipeline.read import StoryReader
from babi_cascade.pipeline.stories import Question, Sentence
from babi_cascade.simulation.letters import Letters

WHO, WHERE = ("Ana", "Bo", "Cleo", "Dot"), ("harbour", "mill", "attic", "garden")


def story(rng: random.Random, letters: Letters | None = None) -> list[Question]:
    def told(text: str) -> str:
        return text if letters is None else letters.shuffle(text)

    facts: list[Sentence] = []
    questions = []
    last: dict[str, tuple[str, int]] = {}
    for _ in range(3):
        for _ in range(2):
            who, where = rng.choice(WHO), rng.choice(WHERE)
            verb = rng.choice(("walked", "went"))
            line = len(facts) + len(questions) + 1
            facts.append(Sentence(line, told(f"{who} {verb} to the {where}.")))
            last[who] = (told(where), line)
        who = rng.choice(sorted(last))
        answer, line = last[who]
        number = len(facts) + len(questions) + 1
        questions.append(Question(number, told(f"Where is {who}?"), answer, (line,), tuple(facts)))
    return questions


def stories(number: int, letters: Letters | None = None, seed: int = 1) -> list[Question]:
    rng = random.Random(seed)
    return [question for _ in range(number) for question in story(rng, letters)]


@pytest.fixture(scope="module")
def outliner() -> PositionalOutliner:
    return PositionalOutliner().fit(StoryReader().read(stories(25)))


def outlines(made: PositionalOutliner, questions: list[Question]):
    for asked in StoryReader().read(questions):
        for sentence in (*asked.facts, asked.question):
            yield made.outline(sentence)


def test_names_anchors_and_letters_are_found(outliner: PositionalOutliner) -> None:
    names = {each.lower() for each in (*WHO, *WHERE)}
    assert names <= {each.lower() for each in outliner.names}
    assert not {"to", "the", "is", "went"} & set(outliner.names)
    assert {"to", "the", "is"} <= set(outliner.anchors)
    assert not set(outliner.anchors) & set(outliner.names)


def test_a_sentence_is_its_names_in_their_roles(outliner: PositionalOutliner) -> None:
    facts = (Sentence(1, "Ana went to the mill."),)
    (asked,) = StoryReader().read([Question(2, "Where is Ana?", "mill", (1,), facts)])
    told, posed = outliner.outline(asked.facts[0]), outliner.outline(asked.question)
    assert told.predicate == "_ went to the _"
    assert [filler.lower() for _, filler in told.roles] == ["ana", "mill"]
    assert len({role for role, _ in told.roles}) == 2
    assert (told.kind, told.asked) == ("", "")
    assert posed.kind.lower() == "where is _"
    assert posed.asked.lower() == "where"
    assert told.texts["mill"] == "mill"


def test_capitals_are_folded_where_a_small_letter_goes_with_them() -> None:
    facts = (Sentence(1, "The cat sat on the mat."), Sentence(2, "A dog saw the cat."))
    asked = StoryReader().read([Question(3, "Where is the cat?", "mat", (1,), facts)])
    made = PositionalOutliner().fit(asked)
    assert made.small == {"T": "t"}
    assert made.outline(asked[0].facts[0]).predicate.startswith("the ")


def test_shuffled_letters_give_the_same_outlines_but_for_the_letters(
    outliner: PositionalOutliner,
) -> None:
    letters = Letters(3)
    shuffled = stories(25, letters)
    other = PositionalOutliner().fit(StoryReader().read(shuffled))
    assert len(other.names) == len(outliner.names)
    assert len(other.anchors) == len(outliner.anchors)
    renamed: dict[str, str] = {}
    pairs = zip(outlines(outliner, stories(25)), outlines(other, shuffled), strict=True)
    for plain, strange in pairs:
        assert plain.roles != strange.roles
        assert len(plain.roles) == len(strange.roles)
        texts = [plain.predicate, plain.kind, plain.asked, plain.shape]
        others = [strange.predicate, strange.kind, strange.asked, strange.shape]
        for (role, filler), (role_too, filler_too) in zip(plain.roles, strange.roles, strict=True):
            texts += [role, filler]
            others += [role_too, filler_too]
        for one, two in zip(texts, others, strict=True):  # one text, one text: a renaming
            assert renamed.setdefault(one, two) == two
    assert len(set(renamed.values())) == len(renamed)


def test_shuffled_letters_give_the_same_predictions() -> None:
    letters = Letters(5)
    plain, strange = stories(12), stories(12, letters)
    new, new_strange = stories(6, seed=2), stories(6, letters, seed=2)
    one, other = (Cascade(cost=0.1).fit(each) for each in (plain, strange))
    pairs = zip(one.answer(new), other.answer(new_strange), strict=True)
    for found, strange_found in pairs:
        assert strange_found.answer == letters.shuffle(found.answer or "")
        assert strange_found.support == found.support
        assert strange_found.score == pytest.approx(found.score)
    assert one.score(new) > 0.8


def test_what_was_learned_survives_json(outliner: PositionalOutliner) -> None:
    record = json.loads(json.dumps(outliner.to_json()))
    again = PositionalOutliner().restore(record)
    assert again.to_json() == outliner.to_json()
    pairs = zip(outlines(outliner, stories(2)), outlines(again, stories(2)), strict=True)
    for one, other in pairs:
        assert (one.predicate, one.roles, one.texts, one.kind) == (
            other.predicate, other.roles, other.texts, other.kind,
        )  # fmt: skip
