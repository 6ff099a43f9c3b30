"""Records, signatures and scores: what is written down can be read back, compared and cited."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from babi_cascade.app.results import (
    ResultError,
    RunResult,
    Signature,
    StageResult,
    TaskResult,
    accuracy,
    paper_table,
    support_accuracy,
)
from babi_cascade.app.results.records import load_json, save_json
from babi_cascade.app.results.signature import files_fingerprint, version
from babi_cascade.cascade.prediction import Prediction
from babi_cascade.pipeline.stories import Question, Sentence

ROOT = Path(__file__).parents[3]
FACTS = tuple(Sentence(line, f"Fact {line}.") for line in range(1, 9))


def question(answer="office", support=(1, 2)):
    return Question(9, "Where?", answer, support, FACTS)


def task_result(task=1, share=0.96, support=0.5):
    stage = StageResult(0.1, 0.0009, True, 120, 1.23456)
    seconds = {"annotate": 1.0, "fit": 2.0, "predict": 0.25}
    return TaskResult(task, "some-task", 10, 20, share, support, 1.0, stage, stage, seconds)


class TestScores:
    def test_an_answer_is_right_word_for_word(self):
        asked = [question("apple,milk"), question("apple,milk"), question("no"), question("no")]
        said = [
            Prediction("apple,milk"),
            Prediction("milk,apple"),
            Prediction(None),
            Prediction("no"),
        ]
        assert accuracy(said, asked) == 0.5

    def test_support_is_right_as_a_set(self):
        asked = [question(support=(1, 2))] * 4
        said = [Prediction("x", support) for support in ((2, 1), (1,), (1, 2, 3), (1, 2))]
        assert support_accuracy(said, asked) == 0.5

    def test_questions_of_unknown_support_do_not_count(self):
        asked = [question(support=None), question(support=())]
        assert support_accuracy([Prediction("x", (1,)), Prediction("x")], asked) == 1.0
        assert support_accuracy([Prediction("x")], asked[:1]) is None

    def test_support_longer_than_what_can_be_selected_is_wrong(self):
        asked = [question(support=(1, 2, 3, 4))]
        assert support_accuracy([Prediction("x", (2, 3, 4))], asked) == 0.0

    def test_too_few_predictions_are_an_error_and_no_score(self):
        with pytest.raises(ValueError, match="zip"):
            accuracy([], [question()])


class TestSignature:
    def test_it_is_one_line_with_the_version_last(self):
        signature = Signature.of({"system": "cascade", "parser": "a | b\nc", "seed": 0})
        assert str(signature) == f"system:cascade|parser:a / b c|seed:0|version:{version()}"

    @given(st.dictionaries(st.from_regex(r"[a-z]+", fullmatch=True), st.text(), max_size=6))
    def test_it_can_be_read_back(self, settings):
        signature = Signature.of(
            {name: value for name, value in settings.items() if name != "version"}
        )
        assert Signature.parse(str(signature)) == signature
        assert signature.differences(Signature.parse(str(signature))) == []

    def test_differences_are_named(self):
        now, before = (Signature.of({"seed": seed, "preset": "paper"}) for seed in (1, 0))
        assert now.differences(before) == ["seed 1 instead of 0"]
        assert now.differences(before, ignore=["seed"]) == []
        old = Signature.parse("seed:1|preset:paper")
        assert now.differences(old) == [f"version {version()} instead of not given"]

    def test_the_fingerprint_of_files_knows_names_and_contents_but_no_folders(self, tmp_path):
        made = []
        for folder, name, text in (
            ("a", "x", "1"),
            ("b", "x", "1"),
            ("c", "y", "1"),
            ("d", "x", "2"),
        ):
            path = tmp_path / folder / name
            path.parent.mkdir()
            path.write_text(text)
            made.append(files_fingerprint([path]))
        assert made[0] == made[1]
        assert len(set(made)) == 3


class TestRecords:
    def test_a_run_survives_its_json_form(self):
        run = RunResult(
            "s", "cascade", "paper", "here", (task_result(), task_result(2, 0.5, None)), (3,)
        )
        record = json.loads(json.dumps(run.to_json()))
        again = RunResult.from_json(record)
        assert again.to_json() == record
        assert record["mean_accuracy"] == pytest.approx(0.73)
        assert record["failed_tasks"] == [2]
        assert record["not_done"] == [3]
        assert record["tasks"][0]["seconds"] == {"annotate": 1.0, "fit": 2.0, "predict": 0.25}

    def test_95_percent_is_a_pass(self):
        assert task_result(share=0.95).passed
        assert not task_result(share=0.949).passed

    def test_a_run_without_tasks_has_no_mean(self):
        assert (
            RunResult("s", "cascade", "paper", "here", (), (1,)).to_json()["mean_accuracy"] is None
        )

    @pytest.mark.parametrize("record", [{}, {"task": "x"}, {"task": 1, "name": []}])
    def test_what_is_no_record_is_refused(self, record):
        with pytest.raises(ResultError, match="no record of a task"):
            TaskResult.from_json(record)

    @pytest.mark.parametrize("content", ["", "{", "[1]", "\0" * 9, "[" * 100_000])
    def test_a_damaged_file_is_named(self, tmp_path, content):
        path = tmp_path / "unit.json"
        path.write_text(content)
        with pytest.raises(ResultError, match=r"unit\.json"):
            load_json(path)

    def test_files_are_replaced_as_a_whole(self, tmp_path):
        path = tmp_path / "new" / "results.json"
        save_json(path, {"a": 1})
        with pytest.raises(TypeError):
            save_json(path, {"a": object()})
        assert load_json(path) == {"a": 1}
        assert [each.name for each in path.parent.iterdir()] == ["results.json"]


class TestPaper:
    def test_its_means_are_those_that_it_prints(self):
        # But for plain MemNN, where the paper prints 75 and its rows give 70.
        with (ROOT / "data/paper/table3.csv").open() as stream:
            printed = list(csv.DictReader(stream))[-1]
        for system in paper_table().columns.keys() - {"memnn"}:
            assert round(paper_table().mean(range(1, 21), system)) == int(printed[system])

    def test_tasks_it_does_not_have(self):
        assert paper_table().accuracy(21) is None
        assert paper_table().mean([21]) is None
        assert paper_table().mean([1, 3, 21]) == 58
        assert paper_table().failed_tasks([1, 3, 21]) == [3]
