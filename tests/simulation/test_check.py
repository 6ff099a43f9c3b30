"""The checker: true stories pass, and every falsification is found and named by its line."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from babi_cascade.simulation.check import Comprehension, Line, Report, check_story
from babi_cascade.simulation.dice import Dice
from babi_cascade.simulation.lexicon import load_lexicon
from babi_cascade.simulation.tasks import TASKS
from tests.simulation.oracle import read_question, read_sentence
from tests.simulation.told import tell


@cache
def language(number: int) -> Comprehension:
    return Comprehension(load_lexicon("en").for_task(str(number)))


@cache
def true_stories(number: int) -> tuple[tuple[Line, ...], ...]:
    return tuple(
        tuple(Line(n, t.text, t.answer or None, t.support) for n, t in enumerate(told, start=1))
        for told in tell(number, 40, seed=8)
    )


def check(number: int, *lines: Line | str) -> Report:
    """Check a story; a bare text is a statement."""
    story = [
        Line(n, line) if isinstance(line, str) else line._replace(number=n)
        for n, line in enumerate(lines, start=1)
    ]
    return check_story(story, language(number))


def asked(text: str, said: str, *support: int) -> Line:
    return Line(0, text, said, support)


def questions(number: int) -> Iterator[tuple[tuple[Line, ...], Line]]:
    """Yield every question of the true stories with its story."""
    for story in true_stories(number):
        for line in story:
            if line.answer is not None:
                yield story, line


def refused(number: int, story: tuple[Line, ...], changed: Line) -> bool:
    """Say whether the checker refuses the changed line, and names it."""
    lines = [changed if line.number == changed.number else line for line in story]
    problems = check_story(lines, language(number)).problems
    return any(problem.startswith(f"line {changed.number}: ") for problem in problems)


def others(story: tuple[Line, ...], line: Line) -> list[int]:
    """Return the statements above a question that do not support it."""
    return [
        fact.number
        for fact in story[: line.number - 1]
        if fact.answer is None and fact.number not in line.support
    ]


@pytest.mark.parametrize("number", TASKS)
def test_true_stories_pass(number: int):
    for story in true_stories(number):
        report = check_story(story, language(number))
        assert report.problems == []
        assert report.questions == sum(line.answer is not None for line in story)


@pytest.mark.parametrize("number", TASKS)
def test_a_wrong_answer_is_refused(number: int):
    dice = Dice("wrong answers", number)
    answers = sorted({line.answer for _, line in questions(number)})
    for story, line in questions(number):
        wrong = dice.pick([other for other in answers if other != line.answer])
        assert refused(number, story, line._replace(answer=wrong))


@pytest.mark.parametrize("number", TASKS)
def test_a_missing_supporting_line_is_refused(number: int):
    for story, line in questions(number):
        for gone in line.support:
            rest = tuple(other for other in line.support if other != gone)
            assert refused(number, story, line._replace(support=rest))


@pytest.mark.parametrize("number", sorted(set(TASKS) - {17}))
def test_an_unneeded_supporting_line_is_refused(number: int):
    dice, tried = Dice("unneeded", number), 0
    for story, line in questions(number):
        spare = others(story, line)
        if spare:
            tried += 1
            assert refused(number, story, line._replace(support=(*line.support, dice.pick(spare))))
    assert tried > 20


@pytest.mark.parametrize("number", TASKS)
def test_a_line_named_twice_or_not_above_is_refused(number: int):
    for story, line in questions(number):
        for extra in (line.support[0], line.number, line.number + 1, 0):
            assert refused(number, story, line._replace(support=(*line.support, extra)))


@pytest.mark.parametrize("number", sorted(set(TASKS) - {17}))
def test_a_support_about_somebody_else_is_refused(number: int):
    dice, tried = Dice("elsewhere", number), 0
    for story, line in questions(number):
        named = [words.lower() for words in read_question(line.text).said.values()]
        strangers = [
            n
            for n in others(story, line)
            if not any(words in story[n - 1].text.lower() for words in named)
        ]
        if strangers:
            tried += 1
            wrong = (dice.pick(strangers), *line.support[1:])
            assert refused(number, story, line._replace(support=wrong))
    assert tried > 5


@pytest.mark.parametrize(
    ("question", "said"), [("Is Mary in the kitchen?", "no"), ("Where is Mary?", "office")]
)
def test_a_support_that_has_been_overtaken_is_refused(question: str, said: str):
    moves = [f"Mary went to the {room}." for room in ("office", "garden", "office")]
    assert check(6, *moves, asked(question, said, 3)).problems == []
    assert check(6, *moves, asked(question, said, 1)).problems


@pytest.mark.parametrize("number", [2, 3, 11, 15, 16, 19])
def test_a_support_in_another_order_is_refused(number: int):
    for story, line in questions(number):
        assert refused(number, story, line._replace(support=line.support[::-1]))


# Stories that cannot be.


CIRCLE = (
    "The office is north of the kitchen.",
    "The garden is north of the office.",
    "The garden is south of the kitchen.",
)


def test_rooms_that_lie_on_both_sides_are_a_contradiction():
    assert check(19, *CIRCLE[:2]).problems == []
    (problem,) = check(19, *CIRCLE).problems
    assert problem.startswith("line ")
    assert "the garden cannot be" in problem


def test_the_first_line_that_contradicts_the_map_is_named():
    (problem,) = check(19, *CIRCLE).problems
    assert problem.startswith("line 3: the garden cannot be south of the kitchen")


def test_shapes_that_lie_on_both_sides_are_a_contradiction():
    report = check(
        17,
        "The triangle is above the red square.",
        "The triangle is below the red square.",
    )
    assert [problem.split(":")[0] for problem in report.problems] == ["line 2"]


def test_two_rooms_on_one_cell_are_only_noted():
    report = check(
        19,
        "The office is north of the kitchen.",
        "The garden is east of the office.",
        "The hallway is east of the kitchen.",
        "The bathroom is north of the hallway.",
        asked("How do you go from the kitchen to the garden?", "n,e", 1, 2),
    )
    assert report.problems == []
    (note,) = report.notes
    assert "garden" in note
    assert "bathroom" in note
    assert "one cell" in note


CYCLE = (
    "The box is bigger than the chest.",
    "The chest is bigger than the suitcase.",
    "The box fits inside the suitcase.",
)


def test_things_bigger_than_themselves_are_a_contradiction():
    assert check(18, *CYCLE[:2]).problems == []
    problems = check(18, *CYCLE).problems
    assert problems
    assert all("cannot be bigger than" in problem for problem in problems)


def test_a_circle_of_sizes_is_named_by_its_line():
    assert check(18, *CYCLE).problems[0].startswith("line 3: ")


@pytest.mark.parametrize("number", [2, 7, 8])
def test_nobody_can_drop_or_get_what_another_has(number: int):
    start = ("Mary went to the office.", "John went to the office.", "Mary got the milk there.")
    assert check(number, *start, "Mary dropped the milk.").problems == []
    (problem,) = check(number, *start, "John dropped the milk.").problems
    assert problem == "line 4: john parts with the milk, which mary has"
    (problem,) = check(number, *start, "John got the milk there.").problems
    assert problem.startswith("line 4: john gets the milk")


@pytest.mark.parametrize("number", [5, 7])
def test_nobody_can_give_what_another_has(number: int):
    start = ("Bill got the milk there.", "Bill gave the milk to Mary.")
    assert check(number, *start, "Mary gave the milk to Bill.").problems == []
    (problem,) = check(number, *start, "Bill gave the milk to Fred.").problems
    assert problem == "line 3: bill parts with the milk, which mary has"


def test_a_thing_cannot_be_got_where_it_does_not_lie():
    story = (
        "Mary got the milk.",
        "Mary went to the office.",
        "Mary dropped the milk.",
        "John went to the garden.",
        "John got the milk.",
    )
    (problem,) = check(2, *story).problems
    assert problem.startswith("line 5: john gets the milk in the garden, but it is in the office")


@pytest.mark.parametrize("number", [2, 5, 7])
def test_a_told_story_with_another_actor_is_refused(number: int):
    """Let somebody else drop what one person has, in stories as they are told."""
    found = 0
    for story in true_stories(number):
        holder: dict[str, str] = {}
        for line in story:
            if line.answer is not None:
                continue
            fact = read_sentence(line.text, line.number)
            if fact.kind == "get":
                holder[fact.thing] = fact.people[0]
            elif fact.kind == "give":
                holder[fact.thing] = fact.to
            elif fact.kind == "drop":
                owner = holder.pop(fact.thing)
                thief = next(name for name in ("Mary", "Fred", "John") if name != owner)
                changed = line._replace(text=line.text.replace(owner, thief, 1))
                assert refused(number, story, changed)
                found += 1
    assert found > 5


# What cannot be read.


def test_sentences_that_cannot_be_read_are_named():
    report = check(
        1,
        "Mary went to the office.",
        "Mary flew to the moon.",
        asked("Where is Mary?", "office", 1),
        asked("Whence came Mary?", "office", 1),
        asked("Where is Mary?", "moon", 1),
    )
    assert [problem.split(":")[0] for problem in report.problems] == ["line 2", "line 4", "line 5"]
    assert "'Mary flew to the moon.'" in report.problems[0]
    assert report.questions == 3


WORDS = st.sampled_from(
    [
        "Mary", "John", "Bill", "he", "they", "the", "went", "to", "got", "dropped", "milk", "apple",
        "office", "north", "of", "is", "not", "either", "or", "in", "Where", "What", "Why", "afraid",
        "wolf", "mice", "box", "bigger", "than", "fits", ".", "?", ",", "(", "\\", "ß",
    ]
)  # fmt: skip


@settings(max_examples=150, deadline=None)
@given(data=st.data(), number=st.sampled_from(sorted(TASKS)))
def test_no_edit_of_a_story_makes_the_checker_fail(data: st.DataObject, number: int):
    story = list(data.draw(st.sampled_from(true_stories(number))))
    for _ in range(data.draw(st.integers(1, 4))):
        place = data.draw(st.integers(0, len(story) - 1))
        line = story[place]
        words = line.text.split(" ")
        at = data.draw(st.integers(0, len(words) - 1))
        words[at : at + data.draw(st.integers(0, 2))] = data.draw(st.lists(WORDS, max_size=2))
        story[place] = line._replace(
            text=" ".join(words),
            support=data.draw(st.sampled_from([line.support, (), (1, 1), (99,), (-1, 0)])),
            answer=data.draw(st.sampled_from([line.answer, line.answer, "", "yes,no", "none"])),
        )
    report = check_story(story, language(number))
    assert all(isinstance(problem, str) for problem in report.problems + report.notes)
    assert report.questions == sum(line.answer is not None for line in story)


@settings(max_examples=100, deadline=None)
@given(data=st.data(), number=st.sampled_from(sorted(TASKS)))
def test_lines_in_any_order_do_not_make_the_checker_fail(data: st.DataObject, number: int):
    story = data.draw(st.permutations(data.draw(st.sampled_from(true_stories(number)))))
    shorter = story[: data.draw(st.integers(0, len(story)))]
    report = check_story(shorter, language(number))
    assert report.questions == sum(line.answer is not None for line in shorter)
