"""The folder of a run: what is finished is taken over, what belongs to other settings is refused."""

from __future__ import annotations

import pytest

from babi_cascade.app.experiments.errors import TrackError
from babi_cascade.app.experiments.folder import RunFolder
from babi_cascade.app.results import Signature, StageResult, TaskResult

STAGE = StageResult(0.1, 0.0009, True, 120, 1.0)


def result(task):
    return TaskResult(task, "some-task", 10, 20, 0.9, 0.8, 1.0, STAGE, STAGE)


def signature(**settings):
    return Signature.of({"system": "cascade", "seed": 0, "data": "d1", **settings})


@pytest.fixture
def folder(tmp_path):
    made = RunFolder(tmp_path)
    made.save_unit("qa1", signature(), result(1))
    return made


def test_a_finished_unit_is_found(folder):
    assert folder.done({"qa1": signature(), "qa2": signature()}).keys() == {"qa1"}


def test_a_unit_whose_predictions_are_gone_is_not_finished(folder):
    def done():
        return folder.done(
            {"qa1": signature()}, needs=lambda result: folder.predictions(result.task)
        )

    assert not done()
    folder.save_predictions(1, [{"id": "q1", "answer": "x"}])
    assert done().keys() == {"qa1"}


@pytest.mark.parametrize("content", ["", "{}", '{"signature": "x", "result": 3}', "\x00\x01"])
def test_a_damaged_unit_is_said_and_done_anew(folder, content):
    path = folder.path / "units/qa1.json"
    path.write_text(content)
    said = []
    assert folder.done({"qa1": signature()}, notice=said.append) == {}
    assert "qa1.json: damaged" in said[0]


def test_other_settings_are_refused_with_the_difference(folder):
    with pytest.raises(TrackError, match=r"qa1\.json.*seed 1 instead of 0.*--force"):
        folder.refuse_others(signature(seed=1), {"qa1": signature(seed=1)})
    folder.refuse_others(signature(), {"qa1": signature()})


def test_another_task_may_have_other_data_but_no_other_settings(folder):
    wanted = {"qa2": signature(data="d2")}
    folder.refuse_others(signature(data="d2"), wanted)
    with pytest.raises(TrackError, match="data d2 instead of d1"):
        folder.refuse_others(signature(data="d2"), {"qa1": signature(data="d2")})
    with pytest.raises(TrackError, match="seed 1"):
        folder.refuse_others(signature(data="d2", seed=1), {"qa2": signature(data="d2", seed=1)})


def test_starting_afresh_removes_nothing_of_the_users(folder):
    mine = folder.path / "notes.txt"
    mine.write_text("keep")
    (folder.path / "units/readme.md").write_text("keep")
    folder.save_predictions(1, [])
    folder.clear()
    left = sorted(path.name for path in folder.path.rglob("*") if path.is_file())
    assert left == ["notes.txt", "readme.md"]
