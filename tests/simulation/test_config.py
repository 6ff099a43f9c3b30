"""Tasks without code: every valid description tells provable stories, every bad one is refused by key."""

from __future__ import annotations

import subprocess
import sys
import tempfile
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, event, given, settings
from hypothesis import strategies as st

from babi_cascade.simulation.check import Comprehension, Report
from babi_cascade.simulation.config import ACTIONS, Config, load_config
from babi_cascade.simulation.errors import SimulationError
from babi_cascade.simulation.generate import Order, checking, generate
from babi_cascade.simulation.lexicon import load_lexicon
from babi_cascade.simulation.tasks.composed import GIFTS, KINDS, MORE_KINDS
from babi_cascade.simulation.telling import LANGUAGES, Storyteller
from tests.simulation.oracle import Story, disagreements
from tests.simulation.told import read_all

ROOT = Path(__file__).parents[2]
COMPOSED = 'name = "mine"\nactions = ["go"]\nquestions = ["where_person"]\n'


def toml(value: object) -> str:
    """Write a value as TOML; tables become inline tables."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, str):
        return '"' + "".join(f"\\U{ord(c):08X}" for c in value) + '"'
    if isinstance(value, list):
        return "[" + ", ".join(map(toml, value)) + "]"
    if isinstance(value, dict):
        return "{" + ", ".join(f"{toml(k)} = {toml(v)}" for k, v in value.items()) + "}"
    return repr(value)


def read(text: str | dict[str, Any]) -> Config:
    """Read a description from a file of its own."""
    if not isinstance(text, str):
        text = "".join(f"{toml(key)} = {toml(value)}\n" for key, value in text.items())
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "task.toml"
        path.write_text(text, encoding="utf-8")
        return load_config(path)


def proved(config: Config, questions: int = 8) -> int:
    """Generate a task in all its languages and return how many questions were proved."""
    total = 0
    for language in config.languages:
        order = Order(
            [config.task], questions, 0, language=language, knobs=config.knobs, check=True
        )
        with tempfile.TemporaryDirectory() as folder:
            outcome = generate(order, Path(folder))
            assert outcome.checked.problems == []
            total += outcome.checked.questions
    return total


def stories(config: Config, questions: int) -> list[Story]:
    """Tell an English task of a user's and let the oracle read it."""
    return read_all(list(Storyteller(config.task, knobs=config.knobs).stories("train", questions)))


def attempted(what: Callable[..., Any], *arguments: Any) -> tuple[Any, str | None]:
    """Return what a call gives, or the message with which it refuses; other errors are bugs."""
    try:
        return what(*arguments), None
    except SimulationError as error:
        return None, str(error)


# Valid descriptions.


@st.composite
def valid_tables(draw: st.DrawFn) -> dict[str, Any]:
    """Draw a description that ``load_config`` should accept."""
    actions = ["go"]
    if draw(st.booleans()):
        actions += ["get", *draw(st.lists(st.sampled_from(["drop", "give"]), unique=True))]
    possible = [
        kind
        for kind in KINDS
        if ("give" in actions if kind in GIFTS else "get" in actions or "person" in kind)
    ]
    kinds = draw(st.lists(st.sampled_from(possible), min_size=1, unique=True))
    weights = {kind: draw(st.sampled_from([0.5, 1, 3])) for kind in kinds}
    ways = ["together", "state"]
    if not any(kind.endswith("_before") for kind in kinds):
        ways += ["negated", "either"]  # see test_earlier_rooms_can_be_asked_where_some_are_untold
    ways = draw(st.lists(st.sampled_from(ways), unique=True))
    told = {way: draw(st.sampled_from([0.1, 0.2])) for way in ways}
    told["pronoun"] = draw(st.sampled_from([0, 0.3, 1]))
    least = draw(st.sampled_from([1, 1, 2]))
    table = {
        "name": "mine",
        "actions": draw(st.permutations(actions)),
        "questions": draw(st.sampled_from([kinds, weights])),
        "supporting_facts": draw(st.sampled_from([[least, 3], [least, 20]])),
        "told": told,
        "languages": draw(
            st.lists(st.sampled_from(LANGUAGES), min_size=1, max_size=2, unique=True)
        ),
    }
    knobs = {
        "people": st.integers(2, 6), "places": st.integers(3, 8), "things": st.integers(1, 5),
        "questions_per_story": st.integers(1, 4), "statements_per_question": st.integers(1, 3),
        "distractors": st.integers(0, 2), "synonyms": st.booleans(), "number": st.just(33),
        "distance": st.sampled_from([3, [1, 5], [2, 9]]),
        "there": st.sampled_from([{"get": 1}, {"get": 0.5, "drop": 0.5}]),
    }  # fmt: skip
    for key in draw(st.lists(st.sampled_from(sorted(knobs)), unique=True, max_size=4)):
        table[key] = draw(knobs[key])
    return table


