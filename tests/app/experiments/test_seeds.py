"""Several seeds: each a whole experiment in a folder of its own, and intervals over them."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from babi_cascade.app.experiments.seeds import Interval, interval

SMALL = ("--coref", "none", "--srl", "none", "--cost", "0.1", "--tasks", "1,7", "--questions", "30")


class TestIntervals:
    def test_one_result_says_nothing_of_others_and_more_have_their_spread(self):
        assert interval([[0.5]], 100) == Interval(0.5, 0.0, 1.0)
        assert interval([[0.5]], 100, least=-1.0) == Interval(0.5, -1.0, 1.0)
        assert interval([[], []], 100) is None
        found = interval([[0.0, 1.0] * 50], 100)
        assert found is not None
        assert found.mean == 0.5
        # of 100 throws of a coin: 1.96 * sqrt(0.25 / 100)
        assert (found.low, found.high) == pytest.approx((0.402, 0.598), abs=0.02)

    def test_means_of_tasks_vary_less_than_tasks(self):
        one, many = interval([[0.0, 0.5, 1.0]], 100), interval([[0.0, 0.5, 1.0]] * 20, 100)
        assert one is not None
        assert many is not None
        assert many.mean == pytest.approx(one.mean)
        assert many.high - many.low < (one.high - one.low) / 2

    @pytest.mark.parametrize(
        ("values", "beyond"),
        [
            ([0.2, 0.21, 0.19], True), ([-0.2, -0.25, -0.3], True), ([0.1, -0.1, 0.2], False), ([0.0], False),
            ([0.5], False), ([0.005, 0.005], False), ([0.005] * 3, False), ([1.0, 1.0], True),
        ],
    )  # fmt: skip
    def test_what_all_seeds_agree_on_is_beyond_noise_unless_it_is_a_question_or_two(
        self, values, beyond
    ):
        found = interval([values], 200, least=-1.0)
        assert found is not None
        assert found.beyond_noise is beyond

    @pytest.mark.parametrize(("n_tasks", "n_seeds"), [(1, 2), (1, 3), (1, 5), (20, 2), (20, 5)])
    def test_where_there_is_no_difference_hardly_one_in_twenty_is_called_one(
        self, n_tasks, n_seeds
    ):
        """Of each 200 questions as many are won as are lost, on average."""
        dice = np.random.default_rng(n_seeds)
        called = 0
        for _ in range(100):
            won, lost = dice.binomial(200, 0.02, (2, n_tasks, n_seeds))
            found = interval(((won - lost) / 200).tolist(), 200, least=-1.0)
            called += found is not None and found.beyond_noise
        assert called <= 11  # of 100; more in one of a hundred tests, if 5 were right


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
    assert "of 8 groups by tasks about 1 would be beyond noise by chance alone" in shown.out


def test_the_same_test_questions_for_every_seed_are_told(command):
    command("generate", "--tasks", "1", "--questions", 20, "--out", "stories")
    quick = ("--data", "stories", "--coref", "none", "--srl", "none", "--cost", "0.1")
    groups = ("--features", "word-pairs,answer-word-pairs,answer-question-words", "--no-plot")
    told = command("ablate", *quick, *groups, "--seeds", 2, "--out", "ablated")
    assert "nothing is called beyond noise" in told.err
    assert " yes " not in told.out
    assert "the seeds have the same test questions" in told.out
    record = json.loads(Path("ablated/seeds.json").read_text())
    assert {each.get("beyond_noise") for each in record["columns"]} == {None}
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
