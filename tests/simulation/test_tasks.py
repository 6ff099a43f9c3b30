"""The 20 tasks: every answer is right, and the stories have the shape of the released ones."""

from __future__ import annotations

from collections import Counter
from itertools import groupby

import pytest

from babi_cascade.simulation.tasks import TASKS
from babi_cascade.simulation.telling import babi_lines
from tests.simulation.oracle import (
    GOALS,
    NEVER,
    TIMES,
    Fact,
    Story,
    disagreements,
    handlings,
    moves,
    placings,
    where_thing,
)
from tests.simulation.told import age, gaps, is_near, simulated, tell

WITH_RHYTHM = (1, 2, 3, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14)
PEOPLE_A, PEOPLE_B = {"Mary", "John", "Sandra", "Daniel"}, {"Bill", "Fred", "Jeff", "Mary"}
PEOPLE_C = {"Bill", "Fred", "Julie", "Mary"}
ROOMS_A = {"bathroom", "bedroom", "garden", "hallway", "kitchen", "office"}
ROOMS_C = {"bedroom", "cinema", "kitchen", "office", "park", "school"}


@pytest.mark.parametrize("seed", [0, 1, 77])
@pytest.mark.parametrize("number", TASKS)
def test_every_answer_and_its_ordered_support_are_what_a_reader_finds(number: int, seed: int):
    stories = simulated(number, 300, seed)
    assert sum(len(story.queries) for story in stories) >= 280
    assert [what for story in stories for what in disagreements(story)] == []


@pytest.mark.parametrize(
    ("number", "questions", "statements"),
    [
        (1, {5}, {10}), (4, {1}, {2}), (9, {5}, {10}), (10, {5}, {10}), (11, {5}, {10}),
        (12, {5}, {10}), (13, {5}, {10}), (14, {5}, {10, 12, 14}), (15, {4}, {8}), (16, {1}, {9}),
        (17, {8}, {2}), (19, {1}, {5}), (20, {9, 10, 11, 12}, {9, 10, 11, 12}),
    ],
)  # fmt: skip
def test_stories_have_the_released_number_of_questions_and_statements(
    number: int, questions: set[int], statements: set[int]
):
    assert {len(story.queries) for story in simulated(number)} == questions
    assert {len(story.facts) for story in simulated(number)} == statements


@pytest.mark.parametrize("number", [2, 3, 5, 6, 7, 8])
def test_stories_about_things_have_five_questions(number: int):
    assert {len(story.queries) for story in simulated(number)} == {5}


@pytest.mark.parametrize("number", WITH_RHYTHM)
def test_questions_are_tried_after_every_second_statement(number: int):
    counts = Counter(gap for story in simulated(number) for gap in gaps(story))
    assert all(gap % 2 == 0 and gap > 0 for gap in counts)


@pytest.mark.parametrize("number", [1, 2, 3, 5, 6, 7, 8, 9, 10, 11, 12, 13])
def test_no_question_starts_from_a_fact_six_or_more_back(number: int):
    ages = Counter()
    for story in simulated(number):
        for query in story.queries:
            support = story.claimed[query.line][1]
            # Tasks 2 and 3 start from what happened to the thing; the moves may be older.
            key = support[0] if number in (2, 3) else max(support)
            ages[age(story.before(query.line), key)] += 1
    assert max(ages) == 5, "the window of five facts is used to its end and never left"


@pytest.mark.parametrize("number", range(1, 21))
def test_a_space_stands_before_the_tab_where_the_released_files_have_one(number: int):
    lines = "".join(babi_lines(told) for told in tell(number, 20)).splitlines()
    questions = [line.split("\t")[0] for line in lines if "\t" in line]
    padded = number not in (4, 15, 16, 17, 18, 19, 20)
    assert {question.endswith("? ") for question in questions} == {padded}
    assert {question.endswith("?") for question in questions} == {not padded}


@pytest.mark.parametrize(
    ("number", "people", "rooms"),
    [
        (1, PEOPLE_A, ROOMS_A), (5, PEOPLE_B, ROOMS_A), (10, PEOPLE_C, ROOMS_C),
        (12, PEOPLE_A, ROOMS_A), (14, PEOPLE_C, ROOMS_C),
    ],
)  # fmt: skip
def test_the_cast_is_the_released_one(number: int, people: set[str], rooms: set[str]):
    facts = [fact for story in simulated(number) for fact in story.facts]
    assert {person for fact in facts for person in fact.people} == people
    assert {room for f in facts for room in (f.room, *f.alternatives) if room} == rooms