@settings(max_examples=40, deadline=None, suppress_health_check=list(HealthCheck))
@given(table=valid_tables())
def test_every_valid_description_tells_provable_stories(table: dict[str, Any]):
    config = read(table)
    count, error = attempted(proved, config, 4)
    event("proved" if error is None else "no question arises")
    if error is None:
        assert count == 4 * len(config.languages)
    else:
        assert "no question can be asked" in error


@pytest.mark.parametrize("way", ["negated", "either"])
@pytest.mark.parametrize("kind", ["where_person_before", "where_thing_before"])
def test_earlier_rooms_can_be_asked_where_some_are_untold(kind: str, way: str):
    table = {"name": "mine", "actions": list(ACTIONS), "questions": [kind], "told": {way: 0.3}}
    config = read(table)
    for seed in range(15):
        assert list(Storyteller(config.task, seed=seed).stories("train", 30))


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_of_question_can_be_asked(kind: str):
    table = {
        "name": "mine",
        "actions": list(ACTIONS),
        "questions": [kind],
        "languages": ["en", "hn"],
    }
    config = read(table)
    assert proved(config, 10) == 20
    assert {q.kind for story in stories(config, 10) for q in story.queries} == {kind}


@pytest.mark.parametrize("wording", ["released", "people"])
@pytest.mark.parametrize("kind", MORE_KINDS)
def test_what_no_task_asks_is_proved_too(kind: str, wording: str):
    told = {"remark": 0.5, "lying": 0.2, "placed": 0.2, "deed_pronoun": 0.3}
    config = read({"name": "mine", "actions": list(ACTIONS), "questions": [kind], "told": told})
    teller = Storyteller(config.task, knobs=config.knobs, lexicon=load_lexicon("en", wording))
    language, report = Comprehension(teller.lexicon), Report()
    told_stories = list(checking(teller.stories("train", 10), teller, "mine", report))
    assert (report.questions, report.problems) == (10, [])
    asked = {
        language.question(line.text).event.predicate
        for story in told_stories
        for line in story
        if line.answer
    }
    assert asked == {kind}


def test_a_pronoun_of_a_deed_means_whoever_the_statement_before_names():
    table = {
        "name": "mine", "actions": ["go", "get", "drop"], "questions": ["what_carried"],
        "told": {"deed_pronoun": 1},
    }  # fmt: skip
    teller = Storyteller(read(table).task)
    for story in teller.stories("train", 40):
        for before, line in pairwise(story):
            if not line.answer and line.meaning.pronoun:
                assert line.meaning.who == before.meaning.who
                assert line.text.split()[0] in ("He", "She")


def test_weights_say_how_often_a_kind_is_asked():
    config = read(COMPOSED.replace('["where_person"]', "{ where_person = 9, person_in_room = 1 }"))
    kinds = [query.kind for story in stories(config, 300) for query in story.queries]
    assert 0.84 < kinds.count("where_person") / 300 < 0.96


