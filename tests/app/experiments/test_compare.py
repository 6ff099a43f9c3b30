"""Table 3: systems by tasks with the paper beside them, for people and programs, and in parts."""

from __future__ import annotations

import csv
import json
from importlib.util import find_spec

import pytest

from babi_cascade.app.experiments import (
    Comparison,
    ComparisonPlan,
    CurvePlan,
    DataSource,
    RunPlan,
    Settings,
    run_plan,
)
from babi_cascade.app.experiments.plans.compare import cell, summary_rows
from babi_cascade.app.experiments.systems import NamedSystem, system_names, systems_called
from babi_cascade.app.results.records import TaskResult
from babi_cascade.errors import UserError
from babi_cascade.features.presets import PRESETS
from babi_cascade.pipeline.read import StoryReader
from babi_cascade.pipeline.stories import read_questions

SOURCE = DataSource(tasks=[1, 6], questions=40)
SYSTEMS = systems_called("ngram,cascade-paper", cost=0.1)
WORDS = StoryReader()


def compare(
    source, systems, reader, out, *, joint=None, curve_of=None, sizes=(10,), seeds=1, **how
):
    every = tuple(range(seeds))
    curves = None if curve_of is None else CurvePlan(curve_of, sizes, every)
    return run_plan(ComparisonPlan(systems, every, joint, curves), source, reader, out, **how)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("comparison")


@pytest.fixture(scope="module")
def table(folder):
    ngram = SYSTEMS[0]
    return compare(
        SOURCE, SYSTEMS, WORDS, folder, joint=ngram, curve_of=ngram, sizes=(10, 20), seeds=2
    )


class TestSystems:
    def test_all_are_those_of_the_paper_and_every_preset(self):
        names = system_names()
        assert names[:2] == ("ngram", "lstm")
        assert {f"cascade-{preset}" for preset in PRESETS} < set(names)
        assert names[-6:] == (
            "memnn", "memnn-am", "memnn-am-ng", "memnn-am-nl", "memnn-am-ng-nl", "memnn-am-multilinear",
        )  # fmt: skip
        assert [each.name for each in systems_called("all")] == list(names)
        assert [each.name for each in systems_called("memnn, ngram,memnn")] == ["memnn", "ngram"]

    def test_the_settings_have_every_parameter(self):
        said = NamedSystem("memnn-am-ng", seed=4).to_json()
        assert said["system"] == "memnn-am-ng"
        assert said["parameters"].items() >= {"adaptive": True, "longest": 3, "seed": 4}.items()
        assert "progress" not in said["parameters"]
        assert SYSTEMS[1].to_json()["parameters"]["cost"] == 0.1


class TestFigures:
    def test_a_cascade_scores_as_in_a_run(self, table, tmp_path):
        plan = RunPlan(Settings(preset="paper", cost=0.1))
        for task in run_plan(plan, SOURCE, WORDS, tmp_path).done:
            score = table.results["cascade-paper", task.task, 0]
            assert score.accuracy == task.accuracy
            assert score.support_accuracy == task.support_accuracy

    def test_seeds_give_mean_and_deviation(self, table):
        column = table.columns[0]
        both = [table.results["ngram", 1, seed].accuracy for seed in (0, 1)]
        assert table.accuracy(column, 1).mean == pytest.approx(sum(both) / 2)
        assert table.accuracy(column, 1).deviation == pytest.approx(abs(both[0] - both[1]) / 2**0.5)

    def test_a_weak_system_finds_no_facts(self, table):
        assert table.results["ngram", 1, 0].support_accuracy is None

    def test_one_model_of_all_tasks_is_a_column_of_its_own(self, table, folder):
        assert table.columns == ("ngram", "cascade-paper", "ngram joint")
        assert {(task, seed) for name, task, seed in table.results if name == "ngram joint"} == {
            (1, 0), (1, 1), (6, 0), (6, 1),
        }  # fmt: skip
        assert table.curve is not None
        assert (folder / "curve-ngram/curve.json").exists()

    def test_the_files_agree(self, table, folder):
        record = json.loads((folder / "compare.json").read_text())
        assert record == json.loads(json.dumps(table.to_json()))
        with (folder / "compare.csv").open() as stream:
            rows = list(csv.DictReader(stream))
        assert len(rows) == len(record["tasks"]) == 3 * 2 * 2
        assert float(rows[0]["accuracy"]) == record["tasks"][0]["accuracy"]
        page = (folder / "compare.md").read_text().splitlines()
        assert page[0].startswith(
            "| task | ngram | cascade-paper | ngram joint | questions for 95 %"
        )
        assert {line.count("|") for line in page if line.startswith("|")} == {6}
        assert cell(table, table.columns[0], 1, bold="**") in page[2]

    def test_failures_and_agreement_with_the_paper(self):
        def score(task, accuracy):
            return TaskResult(task, "", 1, 1, accuracy, fit_cpu_seconds=30.0)

        column = "memnn"  # the paper: 100 on task 1, 20 on 3, 100 on 12
        scores = {
            ("memnn", task, 0): score(task, share)
            for task, share in ((1, 1.0), (3, 0.3), (12, 0.9))
        }
        made = Comparison({}, "", ((1, "a"), (3, "b"), (12, "c")), (column,), (0,), scores)
        assert made.failed(column) == [3, 12]
        assert made.paper_failed(column) == [3]
        assert made.agreeing(column) == 2
        assert [row[1] for row in summary_rows(made)] == [["73.3 (73)"], ["2 (1)"], ["2"], ["1.5"]]
        assert cell(made, column, 1, bold="**") == "**100.0** (100)"


