"""Simulated stories against themselves, and against copies with one thing made wrong."""

from __future__ import annotations

import io
import json
import re
import subprocess
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from babi_cascade.app.fidelity import compare
from babi_cascade.app.fidelity.distances import (
    chance_of_absence,
    interval,
    matched_size,
    resampled_distances,
    shares,
    story_weights,
    total_variation,
)
from babi_cascade.app.fidelity.forms import FormReader
from babi_cascade.app.fidelity.measures import (
    DISTANCE_BINS,
    MEASURES,
    Measure,
    binned,
    gaps,
    statements_back,
)
from babi_cascade.app.fidelity.report import DIFFERENT, SAME, FidelityReport, Row, remarks
from babi_cascade.errors import UserError
from babi_cascade.pipeline.stories import Question, StoryError, read_stories
from babi_cascade.simulation.lexicon import load_lexicon
from babi_cascade.simulation.tasks import TASKS
from babi_cascade.simulation.telling import Storyteller, babi_lines

SCRIPT = Path(__file__).parents[2] / "scripts" / "simulation_fidelity.sh"
SMALL = {"questions": 3000, "seed": 0}

Change = Callable[[str], str]


def told(task: int, questions: int = 1000, seed: int = 7, language: str = "en") -> str:
    """Return the file of a task, simulated with another seed than the comparison uses."""
    teller = Storyteller(TASKS[task], seed=seed, language=language)
    return "".join(map(babi_lines, teller.stories("train", questions)))


def saved(folder: Path, task: int, text: str, split: str = "train") -> Path:
    (folder / f"qa{task}_{TASKS[task].name}_{split}.txt").write_text(text, encoding="utf-8")
    return folder


def distorted(folder: Path, task: int, change: Change, **settings: object) -> FidelityReport:
    """Compare a file in which every line was changed."""
    lines = told(task).splitlines(keepends=True)
    saved(folder, task, "".join(map(change, lines)))
    return compare(folder, **{**SMALL, **settings})  # type: ignore[arg-type]


def row_of(report: FidelityReport, measure: str) -> Row:
    return next(row for row in report.rows if row.measure == measure)


def text_of(report: FidelityReport) -> str:
    return "\n".join(remarks(report))


def failed(report: FidelityReport) -> set[str]:
    return {row.measure for row in report.failures}


@pytest.mark.parametrize("task", [1, 2, 4, 9, 15, 16, 18, 20])
def test_stories_of_the_same_simulator_pass(tmp_path: Path, task: int) -> None:
    report = compare(saved(tmp_path, task, told(task)), **SMALL)  # type: ignore[arg-type]
    assert report.passed, text_of(report)
    assert not any(form.failed for form in report.tasks[0].forms)


@pytest.mark.parametrize("language", ["hn", "symbolic"])
def test_other_languages_pass(tmp_path: Path, language: str) -> None:
    saved(tmp_path, 5, told(5, 400, language=language))
    report = compare(tmp_path, language=language, questions=2000)
    assert report.passed, text_of(report)


def test_a_removed_verb_is_a_form_that_the_data_lack(tmp_path: Path) -> None:
    report = distorted(tmp_path, 1, lambda line: line.replace("journeyed to", "went to"))
    assert failed(report) == {"statement forms"}
    (form,) = report.tasks[0].forms
    assert form.failed
    assert not form.missing
    assert form.form == "PERSON journeyed to the ROOM."
    assert "journeyed to" in form.example
    assert "not in the real data" in text_of(report)


def test_a_new_verb_is_a_form_that_is_never_simulated(tmp_path: Path) -> None:
    report = distorted(tmp_path, 1, lambda line: line.replace("journeyed to", "strolled to"))
    assert failed(report) == {"statement forms", "actions"}
    assert {(form.form, form.missing) for form in report.tasks[0].forms} == {
        ("PERSON strolled to the ROOM.", True),
        ("PERSON journeyed to the ROOM.", False),
    }
    assert row_of(report, "actions").differences[0].category in ("go", "unreadable")
    assert "never simulated: PERSON strolled to the ROOM." in text_of(report)