@pytest.mark.parametrize("count", [1, 2, 3])
def test_supporting_facts_limits_the_support(count: int):
    config = read(
        {
            "name": "mine", "actions": ["go", "get", "drop", "give"],
            "questions": ["where_thing", "where_person", "where_thing_before"],
            "supporting_facts": count,
        }
    )  # fmt: skip
    told = stories(config, 30)
    assert {len(lines) for story in told for _, lines in story.claimed.values()} == {count}


def test_shares_say_how_moves_are_told():
    config = read(COMPOSED + "[told]\nstate = 0.2\nnegated = 0.3\ntogether = 0.25\n")
    facts = [fact for story in stories(config, 500) for fact in story.facts]
    for share, found in (
        (0.2, [f for f in facts if f.kind == "be_in" and not f.negated]),
        (0.3, [f for f in facts if f.negated]),
        (0.25, [f for f in facts if len(f.people) == 2]),
    ):
        assert abs(len(found) / len(facts) - share) < 0.06


def test_a_composed_task_of_moves_is_answered_as_the_oracle_does():
    config = read(COMPOSED + "distractors = 1\n[told]\npronoun = 0.4\nstate = 0.3\n")
    for story in stories(config, 200):
        assert disagreements(story) == []


@pytest.mark.parametrize("steps", [1, 3, 4])
def test_longer_and_shorter_paths_are_what_the_oracle_finds(steps: int):
    config = read(
        f'name = "paths"\nlike = "path-finding"\nsupporting_facts = {steps}\nplaces = 9\n'
    )
    assert proved(config, 40) == 40
    for story in stories(config, 100):
        assert disagreements(story) == []
        ((answer, support),) = story.claimed.values()
        assert len(answer.split(",")) == len(support) == steps
        assert len(story.facts) == 8


@pytest.mark.parametrize("chain", [2, 3, 4])
def test_longer_chains_of_sizes_are_what_the_oracle_finds(chain: int):
    config = read(
        f'name = "sizes"\nlike = "size-reasoning"\nsupporting_facts = {chain}\nthings = 8\n'
    )
    assert proved(config, 40) == 40
    for story in stories(config, 100):
        assert disagreements(story, chain) == []
        assert {len(support) for _, support in story.claimed.values()} == {chain}


def test_a_chain_of_sizes_needs_one_thing_more_than_it_has_comparisons():
    like = 'name = "sizes"\nlike = "size-reasoning"\nsupporting_facts = 4\n'
    for story in stories(read(f"{like}things = 5\n"), 20):
        assert disagreements(story, 4) == []
    with pytest.raises(SimulationError, match="needs 5 things, found 4"):
        stories(read(f"{like}things = 4\n"), 20)


def test_a_task_like_another_keeps_its_cast_and_takes_its_own_name(tmp_path: Path):
    config = read('name = "more-time"\nlike = "time-reasoning"\nnumber = 42\npeople = 3\n')
    (path,) = generate(Order([config.task], 10, 0, knobs=config.knobs), tmp_path).files
    assert path.name == "qa42_more-time_train.txt"
    people = {p for story in stories(config, 30) for f in story.facts for p in f.people}
    assert people == {"Bill", "Fred", "Julie"}


# Descriptions that cannot be told.


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ('like = "path-finding"\nsupporting_facts = 3\nplaces = 3', "needs 4 places, found 3"),
        ('like = "path-finding"\nsupporting_facts = 20', "needs 21 places"),
    ],
)
def test_what_cannot_be_asked_is_said_at_once(text: str, why: str):
    with pytest.raises(SimulationError, match=f"mine: no question can be asked: .*{why}"):
        stories(read(f'name = "mine"\n{text}\n'), 5)


def test_a_task_that_finds_no_question_gives_up():
    with pytest.raises(
        SimulationError, match="mine: no question can be asked: none arose in 4 stories"
    ):
        stories(read(COMPOSED + "supporting_facts = 5\n"), 1)


