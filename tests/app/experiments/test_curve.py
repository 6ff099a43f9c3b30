"""Learning curves: nested samples of whole stories, the size that is enough, the command and its files."""

from __future__ import annotations

import csv
import json
from importlib.util import find_spec

import pytest

from babi_cascade.app.experiments import Curve, CurvePlan, DataSource, run_plan
from babi_cascade.app.experiments.grid import sampled
from babi_cascade.app.experiments.plans.curve import nested_samples, sizes_in
from babi_cascade.app.experiments.progress import Telling
from babi_cascade.app.experiments.systems import CascadeSystem, NamedSystem, system_called
from babi_cascade.app.experiments.unit import read_tasks
from babi_cascade.app.results.paper import paper_table
from babi_cascade.app.results.records import Figure, TaskResult
from babi_cascade.cascade.settings import Settings
from babi_cascade.comparison.texts import story_numbers
from babi_cascade.errors import UserError
from babi_cascade.pipeline.read import StoryReader

SOURCE = DataSource(tasks=[1, 6], questions=40)
NGRAM = NamedSystem("ngram")
SIZES = (10, 20, 100)


def curve(source, system, reader, out, *, sizes, seeds=1, **how):
    return run_plan(CurvePlan(system, sizes, tuple(range(seeds))), source, reader, out, **how)


def made(accuracies: dict[int, list[float]], available: int = 1000) -> Curve:
    """Return the curve of one task, with accuracies by size, one for each seed."""
    seeds = range(len(next(iter(accuracies.values()))))
    scores = {
        (str(size), 1, seed): TaskResult(1, "one", size, 10, accuracy)
        for size, found in accuracies.items()
        for seed, accuracy in enumerate(found)
    }
    columns = tuple(map(str, accuracies))
    return Curve({}, "", ((1, "one"),), columns, tuple(seeds), scores, "ngram", {1: available})


@pytest.fixture(scope="module")
def task(tmp_path_factory):
    (task,) = DataSource(tasks=[1], questions=60).load(tmp_path_factory.mktemp("stories"))
    return task


class TestSamples:
    def test_smaller_ones_are_part_of_larger_ones(self, task):
        samples = nested_samples(task, (10, 25, 50), seed=4)
        assert [len(samples[size]) for size in (10, 25, 50)] == [10, 25, 50]
        assert set(samples[10]) < set(samples[25]) < set(samples[50])
        assert list(samples[50]) == sorted(samples[50])

    def test_stories_stay_whole(self, task):
        stories = story_numbers(task.train)
        (places,) = nested_samples(task, (23,), seed=1).values()
        assert len(places) == 20  # stories of five questions: a fifth one would be too much
        for story in {stories[place] for place in places}:
            assert {i for i, s in enumerate(stories) if s == story} <= set(places)

    def test_the_seed_draws_them(self, task):
        one, same, other = (nested_samples(task, (20,), seed=seed)[20] for seed in (1, 1, 2))
        assert one == same != other

    def test_a_size_beyond_all_questions_takes_all(self, task):
        assert nested_samples(task, (1000,), seed=0)[1000] == tuple(range(60))

    def test_less_than_a_story_is_refused(self, task):
        with pytest.raises(UserError, match="--sizes: 3 is less than the 5 questions of a story"):
            nested_samples(task, (3,), seed=0)

    def test_read_questions_are_sampled_alike_and_tested_alike(self, task):
        (read,) = read_tasks([task], StoryReader())
        places = nested_samples(task, (20,), seed=3)[20]
        small, small_read = sampled(task, places), sampled(read, places)
        assert [asked.source for asked in small_read.train] == list(small.train)
        assert small.test == task.test
        assert small_read.test == read.test

    @pytest.mark.parametrize("text", ["", "ten", "0,5", "5,-1"])
    def test_sizes_are_numbers(self, text):
        assert sizes_in("100, 25,25") == (25, 100)
        with pytest.raises(UserError, match="--sizes"):
            sizes_in(text)


class TestFigures:
    def test_the_first_size_with_95_percent_is_enough(self):
        assert made({10: [0.5], 50: [0.95], 100: [1.0]}).needed(1) == 50
        assert made({10: [0.5], 50: [0.94]}).needed(1) is None
        assert made({10: [0.5], 1000: [0.99]}, available=800).needed(1) == 800

    def test_seeds_give_their_mean_and_never_the_best(self):
        found = made({10: [1.0, 0.8], 50: [1.0, 0.94]})
        assert found.accuracy("10", 1) == Figure(
            pytest.approx(0.9), pytest.approx(0.1414, abs=1e-4)
        )
        assert found.needed(1) == 50
        assert str(found.accuracy("10", 1)) == "90.0 ±14.1"
        assert found.passed(10) == 0
        assert found.passed(50) == 1

    def test_the_paper_has_its_column(self):
        assert paper_table().sizes[1] == 250
        assert paper_table().sizes[7] is None
        assert len(paper_table().sizes) == 20


