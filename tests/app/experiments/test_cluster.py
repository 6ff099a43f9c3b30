"""Runs on a Dask cluster: a real scheduler and real workers on loopback, some of which do not live long."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path
from types import SimpleNamespace

import pytest

from babi_cascade.app.cli import main
from babi_cascade.app.experiments import (
    AblationPlan,
    ComparisonPlan,
    CurvePlan,
    DataSource,
    Engine,
    RunPlan,
    Settings,
    cluster,
    run_plan,
)
from babi_cascade.app.experiments.pool import LOCAL, work_through
from babi_cascade.app.experiments.progress import Telling
from babi_cascade.app.experiments.systems import systems_called
from babi_cascade.errors import UserError
from babi_cascade.pipeline.read import StoryReader
from scripts.survive_kills import difference, timeless

pytest.importorskip("distributed", reason="needs the extra dask")

ROOT = Path(__file__).parents[3]
SOURCE = DataSource(tasks=[1, 6, 11, 15], questions=40)
SETTINGS = Settings(cost=0.1)
WORDS = StoryReader()


class Processes:
    """A scheduler on loopback and workers that come and go."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.file = folder / "scheduler.json"
        self.started: list[subprocess.Popen[bytes]] = []
        self._start("scheduler", "--port", "0", "--scheduler-file", str(self.file))
        wait_for(lambda: self.file.exists() and self.file.read_text().endswith("}"))
        self.address = json.loads(self.file.read_text())["address"]

    def worker(self, *options: str) -> subprocess.Popen[bytes]:
        name = f"worker-{len(self.started)}"
        return self._start("worker", self.address, "--nthreads", "1", "--name", name,
                           "--local-directory", str(self.folder), *options)  # fmt: skip

    def workers(self, number: int, *options: str) -> list[subprocess.Popen[bytes]]:
        """Start workers, wait for them, and return them."""
        made = [self.worker(*options) for _ in range(number)]
        with cluster.client_of(self.address) as client:
            client.wait_for_workers(number, timeout=60)
        return made

    def _start(self, *args: str) -> subprocess.Popen[bytes]:
        process = subprocess.Popen(
            [sys.executable, "-m", "dask", *args, "--host", "127.0.0.1", "--no-dashboard"],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, cwd=self.folder,
            env={**os.environ, "PYTHONPATH": str(ROOT), "OMP_NUM_THREADS": "1",
                 "DASK_DISTRIBUTED__SCHEDULER__ALLOWED_FAILURES": "1"},
        )  # fmt: skip
        self.started.append(process)
        return process

    def end(self, first: int) -> None:
        for process in reversed(self.started[first:]):
            process.terminate()  # a nanny takes its worker along
            process.wait()
        del self.started[first:]


@pytest.fixture(scope="module")
def scheduler(tmp_path_factory):
    processes = Processes(tmp_path_factory.mktemp("dask"))
    yield processes
    processes.end(0)


@pytest.fixture
def dask(scheduler):
    yield scheduler
    scheduler.end(1)


@pytest.fixture(scope="module")
def local(tmp_path_factory):
    """The same run on this machine."""
    out = tmp_path_factory.mktemp("local")
    run_plan(RunPlan(SETTINGS), SOURCE, WORDS, out)
    return out


def wait_for(condition, seconds=60):
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.02)


def command(capsys, *args):
    with pytest.raises(SystemExit) as stopped:
        main([str(arg) for arg in args])
    shown = capsys.readouterr()
    return SimpleNamespace(code=stopped.value.code, out=shown.out, err=shown.err)


def test_a_run_with_one_of_two_workers_killed_gives_the_same_as_here(dask, local, tmp_path):
    first, _second = dask.workers(2, "--no-nanny")
    process = subprocess.Popen(
        [sys.executable, "-c", "from babi_cascade.app.cli import main; main()", "run", "--tasks", "1,6,11,15",
         "--questions", "40", "--cost", "0.1", "--coref", "none", "--srl", "none", "--out", "here",
         "--engine", "dask", "--scheduler", dask.address],
        cwd=tmp_path, env={**os.environ, "PYTHONPATH": str(ROOT)}, stderr=subprocess.PIPE,
        stdout=subprocess.DEVNULL, text=True,
    )  # fmt: skip
    with cluster.client_of(dask.address) as client:
        (busy,) = (
            a for a, w in client.scheduler_info()["workers"].items() if w["id"] == "worker-1"
        )
        wait_for(lambda: client.processing()[busy])
        os.kill(first.pid, signal.SIGKILL)
    _, errors = process.communicate(timeout=120)
    assert process.returncode == 0, errors
    assert not difference(local, tmp_path / "here")


def test_ablations_wait_for_the_first_worker_of_a_scheduler_that_a_file_names(dask, tmp_path):
    settings = Settings(
        "paper", cost=0.1, features=("word-pairs", "pair-order", "answer-word-pairs")
    )
    source = DataSource(tasks=[1], questions=20)
    said = []

    def join(what, done, total):
        if (what, done) == ("training", 0):
            dask.worker("--no-nanny")

    telling = Telling(join, said.append)
    engine = Engine(str(dask.file))
    plan = AblationPlan(settings)
    there = run_plan(plan, source, WORDS, tmp_path / "a", engine=engine, telling=telling)
    here = run_plan(plan, source, WORDS, tmp_path / "b")
    assert "no worker is there yet" in said[0]
    assert timeless(tmp_path / "a/ablation.csv") == timeless(tmp_path / "b/ablation.csv")
    assert there.mean_accuracy("all") == here.mean_accuracy("all")