def test_a_task_that_finds_no_question_gives_up_soon(tmp_path: Path):
    path = tmp_path / "task.toml"
    path.write_text(COMPOSED + "supporting_facts = 5\n", encoding="utf-8")
    script = (
        "import sys; from pathlib import Path; from babi_cascade.simulation.config import load_config\n"
        "from babi_cascade.simulation.telling import Storyteller\n"
        "config = load_config(Path(sys.argv[1]))\n"
        "list(Storyteller(config.task, knobs=config.knobs).stories('train', 1))\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", script, str(path)],
        cwd=ROOT, timeout=5, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert "no question can be asked" in done.stderr


# Bad descriptions.


def composed(**changes: Any) -> dict[str, Any]:
    """Return a good description with some keys changed."""
    good = {"name": "mine", "actions": ["go", "get"], "questions": ["where_person"]}
    return {key: value for key, value in {**good, **changes}.items() if value is not None}


def like(**changes: Any) -> dict[str, Any]:
    """Return a good description of a varied task with some keys changed."""
    return {"name": "mine", "like": "single-supporting-fact", **changes}


@pytest.mark.parametrize(
    ("table", "key"),
    [
        (composed(name=None), "name is missing"),
        (composed(name="Mine"), "name is 'Mine'"),
        (composed(name="a b"), "name is"),
        (composed(name="../up"), "name is"),
        (composed(name="a" * 61), "name is"),
        (composed(name=3), "name is 3"),
        (composed(action=["go"]), "unknown key 'action'"),
        (composed(actions=None), "actions is missing"),
        (composed(questions=None), "questions is missing"),
        (composed(actions=[]), r"actions is \[\]"),
        (composed(actions="go"), "actions is 'go'"),
        (composed(actions=["go", "fly"]), "actions has 'fly'"),
        (composed(actions=["get"]), "actions lacks 'go'"),
        (composed(actions=["go", "drop"]), "actions has 'drop' without 'get'"),
        (composed(actions=["go", "give"]), "actions has 'give' without 'get'"),
        (composed(questions=[]), "questions is"),
        (composed(questions={}), "questions is"),
        (composed(questions=["why"]), "questions has 'why'"),
        (composed(questions={"why": 1}), "questions has 'why'"),
        (composed(questions={"where_person": 0}), "questions.where_person is 0"),
        (composed(questions={"where_person": -1}), "questions.where_person is -1"),
        (composed(questions={"where_person": "x"}), "questions.where_person is 'x'"),
        (composed(questions={"where_person": float("nan")}), "questions.where_person is nan"),
        (composed(questions=["who_gave"]), "questions has 'who_gave'.*'give'"),
        (composed(actions=["go"], questions=["where_thing"]), "questions has 'where_thing'.*'get'"),
        (composed(actions=["go"], questions=["what_carried"]), "questions has 'what_carr.*'get'"),
        (composed(supporting_facts=0), "supporting_facts is 0"),
        (composed(supporting_facts=[3, 2]), r"supporting_facts is \[3, 2\]"),
        (composed(supporting_facts=[1, 2, 3]), "supporting_facts is"),
        (composed(supporting_facts=True), "supporting_facts is True"),
        (composed(supporting_facts=[]), "supporting_facts is"),
        (composed(told={"sung": 0.5}), "told has 'sung'"),
        (composed(told={"pronoun": 1.5}), "told.pronoun is 1.5"),
        (composed(told={"state": 0.6, "either": 0.6}), "told has shares .* exceed 1"),
        (composed(told=3), "told is 3"),
        (composed(there={"go": 0.5}), "there has 'go'"),
        (composed(there={"get": True}), "there.get is True"),
        (composed(languages=["fr"]), "languages has 'fr'"),
        (composed(languages=[]), "languages is"),
        (composed(languages="en"), "languages is 'en'"),
        (composed(number=20), "number is 20.* 21 to 9999"),
        (composed(people=1), "people is 1.* 2 to 1000"),
        (composed(people=2.0), "people is 2.0"),
        (composed(places=2), "places is 2.* 3 to 1000"),
        (composed(things=11), "things is 11.* 1 to 10"),
        (composed(distractors=-1), "distractors is -1"),
        (composed(distance=0), "distance is 0"),
        (composed(distance=[5, 1]), r"distance is \[5, 1\]"),
        (composed(synonyms=1), "synonyms is 1"),
        (composed(descriptions=1.5), "descriptions is 1.5, expected a number from 0 to 1"),
        (composed(descriptions=True), "descriptions is True"),
        (composed(pronoun_distance=[4, 1]), r"pronoun_distance is \[4, 1\].*from 1 to 100"),
        (composed(pronoun_distance=101), "pronoun_distance is 101.*from 1 to 100"),
        (like(pronoun_distance=2), "pronoun_distance means nothing to a task like 'single"),
        (like(like="path-finding", descriptions=0.5), "descriptions means nothing to a task"),
        (like(like="nothing"), "like is 'nothing'.*path-finding"),
        (like(actions=["go"]), "actions cannot be given together with like"),
        (like(told={}), "told cannot be given together with like"),
        (like(supporting_facts=2), "supporting_facts cannot be 2"),
        (like(like="size-reasoning", supporting_facts=0), "supporting_facts is 0"),
        (like(like="path-finding", supporting_facts=0), "supporting_facts is 0"),
        (like(like="path-finding", people=3), "people means nothing"),
    ],
)  # fmt: skip
def test_a_bad_key_is_named(table: dict[str, Any], key: str):
    with pytest.raises(SimulationError, match=rf"task\.toml: {key}"):
        read(table)


