"""What folders hold is read leniently; a folder that holds nothing is refused with a reason."""

from __future__ import annotations

import json

import pytest

from babi_cascade.app.report.folders import read_folders
from babi_cascade.app.results.table import FORMAT
from babi_cascade.errors import UserError

TASK = {"task": 1, "name": "somewhere", "accuracy": 0.5}


def write(path, record):
    path.parent.mkdir(parents=True, exist_ok=True)
    if isinstance(record, dict):
        record = {"format": FORMAT, **record}
    path.write_text(record if isinstance(record, str) else json.dumps(record))


def test_a_run_as_run_writes_it(run_folder):
    (run,) = read_folders([run_folder]).runs
    assert [task.task for task in run.tasks] == [1, 6]
    assert run.name == "small"
    assert run.tasks[0].seconds.keys() == {"annotate", "fit", "predict"}
    assert [stage.cost for stage in run.tasks[0].stages] == [0.1, 0.1]
    record = json.loads((run_folder / "results.json").read_text())
    assert run.mean_accuracy == record["mean_accuracy"]


def test_a_record_with_little_in_it_is_enough_and_the_unknown_is_skipped(tmp_path):
    write(tmp_path / "results.json", {"tasks": [TASK, {"task": "x"}, 7], "later": {"more": 1}})
    (run,) = read_folders([tmp_path]).runs
    assert [(task.task, task.passed) for task in run.tasks] == [(1, False)]
    assert run.tasks[0].support_accuracy is None


def test_a_comparison_is_one_run_a_system_with_the_mean_of_its_seeds(tmp_path):
    scores = [
        {**TASK, "system": "a", "seed": 0},
        {**TASK, "system": "a", "seed": 1, "accuracy": 1.0},
        {**TASK, "system": "b", "seed": 0},
    ]
    write(tmp_path / "compare.json", {"systems": [], "tasks": scores, "data": "d"})
    runs = read_folders([tmp_path]).runs
    assert [(run.name, run.tasks[0].accuracy) for run in runs] == [("a", 0.75), ("b", 0.5)]


def test_runs_in_folders_below_are_found_and_names_are_distinct(tmp_path):
    for name in ("x/one", "y/one"):
        write(tmp_path / name / "results.json", {"tasks": [TASK]})
    found = read_folders([tmp_path / "x", tmp_path / "y"])
    assert [run.name for run in found.runs] == ["one", "one (2)"]


ABLATION = {
    "variants": [{"variant": "without-g", "kind": "without", "stage": "support", "group": "g"}],
    "tasks": [],
}


def test_everything_in_folders_below_is_found_by_its_place(tmp_path):
    write(tmp_path / "small/results.json", {"tasks": [TASK]})
    write(tmp_path / "paper/small/results.json", {"tasks": [TASK]})
    write(tmp_path / "ablation/ablation.json", ABLATION)
    write(tmp_path / "compare/compare.json", {"tasks": [{**TASK, "system": "s"}]})
    write(tmp_path / "compare/curve-s/curve.json", {"tasks": [{**TASK, "n_train": 9}]})
    write(tmp_path / "small/stories/results.json", {"what": "no results of ours"})
    found = read_folders([tmp_path])
    assert [run.name for run in found.runs] == ["s", "paper/small", "small"]
    assert [run.folder for run in found.runs][1:] == [tmp_path / "paper/small", tmp_path / "small"]
    assert [ablation.name for ablation in found.ablations] == ["ablation"]
    assert [point.n_train for point in found.points] == [9]


def test_ablations_of_one_name_are_told_apart(tmp_path):
    for name in ("x/one", "y/one"):
        write(tmp_path / name / "ablation.json", ABLATION)
    found = read_folders([tmp_path / "x/one", tmp_path / "y/one"])
    assert [ablation.name for ablation in found.ablations] == ["one", "one (2)"]


def test_a_link_is_followed_but_not_in_circles(tmp_path):
    write(tmp_path / "elsewhere/results.json", {"tasks": [TASK]})
    (tmp_path / "out").mkdir()
    (tmp_path / "out/linked").symlink_to(tmp_path / "elsewhere")
    (tmp_path / "elsewhere/back").symlink_to(tmp_path / "out")
    assert [run.name for run in read_folders([tmp_path / "out"]).runs] == ["linked"]


def test_the_message_names_the_files_and_who_writes_them(tmp_path):
    (tmp_path / "other.txt").touch()
    with pytest.raises(UserError) as caught:
        read_folders([tmp_path])
    assert str(caught.value) == (
        f"{tmp_path}: found none of results.json, ablation.json, compare.json or curve.json; "
        "expected a folder that `babi-cascade run`, `ablate`, `compare` or `curve` wrote"
    )


def test_curves(tmp_path):
    rows = [{**TASK, "n_train": 100}, {**TASK, "n_train": 200, "accuracy": 0.9}]
    write(tmp_path / "j/curve.json", {"system": "s", "sizes": [], "tasks": [*rows, {"task": 1}]})
    points = read_folders([tmp_path / "j"]).points
    assert [(p.system, p.n_train, p.accuracy) for p in points] == [("s", 100, 0.5), ("s", 200, 0.9)]
    write(tmp_path / "t/compare.json", {"tasks": [{**TASK, "system": "a"}]})
    write(tmp_path / "t/curve-a/curve.json", {"system": "a", "tasks": rows})
    assert len(read_folders([tmp_path / "t"]).points) == 2


def test_an_ablation(tmp_path):
    write(tmp_path / "ablation.json", {
        "variants": [
            {"variant": "all", "kind": "all", "group": None},
            {"variant": "without-g", "kind": "without", "stage": "support", "group": "g",
             "mean_delta": -0.1, "mean_support_delta": None},
        ],
        "tasks": [{"task": 1, "variant": "without-g", "delta": -0.1}],
    })  # fmt: skip
    (ablation,) = read_folders([tmp_path]).ablations
    (delta,) = ablation.deltas
    assert (delta.group, delta.mean, delta.support, delta.tasks) == ("g", -0.1, None, ((1, -0.1),))


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ({"other.json": {}}, "none of results.json"),
        ({"units/qa1.json": {}}, "the run was stopped"),
        ({"results.json": "{"}, "found broken JSON"),
        ({"results.json": {"tasks": []}}, "no tasks"),
        (
            {"results.json": {"tasks": [{"task": 1, "accuracy": float("nan")}]}},
            "found NaN, expected finite",
        ),
    ],
)
def test_what_is_refused(tmp_path, content, said):
    for name, record in content.items():
        write(tmp_path / name, record)
    with pytest.raises(UserError, match=said) as caught:
        read_folders([tmp_path])
    assert str(tmp_path) in str(caught.value)
    assert "\n" not in str(caught.value)


def test_results_of_an_earlier_format_are_refused_with_what_to_do(tmp_path):
    (tmp_path / "results.json").write_text('{"signature": "system:cascade", "tasks": []}')
    with pytest.raises(UserError, match="an earlier version; its command with --force makes them"):
        read_folders([tmp_path])


def test_a_folder_that_is_not_there(tmp_path):
    with pytest.raises(UserError, match="no such folder"):
        read_folders([tmp_path / "nowhere"])
