"""`run` and `ablate` as a user meets them, also one who stops them at the worst moment."""

from __future__ import annotations

import json
import os
import random
import re
import signal
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path
from types import SimpleNamespace

import pytest

from babi_cascade.app.cli.measure import told_to_people
from babi_cascade.app.cli.options import PLACE_NAMES, reader_of
from babi_cascade.app.experiments.interrupt import stopping_for_good
from babi_cascade.app.experiments.progress import Telling
from scripts.survive_kills import difference, timeless

ROOT = Path(__file__).parents[3]
COMMAND = [sys.executable, "-c", "from babi_cascade.app.cli import main; main()"]
QUICK = ("--coref", "none", "--srl", "none", "--cost", "0.1")
SMALL = (*QUICK, "--tasks", "1,6", "--questions", "40")


def started(cwd, *args):
    """Start the command in a process group of its own."""
    return subprocess.Popen(
        [*COMMAND, *map(str, args)], cwd=cwd, start_new_session=True, text=True,
        env={**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT), os.environ.get("PYTHONPATH", "")])},
        stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    )  # fmt: skip


class TestRun:
    def test_the_table_has_the_paper_beside_it_and_ends_with_the_mean(self, command, tmp_path):
        shown = command("run", *SMALL, "--out", "here")
        assert shown.code == 0
        lines = shown.out.splitlines()
        row = next(line for line in lines if "single-supporting-fact" in line).split()
        record = json.loads((tmp_path / "here/results.json").read_text())
        first = record["tasks"][0]
        verdict = "pass" if first["accuracy"] >= 0.95 else "fail"
        assert row[:5] == [
            "1",
            "single-supporting-fact",
            f"{100 * first['accuracy']:.1f}",
            "99",
            verdict,
        ]
        assert lines[-1].startswith(f"mean {100 * record['mean_accuracy']:.1f} %, ")
        assert "paper: mean 99 %, 0 under 95 %" in lines[-1]
        assert record["signature"] not in shown.out

    def test_a_log_hears_of_every_task_when_it_is_done(self, command):
        shown = command("run", *SMALL, "--jobs", 2)
        lines = shown.err.splitlines()
        assert all(re.fullmatch(r" *\d+ s  .+", line) for line in lines)
        done = [line.split(maxsplit=2)[2] for line in lines if line.endswith("/2)")]
        assert re.fullmatch(r"qa[16]: \d+\.\d % \(1/2\)", done[0])
        assert re.fullmatch(r"qa[16]: \d+\.\d % \(2/2\)", done[1])
        assert not command("run", *SMALL).err  # everything is there already

    def test_the_signature_is_in_the_record_and_printed_when_asked_for(self, command, tmp_path):
        shown = command("run", *SMALL, "--signature")
        record = json.loads((tmp_path / "out/run/results.json").read_text())
        assert shown.out.splitlines()[-1] == record["signature"]
        assert record["signature"] not in command("run", *SMALL).out

    def test_for_programs(self, command, tmp_path):
        record = json.loads(command("run", *SMALL, "--json").out)
        assert record == json.loads((tmp_path / "out/run/results.json").read_text())
        score = command("run", *SMALL, "--score-only")
        assert score.code == 0
        assert float(score.out) == pytest.approx(record["mean_accuracy"], abs=1e-4)

    def test_released_style_files_split_by_story(self, command, tmp_path):
        command("generate", "--tasks", "1", "--questions", 50, "--out", "stories")
        (tmp_path / "stories/qa1_single-supporting-fact_test.txt").unlink()
        shown = command("run", "--data", "stories", *QUICK, "--limit", 20, "--json")
        (task,) = json.loads(shown.out)["tasks"]
        assert (task["n_train"], task["n_test"]) == (20, 10)

    @pytest.mark.parametrize(
        ("args", "said"),
        [
            (["--features", "wings"], "'wings', expected one of word-pairs"),
            (["--without", "wings"], "'wings'"),
            (["--preset", "best"], "'best', expected one of extended, paper"),
            (["--learner", "luck"], "luck"),
            (["--tasks", "21"], "no task 21"),
            (["--data", "nowhere"], "nowhere: found no such directory"),
            (["--srl", "conllu"], "need --conllu FILE"),
            (["--split", "1"], "--split"),
            (["--cost", "0"], "--cost"),
            (["--json", "--score-only"], "exclude each other"),
            (["--features", "recency"], "no feature group is left for the answer stage"),
        ],
    )
    def test_wrong_usage_is_one_line_and_leaves_nothing(self, command, tmp_path, args, said):
        shown = command("run", *QUICK, *args)
        assert shown.code == 2
        assert said in shown.err
        assert shown.err.count("\n") == 1
        assert not list(tmp_path.iterdir())

    def test_another_seed_is_refused_with_the_difference(self, command):
        command("run", *SMALL)
        refused = command("run", *SMALL, "--seed", 1)
        assert refused.code == 2
        assert "seed 1 instead of 0" in refused.err
        assert command("run", *SMALL, "--seed", 1, "--force").code == 0

    def test_a_task_that_cannot_be_done_is_named(self, command, tmp_path):
        command("generate", "--tasks", "1", "--questions", 20, "--out", "stories")
        line = '{"story": ["Mary left."], "question": "Who left?", "answer": "Mary"}\n'
        for split in ("train", "test"):
            (tmp_path / f"stories/qa2_unsupported_{split}.jsonl").write_text(line)
        shown = command("run", "--data", "stories", "--supervision", "facts", *QUICK)
        assert shown.code == 1
        assert "not done: task 2" in shown.err
        assert "single-supporting-fact" in shown.out
        nothing = command(
            "run",
            "--data",
            "stories",
            "--supervision",
            "facts",
            *QUICK,
            "--tasks",
            2,
            "--out",
            "here",
        )
        assert (nothing.code, nothing.out) == (1, "no task could be done\n")


