"""Runs over several tasks: complete, repeatable, and alive after whatever happens to them."""

from __future__ import annotations

import json
from dataclasses import asdict, replace
from importlib.util import find_spec

import pytest

from babi_cascade.app.experiments import BackEnds, DataSource, RunPlan, Settings, run_plan
from babi_cascade.app.experiments.progress import Telling
from babi_cascade.app.results.predictions import accuracy, support_accuracy
from babi_cascade.app.results.records import TaskResult
from babi_cascade.cascade import Cascade
from babi_cascade.errors import UserError
from babi_cascade.pipeline.read import StoryReader
from scripts.survive_kills import timeless

SOURCE = DataSource(tasks=[1, 6], questions=60)
SETTINGS = Settings(cost=0.1)
WORDS = StoryReader()
"""Words only and one C: quick, and the real system all the same."""


def run(source, settings, reader, out, *, joint=False, **how):
    return run_plan(RunPlan(settings, joint), source, reader, out, **how)


def results(folder):
    """Return the results of the tasks of a run by its record."""
    record = json.loads((folder / "results.json").read_text())
    return [TaskResult.from_json(task) for task in record["tasks"]]


def files(folder):
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in sorted(folder.glob("predictions/*"))
    }


@pytest.fixture(scope="module")
def finished(tmp_path_factory):
    """A run that other tests may look at but not change."""
    out = tmp_path_factory.mktemp("finished")
    run(SOURCE, SETTINGS, WORDS, out)
    return out


class TestRecords:
    def test_facts_that_were_learned_are_in_the_record(self, tmp_path, finished):
        run(SOURCE, replace(SETTINGS, supervision="answers"), WORDS, tmp_path)
        for task in results(tmp_path):
            learned = task.imputation
            assert (learned.n_told, learned.n_imputed) == (0, 60)
            assert 0 <= learned.explained <= 1
            assert learned.likelihood <= 0
        settings = json.loads((tmp_path / "results.json").read_text())["settings"]
        assert settings["parameters"]["supervision"] == "answers"
        assert [task.imputation for task in results(finished)] == [None, None]

    def test_results_follow_from_the_predictions(self, finished):
        found = results(finished)
        assert [task.task for task in found] == [1, 6]
        for task, data in zip(found, SOURCE.load(finished / "stories"), strict=True):
            lines = (finished / f"predictions/qa{task.task}.jsonl").read_text().splitlines()
            said = [Said(json.loads(line)) for line in lines]
            assert [each.id for each in said] == [asked.id for asked in data.test]
            assert task.accuracy == accuracy(said, data.test)
            assert task.support_accuracy == support_accuracy(said, data.test)
            assert (task.n_train, task.n_test) == (60, 60)
            assert task.support_stage.cost == task.answer_stage.cost == 0.1
            assert task.support_stage.converged
            assert task.support_stage.gap <= 1e-3

    def test_predictions_do_not_look_at_the_truth(self, finished):
        data = SOURCE.load(finished / "stories")[1]
        blind = [replace(asked, answer=None, support=None) for asked in data.test]
        reader = StoryReader()
        system = Cascade(**asdict(SETTINGS)).fit_read(reader.read(data.train))
        said = [prediction.to_json() for prediction in system.answer_read(reader.read(blind))]
        lines = (finished / "predictions/qa6.jsonl").read_text().splitlines()
        assert said == [json.loads(line) for line in lines]

    def test_something_is_learned(self, finished):
        record = json.loads((finished / "results.json").read_text())
        assert record["tasks"][0]["accuracy"] > 0.6
        assert record["tasks"][0]["gold_support_accuracy"] > 0.9

    def test_the_settings_are_in_the_record_and_the_signature_names_every_one(self, finished):
        record = json.loads((finished / "results.json").read_text())
        settings = record["settings"]
        assert Settings.from_json(settings["parameters"]) == SETTINGS.resolved()
        assert settings["reading"]["coref"] == "none"
        assert (settings["data"]["source"], settings["data"]["questions"]) == ("simulated", 60)
        assert len(settings["data"]["files"]) == 16
        said = record["signature"]
        assert said.startswith("system:cascade|cost:0.1|features:role-match,")
        assert said.endswith(f"|version:{settings['version']}")
        for name in ("max_facts:none", "gap:0.001", "data_seed:0", "joint:no"):
            assert f"|{name}|" in said