def test_a_form_of_one_story_fails_only_when_chance_cannot_explain_it(tmp_path: Path) -> None:
    text = told(1).replace("went to", "ran to", 1)
    report = compare(saved(tmp_path, 1, text), questions=10_000)
    (form,) = report.tasks[0].forms
    assert (form.missing, form.stories, form.failed) == (True, 1, True)
    assert row_of(report, "statement forms").verdict == DIFFERENT
    report = compare(tmp_path, questions=1000)
    (form,) = report.tasks[0].forms
    assert not form.failed
    assert form.chance > 0.3
    assert report.passed
    assert "by chance" in text_of(report)


def test_another_answer_share_is_found(tmp_path: Path) -> None:
    def more_often_no(line: str) -> str:
        return re.sub(r"\tyes\t(\d*[13579])\b", r"\tno\t\1", line)

    report = distorted(tmp_path, 6, more_often_no)
    assert failed(report) == {"answers", "answers by question form"}
    assert row_of(report, "answers").differences[0].category in ("yes", "no")


def test_shifted_supporting_facts_are_found(tmp_path: Path) -> None:
    def earlier(line: str) -> str:
        return re.sub(r"\t(\d+)$", lambda m: f"\t{1 if int(m[1]) < 6 else 2}", line)

    report = distorted(tmp_path, 1, earlier)
    assert failed(report) == {
        "distance to first supporting fact",
        "distance to last supporting fact",
    }


def test_another_order_of_supporting_facts_is_found(tmp_path: Path) -> None:
    def ascending(line: str) -> str:
        return re.sub(
            r"\t(\d+) (\d+)$", lambda m: "\t{} {}".format(*sorted(m.groups(), key=int)), line
        )

    report = distorted(tmp_path, 15, ascending)
    assert "order of supporting facts" in failed(report)
    assert "number of supporting facts" not in failed(report)
    row = row_of(report, "order of supporting facts")
    assert {(d.category, d.real) for d in row.differences} == {("1 2", 1.0), ("2 1", 0.0)}


def test_fewer_supporting_facts_are_found(tmp_path: Path) -> None:
    report = distorted(tmp_path, 15, lambda line: re.sub(r"\t(\d+) \d+$", r"\t\1", line))
    assert "number of supporting facts" in failed(report)


def test_shorter_stories_are_found(tmp_path: Path) -> None:
    """Each story of three blocks of two statements and a question instead of five."""
    report = distorted(tmp_path, 1, lambda line: line if int(line.split()[0]) <= 9 else "")
    assert {"statements per story", "questions per story"} <= failed(report)
    assert "statements before first question" not in failed(report)


def test_another_rhythm_is_found(tmp_path: Path) -> None:
    """Every second question left out: the statements between questions become four."""
    lines = [
        line for line in told(1).splitlines(keepends=True) if int(line.split()[0]) not in (3, 9, 15)
    ]
    report = compare(saved(tmp_path, 1, "".join(lines)), **SMALL)  # type: ignore[arg-type]
    assert {"statements before first question", "questions per story"} <= failed(report)


def test_another_cast_is_found(tmp_path: Path) -> None:
    lexicon = Storyteller(TASKS[1]).lexicon
    one, other = (lexicon.entities[name].forms["word"][0] for name in lexicon.casts["people"][:2])
    report = distorted(tmp_path, 1, lambda line: line.replace(one, other))
    assert "people in statements" in failed(report)
    assert "statement forms" not in failed(report)


def test_repeated_questions_are_found(tmp_path: Path) -> None:
    """All questions of a story about the person of its first one."""

    def first_asked(story: list[str]) -> list[str]:
        asked = next(line.split("\t")[0].split(" ", 1)[1] for line in story if "\t" in line)
        return [
            f"{line.split()[0]} {asked}\t" + line.split("\t", 1)[1] if "\t" in line else line
            for line in story
        ]

    teller = Storyteller(TASKS[1], seed=7)
    stories = (babi_lines(s).splitlines(keepends=True) for s in teller.stories("train", 1000))
    text = "".join("".join(first_asked(story)) for story in stories)
    report = compare(saved(tmp_path, 1, text), **SMALL)  # type: ignore[arg-type]
    assert failed(report) == {"repeated questions"}


def test_a_story_that_was_cut_off_does_not_count_as_a_short_one(tmp_path: Path) -> None:
    report = compare(saved(tmp_path, 1, told(1, 998)), questions=2998)
    for measure in ("statements per story", "questions per story"):
        assert row_of(report, measure).distance == 0
    assert report.tasks[0].real_stories == 200
    assert report.tasks[0].simulated_questions == 2998


