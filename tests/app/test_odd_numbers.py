"""Results with figures that are no numbers: reports, scores and resumed runs say so and show none of them."""

from __future__ import annotations

import json

import pytest

from babi_cascade.app.cli import main
from babi_cascade.app.results.records import TaskResult, load_json, save_json
from babi_cascade.errors import UserError
from babi_cascade.pipeline.stories.strict_json import JsonError

QUICK = ("--coref", "none", "--srl", "none", "--cost", "0.1", "--no-cache")
ODD = [float("nan"), float("inf"), "nan", "0.5", True, 1.5, -0.1, 10**400, None, [], "\ud800"]


@pytest.fixture(scope="module")
def done(tmp_path_factory):
    """A finished run."""
    out = tmp_path_factory.mktemp("odd") / "out"
    assert called("run", "--tasks", "1", "--questions", "10", *QUICK, "--out", out) == 0
    return out


@pytest.fixture
def folder(done, tmp_path):
    """A copy of it that may be changed."""
    import shutil

    return shutil.copytree(done, tmp_path / "out")


def called(*arguments: object) -> int:
    with pytest.raises(SystemExit) as left:
        main([str(each) for each in arguments])
    return int(left.value.code or 0)


@pytest.mark.parametrize("value", ODD, ids=[repr(each)[:9] for each in ODD])
@pytest.mark.parametrize("name", ["accuracy", "support_accuracy", "n_test", "seconds"])
def test_a_run_does_a_unit_with_odd_figures_anew(value, name, folder, capsys):
    unit = folder / "units" / "qa1.json"
    record = json.loads(unit.read_text())
    before = record["result"]["accuracy"]
    record["result"][name] = (
        {"annotate": value, "fit": 0, "predict": 0} if name == "seconds" else value
    )
    unit.write_text(json.dumps(record))
    sound = {"support_accuracy": [None], "seconds": [1.5, -0.1]}
    again = value not in sound.get(name, [])
    assert called("run", "--tasks", "1", "--questions", "10", *QUICK, "--out", folder) == 0
    shown = capsys.readouterr()
    assert ("damaged, done anew" in shown.err) == again
    assert "nan" not in shown.out
    assert "inf" not in shown.out
    assert load_json(unit)["result"]["accuracy"] == before


@pytest.mark.parametrize("number", ["NaN", "Infinity", "-Infinity", "1e999"])
def test_a_report_and_a_score_name_the_line(number, folder, capsys):
    path = folder / "predictions" / "qa1.jsonl"
    lines = path.read_text().splitlines()
    lines[1] = lines[1].replace('"score": ', f'"score": {number}, "other": ')
    path.write_text("\n".join(lines))
    stories = folder / "stories"
    for command in (("report", folder, "--explain", "0"), ("score", path, stories)):
        assert called(*command) == 2
        said = capsys.readouterr().err
        assert "qa1.jsonl:2: found " in said
        assert "expected finite numbers" in said
        assert said.count("\n") == 1


@pytest.mark.parametrize("number", ["NaN", "Infinity", "1e999", "9" * 400])
def test_a_report_names_the_record(number, folder, capsys):
    path = folder / "results.json"
    path.write_text(
        path.read_text().replace('"mean_accuracy": ', f'"mean_accuracy": {number}, "x": ')
    )
    assert called("report", folder, "--explain", "0") == 2
    said = capsys.readouterr().err
    assert said.startswith(f"error: {path}: found ")
    assert said.count("\n") == 1


def test_lone_surrogates_and_orders_are_shown_as_escapes(folder):
    results = folder / "results.json"
    record = json.loads(results.read_text())
    record["tasks"][0]["name"] = "\ud800\u202e\x1b[2J"
    results.write_text(json.dumps(record))
    predictions = folder / "predictions" / "qa1.jsonl"
    first, *rest = predictions.read_text().splitlines()
    odd = {**json.loads(first), "answer": "\udfff\u2066", "id": "\ud800"}
    predictions.write_text("\n".join([json.dumps(odd), *rest]))
    assert called("report", folder, "--explain", "0") == 0
    page = (folder / "report.html").read_text(encoding="utf-8")
    assert r"\ud800\u202e\x1b[2J" in page
    assert r"\\udfff\\u2066" in page
    assert "\u202e" not in page


def test_a_folder_whose_name_is_no_utf8_works_throughout(tmp_path, capsys):
    out = tmp_path / "out\udcff"
    stories = tmp_path / "stories\udcfe"
    assert called("generate", "--tasks", "1", "--questions", "10", "--out", stories) == 0
    for _ in range(2):
        assert called("run", "--data", stories, *QUICK, "--out", out) == 0
    assert load_json(out / "results.json")["data"] == str(stories)
    assert called("report", out, "--explain", "1", "--no-cache") == 0
    shown = capsys.readouterr()
    assert r"out\udcff" in shown.out
    assert "No explanations" not in shown.err


def test_what_is_not_finite_is_not_saved(tmp_path):
    with pytest.raises(JsonError):
        save_json(tmp_path / "unit.json", {"accuracy": float("nan")})
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("value", [float("nan"), "nan", 1.01, -0.01, True, None])
def test_an_accuracy_is_a_share(value):
    stage = {"cost": 1.0, "gap": 0.0, "converged": True, "features": 1, "seconds": 0.0}
    record = {
        "task": 1, "name": "a", "n_train": 1, "n_test": 1, "accuracy": 1.0, "support_accuracy": None,
        "gold_support_accuracy": None, "support_stage": stage, "answer_stage": stage,
        "seconds": {"annotate": 0.0, "fit": 0.0, "predict": 0.0}, "fit_cpu_seconds": 0.0,
    }  # fmt: skip
    assert TaskResult.from_json(record).accuracy == 1.0
    with pytest.raises(UserError, match="no record of a task"):
        TaskResult.from_json({**record, "accuracy": value})