def test_systems_and_curves_with_one_of_two_workers_killed_give_the_same_as_here(dask, tmp_path):
    first, _second = dask.workers(2, "--no-nanny")
    source = DataSource(tasks=[1, 6], questions=20)
    systems = systems_called("ngram,memnn,lstm,cascade-paper", cost=0.1)
    ngram, memnn = systems[:2]

    def lose(what, done, total):
        if done == 1 and first.poll() is None:
            first.kill()

    for name, engine in (("here", LOCAL), ("there", Engine(dask.address))):
        telling = Telling(done=lose if name == "there" else lambda *_: None)
        plan = ComparisonPlan(systems, (0,), ngram, CurvePlan(memnn, (10, 20)))
        table = run_plan(plan, source, WORDS, tmp_path / name, engine=engine, telling=telling)
        assert not table.not_done
    assert first.poll() is not None
    assert not difference(tmp_path / "here", tmp_path / "there")


def test_a_unit_that_kills_its_workers_takes_no_other_with_it(dask):
    dask.workers(2, "--nanny")
    deadly = "__import__('time').sleep(0.5) or __import__('os')._exit(3)"
    units = [("deadly", deadly), *((f"sound {number}", f"abs(-{number})") for number in range(4))]
    found = {done.name: done for done in work_through(eval, units, engine=Engine(dask.address))}
    assert "every worker that tried it died" in found["deadly"].error
    assert [found[f"sound {number}"].result for number in range(4)] == [0, 1, 2, 3]


def test_workers_of_another_version_are_refused(dask, monkeypatch):
    dask.workers(1, "--no-nanny")
    monkeypatch.setattr(cluster, "version", lambda: "0.0.9")
    cluster.versions.cache_clear()
    try:
        with pytest.raises(
            UserError, match=r"worker tcp://.* has babi-cascade .* instead of 0\.0\.9"
        ):
            Engine(dask.address).check(lambda line: None)
        (done,) = work_through(abs, [("late", -1)], engine=Engine(dask.address))
        assert "instead of 0.0.9; results would not be comparable" in done.error
    finally:
        cluster.versions.cache_clear()


def test_workers_without_what_a_system_learns_with_are_refused(dask, monkeypatch):
    dask.workers(1, "--no-nanny")
    here = {"scikit-learn": "0.1", "gears": "3"}
    found = cluster.metadata.version
    monkeypatch.setattr(
        cluster.metadata, "version", lambda name: here[name] if name in here else found(name)
    )
    cluster.versions.cache_clear()
    try:
        engine = Engine(dask.address, ("scikit-learn", "gears"))
        with pytest.raises(
            UserError, match=r"has scikit-learn \d.* instead of 0\.1, no gears instead of 3"
        ):
            engine.check(lambda line: None)
        (done,) = work_through(abs, [("late", -1)], engine=engine)
        assert "no gears instead of 3; results would not be comparable" in done.error
        Engine(dask.address).check(lambda line: None)  # for others they will do
    finally:
        cluster.versions.cache_clear()


def test_a_lost_scheduler_is_told_and_what_is_done_stays(scheduler, local, tmp_path):
    scheduler.workers(1, "--no-nanny")
    said = []

    def lose(what, done, total):
        if done == 1:
            scheduler.started[0].kill()

    engine, telling = Engine(scheduler.address), Telling(notice=said.append, done=lose)
    plan = RunPlan(SETTINGS)
    result = run_plan(plan, SOURCE, WORDS, tmp_path, engine=engine, telling=telling)
    assert 1 <= len(result.done) < 4
    assert "could not be done: the scheduler was lost" in said[-1]
    assert (tmp_path / "errors").is_dir()
    shutil.rmtree(tmp_path / "errors")
    run_plan(plan, SOURCE, WORDS, tmp_path)  # goes on here
    assert not difference(local, tmp_path)


@pytest.mark.parametrize("name", ["run", "compare", "curve"])
@pytest.mark.parametrize(
    ("args", "said"),
    [
        (["--engine", "dask"], "--engine dask needs --scheduler ADDRESS"),
        (["--scheduler", "tcp://127.0.0.1:1"], "--scheduler is for --engine dask"),
        (["--engine", "dask", "--scheduler", "http://::x"], "no scheduler answers there"),
        (
            ["--engine", "dask", "--scheduler", "tcp://127.0.0.1:1"],
            "start one with: dask scheduler",
        ),
    ],
)
def test_a_cluster_that_is_not_there_is_told_before_any_work(
    capsys, tmp_path, monkeypatch, name, args, said
):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(cluster, "PATIENCE", 1)
    shown = command(capsys, name, "--coref", "none", "--srl", "none", *args)
    assert (shown.code, shown.err.count("\n")) == (2, 1)
    assert said in shown.err
    assert not list(tmp_path.iterdir())


def test_without_dask_the_command_that_gets_it_is_named(monkeypatch):
    monkeypatch.setattr(cluster, "find_spec", lambda name: None)
    with pytest.raises(UserError, match=r"pip install .*\[dask\]"):
        Engine("tcp://127.0.0.1:1").check(lambda line: None)