def test_a_file_of_one_story_has_a_length(tmp_path: Path) -> None:
    report = compare(saved(tmp_path, 1, told(1, 5)), questions=500)
    assert row_of(report, "questions per story").distance == 0


def test_the_same_seed_gives_the_same_report(tmp_path: Path) -> None:
    saved(tmp_path, 2, told(2, 300))
    one, same = (compare(tmp_path, questions=1000, seed=3) for _ in range(2))
    other = compare(tmp_path, questions=1000, seed=4)
    assert one.to_json() == same.to_json()
    assert text_of(one) == text_of(same)
    assert one.to_json()["tasks"] != other.to_json()["tasks"]


def test_files_of_the_same_seed_are_not_compared_with_themselves(tmp_path: Path) -> None:
    report = compare(saved(tmp_path, 1, told(1, seed=0)), questions=1000, seed=0)
    assert row_of(report, "answers").distance > 0


def test_missing_support_is_noted_and_left_out(tmp_path: Path) -> None:
    report = distorted(tmp_path, 1, lambda line: re.sub(r"\t[\d ]+$", "", line))
    assert report.passed
    assert not any("supporting" in row.measure for row in report.rows)
    assert "supporting facts" in report.notes[0]


def test_another_split_stands_in(tmp_path: Path) -> None:
    saved(tmp_path, 1, told(1, 200), "test")
    saved(tmp_path, 4, told(4, 200), "train")
    saved(tmp_path, 4, told(4, 200), "test")
    report = compare(tmp_path, questions=1000)
    assert [(task.number, task.split) for task in report.tasks] == [(1, "test"), (4, "train")]
    assert report.notes == ("task 1: no train file, the test file is compared",)
    assert [task.split for task in compare(tmp_path, split="test", questions=1000).tasks] == [
        "test",
        "test",
    ]
    assert [task.number for task in compare(tmp_path, tasks=[4], questions=1000).tasks] == [4]


def test_tasks_that_cannot_be_simulated_are_left_out(tmp_path: Path) -> None:
    saved(tmp_path, 1, told(1, 100))
    (tmp_path / "qa99_other_train.txt").write_text(told(1, 100), encoding="utf-8")
    report = compare(tmp_path, questions=500)
    assert [task.number for task in report.tasks] == [1]
    assert "task 99" in report.notes[0]
    (tmp_path / f"qa1_{TASKS[1].name}_train.txt").unlink()
    with pytest.raises(UserError, match="none of its tasks can be simulated"):
        compare(tmp_path)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"language": "shuffled"}, "expected one of en, hn, symbolic"),
        ({"language": "xx"}, "expected one of"),
        ({"questions": 0}, "0 questions, expected at least 1"),
        ({"resamples": 0}, "0 resamples"),
        ({"threshold": 1.5}, "expected a number from 0 to 1"),
        ({"threshold": float("nan")}, "expected a number from 0 to 1"),
        ({"confidence": 1.0}, "expected a number between 0 and 1"),
        ({"resamples": 100}, "expected at least 1000"),
        ({"seed": -1}, "seed -1"),
        ({"split": "dev"}, "expected one of train"),
        ({"tasks": [21]}, "task 21 cannot be simulated"),
    ],
)
def test_settings_without_meaning_are_refused(
    tmp_path: Path, settings: dict[str, object], message: str
) -> None:
    with pytest.raises(UserError, match=message):
        compare(tmp_path, **settings)  # type: ignore[arg-type]


def test_folders_and_files_that_cannot_be_read_are_story_errors(tmp_path: Path) -> None:
    with pytest.raises(StoryError):
        compare(tmp_path / "none")
    saved(tmp_path, 1, "no story\n")
    with pytest.raises(StoryError):
        compare(tmp_path)


def test_the_report_is_json(tmp_path: Path) -> None:
    report = compare(saved(tmp_path, 1, told(1, 100)), questions=500)
    record = json.loads(json.dumps(report.to_json()))
    assert record["passed"] is True
    assert record["settings"]["questions"] == 500
    row = record["tasks"][0]["rows"][0]
    assert set(row) >= {"measure", "distance", "interval", "noise_limit", "verdict", "differences"}
    assert len(record["tasks"][0]["rows"]) == len(report.rows)


