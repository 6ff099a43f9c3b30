"""Stories as cases: ranks and flags as their definitions say, and nothing from after the question."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from babi_cascade.features import story_cases
from babi_cascade.features.cases import LATEST, OLDER, RANKS, SECOND, UNMET, Flags
from babi_cascade.features.outline import FrameOutliner, match_of, outline_frames
from babi_cascade.features.pair_kernels import LAST, NEAREST, nearest_flags
from babi_cascade.features.story_cases import StoryCases
from babi_cascade.pipeline.frames.model import Frame
from babi_cascade.pipeline.read import ReadQuestion
from tests.features.reading import argument, asked, sentence, took, went, where_is

PEOPLE, PLACES, THINGS = ("ana", "bo", "cy"), ("barn", "pier"), ("kite", "ana")
sentences = st.one_of(
    st.builds(went, st.sampled_from(PEOPLE), st.sampled_from(PLACES)),
    st.builds(took, st.sampled_from(PEOPLE), st.sampled_from(THINGS)),
)
stories = st.lists(sentences, max_size=9).map(tuple)
questions = st.builds(where_is, st.sampled_from((*PEOPLE, "kite")))


@settings(max_examples=200)
@given(st.integers(0, 9), st.integers(1, 5), st.integers(0, 2**32 - 1))
def test_flags_are_those_of_the_definition(n, n_groups, seed):
    groups = np.random.default_rng(seed).integers(-1, n_groups, (n, n)).astype(np.int32)
    found = np.empty((n, n), np.uint8)
    cut = n // 2
    nearest_flags(0, groups[:cut], n_groups, found[:cut])
    nearest_flags(cut, groups[cut:], n_groups, found[cut:])
    for i in range(n):
        for j in range(n):
            own = groups[i, j]
            alike = [k for k in range(n) if k != i and groups[i, k] == own]
            between = range(min(i, j) + 1, max(i, j))
            flagged = i != j and own >= 0
            nearest = flagged and not any(k in between for k in alike)
            last = flagged and j == max(alike)
            assert found[i, j] == NEAREST * nearest + LAST * last


def cases_of(question: ReadQuestion, stories: StoryCases):
    told = stories.numbers(question)
    items = [stories.items.things[c] for c in told.items]
    pairs = [[stories.pairs.things[c] for c in row] for row in told.pairs]
    return items, pairs


def rank(later: list[bool]) -> str:
    return RANKS[min(sum(later), 2)]


@settings(max_examples=150)
@given(stories, questions)
def test_ranks_count_the_facts_that_come_later(facts, question):
    items, _ = cases_of(asked(facts, question), StoryCases(FrameOutliner()))
    outlines = [outline_frames(fact) for fact in facts]
    about = outline_frames(question)
    matches = [match_of(about, outline) for outline in outlines]
    n = len(facts)
    for j, case in enumerate(items):
        own = outlines[j]
        after = range(j + 1, n)
        assert case.match == matches[j]
        assert case.kind.predicate == own.predicate
        assert case.question_kind == about.kind
        assert case.from_end == min(n - j, 3)
        assert case.rank == rank(
            [matches[k] == matches[j] and outlines[k].shape == own.shape for k in after]
        )
        roles = [{a for a, _ in match} for match in matches]
        assert case.loose_rank == rank(
            [roles[k] == roles[j] and outlines[k].shape == own.shape for k in after]
        )
        (who,) = about.fillers
        mentioned = [(role, filler) for role, filler in own.roles if filler == who]
        assert [(m.asked_role, m.role) for m in case.mentions] == [
            ("nsubj", role) for role, _ in mentioned
        ]
        for mention in case.mentions:
            assert mention.any_rank == rank([who in outlines[k].fillers for k in after])
            assert mention.rank == rank(
                [
                    (mention.role, who) in outlines[k].roles and outlines[k].shape == own.shape
                    for k in after
                ]
            )


def test_latest_second_and_older_are_told_apart() -> None:
    facts = (went("ana", "barn"), went("bo", "pier"), went("ana", "pier"), went("ana", "barn"))
    items, _ = cases_of(asked(facts, where_is("ana")), StoryCases(FrameOutliner()))
    assert [case.rank for case in items] == [OLDER, LATEST, SECOND, LATEST]


def test_a_fact_that_names_someone_twice_is_one_fact() -> None:
    """Two roles of one filler: the fact is still the latest that mentions it, not the second latest."""
    facts = (went("ana", "barn"), took("ana", "ana"))
    items, _ = cases_of(asked(facts, where_is("ana")), StoryCases(FrameOutliner()))
    assert [m.any_rank for m in items[1].mentions] == [LATEST, LATEST]
    assert [m.any_rank for m in items[0].mentions] == [SECOND]


@settings(max_examples=150)
@given(stories, questions)
def test_pairs_have_the_flags_of_the_definition(facts, question):
    _, pairs = cases_of(asked(facts, question), StoryCases(FrameOutliner()))
    outlines = [outline_frames(fact) for fact in facts]
    about = outline_frames(question)
    n = len(facts)

    def group(i: int, j: int, *, like_asked: bool):
        match = match_of(outlines[i], outlines[j])
        own = match_of(about, outlines[j]) if like_asked else None
        return (match, outlines[j].shape, own) if match else None

    def flags(i: int, j: int, *, like_asked: bool = False) -> Flags:
        own = group(i, j, like_asked=like_asked)
        if own is None:
            return Flags(False, False)
        alike = [k for k in range(n) if k != i and group(i, k, like_asked=like_asked) == own]
        between = range(min(i, j) + 1, max(i, j))
        return Flags(not any(k in between for k in alike), j == max(alike))

    for i in range(n):
        for j in range(n):
            if i == j:
                continue
            case = pairs[i][j]
            assert case.match == match_of(outlines[i], outlines[j])
            assert (case.first.predicate, case.second.predicate) == (
                outlines[i].predicate,
                outlines[j].predicate,
            )
            assert case.later == (j > i)
            assert case.adjacent == (abs(i - j) == 1)
            assert case.flags == flags(i, j)
            assert case.back_flags == flags(j, i)
            assert case.question_flags == flags(i, j, like_asked=True)
            assert case.question_match == (match_of(about, outlines[j]) if case.match else ())


@settings(max_examples=100)
@given(stories, questions, st.data())
def test_nothing_after_the_question_leaks_in(facts, question, data):
    n = data.draw(st.integers(0, len(facts)))
    whole, short = asked(facts, question), asked(facts[:n], question)
    early = ReadQuestion(short.source, question, facts, n)
    assert cases_of(early, StoryCases(FrameOutliner())) == cases_of(
        short, StoryCases(FrameOutliner())
    )
    both = StoryCases(FrameOutliner())
    cases_of(whole, both)  # what was told before changes nothing
    assert cases_of(early, both) == cases_of(short, both)


def test_forgotten_stories_are_told_the_same_again() -> None:
    question = asked((went("ana", "barn"), took("ana", "kite")), where_is("kite"))
    stories = StoryCases(FrameOutliner())
    before = cases_of(question, stories)
    stories.forget(above=100)
    assert stories.items.things
    stories.forget()
    assert not stories.items.things
    assert cases_of(question, stories) == before


def test_a_sentence_without_frames_is_a_case_like_any_other() -> None:
    odd = sentence("Hm.")
    items, pairs = cases_of(asked((odd, odd), sentence("What?")), StoryCases(FrameOutliner()))
    assert [case.kind.predicate for case in items] == ["", ""]
    assert not pairs[0][1].match
    two = Frame("sing", 1, (argument("nsubj", "bo"),))
    items, _ = cases_of(asked((sentence("Bo sings.", two),), odd), StoryCases(FrameOutliner()))
    assert items[0].kind.predicate == "sing"


def test_many_pairs_are_numbered_in_portions_and_alike(monkeypatch) -> None:
    people = [f"p{i}" for i in range(6)]
    facts = tuple(went(who, place) for place in ("barn", "pier", "mill") for who in people) * 2
    question = asked(facts, where_is("p1"))
    whole_items, whole_pairs = cases_of(question, StoryCases(FrameOutliner()))
    monkeypatch.setattr(story_cases, "MOST_PAIRS", 50)
    items, pairs = cases_of(question, StoryCases(FrameOutliner()))
    assert items == whole_items
    assert pairs == whole_pairs


def test_what_no_feature_knows_is_one_case() -> None:
    stories = StoryCases(FrameOutliner())
    stories.tell_apart(["go", "nsubj obl", "be", "advmod nsubj"])
    odd = [sentence(f"Ana {n}s.", Frame(str(n), 2, (argument("nsubj", "ana"),))) for n in range(9)]
    items, pairs = cases_of(asked((*odd, went("bo", "pier")), where_is("cy")), stories)
    assert {case.kind.predicate for case in items} == {UNMET, "go"}
    assert len({(case.first, case.second) for row in pairs for case in row}) == 4
