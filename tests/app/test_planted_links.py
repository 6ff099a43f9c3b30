"""Folders that somebody else prepared: links in the place of results lead nowhere."""

from __future__ import annotations

import os
from collections.abc import Iterator
from fnmatch import fnmatchcase
from importlib import import_module
from pathlib import Path

import pytest

from babi_cascade.app.cli import main
from babi_cascade.app.experiments.folder import TABLES
from babi_cascade.app.results.table import Table
from babi_cascade.errors import UserError
from babi_cascade.pipeline.stories.saving import drafted, refuse_links_out, replacing

QUICK = ("--coref", "none", "--srl", "none", "--cost", "0.1", "--no-cache")
SECRET = "nobody may touch this\n"
RUN = ("run", "--tasks", "1", "--questions", "10", *QUICK)


@pytest.fixture
def outside(tmp_path):
    """A folder that no command was told of."""
    folder = tmp_path / "outside"
    (folder / "units").mkdir(parents=True)
    for path in (
        folder / "secret",
        folder / "units" / "qa1.json",
        folder / ".0123456789abcdef.tmp",
    ):
        path.write_text(SECRET)
    return folder


def state(folder: Path) -> dict[str, str]:
    return {str(path): path.read_text() for path in sorted(folder.rglob("*")) if path.is_file()}


def call(*arguments: object) -> int:
    with pytest.raises(SystemExit) as left:
        main([str(each) for each in arguments])
    return int(left.value.code or 0)


@pytest.mark.parametrize("command", [
    RUN, (*RUN, "--force"), ("ablate", *RUN[1:], "--preset", "paper", "--no-plot"),
    ("compare", *RUN[1:5], "--systems", "ngram"), ("curve", *RUN[1:5], "--system", "ngram", "--sizes", "5"),
])  # fmt: skip
@pytest.mark.parametrize("name", [
    "units", "predictions", "errors", "stories", "results.json", "ablation.json", "compare.json", "curve.csv",
    "resources.json", "resources.md",
    "units/qa1.json", "predictions/qa1.jsonl", "errors/qa1.txt", ".lock",
])  # fmt: skip
@pytest.mark.parametrize("target", ["", "secret", "new"])
def test_a_run_refuses_links_out_of_its_folder(command, name, target, outside, tmp_path, capsys):
    out = tmp_path / "out"
    (out / name).parent.mkdir(parents=True)
    (out / name).symlink_to(outside / target)
    before = state(outside)
    assert call(*command, "--out", out) == 2
    said = capsys.readouterr().err
    assert f"{out / name}: found a link that leads out of {out}" in said
    assert said.count("\n") == 1
    assert state(outside) == before


@pytest.mark.parametrize("name", ["seeds.json", "seed-0", "seed-1/results.json"])
def test_runs_with_several_seeds_refuse_them_too(name, outside, tmp_path, capsys):
    out = tmp_path / "out"
    (out / name).parent.mkdir(parents=True)
    (out / name).symlink_to(outside)
    before = state(outside)
    assert call(*RUN, "--seeds", "2", "--out", out) == 2
    assert "found a link that leads out of" in capsys.readouterr().err
    assert state(outside) == before


def tables(kind: type[Table] = Table) -> Iterator[type[Table]]:
    for each in kind.__subclasses__():
        yield each
        yield from tables(each)


def test_every_table_is_among_the_files_that_are_looked_at():
    import_module("babi_cascade.app.experiments")
    names = {kind.file for kind in tables()}
    assert names >= {"results.json", "resources.json"}
    assert [n for n in names if not any(fnmatchcase(n, each) for each in TABLES)] == []


def test_other_links_are_the_users_own_and_are_left_alone(outside, tmp_path):
    out = tmp_path / "out"
    out.mkdir()
    (out / "notes").symlink_to(outside)
    before = state(outside)
    assert call(*RUN, "--out", out) == 0
    assert state(outside) == before


def test_the_folder_itself_may_be_a_link(tmp_path):
    (tmp_path / "disk").mkdir()
    (tmp_path / "out").symlink_to(tmp_path / "disk")
    assert call(*RUN, "--out", tmp_path / "out") == 0
    assert (tmp_path / "disk" / "results.json").is_file()


def test_the_other_commands_do_not_follow_links_either(outside, tmp_path, capsys):
    out, before = tmp_path / "out", state(outside)
    assert call(*RUN, "--out", out) == 0
    (out / "report.html").symlink_to(outside / "secret")
    assert call("report", out, "--explain", "0") == 2
    assert "found a link that leads out" in capsys.readouterr().err
    (out / "report.html").unlink()
    (out / "explained").symlink_to(outside)
    assert call("report", out, "--explain", "2", "--no-cache") == 0
    assert state(outside) == before
    stories = out / "stories"
    train = next(stories.glob("*_train.txt"))
    train.unlink()
    train.symlink_to(outside / "secret")
    assert call("generate", "--tasks", "1", "--questions", "10", "--out", stories, "--force") == 0
    (tmp_path / "model").symlink_to(outside / "secret")
    assert call("train", stories, *QUICK, "-m", tmp_path / "model") == 0
    assert not (tmp_path / "model").is_symlink()
    assert state(outside) == before


def test_a_file_that_the_user_names_may_be_a_link(outside, tmp_path):
    (tmp_path / "link").symlink_to(outside / "secret")
    with replacing(tmp_path / "link") as stream:
        stream.write("mine\n")
    assert (outside / "secret").read_text() == "mine\n"


def test_links_in_a_circle_are_no_obstacle_and_no_crash(tmp_path):
    loop = tmp_path / "results.json"
    loop.symlink_to(loop)
    refuse_links_out(tmp_path, ["results.json"])
    with replacing(loop) as stream:
        stream.write("whole\n")
    assert loop.read_text() == "whole\n"


def test_nobody_can_guess_the_name_of_a_draft(tmp_path):
    names = set()
    for _ in range(3):
        with drafted(tmp_path / "picture.png") as draft:
            names.add(draft.name)
            draft.write_bytes(b"")
    assert len(names) == 3
    assert not any(str(os.getpid()) in name for name in names)


def test_a_link_below_an_own_folder_is_refused_too(outside, tmp_path):
    (tmp_path / "out" / "units").mkdir(parents=True)
    (tmp_path / "out" / "units" / "any.json").symlink_to(outside / "new")
    with pytest.raises(UserError, match="leads out"):
        refuse_links_out(tmp_path / "out", (), ["units"])