def test_a_pipe_gets_plain_lines(tmp_path: Path, command: Callable[..., SimpleNamespace]) -> None:
    told_to = saved(tmp_path, 1, told(1, 100))
    header, *lines = command("fidelity", told_to, "--questions", 500).out.splitlines()
    assert header.split()[:3] == ["task", "measure", "distance"]
    assert any("statement forms" in line for line in lines)
    assert "0 differ" in lines[-1]
    assert lines[-1].startswith(f"{len(lines) - 1} measures of 1 task against")
    (failures,) = command("fidelity", told_to, "--questions", 500, "--failures").out.splitlines()
    assert failures == lines[-1]


def test_what_differs_stands_in_the_table_and_below_it(
    tmp_path: Path, command: Callable[..., SimpleNamespace]
) -> None:
    saved(tmp_path, 1, told(1, 100).replace("journeyed to", "strolled to"))
    found = command("fidelity", tmp_path, "--questions", 3000, "--failures")
    assert found.code == 1
    assert [line.split()[:2] for line in found.out.splitlines()[1:3]] == [
        ["1", "statement"],
        ["1", "actions"],
    ]
    assert "never simulated: PERSON strolled to the ROOM." in found.out


def test_small_real_files_differ_only_by_chance(tmp_path: Path) -> None:
    report = compare(saved(tmp_path, 3, told(3, 25)), questions=1000)
    assert report.passed
    assert any(row.distance > 0.05 for row in report.rows)


# Forms


@pytest.fixture(scope="module")
def reader() -> FormReader:
    return FormReader(load_lexicon("en"))


def word(reader: FormReader, kind: str, form: str = "word", place: int = 0) -> str:
    ids = reader.lexicon.of_kind(kind)
    return reader.lexicon.entities[ids[place]].forms[form][0]


def test_masks_tell_names_with_and_without_capital_apart(reader: FormReader) -> None:
    person, room = word(reader, "people"), word(reader, "rooms")
    assert reader.form(f"{person} went to the {room}.") == "PERSON went to the ROOM."
    assert reader.form(f"Where will {person.lower()} go?") == "Where will person go?"
    assert reader.form(f"the {room.capitalize()}") == "the Room"


def test_masks_are_for_whole_words_the_longest_first(reader: FormReader) -> None:
    room, small, boxed = (
        word(reader, "rooms"),
        word(reader, "boxes"),
        word(reader, "boxes", place=1),
    )
    assert reader.form(f"pre{room} {room}s {room}") == f"pre{room} {room}s ROOM"
    assert small in boxed
    assert reader.form(f"The {boxed} fits inside the {small}.") == "The BOX fits inside the BOX."


def test_masks_know_plurals_and_times_at_the_start(reader: FormReader) -> None:
    animal, other = (word(reader, "animals", "plural", place) for place in (0, 2))
    form = reader.form(f"{animal.capitalize()} are afraid of {other}.")
    assert form == "ANIMALS are afraid of ANIMALS."
    time = word(reader, "times", place=1)
    assert reader.form(f"{time.capitalize()} it rained.") == "TIME it rained."


def test_verb_forms_are_not_masked() -> None:
    lexicon = load_lexicon("en")
    entity = next(e for e in lexicon.entities.values() if e.kind == "things")
    changed = replace(entity, forms={**entity.forms, "was": ("became",)})
    lexicon = replace(
        lexicon, entities={**lexicon.entities, entity.id: changed}, verb_forms=("was",)
    )
    assert FormReader(lexicon).form("it became late") == "it became late"


# Measures and distances


@pytest.mark.parametrize(
    ("value", "expected"),
    [(1, "1"), (10, "10"), (11, "11-15"), (15, "11-15"), (16, "16-25"), (26, "26+"), (900, "26+")],
)
def test_bins(value: int, expected: str) -> None:
    assert binned(value, DISTANCE_BINS) == expected


def test_numbers_below_the_first_bin_stand_for_themselves() -> None:
    assert binned(0, DISTANCE_BINS) == "0"