class TestCurve:
    def test_the_default_system_is_the_cascade_of_a_run(self):
        assert CascadeSystem().settings == Settings()
        assert CascadeSystem().name == f"cascade-{Settings().preset}"

    def test_every_size_is_tested_on_the_same_questions(self, tmp_path):
        found = curve(SOURCE, NGRAM, None, tmp_path, sizes=SIZES, seeds=2)
        assert not found.not_done
        assert {score.n_test for score in found.results.values()} == {40}
        assert found.results["10", 1, 0].n_train == 10
        # nothing is trained twice on the same questions: only 40 are there
        assert found.results["100", 1, 0].n_train == 40
        assert len(list((tmp_path / "units").glob("*.json"))) == 2 * 2 * 3
        record = json.loads((tmp_path / "curve.json").read_text())
        assert record == json.loads(json.dumps(found.to_json()))
        with (tmp_path / "curve.csv").open() as stream:
            rows = list(csv.DictReader(stream))
        assert [float(row["accuracy"]) for row in rows] == [
            entry["accuracy"] for entry in record["tasks"]
        ]

    def test_stories_are_read_once_for_all_sizes(self, tmp_path):
        class Counting(StoryReader):
            calls = 0

            def read(self, questions):
                Counting.calls += 1
                return super().read(questions)

        system = system_called("cascade-paper", cost=0.1)
        found = curve(SOURCE, system, Counting(), tmp_path, sizes=(10, 20), seeds=2)
        assert len(found.results) == 8
        assert Counting.calls == 2  # tasks
        curve(SOURCE, system, Counting(), tmp_path, sizes=(10, 20), seeds=2)
        assert Counting.calls == 2  # everything is there already

    def test_it_goes_on_with_what_is_missing(self, tmp_path):
        whole = curve(SOURCE, NGRAM, None, tmp_path, sizes=SIZES)
        kept = {path: path.read_bytes() for path in (tmp_path / "units").iterdir()}
        gone, damaged, *others = sorted(kept)
        gone.unlink()
        damaged.write_text("{")
        said: list[str] = []
        again = curve(
            SOURCE, NGRAM, None, tmp_path, sizes=SIZES, telling=Telling(notice=said.append)
        )
        accuracies = {key: score.accuracy for key, score in whole.results.items()}
        assert {key: score.accuracy for key, score in again.results.items()} == accuracies
        assert all(path.read_bytes() == kept[path] for path in others)
        assert any("4 of 6 units are done already" in line for line in said)

    def test_another_system_is_refused_in_the_same_folder(self, tmp_path):
        curve(SOURCE, NGRAM, None, tmp_path, sizes=(10,))
        with pytest.raises(UserError, match="system lstm instead of ngram"):
            curve(SOURCE, NamedSystem("lstm"), None, tmp_path, sizes=(10,))
        curve(SOURCE, NGRAM, None, tmp_path, sizes=(10, 20), seeds=2)  # more of the same is fine


class TestCommand:
    SMALL = ("--tasks", "1", "--questions", 40, "--coref", "none", "--srl", "none", "--cost", "0.1")

    def test_a_row_a_task_with_the_paper_beside_it(self, command, tmp_path):
        shown = command("curve", *self.SMALL, "--sizes", "10,40", "--no-plot")
        assert shown.code == 0
        record = json.loads((tmp_path / "out/curve/curve.json").read_text())
        assert record["system"] == CascadeSystem().name
        row = next(line for line in shown.out.splitlines() if "single" in line).split()
        figures = [f"{100 * each['accuracy']:.1f}" for each in record["tasks"]]
        enough = str(record["questions_for_95"]["1"] or "FAIL")
        assert row == ["1", "single-supporting-fact", *figures, enough, "250"]

    @pytest.mark.skipif(find_spec("matplotlib") is None, reason="the extra [plots]")
    def test_other_systems_json_and_plot(self, command, tmp_path):
        shown = command("curve", "--system", "ngram", *self.SMALL, "--sizes", "10,40", "--json")
        assert json.loads(shown.out)["system"] == "ngram"
        assert (tmp_path / "out/curve/curve.png").stat().st_size > 5000

    @pytest.mark.parametrize(
        ("args", "said"),
        [
            (["--system", "oracle"], "'oracle', expected one of ngram, lstm, cascade-"),
            (["--system", "ngram", "--sizes", "few"], "--sizes: found 'few'"),
            (["--system", "ngram", "--data", "nowhere"], "nowhere"),
        ],
    )
    def test_wrong_usage_is_one_line_and_leaves_nothing(self, command, tmp_path, args, said):
        shown = command("curve", *args)
        assert shown.code == 2
        assert said in shown.err
        assert shown.err.count("\n") == 1
        assert not list(tmp_path.iterdir())