class TestAblate:
    GROUPS = (
        "--preset",
        "paper",
        "--features",
        "word-pairs,pair-order,answer-question-words,answer-word-pairs",
    )

    def test_tasks_by_groups(self, command, tmp_path):
        shown = command("ablate", *SMALL, *self.GROUPS, "--alone", "--no-plot")
        assert shown.code == 0
        assert "left out: points of accuracy" in shown.out
        assert "alone in its stage: points of accuracy" in shown.out
        record = json.loads((tmp_path / "out/ablation/ablation.json").read_text())
        worth = {each["variant"]: each["mean_delta"] for each in record["variants"]}
        row = next(line for line in shown.out.splitlines() if line.split()[:1] == ["mean"]).split()
        assert row[2:] == [
            f"{100 * worth[f'without-{name}']:+.1f}" for name in self.GROUPS[3].split(",")
        ]
        assert not (tmp_path / "out/ablation/ablation.png").exists()

    def test_json_and_plot(self, command, tmp_path):
        pytest.importorskip("matplotlib")
        args = (*QUICK, "--tasks", "1", "--questions", 20, *self.GROUPS)
        shown = command("ablate", *args, "--json")
        assert len(json.loads(shown.out)["tasks"]) == 5
        assert (tmp_path / "out/ablation/ablation.png").stat().st_size > 5000


@pytest.mark.parametrize("name", ["run", "ablate", "curve", "compare"])
@pytest.mark.parametrize("tasks", ["0", "a", "5-3"])
def test_a_wrong_list_of_tasks_is_told_alone_even_where_something_is_finished(
    command, tmp_path, name, tasks
):
    (tmp_path / "here/units").mkdir(parents=True)
    (tmp_path / "here/units/qa1.json").write_text("{}")
    shown = command(name, "--tasks", tasks, "--out", "here", *QUICK)
    assert shown.code == 2
    assert shown.err.startswith("error: ")
    assert shown.err.count("\n") == 1


def test_ctrl_c_before_anything_is_finished_says_nothing_of_going_on(tmp_path, capsys):
    with pytest.raises(KeyboardInterrupt), told_to_people(tmp_path):
        raise KeyboardInterrupt
    assert capsys.readouterr().err == ""
    (tmp_path / "units").mkdir()
    (tmp_path / "units/qa1.json").write_text("{}")
    with pytest.raises(KeyboardInterrupt), told_to_people(tmp_path):
        raise KeyboardInterrupt
    assert "what is finished is kept" in capsys.readouterr().err


QUICKEST = {
    "run": (),
    "ablate": ("--preset", "paper", "--features", "word-pairs,answer-word-pairs", "--no-plot"),
    "curve": ("--system", "ngram", "--sizes", "10", "--no-plot"),
    "compare": ("--systems", "ngram", "--no-plot"),
}


@pytest.mark.parametrize(
    ("first", "second"),
    [("run", "curve"), ("ablate", "compare"), ("curve", "run"), ("compare", "ablate")],
)
def test_results_of_another_command_are_named_so_and_not_by_every_difference(
    command, first, second
):
    shared = (*QUICK[:4], "--tasks", 1, "--questions", 20, "--out", "here")
    assert command(first, *QUICKEST[first], *shared).code == 0
    refused = command(second, *QUICKEST[second], *shared)
    assert refused.code == 2
    assert refused.err == (
        f"error: here: holds results of `{first}`; choose another --out, or --force to start afresh\n"
    )