# What happens is possible.


@pytest.mark.parametrize("number", [1, 2, 3, 5, 6, 7, 8, 11, 12, 13])
def test_nobody_goes_where_he_is(number: int):
    for story in simulated(number):
        at: dict[str, str] = {}
        for fact in story.facts:
            if fact.kind == "go":
                assert all(at.get(person) != fact.room for person in fact.people)
                at.update(dict.fromkeys(fact.people, fact.room))


@pytest.mark.parametrize("number", [2, 3, 5, 6, 7, 8])
def test_things_are_only_handled_by_who_can(number: int):
    handled = 0
    for story in simulated(number):
        at: dict[str, str] = {}
        holder: dict[str, str] = {}
        lying: dict[str, str] = {}
        for fact in story.facts:
            if fact.kind == "go":
                at[fact.people[0]] = fact.room
                continue
            handled += 1
            actor, thing = fact.people[0], fact.thing
            if fact.kind == "get":
                assert thing not in holder
                here = at.get(actor)
                assert here is None or lying.get(thing, here) == here
                holder[thing] = actor
            else:
                assert holder.pop(thing) == actor
                lying.pop(thing, None)
                if fact.kind == "give":
                    assert fact.to != actor
                    known = {at[p] for p in (actor, fact.to) if p in at}
                    assert len(known) <= 1, "giver and receiver are in one room"
                    holder[thing] = fact.to
                elif actor in at:
                    lying[thing] = at[actor]
    assert handled > 300


def attempts_without_question(story: Story) -> list[list[Fact]]:
    """Return what had been told whenever two statements were made and no question followed."""
    facts: list[Fact] = []
    missed, since = [], 0
    by_line = {fact.line: fact for fact in story.facts}
    for line in sorted(story.texts):
        if line in by_line:
            facts.append(by_line[line])
            since += 1
            if since % 2 == 0 and line + 1 in by_line:
                missed.append(list(facts))
        else:
            since = 0
    return missed


@pytest.mark.parametrize(
    ("number", "kinds"),
    [
        (5, {"give"}), (6, {"go"}), (7, {"get", "drop", "give"}), (8, {"get", "drop"}),
    ],
)  # fmt: skip
def test_whatever_can_be_asked_is_asked(number: int, kinds: set[str]):
    missed = [facts for story in simulated(number) for facts in attempts_without_question(story)]
    assert missed
    assert all(fact.kind not in kinds for facts in missed for fact in facts[-5:])


def test_where_a_thing_is_is_asked_whenever_it_is_known():
    class About:
        def __init__(self, thing: str) -> None:
            self.thing = thing

        def __getitem__(self, name: str) -> str:
            return self.thing

    missed = [facts for story in simulated(2) for facts in attempts_without_question(story)]
    assert missed
    for facts in missed:
        for thing in ("apple", "football", "milk"):
            history = handlings(facts, thing)
            if history and age(facts, history[-1].line) <= 5:
                assert where_thing(facts, About(thing)) is None


def test_one_person_carries_the_thing_through_both_rooms_of_task_3():
    for story in simulated(3):
        by_line = {fact.line: fact for fact in story.facts}
        for query in story.queries:
            touch, last, before = (by_line[line] for line in story.claimed[query.line][1])
            assert touch.people == last.people == before.people
            assert (last.kind, before.kind) == ("go", "go")
            assert (last.room, before.room) == (query["room"], story.claimed[query.line][0])


def test_task_3_also_asks_about_earlier_rooms_of_the_way():
    earlier = 0
    for story in simulated(3):
        for query in story.queries:
            facts = story.before(query.line)
            latest = handlings(facts, query["thing"])[-1]
            until = latest.line if latest.kind == "drop" else NEVER
            earlier += (
                moves(facts, latest.people[0], 0, until)[-1].line
                not in (story.claimed[query.line][1])
            )
    assert 100 < earlier < 320


