"""Learning from answers alone: the facts that nobody told are found, told ones are kept, nothing leaks."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from babi_cascade.cascade import Cascade
from babi_cascade.cascade.content import ContentError, imputation_of
from babi_cascade.cascade.estimator import CascadeError
from babi_cascade.cascade.imputation import Imputer
from babi_cascade.features.positions import PositionalOutliner
from babi_cascade.pipeline.frames.model import Frame
from babi_cascade.pipeline.read import ReadQuestion, ReadSentence
from tests.cascade.test_extended import chains, lists, sequences, tuples

Told = tuple[int, ...] | None


def one(rng: random.Random) -> ReadQuestion:
    """Where is she? Where she went last."""
    from tests.cascade.test_extended import WHERE, WHO
    from tests.features.reading import asked, went, where_is

    facts = [went(rng.choice(WHO), rng.choice(WHERE)) for _ in range(4)]
    last = rng.randrange(4)
    who = facts[last].words[0]
    last = max(p for p, fact in enumerate(facts) if fact.words[0] == who)
    return asked(tuple(facts), where_is(who), facts[last].words[-1], (last,))


def told(
    read: Sequence[ReadQuestion], support: Callable[[ReadQuestion], Told]
) -> list[ReadQuestion]:
    """The same questions with other supporting facts: line numbers, or None."""
    return [replace(a, source=replace(a.source, support=support(a))) for a in read]


def untold(read: Sequence[ReadQuestion]) -> list[ReadQuestion]:
    return told(read, lambda _: None)


def shuffled(read: Sequence[ReadQuestion]) -> list[ReadQuestion]:
    """The same questions, each with the answer to another."""
    answers = [asked.source.answer for asked in read]
    random.Random(0).shuffle(answers)
    return [
        replace(asked, source=replace(asked.source, answer=answer))
        for asked, answer in zip(read, answers, strict=True)
    ]


def share_right(cascade: Cascade, read: Sequence[ReadQuestion]) -> float:
    found = cascade.answer_read(read)
    return sum(p.answer == a.source.answer for p, a in zip(found, read, strict=True)) / len(read)


def questions(
    make: Callable[[random.Random], ReadQuestion], n: int, seed: int
) -> list[ReadQuestion]:
    rng = random.Random(seed)
    return [make(rng) for _ in range(n)]


@pytest.mark.parametrize("make", [one, tuples, chains, lists, sequences])
def test_answers_alone_are_enough(make: Callable[[random.Random], ReadQuestion]) -> None:
    cascade = Cascade(cost=1.0).fit_read(untold(questions(make, 150, 1)))
    assert share_right(cascade, questions(make, 80, 2)) >= 0.95


@pytest.mark.parametrize("make", [one, tuples])
def test_the_facts_that_are_learned_are_those_that_a_person_would_name(
    make: Callable[[random.Random], ReadQuestion],
) -> None:
    cascade = Cascade(cost=1.0).fit_read(untold(questions(make, 150, 1)))
    test = questions(make, 80, 2)
    found = cascade.answer_read(test)
    same = [set(p.support) == set(a.source.support or ()) for p, a in zip(found, test, strict=True)]
    assert sum(same) >= 0.9 * len(test)


def test_shuffled_answers_teach_no_more_than_the_commonest_one() -> None:
    """What choosing facts to fit each answer would memorise must not show on other questions."""
    mixed = shuffled(untold(questions(tuples, 150, 1)))
    test = questions(tuples, 150, 2)
    commonest = Counter(asked.source.answer for asked in test).most_common(1)[0][1] / len(test)
    assert share_right(Cascade().fit_read(mixed), test) <= commonest + 0.1


def test_how_many_held_out_answers_are_found_is_no_more_than_chance_where_answers_are_chance() -> (
    None
):
    mixed = shuffled(untold(questions(tuples, 150, 1)))
    _, learned = Imputer().supervise(mixed, "answers")
    assert learned is not None
    ((_, share),) = learned.modes.values()
    assert learned.held_out == pytest.approx(share)
    answers = Counter(asked.source.answer for asked in mixed)
    assert share <= answers.most_common(1)[0][1] / len(mixed) + 0.15


def test_a_kind_that_one_story_asks_alone_is_not_called_solved() -> None:
    """All its questions are in one part: nothing was held out from what it learned."""
    from tests.features.reading import asked, took, went, where_is

    rng = random.Random(5)
    others = untold(questions(tuples, 60, 1))
    facts = tuple(took(rng.choice(("ana", "bo")), f"thing{n}") for n in range(25))
    story = (*facts, went("ana", "pier"))
    chance = [
        asked(story, replace(where_is("ana"), frames=story[0].frames), rng.choice("abcd"), None)
        for _ in range(25)
    ]
    alone = [replace(each, story=story) for each in chance]
    _, learned = Imputer().supervise([*others, *alone], "answers")
    assert learned is not None
    kinds = {kind: share for kind, (_, share) in learned.modes.items() if "where" not in kind}
    assert all(share < 0.7 for share in kinds.values())


def test_names_are_found_without_a_parser_and_without_labels() -> None:
    """What is carried stands in questions, and in the facts that they are guessed to rest on."""
    read = untold(questions(tuples, 150, 1))
    words = [
        replace(each, question=bare(each.question), story=tuple(map(bare, each.story)))
        for each in read
    ]
    names = PositionalOutliner().fit(words).names
    assert {"kite", "cup", "map", "fan", "pot", "pier", "barn", "mill"} <= set(names)
    assert not {"took", "the", "to"} & set(names)


def bare(sentence: ReadSentence) -> ReadSentence:
    return replace(sentence, frames=())


@pytest.mark.parametrize("most", [1, 2])
def test_no_more_facts_are_learned_than_may_be_chosen(most: int) -> None:
    cascade = Cascade(cost=1.0, max_facts=most).fit_read(untold(questions(chains, 60, 1)))
    assert cascade.imputation_ is not None
    assert all(int(mode) <= most for mode, _ in cascade.imputation_.modes.values())


@pytest.mark.parametrize(
    "said",
    [
        {"n_told": -3}, {"n_imputed": 1.5}, {"likelihood": 5.0}, {"explained": 7e200},
        {"held_out": 1.5}, {"held_out": "0.5"},
        {"modes": {"where": ["\x1b[31m", 0.5]}}, {"modes": {"where": ["1", 2]}}, {"modes": []},
    ],
)  # fmt: skip
def test_what_a_file_says_of_learned_facts_is_checked(said: dict[str, object]) -> None:
    good = {
        "n_told": 1, "n_imputed": 2, "likelihood": -0.5, "explained": 1, "held_out": 0.5,
        "modes": {"where": ["1", 1]},
    }  # fmt: skip
    assert imputation_of({"imputation": good}) is not None
    earlier = {name: value for name, value in good.items() if name != "held_out"}
    assert imputation_of({"imputation": earlier}) == imputation_of(
        {"imputation": good | {"held_out": None}}
    )
    with pytest.raises(ContentError):
        imputation_of({"imputation": good | said})


def test_without_labels_wrong_ones_do_no_harm_and_are_not_looked_at() -> None:
    train = questions(tuples, 120, 1)
    wrong = told(train, lambda asked: (1,))
    blind = Cascade(cost=1.0, supervision="answers")
    assert share_right(blind.fit_read(wrong), questions(tuples, 80, 2)) >= 0.95
    weights = blind.support_stage_.fitted_.weights.tobytes()
    assert blind.fit_read(untold(train)).support_stage_.fitted_.weights.tobytes() == weights


def test_labels_are_kept_where_they_are_and_learned_elsewhere() -> None:
    train = questions(tuples, 120, 1)
    some = train[:20] + untold(train[20:])
    cascade = Cascade(cost=1.0).fit_read(some)
    learned = cascade.imputation_
    assert learned is not None
    assert (learned.n_told, learned.n_imputed) == (20, 100)
    assert learned.explained > 0.95
    assert learned.held_out > 0.95
    assert learned.likelihood > -0.5
    assert share_right(cascade, questions(tuples, 80, 2)) >= 0.95


def test_labels_that_say_something_else_are_followed() -> None:
    """The place is named twice; who tells only one of them gets that one."""
    from tests.features.reading import asked, went, where_is

    def twice(rng: random.Random) -> ReadQuestion:
        who, other = rng.sample(("ana", "bo", "cy"), 2)
        place = rng.choice(("pier", "barn", "mill"))
        facts = (went(who, place), went(other, rng.choice(("pier", "barn"))), went(who, place))
        return asked(facts, where_is(who), place, (0,))

    train = questions(twice, 120, 1)
    cascade = Cascade(cost=1.0).fit_read(train[:30] + untold(train[30:]))
    found = cascade.answer_read(questions(twice, 40, 2))
    assert [prediction.support for prediction in found] == [(1,)] * 40


def test_of_a_single_story_no_answer_is_held_out() -> None:
    _, learned = Imputer().supervise(untold(questions(one, 1, 1)), "answers")
    assert learned is not None
    assert learned.held_out is None


def test_all_labels_change_nothing() -> None:
    train = questions(tuples, 60, 1)
    auto, facts = Cascade(cost=1.0), Cascade(cost=1.0, supervision="facts")
    one_way = auto.fit_read(train).support_stage_.fitted_.weights.tobytes()
    assert facts.fit_read(train).support_stage_.fitted_.weights.tobytes() == one_way
    assert auto.imputation_ is None


def test_no_fact_at_all_is_no_label() -> None:
    train = told(questions(tuples, 120, 1), lambda _: ())
    assert share_right(Cascade(cost=1.0).fit_read(train), questions(tuples, 80, 2)) >= 0.95


def test_who_asks_for_labels_is_told_which_are_missing() -> None:
    train = questions(one, 5, 1)
    train[3:4] = untold(train[3:4])
    with pytest.raises(CascadeError, match=r"training question 4 .*found no supporting facts"):
        Cascade(supervision="facts").fit_read(train)


def test_the_same_seed_learns_the_same_and_the_file_keeps_it(tmp_path: Path) -> None:
    train = untold(questions(tuples, 80, 1))
    one_way = Cascade(cost=1.0).fit_read(train)
    one_way.save(tmp_path / "one.model")
    Cascade(cost=1.0).fit_read(train).save(tmp_path / "two.model")
    assert (tmp_path / "one.model").read_bytes() == (tmp_path / "two.model").read_bytes()
    loaded = Cascade.load(tmp_path / "one.model")
    assert loaded.imputation_ == one_way.imputation_
    assert loaded.settings.supervision == "auto"
    shown = loaded.explain_read(questions(tuples, 1, 2)[0]).to_json(short=True)
    assert shown["facts_learned"] is True


def test_the_answers_that_are_allowed_are_all_that_compete_where_facts_are_learned() -> None:
    """Each fact names two places; which of them is asked for, only the choices tell."""
    from tests.features.reading import argument, asked, sentence, where_is

    def either(rng: random.Random) -> ReadQuestion:
        people = rng.sample(("ana", "bo", "cy"), 2)
        places = rng.sample(("pier", "barn", "mill", "shed", "yard", "dock"), 4)
        facts = []
        for who, ends in zip(people, (places[:2], places[2:]), strict=True):
            at = [argument("obl:at", place) for place in ends]
            frame = Frame("be", 2, (argument("nsubj", who), *at))
            facts.append(sentence(f"{who} was at {' or '.join(ends)}.", frame))
        asked_for = rng.randrange(2)
        answer = places[2 * asked_for + rng.randrange(2)]
        made = asked(tuple(facts), where_is(people[asked_for]), answer)
        return replace(made, source=replace(made.source, choices=(answer, "moon", "sun")))

    bound = questions(either, 120, 1)
    free = [replace(each, source=replace(each.source, choices=None)) for each in bound]
    shares, likelihoods = [], []
    for read in (bound, free):
        _, learned = Imputer(max_facts=1).supervise(read, "answers")
        assert learned is not None
        ((_, share),) = learned.modes.values()
        shares.append(share)
        likelihoods.append(learned.likelihood or 0.0)
    assert shares[0] > 0.99
    assert shares[1] < 0.7
    assert likelihoods[0] > likelihoods[1] + 0.3


def test_how_many_facts_a_kind_needs_is_found_out() -> None:
    cascade = Cascade(cost=1.0).fit_read(untold(questions(one, 90, 1) + questions(chains, 90, 1)))
    assert cascade.imputation_ is not None
    modes = {kind.split(" ")[0]: mode for kind, (mode, _) in cascade.imputation_.modes.items()}
    assert modes == {"where": "1", "how": "chain"}
