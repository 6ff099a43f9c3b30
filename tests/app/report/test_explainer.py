"""Explanations come from the very model that answered, kept or trained again, or not at all."""

from __future__ import annotations

import json
import shutil
from dataclasses import replace

import pytest

from babi_cascade.app.experiments.progress import Telling
from babi_cascade.app.report.explainer import choose, settings_of
from babi_cascade.app.report.folders import read_folders
from babi_cascade.app.report.questions import ReportOptions, questions_of, stories_of
from babi_cascade.app.results.predictions import SavedPrediction
from babi_cascade.errors import UserError

FEW = ReportOptions(explain=4)


@pytest.fixture
def copied(run_folder, tmp_path):
    """The folder of a run that a test may change."""
    return shutil.copytree(run_folder, tmp_path / "small")


def explained(folder, options=FEW, heard=None):
    heard = [] if heard is None else heard
    telling = Telling(progress=lambda what, done, total: heard.append(what))
    return questions_of(read_folders([folder]), options, telling)[0]


def test_trained_again_it_gives_the_answers_and_facts_of_the_run(copied):
    asked = explained(copied)
    assert (asked.missing, asked.unexplained) == ("", "")
    for task in (1, 6):
        said = {each.id: each for each in asked.predictions[task]}
        assert len(asked.explained[task]) == 4
        for name, record in asked.explained[task].items():
            assert (record["best"], tuple(record["support"])) == (
                said[name].answer,
                said[name].support,
            )
            total = sum(group["weight"] for group in record["why"]["answer"])
            assert total == pytest.approx(said[name].score, abs=0.01)


@pytest.mark.parametrize("options", [("--max-facts", "2"), ("--preset", "paper", "--joint")])
def test_whatever_the_settings_of_a_run_were_it_is_trained_again_with_them(
    command, tmp_path, options
):
    args = (
        "--tasks",
        "1,6",
        "--questions",
        "30",
        "--coref",
        "none",
        "--srl",
        "none",
        "--cost",
        "0.1",
    )
    assert command("run", *args, *options, "--out", "run").code == 0
    asked = explained(tmp_path / "run")
    assert (asked.missing, asked.unexplained) == ("", "")
    assert [len(asked.explained[task]) for task in (1, 6)] == [4, 4]


def test_what_was_explained_is_kept_and_taken_over(copied):
    first, heard = explained(copied), []
    again = explained(copied, heard=heard)
    assert again.explained == first.explained
    assert not [what for what in heard if what.startswith("explaining")]
    record = json.loads((copied / "explained/qa1.json").read_text())
    assert record["signature"] == first.run.signature


def test_what_other_settings_left_behind_is_not_taken_over(copied):
    explained(copied)
    path = copied / "explained/qa1.json"
    path.write_text(json.dumps({**json.loads(path.read_text()), "signature": "other"}))
    heard = []
    assert len(explained(copied, heard=heard).explained[1]) == 4
    assert "explaining task 1" in heard
    record = json.loads(path.read_text())
    path.write_text(json.dumps({**record, "explained": dict.fromkeys(record["explained"], 3)}))
    assert len(explained(copied).explained[1]) == 4
    path.write_text("{")
    assert len(explained(copied).explained[1]) == 4


def test_an_answer_that_the_model_does_not_give_is_not_explained(copied):
    path = copied / "predictions/qa1.jsonl"
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    path.write_text("".join(json.dumps({**line, "answer": "made up"}) + "\n" for line in lines))
    assert explained(copied).explained[1] == {}


def test_stories_that_were_changed_are_not_shown(copied):
    story = next(copied.glob("stories/qa1_*_test.txt"))
    story.write_text(story.read_text().replace("to the", "into the"))
    asked = explained(copied)
    assert "other than those of the run" in asked.missing
    assert asked.questions == {}
    assert asked.predictions.keys() == {1, 6}


def test_stories_elsewhere_are_found_by_data(copied, tmp_path):
    moved = copied.rename(tmp_path / "moved")
    stories = (moved / "stories").rename(tmp_path / "kept")
    assert "no such folder" in explained(moved).missing
    assert explained(moved, replace(FEW, data=stories)).missing == ""