def test_task_5_nearly_always_asks_about_the_newest_gift():
    newest = total = 0
    for story in simulated(5):
        for query in story.queries:
            gifts = [fact.line for fact in story.before(query.line) if fact.kind == "give"]
            newest += story.claimed[query.line][1] == (gifts[-1],)
            total += 1
    assert newest / total > 0.95


# The shape of each task.


def test_task_4_lays_three_rooms_in_a_row_and_asks_back_the_subject():
    for story in simulated(4):
        first, second = story.facts
        rooms = {first.thing, first.other, second.thing, second.other}
        assert len(rooms) == 3
        assert ({first.kind, second.kind} <= {"north", "south"}) or (
            {first.kind, second.kind} <= {"east", "west"}
        )
        ((answer, (line,)),) = story.claimed.values()
        assert answer == story.facts[line - 1].thing


def test_task_9_negates_the_room_in_which_somebody_was():
    negations = 0
    for story in simulated(9):
        for fact in story.facts:
            if fact.negated:
                earlier = placings(story.before(fact.line), fact.people[0])
                if earlier and not earlier[-1].negated:
                    assert earlier[-1].room == fact.room
                    negations += 1
    assert negations > 100


@pytest.mark.parametrize(("number", "people"), [(11, 1), (13, 2)])
def test_coreference_tells_pairs_of_sentences_about_the_same_people(number: int, people: int):
    for story in simulated(number):
        pairs = list(zip(story.facts[::2], story.facts[1::2], strict=True))
        assert len(pairs) == 5
        for named, meant in pairs:
            assert not named.pronoun
            assert meant.pronoun
            assert len(named.people) == people
            assert meant.people == named.people
            assert meant.room != named.room


def test_task_14_tells_everybodys_times_of_day_without_gaps():
    for story in simulated(14):
        assert gaps(story)[0] in (2, 4, 6)
        assert set(gaps(story)[1:]) == {2}
        for query in story.queries:
            days: dict[str, dict[int, str]] = {}
            for fact in story.before(query.line):
                days.setdefault(fact.people[0], {})[TIMES.index(fact.when)] = fact.room
            for day in days.values():
                assert sorted(day) == list(range(len(day)))
                assert all(day[t] != day[t + 1] for t in range(len(day) - 1))


def test_task_15_tells_what_a_kind_fears_before_its_members():
    for story in simulated(15):
        assert story.facts[0].kind == "fear"
        feared = {f.thing: f for f in story.facts if f.kind == "fear"}
        members = [f for f in story.facts if f.kind == "be_a"]
        assert (len(feared), len(members)) == (4, 4)
        assert len({f.people for f in members}) == 4
        assert all(f.thing != f.other for f in feared.values())
        assert all(feared[member.other].line < member.line for member in members)
        assert all(support[0] > support[1] for _, support in story.claimed.values())


def test_task_16_asks_for_the_one_colour_that_is_not_told():
    fellows = Counter()
    for story in simulated(16):
        species = {f.people[0]: f for f in story.facts if f.kind == "be_a"}
        colours = {f.people[0]: f for f in story.facts if f.kind == "be_coloured"}
        (query,) = story.queries
        assert set(species) - set(colours) == {query["who"]}
        assert len(species) == 5
        assert all(species[name].line < colour.line for name, colour in colours.items())
        asked = species[query["who"]].other
        fellows[sum(fact.other == asked for fact in species.values()) - 1] += 1
    assert set(fellows) == {1, 3, 4}, "never none and never two of its kind"
    assert 0.84 < fellows[1] / fellows.total() < 0.94


def test_task_17_asks_only_about_the_two_ends():
    for story in simulated(17):
        first, second = story.facts
        (middle,) = {first.thing, first.other} & {second.thing, second.other}
        ends = {first.thing, first.other, second.thing, second.other} - {middle}
        assert len(ends) == 2
        assert all({query["thing"], query["other"]} == ends for query in story.queries)


def test_task_18_asks_about_chains_of_two_in_one_order_of_sizes():
    for story in simulated(18):
        blocks = [
            (asked, len(list(lines)))
            for asked, lines in groupby(sorted(story.texts), key=story.claimed.__contains__)
        ]
        assert all(count % 5 == 0 for asked, count in blocks if not asked)
        assert {len(support) for _, support in story.claimed.values()} == {2}
        for fact in story.facts:
            big, small = fact.thing, fact.other
            if fact.kind == "fit":
                big, small = small, big
            assert big != "chocolate"
            assert big != "box of chocolates" or small == "chocolate"


