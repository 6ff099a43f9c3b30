"""Ablations: which variants there are, what they differ by, and that they can be stopped."""

from __future__ import annotations

import csv
import json
from importlib.util import find_spec

import pytest

from babi_cascade.app.experiments import AblationPlan, DataSource, RunPlan, Settings, run_plan
from babi_cascade.app.experiments.plans.ablate import additions, variants
from babi_cascade.app.report.folders import ablation_of
from babi_cascade.app.report.plots import draw_ablation, save_picture
from babi_cascade.errors import UserError
from babi_cascade.features.presets import PRESETS
from babi_cascade.features.registry import ANSWER, SUPPORT, choose
from babi_cascade.pipeline.read import StoryReader

GROUPS = ("word-pairs", "pair-order", "answer-question-words", "answer-word-pairs")
SETTINGS = Settings(preset="paper", cost=0.1, features=GROUPS)
WORDS = StoryReader()
SOURCE = DataSource(tasks=[1, 6], questions=40)


def ablate(source, settings, reader, out, *, alone=False, **how):
    return run_plan(AblationPlan(settings, alone), source, reader, out, **how)


def run(source, settings, reader, out):
    return run_plan(RunPlan(settings), source, reader, out)


@pytest.fixture(scope="module")
def out(tmp_path_factory):
    return tmp_path_factory.mktemp("ablation")


@pytest.fixture(scope="module")
def ablation(out):
    return ablate(SOURCE, SETTINGS, WORDS, out, alone=True)


class TestVariants:
    def test_every_group_is_left_out_once(self):
        made = variants(Settings("paper"))
        assert made[0].name == "all"
        every = set(PRESETS["paper"])
        assert {variant.group for variant in made[1:]} == every
        for variant in made[1:]:
            assert set(variant.groups) == every - {variant.group}
            assert variant.stage == (
                "support" if variant.group in choose("paper").support else "answer"
            )

    def test_alone_in_its_stage_means_that_the_other_keeps_all(self):
        only = {
            v.group: set(v.groups)
            for v in variants(Settings("paper"), alone=True)
            if v.kind == "only"
        }
        groups = choose("paper")
        assert only["word-pairs"] == {"word-pairs", "shared-word", *groups.answer}
        assert only["answer-word-pairs"] == {"answer-word-pairs", *groups.support}
        assert "shared-word" not in only  # a rule and no features

    def test_every_other_group_is_added_once(self):
        made = additions(Settings("paper"))
        assert made[0].name == "all"
        assert {variant.group for variant in made[1:]} == {*SUPPORT, *ANSWER} - {*PRESETS["paper"]}
        for variant in made[1:]:
            assert set(variant.groups) == {*PRESETS["paper"], variant.group}
            assert variant.name == f"plus-{variant.group}"

    def test_the_only_group_of_a_stage_stays(self):
        chosen = Settings("paper", features=("word-pairs", "pair-order", "answer-word-pairs"))
        assert [v.name for v in variants(chosen, alone=True)] == [
            "all", "without-word-pairs", "without-pair-order", "only-word-pairs", "only-pair-order",
        ]  # fmt: skip


class TestFigures:
    def test_all_groups_score_as_in_a_run(self, ablation, tmp_path):
        whole = run(SOURCE, SETTINGS, WORDS, tmp_path)
        assert [ablation.accuracy("all", task).mean for task in (1, 6)] == [
            t.accuracy for t in whole.done
        ]

    def test_a_variant_scores_as_a_run_without_the_group(self, ablation, tmp_path):
        less = Settings("paper", cost=0.1, features=GROUPS, without=("word-pairs",))
        for task in run(SOURCE, less, WORDS, tmp_path).done:
            assert ablation.accuracy("without-word-pairs", task.task).mean == task.accuracy
            difference = task.accuracy - ablation.accuracy("all", task.task).mean
            assert ablation.delta(task.task, "without-word-pairs") == difference

    def test_facts_cannot_be_found_without_words(self, ablation):
        assert ablation.mean_support_delta("without-word-pairs") < -0.1

    def test_the_records_agree(self, ablation, out):
        record = json.loads((out / "ablation.json").read_text())
        assert record == json.loads(json.dumps(ablation.to_json()))
        with (out / "ablation.csv").open() as stream:
            rows = list(csv.DictReader(stream))
        assert len(rows) == len(record["tasks"]) == 2 * len(ablation.variants) == 18
        for row, entry in zip(rows, record["tasks"], strict=True):
            assert float(row["delta"]) == entry["delta"]
            assert row["variant"] == entry["variant"]
        means = {each["variant"]: each["mean_delta"] for each in record["variants"]}
        assert means["all"] == 0


class TestGoingOn:
    def test_missing_units_are_done_and_nothing_else(self, ablation, tmp_path):
        settings = Settings("paper", cost=0.1, features=GROUPS[:3])
        source = DataSource(tasks=[1], questions=40)
        first = ablate(source, settings, WORDS, tmp_path)
        times = {path: path.stat().st_mtime_ns for path in (tmp_path / "units").iterdir()}
        assert len(times) == 3
        lost = tmp_path / "units/qa1.without-word-pairs.json"
        lost.unlink()
        second = ablate(source, settings, WORDS, tmp_path, jobs=2)
        changed = [p for p, t in times.items() if p.stat().st_mtime_ns != t]
        assert changed == [lost]
        assert second.delta(1, "without-word-pairs") == first.delta(1, "without-word-pairs")

    def test_other_settings_are_refused(self, ablation, out):
        other = Settings("paper", cost=1, features=GROUPS)
        with pytest.raises(UserError, match=r"cost 1 instead of 0\.1"):
            ablate(SOURCE, other, WORDS, out)


@pytest.mark.skipif(find_spec("matplotlib") is None, reason="needs the extra plots")
def test_the_plot_is_a_picture_and_the_same_every_time(ablation, tmp_path):
    for name in ("a.png", "b.png"):
        save_picture(
            lambda figure: draw_ablation(figure, ablation_of(ablation.to_json(), "")),
            tmp_path / name,
        )
    first, second = ((tmp_path / name).read_bytes() for name in ("a.png", "b.png"))
    assert first[:8] == b"\x89PNG\r\n\x1a\n"
    assert first == second
    assert len(list(tmp_path.iterdir())) == 2