class Said:
    """A prediction as it stands in a file."""

    def __init__(self, record):
        self.id, self.answer = record["id"], record["answer"]
        self.support = tuple(record["support"])


class TestRepeating:
    def test_two_processes_give_the_same_bytes(self, finished, tmp_path):
        run(SOURCE, SETTINGS, WORDS, tmp_path, jobs=2)
        assert timeless(tmp_path / "results.json") == timeless(finished / "results.json")
        assert files(tmp_path) == files(finished)

    def test_a_finished_run_is_not_done_again(self, tmp_path):
        run(SOURCE, SETTINGS, WORDS, tmp_path)
        before = (tmp_path / "results.json").read_bytes()
        said = []
        run(SOURCE, SETTINGS, WORDS, tmp_path, telling=Telling(lambda what, *_: said.append(what)))
        assert (tmp_path / "results.json").read_bytes() == before  # the seconds too
        assert not any("annotating" in what for what in said)

    def test_what_is_missing_is_done_and_nothing_else(self, finished, tmp_path):
        run(SOURCE, SETTINGS, WORDS, tmp_path)
        kept = (tmp_path / "units/qa1.json").stat().st_mtime_ns
        (tmp_path / "units/qa6.json").unlink()
        (tmp_path / "results.json").unlink()
        said = []
        run(SOURCE, SETTINGS, WORDS, tmp_path, telling=Telling(notice=said.append))
        assert said == [f"{tmp_path}: 1 of 2 units are done already"]
        assert (tmp_path / "units/qa1.json").stat().st_mtime_ns == kept
        assert timeless(tmp_path / "results.json") == timeless(finished / "results.json")

    def test_more_tasks_can_be_asked_for_later(self, finished, tmp_path):
        run(DataSource(tasks=[6], questions=60), SETTINGS, WORDS, tmp_path)
        kept = (tmp_path / "units/qa6.json").stat().st_mtime_ns
        said = []
        one = DataSource(tasks=[1], questions=60)
        result = run(one, SETTINGS, WORDS, tmp_path, telling=Telling(notice=said.append))
        assert [task.task for task in result.done] == [1]
        assert said == [
            f"{tmp_path}: keeps 1 finished unit that was not asked for now (qa6); ask for it too to "
            "have it in results.json"
        ]
        run(SOURCE, SETTINGS, WORDS, tmp_path)
        assert (tmp_path / "units/qa6.json").stat().st_mtime_ns == kept
        assert timeless(tmp_path / "results.json") == timeless(finished / "results.json")

    @pytest.mark.parametrize(
        ("source", "settings", "difference"),
        [
            (DataSource(tasks=[1, 6], questions=50), SETTINGS, "questions 50 instead of 60"),
            (SOURCE, Settings(cost=1), "cost 1 instead of 0.1"),
            (SOURCE, Settings(cost=0.1, seed=3), "seed 3 instead of 0"),
            (
                SOURCE,
                Settings(cost=0.1, without=("nearest",)),
                "features role-match,recency,role-agnostic",
            ),
        ],
    )
    def test_other_settings_are_refused_and_nothing_is_touched(
        self, finished, source, settings, difference
    ):
        before = {path: path.stat().st_mtime_ns for path in finished.rglob("*")}
        with pytest.raises(UserError, match=difference):
            run(source, settings, WORDS, finished)
        assert {path: path.stat().st_mtime_ns for path in finished.rglob("*")} == before

    def test_a_fresh_start_when_asked_for(self, tmp_path):
        run(SOURCE, SETTINGS, WORDS, tmp_path)
        other = DataSource(tasks=[1], questions=50, seed=2)
        result = run(other, SETTINGS, WORDS, tmp_path, force=True)
        assert result.done[0].n_test == 50
        assert not (tmp_path / "units/qa6.json").exists()

    def test_changed_files_are_noticed(self, tmp_path):
        DataSource(tasks=[1], questions=20).load(tmp_path / "stories")
        source = DataSource(tmp_path / "stories")
        run(source, SETTINGS, WORDS, tmp_path / "out")
        (path,) = (tmp_path / "stories").glob("qa1_*_test.txt")
        path.write_text("".join(path.read_text().splitlines(keepends=True)[:15]))
        with pytest.raises(UserError, match=r"now files [0-9a-f]{16} instead of"):
            run(source, SETTINGS, WORDS, tmp_path / "out")