def test_task_19_lays_six_rooms_out_as_a_tree():
    answers, decoys = Counter(), Counter()
    for story in simulated(19):
        joined = {room: {room} for fact in story.facts for room in (fact.thing, fact.other)}
        assert set(joined) == ROOMS_A
        for fact in story.facts:
            one, other = joined[fact.thing], joined[fact.other]
            assert one is not other, "five statements among six rooms close no circle"
            one |= other
            joined.update(dict.fromkeys(other, one))
        ((answer, support),) = story.claimed.values()
        answers[answer] += 1
        decoys[len(story.facts) - len(support)] += 1
    assert decoys == {3: 1000}
    steps = {f"{a},{b}" for a in "nsew" for b in "nsew"} - {"n,s", "s,n", "e,w", "w,e"}
    assert set(answers) == steps, "every way but those that turn back"
    assert all(is_near(count, 1000, 1 / 12) for count in answers.values())


def test_task_20_alternates_strictly_and_each_thing_is_got_once():
    for story in simulated(20):
        assert gaps(story) == [1] * len(story.queries)
        asked_after = dict(zip(story.facts, story.queries, strict=True))
        kinds = {"feel": "where_will_go", "go": "why_went", "get": "why_got"}
        for fact, query in asked_after.items():
            assert query.kind == kinds[fact.kind]
            assert query["who"] == fact.people[0].lower()
        got = [fact.thing for fact in story.facts if fact.kind == "get"]
        felt = {fact.other for fact in story.facts if fact.kind == "feel"}
        assert sorted(got) == sorted(GOALS[state][1] for state in felt)
        assert len(story.facts) == 8 + len(felt)


# Shares that are the same in every sample large enough.


@pytest.mark.parametrize(("number", "share"), [(6, 0.5), (17, 0.5), (18, 0.5), (9, 0.37)])
def test_so_many_answers_are_yes(number: int, share: float):
    answers = Counter(a for story in simulated(number, 3000) for a, _ in story.claimed.values())
    assert is_near(answers["yes"], answers.total(), share)


def test_a_third_of_the_questions_about_gifts_ask_what():
    kinds = Counter(query.kind for story in simulated(5, 3000) for query in story.queries)
    assert is_near(kinds["what_given"], kinds.total(), 1 / 3)
    for kind in ("who_gave", "who_gave_to", "who_received", "who_given_to"):
        assert is_near(kinds[kind], kinds.total(), 1 / 6)


@pytest.mark.parametrize(
    ("number", "kind", "verbs"), [(1, "go", 5), (2, "get", 4), (2, "drop", 4), (5, "give", 3)]
)
def test_synonyms_are_equally_likely(number: int, kind: str, verbs: int):
    used = Counter(f.verb for story in simulated(number) for f in story.facts if f.kind == kind)
    assert len(used) == verbs
    assert all(is_near(count, used.total(), 1 / verbs) for count in used.values())


@pytest.mark.parametrize(
    ("number", "kind", "share"),
    [(2, "get", 1), (8, "get", 1), (3, "get", 0.2), (2, "drop", 0.2), (3, "drop", 0.2)],
)
def test_there_is_added_as_often_as_in_the_released_files(number: int, kind: str, share: float):
    told = [f.there for story in simulated(number) for f in story.facts if f.kind == kind]
    assert is_near(sum(told), len(told), share)


@pytest.mark.parametrize("number", [9, 10])
def test_half_of_the_statements_are_moves_a_quarter_states(number: int):
    facts = [fact for story in simulated(number) for fact in story.facts]
    moved = sum(fact.kind == "go" for fact in facts)
    special = sum(bool(fact.negated or fact.alternatives) for fact in facts)
    assert is_near(moved, len(facts), 1 / 2)
    assert is_near(special, len(facts), 1 / 4)
    assert moved + special < len(facts)


def test_a_time_of_day_stands_first_in_half_of_the_sentences():
    texts = [story.texts[fact.line] for story in simulated(14) for fact in story.facts]
    assert is_near(sum(text.startswith(("Yes", "This")) for text in texts), len(texts), 1 / 2)