@pytest.mark.parametrize(
    ("content", "what"), [(b"name =", "not a TOML file"), (b'name = "\xff"', "not UTF-8")]
)
def test_a_file_that_is_no_toml_is_named(content: bytes, what: str, tmp_path: Path):
    path = tmp_path / "task.toml"
    with pytest.raises(SimulationError, match=r"task\.toml: cannot be read"):
        load_config(path)
    path.write_bytes(content)
    with pytest.raises(SimulationError, match=rf"task\.toml: {what}"):
        load_config(path)


@pytest.mark.parametrize("value", [["path-finding"], {"task": 1}])
def test_like_that_is_no_text_is_named(value: object):
    with pytest.raises(SimulationError, match=r"task\.toml: like is"):
        read(like(like=value))


def test_shares_that_make_up_exactly_one_are_accepted():
    told = {"together": 0.2, "state": 0.4, "negated": 0.3, "either": 0.1}
    assert attempted(read, composed(told=told))[1] is None


KEYS = ("name", "number", "languages", "supporting_facts", "people", "places", "things", "told",
        "questions_per_story", "statements_per_question", "distractors", "distance", "synonyms",
        "actions", "questions", "there", "what")  # fmt: skip
WORDS = st.sampled_from([*ACTIONS, *KINDS, *LANGUAGES, "mine", "pronoun", "path-finding", "é", ""])
VALUES = st.recursive(
    st.one_of(st.booleans(), st.integers(-5, 10**6), st.floats(), WORDS),
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(WORDS, inner, max_size=3)),
    max_leaves=5,
)


@settings(max_examples=250, deadline=None)
@given(table=st.dictionaries(st.sampled_from(KEYS), VALUES, max_size=6), whole=st.booleans())
def test_whatever_a_table_holds_is_read_or_refused(table: dict[str, Any], whole: bool):
    # ``like`` is left out: see test_like_that_is_no_text_is_named.
    config, error = attempted(read, composed(**table) if whole else table)
    event("read" if error is None else "refused")
    if error is None:
        assert config.task.name == table.get("name", "mine")
    else:
        assert "task.toml: " in error
