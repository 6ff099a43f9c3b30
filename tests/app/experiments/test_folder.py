"""The folder of a run: what is finished is taken over, what belongs to other settings is refused."""

from __future__ import annotations

import pytest

from babi_cascade.app.experiments.folder import RunFolder
from babi_cascade.app.results.records import StageResult, TaskResult
from babi_cascade.errors import UserError

STAGE = StageResult(0.1, 0.0009, True, 120, 1.0)


def result(task):
    return TaskResult(task, "some-task", 10, 20, 0.9, 0.8, 1.0, STAGE, STAGE)


def settings(**own):
    """Return the settings of a unit, in sections as a run writes them."""
    every = {"seed": 0, "files": "d1", **own}
    data = {"files": every.pop("files")}
    return {"system": "cascade", "parameters": every, "data": data, "version": "1"}


def shared(**own):
    """Return those that all units of a folder have."""
    return {"system": "cascade", "seed": 0, "version": "1", **own}


@pytest.fixture
def folder(tmp_path):
    made = RunFolder(tmp_path, "run")
    made.save_unit("qa1", settings(), result(1))
    return made


def test_a_finished_unit_is_found(folder):
    assert folder.done(["qa1", "qa2"]).keys() == {"qa1"}


def test_a_unit_whose_predictions_are_gone_is_not_finished(folder):
    def done():
        return folder.done(["qa1"], with_predictions=True)

    assert not done()
    folder.save_predictions(1, [{"id": "q1", "answer": "x"}])
    assert done().keys() == {"qa1"}


@pytest.mark.parametrize("content", ["", "{}", '{"format": 2, "result": 3}', "\x00\x01"])
def test_a_damaged_unit_is_said_and_done_anew(folder, content):
    path = folder.path / "units/qa1.json"
    path.write_text(content)
    said = []
    assert folder.done(["qa1"], notice=said.append) == {}
    assert "qa1.json: damaged" in said[0]


def test_other_settings_are_refused_with_the_difference(folder):
    with pytest.raises(UserError, match=r"qa1\.json.*seed 1 instead of 0.*--force"):
        folder.refuse_others(shared(seed=1), {"qa1": settings(seed=1)})
    folder.refuse_others(shared(), {"qa1": settings()})


def test_another_task_may_have_other_data_but_no_other_settings(folder):
    folder.refuse_others(shared(), {"qa2": settings(files="d2")})
    with pytest.raises(UserError, match="files d2 instead of d1"):
        folder.refuse_others(shared(), {"qa1": settings(files="d2")})
    with pytest.raises(UserError, match="seed 1"):
        folder.refuse_others(shared(seed=1), {"qa2": settings(files="d2", seed=1)})


def test_units_of_another_command_or_of_an_earlier_format_are_refused_as_such(folder):
    other = RunFolder(folder.path, "curve")
    with pytest.raises(UserError, match="holds results of `run`; choose another --out, or --force"):
        other.refuse_others(shared())
    (folder.path / "units/qa1.json").write_text('{"signature": "seed:0", "result": {}}')
    with pytest.raises(UserError, match=r"an earlier version \(qa1\.json\); choose another --out"):
        folder.refuse_others(shared())


def test_starting_afresh_removes_nothing_of_the_users(folder):
    mine = folder.path / "notes.txt"
    mine.write_text("keep")
    (folder.path / "units/readme.md").write_text("keep")
    folder.save_predictions(1, [])
    folder.clear()
    left = sorted(path.name for path in folder.path.rglob("*") if path.is_file())
    assert left == ["notes.txt", "readme.md"]