class TestGoingOn:
    def test_more_systems_and_seeds_join_a_folder_and_nothing_is_done_twice(self, tmp_path):
        one = compare(SOURCE, SYSTEMS[:1], None, tmp_path)
        kept = {path: path.read_bytes() for path in (tmp_path / "units").iterdir()}
        more = compare(SOURCE, SYSTEMS, WORDS, tmp_path, seeds=2)
        assert all(path.read_bytes() == content for path, content in kept.items())
        assert {key: more.results[key] for key in one.results} == one.results

    def test_other_questions_are_refused(self, tmp_path):
        compare(SOURCE, SYSTEMS[:1], None, tmp_path)
        with pytest.raises(UserError, match="questions 30 instead of 40"):
            compare(DataSource(tasks=[1], questions=30), SYSTEMS[:1], None, tmp_path)
        compare(DataSource(tasks=[1], questions=30), SYSTEMS[:1], None, tmp_path, force=True)

    def test_a_curve_that_cannot_be_measured_is_told_before_any_work(self, tmp_path):
        ngram, other = SYSTEMS[0], DataSource(tasks=[1, 6], questions=30)
        compare(other, (ngram,), None, tmp_path / "other", curve_of=ngram, sizes=(10,))
        (tmp_path / "out").mkdir()
        (tmp_path / "other/curve-ngram").rename(tmp_path / "out/curve-ngram")
        with pytest.raises(UserError, match=r"out/curve-ngram: .*questions 40 instead of 30"):
            compare(SOURCE, (ngram,), None, tmp_path / "out", curve_of=ngram, sizes=(10,))
        with pytest.raises(UserError, match="--sizes: 3 is less than"):
            compare(SOURCE, (ngram,), None, tmp_path / "new", curve_of=ngram, sizes=(3,))
        assert not list(tmp_path.glob("out/units/*"))
        assert not list(tmp_path.glob("new/units/*"))

    def test_a_system_that_fails_is_named_and_takes_no_other_with_it(self, tmp_path):
        stories = tmp_path / "stories"
        stories.mkdir()
        line = '{"story": ["Mary left."], "question": "Who left?", "answer": "Mary"}\n'
        for split in ("train", "test"):
            (stories / f"qa2_unsupported_{split}.jsonl").write_text(line)
        systems = systems_called("ngram,memnn")
        table = compare(DataSource(directory=stories), systems, None, tmp_path / "out")
        assert table.not_done == ["memnn, task 2, seed 0"]
        assert table.results["ngram", 2, 0].accuracy == 1.0
        assert "supporting facts" in (tmp_path / "out/errors/memnn.qa2.seed0.txt").read_text()

    def test_stopped_while_records_of_a_joint_unit_were_written_those_that_are_there_stay(
        self, tmp_path
    ):
        ngram = SYSTEMS[0]
        whole = compare(SOURCE, (ngram,), None, tmp_path, joint=ngram)
        first, second = sorted(tmp_path.glob("units/ngram.joint.*.json"))
        kept = first.read_bytes()
        second.unlink()
        again = compare(SOURCE, (ngram,), None, tmp_path, joint=ngram)
        assert first.read_bytes() == kept
        assert second.exists()
        assert [score.accuracy for score in again.results.values()] == [
            score.accuracy for score in whole.results.values()
        ]