def test_gaps_and_distances_count_statements_only() -> None:
    text = b"1 a\n2 b\n3 q?\tx\t1\n4 c\n5 r?\tx\t2 4\n6 s?\tx\t\n"
    (story,) = read_stories(io.BytesIO(text))
    assert gaps(story) == [2, 1, 0]
    question = story.lines[4]
    assert isinstance(question, Question)
    assert [statements_back(question, line) for line in (1, 2, 4)] == ["3", "2", "1"]


@pytest.mark.parametrize(
    ("support", "expected"),
    [
        ("", "none"),
        ("2", "1"),
        ("3 1 2", "3 1 2"),
        ("1 2 3 4 5", "ascending"),
        ("5 4 3 2 1", "descending"),
        ("1 3 2 4 5", "mixed"),
    ],
)
def test_support_orders(reader: FormReader, support: str, expected: str) -> None:
    text = "".join(f"{n} fact {n}\n" for n in range(1, 6)) + f"6 q?\tx\t{support}\n"
    (story,) = read_stories(io.BytesIO(text.encode()))
    measure: Measure = next(m for m in MEASURES if m.name == "order of supporting facts")
    assert list(measure.count(story, reader)) == [expected]


def test_total_variation() -> None:
    one = np.array([0.5, 0.5, 0.0], dtype=np.float32)
    other = np.array([0.25, 0.5, 0.25], dtype=np.float32)
    assert float(total_variation(one, other)) == pytest.approx(0.25)
    assert shares(np.zeros((2, 3), dtype=np.float32)).tolist() == [[0.0] * 3] * 2


def test_resamples_draw_stories_with_replacement() -> None:
    weights = story_weights(5, 8, 100, np.random.default_rng(0))
    assert weights.shape == (100, 5)
    assert set(weights.sum(axis=1).tolist()) == {8.0}
    assert len(np.unique(weights, axis=0)) > 50


def test_resampled_distances_are_as_large_as_theory_says() -> None:
    """A fair coin, n stories of one throw: the distance is |k/n - 1/2|, on average 0.4/sqrt(n)."""
    counts = np.eye(2, dtype=np.float32).repeat(500, axis=0)
    (found,) = resampled_distances(
        [counts],
        [np.array([0.5, 0.5], dtype=np.float32)],
        drawn=100,
        resamples=4000,
        dice=np.random.default_rng(1),
    )
    assert len(found) == 4000
    assert float(found.mean()) == pytest.approx(0.0398, rel=0.05)


def test_matched_size_and_chance() -> None:
    assert matched_size(200, 2000) == 182
    assert matched_size(100, 100) == 50
    assert matched_size(1, 1) == 1
    assert chance_of_absence(1, 200, 2000) == pytest.approx(0.995**2000)
    assert chance_of_absence(5, 5, 3) == 0


def test_the_interval_takes_off_the_noise_of_resampling() -> None:
    resampled = np.linspace(0.10, 0.14, 1001, dtype=np.float32)
    low, high = interval(0.1, resampled, 0.95)
    assert (low, high) == pytest.approx((0.061, 0.099), abs=1e-3)
    assert interval(0.0, resampled, 0.95) == (0.0, 0.0)


def test_a_distance_within_threshold_and_noise_is_the_same(tmp_path: Path) -> None:
    report = compare(saved(tmp_path, 4, told(4)), questions=2000)
    assert row_of(report, "question forms").verdict == SAME


# The script


def test_the_script_explains_itself() -> None:
    shown = subprocess.run([SCRIPT, "--help"], capture_output=True, text=True, check=True)
    assert "usage: scripts/simulation_fidelity.sh DIR" in shown.stdout
    assert subprocess.run([SCRIPT], capture_output=True, check=False).returncode == 2


def test_the_script_calls_the_command(tmp_path: Path) -> None:
    command = tmp_path / ".venv" / "bin" / "babi-cascade"
    command.parent.mkdir(parents=True)
    command.write_text('#!/usr/bin/env bash\necho "$@"\nexit 1\n', encoding="utf-8")
    command.chmod(0o755)
    script = tmp_path / "scripts" / SCRIPT.name
    script.parent.mkdir()
    script.write_bytes(SCRIPT.read_bytes())
    script.chmod(0o755)
    called = subprocess.run(
        [script, "some dir", "--seed", "3"], capture_output=True, text=True, check=False
    )
    assert (called.returncode, called.stdout) == (1, "fidelity some dir --seed 3\n")
