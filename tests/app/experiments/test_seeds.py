"""Several seeds: each a whole experiment in a folder of its own, and intervals over them."""

from __future__ import annotations

import json

import pytest

from babi_cascade.app.experiments.seeds import Interval, interval

SMALL = ("--coref", "none", "--srl", "none", "--cost", "0.1", "--tasks", "1,7", "--questions", "30")


class TestIntervals:
    def test_one_result_has_no_width_and_more_have_their_spread(self):
        assert interval([[0.5]]) == Interval(0.5, 0.5, 0.5)
        assert interval([[], []]) is None
        found = interval([[0.0, 1.0] * 50])
        assert found is not None
        assert found.mean == 0.5
        # of 100 throws of a coin: 1.96 * sqrt(0.25 / 100)
        assert (found.low, found.high) == pytest.approx((0.402, 0.598), abs=0.02)

    def test_means_of_tasks_vary_less_than_tasks(self):
        one, many = interval([[0.0, 0.5, 1.0]]), interval([[0.0, 0.5, 1.0]] * 20)
        assert one is not None
        assert many is not None
        assert many.mean == pytest.approx(one.mean)
        assert many.high - many.low < (one.high - one.low) / 2

    @pytest.mark.parametrize(
        ("values", "beyond"),
        [([0.1, 0.2, 0.1], True), ([-0.1, -0.2, -0.3], True), ([0.1, -0.1, 0.2], False), ([0.0], False)],
    )  # fmt: skip
    def test_what_all_seeds_agree_on_is_beyond_noise(self, values, beyond):
        found = interval([values])
        assert found is not None
        assert found.beyond_noise is beyond


def test_every_seed_tells_new_stories_and_the_mean_has_an_interval(command, tmp_path):
    shown = command("run", *SMALL, "--seeds", 2, "--out", "here")
    assert shown.code == 0
    record = json.loads((tmp_path / "here/seeds.json").read_text())
    assert record["seeds"] == [0, 1]
    whole = record["columns"][0]
    alone = [
        json.loads((tmp_path / f"here/seed-{seed}/results.json").read_text()) for seed in (0, 1)
    ]
    assert alone[0]["settings"]["data"]["files"] != alone[1]["settings"]["data"]["files"]
    means = [each["mean_accuracy"] for each in alone]
    assert whole["mean_accuracy"]["mean"] == pytest.approx(sum(means) / 2)
    assert whole["mean_accuracy"]["low"] <= min(means)
    last = shown.out.splitlines()[-1]
    assert last.startswith(f"mean {50 * sum(means):.1f} % [")
    assert "over 2 seeds" in last
    assert float(command("run", *SMALL, "--seeds", 2, "--out", "here", "--score-only").out) == (
        pytest.approx(sum(means) / 2, abs=1e-4)
    )
    assert json.loads(command("run", *SMALL, "--seeds", 2, "--out", "here", "--json").out) == record


def test_an_ablation_says_which_groups_matter_beyond_noise(command, tmp_path):
    groups = "word-pairs,pair-distance,answer-word-pairs,answer-question-words"
    shown = command(
        "ablate", *SMALL, "--features", groups, "--seeds", 3, "--no-plot", "--out", "here"
    )
    assert shown.code == 0
    record = json.loads((tmp_path / "here/seeds.json").read_text())
    worth = {each["variant"]: each for each in record["columns"]}
    assert worth["without-answer-word-pairs"]["beyond_noise"] is True
    assert worth["without-answer-word-pairs"]["delta"]["high"] < 0
    assert "delta" not in worth["all"]
    row = next(line for line in shown.out.splitlines() if " answer-word-pairs " in line)
    assert " yes " in row


def test_the_same_test_questions_for_every_seed_are_told(command):
    command("generate", "--tasks", "1", "--questions", 20, "--out", "stories")
    quick = ("--data", "stories", "--coref", "none", "--srl", "none", "--cost", "0.1")
    assert "the same for every seed" in command("run", *quick, "--seeds", 2).err
    split = command("run", *quick, "--seeds", 2, "--split", "0.5", "--out", "other")
    assert "the same for every seed" not in split.err


def test_that_there_is_no_plot_is_said_once(command, monkeypatch):
    monkeypatch.setattr("babi_cascade.app.report.plots.can_draw", lambda: False)
    shown = command(
        "ablate", *SMALL, "--preset", "paper", "--tasks", "1", "--seeds", 2, "--out", "drawn"
    )
    assert shown.code == 0
    assert shown.err.count("no plot without matplotlib") == 1