class TestOtherLanguages:
    @pytest.mark.parametrize("kinds", [{"coref": "sieve", "srl": "stanza"}, {"srl": "stanza"}])
    def test_stages_for_english_are_told_of(self, command, tmp_path, kinds):
        command("generate", "--tasks", 1, "--questions", 5, "--language", "hn", "--out", "hindi")
        (told,) = self.notices(Path("hindi"), kinds)
        assert told.startswith("hindi: stories in hn, but ")
        assert "--srl stanza" in told
        assert "--coref none --srl none" in told

    def test_english_and_files_of_nobody_knows_where_are_not(self, command, tmp_path):
        command("generate", "--tasks", 1, "--questions", 5, "--out", "english")
        both = {"coref": "sieve", "srl": "stanza"}
        assert not self.notices(Path("english"), both)
        (tmp_path / "english/generation.json").write_text('{"files": {"a": 3}}')
        assert not self.notices(Path("english"), both)
        assert not self.notices(None, both)

    def test_run_says_nothing_when_only_words_are_read(self, command):
        command("generate", "--tasks", 1, "--questions", 10, "--language", "hn", "--out", "hindi")
        shown = command("run", "--data", "hindi", *QUICK)
        assert shown.code == 0
        assert "stories in" not in shown.err

    def notices(self, directory, kinds):
        """Return what is told when the reading stages are made ready; nothing is read."""
        told = []
        places = dict.fromkeys(PLACE_NAMES)
        chosen = {
            "coref": "none",
            "srl": "none",
            "directory": directory,
            "no_cache": True,
            **places,
        }
        reader_of(chosen | kinds, 1, Telling(notice=told.append))
        return told


@pytest.mark.parametrize("name", ["run", "curve"])
def test_questions_of_files_are_limited_by_another_option_and_this_is_said(command, name):
    command("generate", "--tasks", "1", "--questions", 20, "--out", "stories")
    args = (name, "--data", "stories", *QUICK, *(("--sizes", "10") if name == "curve" else ()))
    told = command(*args, "--questions", 10)
    assert told.code == 0
    assert told.err.count("--questions is for simulated stories") == 1
    assert "--limit" in told.err
    assert "--questions" not in command(*args, "--limit", 10, "--force").err


@pytest.mark.parametrize(
    ("args", "heads"),
    [
        (("ablate", "--no-plot"), ("all", "recency", "adjacency", "mentions")),
        (("curve", "--no-plot", "--system", "ngram", "--sizes", "5,10,20,30,40", "--seeds", "3"),
         ("5", "10", "20", "30", "40", "paper")),
    ],
)  # fmt: skip
def test_a_wide_table_on_a_narrow_terminal_is_split_and_not_cut(command, monkeypatch, args, heads):
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    monkeypatch.setenv("TERM", "dumb")
    monkeypatch.setenv("COLUMNS", "80")
    options = SMALL if args[0] == "ablate" else (*SMALL[:4], *SMALL[6:])
    table = command(*args, *options).out.partition("\nout/")[0]
    assert "…" not in table
    assert max(map(len, table.splitlines())) <= 80
    assert set(heads) <= set(table.split())
    rows = [line.split()[:2] for line in table.splitlines() if "yes-no" in line]
    assert len(rows) > 1
    assert all(row == ["6", "yes-no-questions"] for row in rows)


FOUR_TASKS = ("run", *QUICK, "--tasks", "1,6,11,15", "--questions", "60", "--out", "here")


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory):
    """A run that nobody stopped, and how long it took."""
    folder = tmp_path_factory.mktemp("undisturbed")
    begun = time.monotonic()
    process = started(folder, *FOUR_TASKS)
    _, errors = process.communicate(timeout=300)
    assert process.returncode == 0, errors
    return SimpleNamespace(out=folder / "here", seconds=time.monotonic() - begun)