def test_a_run_of_another_version_is_said_to_be_one(run_folder):
    (run,) = read_folders([run_folder]).runs
    other = replace(run, settings={**run.settings, "version": "9"})
    with pytest.raises(UserError, match="it had version 9"):
        settings_of(other)
    with pytest.raises(UserError, match="cannot be trained again here: found the settings"):
        settings_of(replace(run, settings={}))


def test_a_split_of_released_files_is_split_again_in_the_same_way(copied, command, tmp_path):
    assert command(
        "run", "--data", copied / "stories", "--split", "0.5", "--seed", "3", "--tasks", "1", "--coref",
        "none", "--srl", "none", "--cost", "0.1", "--out", "halves",
    ).code == 0  # fmt: skip
    (run,) = read_folders([tmp_path / "halves"]).runs
    test = {asked.id for asked in stories_of(run, copied / "stories")[1].test}
    asked = explained(tmp_path / "halves", replace(FEW, data=copied / "stories"))
    assert {each.id for each in asked.predictions[1]} == test
    assert len(asked.explained[1]) == 4


def test_stories_are_not_looked_for_where_the_record_says(copied, command, tmp_path):
    """Whoever wrote the folder could name any directory of the one who reads it."""
    assert command(
        "run", "--data", copied / "stories", "--tasks", "1", "--coref", "none", "--srl", "none", "--cost",
        "0.1", "--out", "files",
    ).code == 0  # fmt: skip
    asked = explained(tmp_path / "files")
    assert asked.missing.endswith(f"if you trust it: --data {copied / 'stories'}")
    assert not asked.questions
    asked = explained(tmp_path / "files", replace(FEW, data=copied / "stories"))
    assert (asked.missing, len(asked.explained[1])) == ("", 4)
    # Beside it a run with stories of its own keeps these.
    assert explained(copied, replace(FEW, data=tmp_path)).missing == ""


@pytest.mark.parametrize(
    ("forged", "option"),
    [
        ({"parser": "stanza", "coref": "corenlp"}, "--corenlp or --corenlp-url"),
        ({"parser": "stanza", "srl": "clearnlp"}, "--clearnlp"),
        ({"parser": "stanza", "srl": "senna"}, "--senna"),
        ({"parser": "conllu", "coref": "sieve"}, "--conllu"),
    ],
)
def test_nothing_is_asked_or_started_because_a_record_names_it(
    copied, monkeypatch, forged, option, tmp_path
):
    from babi_cascade.pipeline.coref.corenlp_server import Server

    reached = []
    monkeypatch.setattr(Server, "_open", lambda self, request: reached.append(request))
    program = tmp_path / "senna"
    program.write_text("#!/bin/sh\nexit 1\n")
    program.chmod(0o755)
    monkeypatch.setenv("SENNA", str(tmp_path))
    record = json.loads((copied / "results.json").read_text())
    record["settings"]["reading"] |= forged
    (copied / "results.json").write_text(json.dumps(record))
    said = explained(copied).unexplained
    assert said.startswith("No explanations: ")
    assert f"say again with {option}" in said
    assert reached == []


@pytest.mark.parametrize(("wrong", "right", "count", "expected"), [
    (30, 30, 15, (10, 5)), (3, 30, 15, (3, 12)), (30, 2, 15, (13, 2)), (1, 1, 15, (1, 1)), (9, 9, 0, (0, 0)),
])  # fmt: skip
def test_two_thirds_are_wrong_ones_as_far_as_there_are_any(wrong, right, count, expected):
    predictions = [SavedPrediction(f"w{i}", "no") for i in range(wrong)]
    predictions += [SavedPrediction(f"r{i}", "yes") for i in range(right)]
    chosen = choose(predictions, {each.id: "yes" for each in predictions}, count)
    found = [each.id[0] for each in chosen]
    assert (found.count("w"), found.count("r")) == expected