class TestCommand:
    SMALL = ("--tasks", "1", "--questions", 40, "--coref", "none", "--srl", "none", "--cost", "0.1")

    def test_tasks_by_systems_with_the_paper_in_brackets(self, command, tmp_path):
        shown = command("compare", "--systems", "ngram,cascade-paper", *self.SMALL, "--no-plot")
        assert shown.code == 0
        record = json.loads((tmp_path / "out/compare/compare.json").read_text())
        row = next(line for line in shown.out.splitlines() if "single" in line).split()
        first, second = (f"{100 * each['accuracy']:.1f}" for each in record["tasks"])
        assert row == ["1", "single-supporting-fact", first, "(36)", second, "(99)"]
        assert record["signature"] not in shown.out

    def test_the_answers_of_another_system_stand_beside_ours(self, command, tmp_path):
        command("generate", "--tasks", "1,6", "--questions", 40, "--out", "stories")
        paths = sorted((tmp_path / "stories").glob("*_test.txt"))
        told = [question.answer for path in paths for question in read_questions(path)]
        answers = ["nowhere", *told[1:]]  # the first one is wrong
        lines = "".join(json.dumps({"answer": answer}) + "\n" for answer in answers)
        (tmp_path / "llm.jsonl").write_text(lines)
        args = ("compare", "--data", "stories", "--systems", "ngram", "--no-plot")
        both = command(*args, "--predictions", "my-llm=llm.jsonl", "--json")
        assert both.code == 0
        rows = json.loads(both.out)["tasks"]
        found = {row["task"]: row["accuracy"] for row in rows if row["system"] == "my-llm"}
        assert found == {1: 39 / 40, 6: 1.0}
        assert "my-llm" in (tmp_path / "out/compare/compare.md").read_text()

        often = command(*args, "--predictions", "my-llm=llm.jsonl", "--seeds", 2, "--force")
        assert often.code == 0
        table = (tmp_path / "out/compare/compare.md").read_text().splitlines()
        cells = [[cell.strip() for cell in line.split("|")[1:-1]] for line in table if "|" in line]
        ours, theirs = ({row[0]: row[at] for row in cells} for at in (1, 2))
        assert theirs["mean"] == "98.8"
        assert "±" in ours["mean"]
        assert theirs["training, CPU minutes"] == ""
        assert float(ours["training, CPU minutes"]) >= 0.0
        with (tmp_path / "out/compare/compare.csv").open() as sheet:
            for row in csv.DictReader(sheet):
                unknown = row["system"] == "my-llm"
                assert (row["n_train"] == "", row["fit_cpu_seconds"] == "") == (unknown, unknown)

        (tmp_path / "llm.jsonl").write_text(lines.replace("nowhere", "somewhere"))
        other = command(*args, "--predictions", "my-llm=llm.jsonl")
        assert other.code == 2
        assert "predictions" in other.err

    def test_a_sheet_has_a_column_for_each_thing_that_is_known_of_learned_facts(
        self, command, tmp_path
    ):
        shown = command(
            "compare", "--systems", "cascade-paper,ngram", *self.SMALL, "--coref", "none", "--srl", "none",
            "--cost", "0.1", "--supervision", "answers", "--no-plot",
        )  # fmt: skip
        assert shown.code == 0
        with (tmp_path / "out/compare/compare.csv").open() as sheet:
            rows = list(csv.DictReader(sheet))
        assert not any("{" in cell for row in rows for cell in row.values())
        ours, others = (
            [row for row in rows if row["system"] == name] for name in ("cascade-paper", "ngram")
        )
        assert all(row["imputation_n_imputed"] == row["n_train"] for row in ours)
        assert all(0 <= float(row["imputation_held_out"]) <= 1 for row in ours)
        assert {row["imputation_n_imputed"] for row in others} == {""}

    @pytest.mark.parametrize(
        ("given", "said"),
        [
            ("llm.jsonl", "expected NAME=FILE"),
            ("../x=llm.jsonl", "expected NAME=FILE"),
            ("ngram=llm.jsonl", "there is a system ngram already"),
            ("x=nowhere.jsonl", "nowhere.jsonl: found no such file"),
            ("x=llm.jsonl", "found 1 predictions for 40 questions"),
        ],
    )
    def test_predictions_that_do_not_fit_are_refused(self, command, tmp_path, given, said):
        (tmp_path / "llm.jsonl").write_text('{"answer": "garden"}\n')
        shown = command("compare", "--systems", "ngram", *self.SMALL, "--predictions", given)
        assert shown.code == 2
        assert said in shown.err

    @pytest.mark.skipif(find_spec("matplotlib") is None, reason="the extra [plots]")
    def test_json_and_heat_map(self, command, tmp_path):
        shown = command("compare", "--systems", "ngram", *self.SMALL, "--json")
        assert [each["system"] for each in json.loads(shown.out)["systems"]] == ["ngram"]
        assert (tmp_path / "out/compare/compare.png").stat().st_size > 5000

    @pytest.mark.parametrize(
        ("args", "said"),
        [
            (["--systems", "ngram,oracle"], "'oracle', expected one of ngram, lstm, cascade-"),
            (["--systems", ","], "found none, expected some of ngram"),
            (["--systems", "ngram", "--joint", "--analyse", "oracle"], "'oracle'"),
            (["--seeds", "0"], "--seeds"),
        ],
    )
    def test_wrong_usage_is_one_line_and_leaves_nothing(self, command, tmp_path, args, said):
        shown = command("compare", *args)
        assert shown.code == 2
        assert said in shown.err
        assert shown.err.count("\n") == 1
        assert not list(tmp_path.iterdir())
