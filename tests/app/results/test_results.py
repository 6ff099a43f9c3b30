"""Records, signatures and scores: what is written down can be read back, compared and cited."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from babi_cascade.app.results.paper import paper_table
from babi_cascade.app.results.predictions import accuracy, support_accuracy
from babi_cascade.app.results.records import StageResult, TaskResult, load_json, save_json
from babi_cascade.app.results.signature import differences, files_fingerprint, signature_of
from babi_cascade.app.results.table import FORMAT, Table
from babi_cascade.cascade.prediction import Prediction
from babi_cascade.errors import UserError
from babi_cascade.pipeline.stories import Question, Sentence

ROOT = Path(__file__).parents[3]
FACTS = tuple(Sentence(line, f"Fact {line}.") for line in range(1, 9))


def question(answer="office", support=(1, 2)):
    return Question(9, "Where?", answer, support, FACTS)


def task_result(task=1, share=0.96, support=0.5):
    stage = StageResult(0.1, 0.0009, True, 120, 1.23456)
    seconds = {"annotate": 1.0, "fit": 2.0, "predict": 0.25}
    return TaskResult(task, "some-task", 10, 20, share, support, 1.0, stage, stage, seconds)


class Systems(Table):
    """A table with a column a system."""

    command, file, axis = "compare", "compare.json", "system"


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
    def test_it_is_one_line_of_all_sections(self):
        settings = {
            "system": "cascade",
            "parameters": {"features": ["a", "b"], "without": [], "cost": None, "gap": 0.001},
            "reading": {"parser": "a | b\nc"},
            "data": {"joint": False, "seed": 0},
            "version": "1",
        }
        assert signature_of(settings) == (
            "system:cascade|cost:none|features:a,b|gap:0.001|without:none|parser:a / b c|joint:no|seed:0|"
            "version:1"
        )
        assert signature_of(dict(reversed(settings.items()))) == signature_of(settings)

    @given(st.dictionaries(st.from_regex(r"[a-z]+", fullmatch=True), st.text(), max_size=6))
    def test_whatever_the_settings_are_it_is_one_line_with_one_part_for_each(self, settings):
        said = signature_of({"data": settings})
        assert len(said.splitlines()) <= 1
        assert said.count("|") == max(0, len(settings) - 1)
        assert differences({"data": settings}, settings) == []

    def test_differences_are_named(self):
        now, before = ({"data": {"seed": seed}, "version": "1"} for seed in (1, 0))
        assert differences(now, before) == ["seed 1 instead of 0"]
        assert differences(now, before, only=["version"]) == []
        assert differences(now, {"seed": 1}) == ["version 1 instead of not given"]

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
    def test_a_table_has_its_settings_and_a_row_for_each_result(self):
        results = {("a", 1, 0): task_result(), ("a", 2, 0): task_result(2, 0.5, None)}
        tasks = ((1, "one"), (2, "two"), (3, "three"))
        made = Systems({"system": "x", "data": {"seed": 0}}, "here", tasks, ("a",), (0,), results)
        record = json.loads(json.dumps(made.to_json()))
        assert record["format"] == FORMAT
        assert record["signature"] == "system:x|seed:0"
        assert record["not_done"] == ["a, task 3, seed 0"]
        assert made.mean_accuracy("a").mean == pytest.approx(0.73)
        assert made.failed("a") == [2]
        first, second = record["tasks"]
        assert first["seconds"] == {"annotate": 1.0, "fit": 2.0, "predict": 0.25}
        assert [(row["system"], row["seed"]) for row in (first, second)] == [("a", 0), ("a", 0)]
        assert TaskResult.from_json(second).to_json() == task_result(2, 0.5, None).to_json()

    def test_a_system_without_stages_has_a_record_too(self):
        made = TaskResult(1, "one", 10, 20, 0.5)
        assert (
            TaskResult.from_json(json.loads(json.dumps(made.to_json()))).to_json() == made.to_json()
        )
        assert made.stages == []

    def test_95_percent_is_a_pass(self):
        assert task_result(share=0.95).passed
        assert not task_result(share=0.949).passed

    def test_where_nothing_was_done_there_is_no_mean(self):
        assert Systems({}, "here", ((1, "one"),), ("a",), (0,), {}).mean_accuracy("a") is None

    @pytest.mark.parametrize("record", [{}, {"task": "x"}, {"task": 1, "name": []}])
    def test_what_is_no_record_is_refused(self, record):
        with pytest.raises(UserError, match="no record of a task"):
            TaskResult.from_json(record)

    @pytest.mark.parametrize("content", ["", "{", "[1]", "\0" * 9, "[" * 100_000])
    def test_a_damaged_file_is_named(self, tmp_path, content):
        path = tmp_path / "unit.json"
        path.write_text(content)
        with pytest.raises(UserError, match=r"unit\.json"):
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