class TestJoint:
    def test_one_model_is_tested_on_each_task(self, finished, tmp_path):
        result = run(SOURCE, SETTINGS, WORDS, tmp_path, joint=True)
        first, second = result.done
        assert [first.task, second.task] == [1, 6]
        assert first.support_stage == second.support_stage
        assert first.support_stage.features > results(finished)[0].support_stage.features
        assert "|joint:yes|" in result.signature
        assert "|tasks:1,6|" in result.signature

    def test_stopped_while_its_records_were_written_those_that_are_there_stay(self, tmp_path):
        run(SOURCE, SETTINGS, WORDS, tmp_path, joint=True)
        whole = timeless(tmp_path / "results.json")
        kept = (tmp_path / "units/qa1.json").read_bytes()
        (tmp_path / "units/qa6.json").unlink()
        run(SOURCE, SETTINGS, WORDS, tmp_path, joint=True)
        assert (tmp_path / "units/qa1.json").read_bytes() == kept
        assert timeless(tmp_path / "results.json") == whole

    def test_it_is_no_continuation_of_single_models(self, finished):
        with pytest.raises(UserError, match="joint yes instead of no"):
            run(SOURCE, SETTINGS, WORDS, finished, joint=True)


class TestFailures:
    def test_a_task_that_cannot_be_done_takes_no_other_with_it(self, tmp_path):
        stories = tmp_path / "stories"
        DataSource(tasks=[1], questions=20).load(stories)
        line = '{"story": ["Mary left."], "question": "Who left?", "answer": "Mary"}\n'
        for split in ("train", "test"):
            (stories / f"qa2_unsupported_{split}.jsonl").write_text(line)
        said = []
        source = DataSource(stories)
        wants_facts = replace(SETTINGS, supervision="facts")
        telling = Telling(notice=said.append)
        result = run(source, wants_facts, WORDS, tmp_path / "out", telling=telling)
        assert [task.task for task in result.done] == [1]
        assert result.not_done == ["task 2"]
        assert "qa2 could not be done" in said[0]
        assert "Traceback" in (tmp_path / "out/errors/qa2.txt").read_text()

    def test_an_unwritable_folder_is_said_before_any_work(self, tmp_path):
        (tmp_path / "out").write_text("a file")
        with pytest.raises(UserError, match="out: cannot write there"):
            run(SOURCE, SETTINGS, WORDS, tmp_path / "out")
        SOURCE.load(tmp_path / "stories")
        said = []
        telling = Telling(lambda what, *_: said.append(what))
        with pytest.raises(UserError, match="out: cannot write there"):
            run(
                DataSource(tmp_path / "stories"), SETTINGS, WORDS, tmp_path / "out", telling=telling
            )
        assert not said


@pytest.mark.skipif(find_spec("stanza") is None, reason="needs the extra nlp")
class TestReadingStages:
    def test_annotations_are_made_once_and_kept(self, tmp_path):
        cache = tmp_path / "annotations.sqlite"
        source = DataSource(tasks=[1, 6], questions=20)
        settings = Settings(cost=0.1)
        first = run(source, settings, BackEnds(jobs=1).reader(cache), tmp_path / "a")
        assert cache.stat().st_size
        second = run(source, settings, BackEnds(jobs=1).reader(cache), tmp_path / "b", jobs=2)
        assert timeless(tmp_path / "a/results.json") == timeless(tmp_path / "b/results.json")
        assert second.done[0].seconds["annotate"] < first.done[0].seconds["annotate"]
        reading = first.settings["reading"]
        assert (reading["coref"], reading["srl"]) == ("sieve", "stanza")
        assert reading["parser_fingerprint"].startswith("stanza ")
        assert reading["coref_fingerprint"].startswith("sieve-")
