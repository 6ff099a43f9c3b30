"""`batch-score`: many files answered and scored with one model, the predictions kept."""

from __future__ import annotations

import json

import pytest


def test_files_are_answered_and_scored(command, model, stories, tmp_path):
    files = sorted(stories.glob("*_test.txt"))
    done = command("batch-score", "-m", model, *files, "--out", "here")
    assert (done.code, done.err) == (0, "")
    assert [line.split()[1] for line in done.out.splitlines()[1:]] == ["60", "60", "120"]
    kept = sorted((tmp_path / "here").iterdir())
    assert [path.name for path in kept] == [f"{file.stem}.jsonl" for file in files]
    assert kept[0].read_text() == command("predict", "-m", model, files[0]).out
    record = json.loads(command("batch-score", "-m", model, stories, "--json", "--jobs", 2).out)
    bare = command("batch-score", "-m", model, stories, "--score-only")
    assert float(bare.out) == pytest.approx(record["accuracy"], abs=1e-4)


@pytest.mark.parametrize(
    ("args", "said"),
    [
        ([], "PATHS"),
        (["STORIES", "STORIES"], "two of the files would write"),
        (["gone.txt"], "gone.txt"),
        (["-"], "expected files"),
        (["STORIES", "--json", "--score-only"], "exclude each other"),
    ],
)
def test_nonsense_is_refused(command, model, stories, tmp_path, args, said):
    own = [stories if each == "STORIES" else each for each in args]
    refused = command("batch-score", "-m", model, *own)
    assert refused.code == 2
    assert said in refused.err
    assert not (tmp_path / "out").exists()


def test_a_file_that_cannot_be_read_whole_is_not_scored(command, model, tmp_path):
    good = '{"story": ["Mary left."], "question": "Who left?", "answer": "Mary", "id": "a"}\n'
    (tmp_path / "some.jsonl").write_text(good + "{\n")
    done = command("batch-score", "-m", model, "some.jsonl")
    assert done.code == 2  # the true answers cannot be read either
    assert "some.jsonl:2: found broken JSON" in done.err
    assert len((tmp_path / "out/batch/some.jsonl").read_text().splitlines()) == 2