@pytest.mark.skipif(os.name != "posix", reason="signals")
class TestStopping:
    @pytest.mark.parametrize("jobs", [1, 2])
    def test_killed_at_any_moment_it_goes_on(self, undisturbed, tmp_path, jobs):
        dice = random.Random(jobs)
        kept = {}
        for _ in range(4):
            process = started(tmp_path, *FOUR_TASKS, "--jobs", jobs)
            time.sleep(dice.uniform(0.3, 1.0) * undisturbed.seconds)
            os.killpg(process.pid, signal.SIGKILL)
            process.communicate()
            units = {path: path.read_bytes() for path in tmp_path.glob("here/units/*.json")}
            assert all(units.get(path) == content for path, content in kept.items())
            kept = units
        process = started(tmp_path, *FOUR_TASKS, "--jobs", jobs)
        _, errors = process.communicate(timeout=300)
        assert process.returncode == 0, errors
        for path, content in kept.items():
            assert path.read_bytes() == content, "done twice"
        assert not difference(undisturbed.out, tmp_path / "here")

    @pytest.mark.parametrize("jobs", [1, 2])
    def test_ctrl_c_says_how_to_go_on(self, undisturbed, tmp_path, jobs):
        process = started(tmp_path, *FOUR_TASKS, "--jobs", jobs)
        wait_for(lambda: list(tmp_path.glob("here/units/*.json")) or process.poll() is not None)
        os.killpg(process.pid, signal.SIGINT)
        _, errors = process.communicate(timeout=60)
        if process.returncode == 0:
            pytest.skip("it was done before it could be stopped")
        assert process.returncode == 130
        assert "the same command goes on from there" in errors
        # A worker that is only just starting is not ours yet: Python itself tells of its end.
        starting = r"Process LokyProcess-\d+:\nTraceback.*?KeyboardInterrupt[^\n]*\n"
        assert "Traceback" not in re.sub(starting, "", errors, flags=re.DOTALL)
        for path in tmp_path.glob("here/units/*.json"):
            assert timeless(path) == timeless(undisturbed.out / "units" / path.name)


@pytest.mark.skipif(os.name != "posix", reason="limits")
class TestFullDisk:
    """A file may grow to some kilobytes only: the records of small tasks fit, those of large ones do not."""

    LIMIT = (
        "import resource, sys; resource.setrlimit(resource.RLIMIT_FSIZE, (9000, 9000)); "
        "from babi_cascade.app.cli import main; main()"
    )

    def limited(self, tmp_path, *args):
        return subprocess.run(
            [sys.executable, "-B", "-c", self.LIMIT, *map(str, args)], cwd=tmp_path, text=True,
            env={**os.environ, "PYTHONPATH": str(ROOT)}, capture_output=True, timeout=120,
        )  # fmt: skip

    def test_what_is_finished_stays_and_the_way_to_go_on_is_told(self, command, tmp_path):
        command("generate", "--tasks", "1", "--questions", 20, "--out", "stories")
        command("generate", "--tasks", "6", "--questions", 200, "--out", "more")
        for path in (tmp_path / "more").glob("qa*"):
            path.rename(tmp_path / "stories" / path.name)
        args = ("run", "--data", "stories", *QUICK, "--out", "here")
        shown = self.limited(tmp_path, *args)
        assert shown.returncode == 2
        *_, first, second = shown.stderr.splitlines()
        assert first == "here: what is finished is kept; the same command goes on from there"
        assert second.startswith(
            "error: here/predictions/qa6.jsonl: found an error (File too large)"
        )
        kept = (tmp_path / "here/units/qa1.json").read_bytes()
        assert not list(tmp_path.glob("here/*/.*"))
        assert command(*args).code == 0
        assert (tmp_path / "here/units/qa1.json").read_bytes() == kept
        assert len((tmp_path / "here/predictions/qa6.jsonl").read_text().splitlines()) == 200

    def test_a_model_that_does_not_fit_is_told_and_leaves_the_old_one(self, command, tmp_path):
        command("generate", "--tasks", "1", "--questions", 20, "--out", "stories")
        (tmp_path / "m").write_text("old")
        shown = self.limited(tmp_path, "train", "stories", "-m", "m", *QUICK)
        assert (shown.returncode, shown.stderr.count("\n")) == (2, 1)
        assert "m: the model cannot be written: File too large" in shown.stderr
        assert (tmp_path / "m").read_text() == "old"
        assert sorted(path.name for path in tmp_path.iterdir()) == ["m", "stories"]


def test_an_interruption_that_the_learner_swallows_still_ends_the_run():
    before = signal.getsignal(signal.SIGINT)
    with pytest.raises(KeyboardInterrupt), stopping_for_good(), suppress(KeyboardInterrupt):
        signal.raise_signal(signal.SIGINT)
    assert signal.getsignal(signal.SIGINT) is before
    with stopping_for_good():
        pass


def wait_for(condition, seconds=120):
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.02)
