"""`train`: what ends up in the model file, and what is refused."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

from babi_cascade.app.batch.model import origin_of
from babi_cascade.app.results.signature import files_fingerprint
from babi_cascade.cascade import Cascade, Settings
from babi_cascade.cascade.training import COMPILING
from babi_cascade.svm.model_file import load_model

ROOT = Path(__file__).parents[3]
COMMAND = [sys.executable, "-c", "from babi_cascade.app.cli import main; main()"]
QUICK = ("--coref", "none", "--srl", "none", "--cost", "0.1")


class TestTrain:
    def test_the_model_says_how_it_was_made(self, model, stories):
        cascade = Cascade.load(model)
        origin = origin_of(cascade.origin_, model)
        files = sorted(stories.glob("*_train.txt"))
        assert origin.files == tuple(path.name for path in files)
        assert origin.questions == 120
        settings = origin.settings
        assert Settings.from_json(settings["parameters"]) == Settings(cost=0.1).resolved()
        assert origin.reading == {"parser": "none", "coref": "none", "srl": "none"}
        assert settings["files"] == files_fingerprint(files)
        assert f"|files:{files_fingerprint(files)}|" in origin.signature

    def test_without_labels_the_facts_are_learned_and_the_model_says_so(self, command, stories):
        blind = ("--tasks", "1", "--supervision", "answers")
        shown = command("train", stories, *blind, "-m", "a", "--signature", *QUICK)
        assert shown.code == 0
        assert "facts of 60 training questions were learned from the answers, none" in shown.out
        assert "supervision" in shown.out
        told = command("explain", "-m", "a", next(iter(stories.glob("qa1_*_test.txt"))))
        assert "(learned from answers: others may prove the same)" in told.out
        assert "% of the answers held out from learning them are found, " in shown.out
        plain = command("train", stories, "--tasks", "1", "-m", "b", *QUICK[:4])
        assert " held out right), " in plain.out
        assert "learned" not in plain.out
        blind = command("train", stories, *blind, "-m", "c", *QUICK[:4])
        assert blind.out.count(" held out right by the learned facts), ") == 2
        asked = next(iter(stories.glob("qa1_*_test.txt")))
        for model, marked in (("a", True), ("b", None)):
            line = command("predict", "-m", model, asked).out.splitlines()[0]
            assert json.loads(line).get("facts_learned") is marked

    def test_a_model_of_hardly_any_questions_is_told_to_be_one(self, command, stories):
        (told,) = stories.glob("qa1_*_train.txt")
        command("convert", told, "--to", "jsonl", "--out", "all.jsonl")
        lines = Path("all.jsonl").read_text().splitlines(keepends=True)
        for count, said in ((1, True), (10, False)):
            Path("some.jsonl").write_text("".join(lines[:count]))
            shown = command("train", "some.jsonl", "-m", "a", *QUICK)
            assert shown.code == 0
            assert ("learned from 1 question only" in shown.err) == said

    def test_a_log_hears_that_the_search_is_compiled(self, command, stories, monkeypatch):
        """Half a minute passes without another word."""

        really = Cascade.fit_read

        def compiling(cascade, read):
            cascade.progress(COMPILING)
            return really(cascade, read)

        monkeypatch.setattr(Cascade, "fit_read", compiling)
        shown = command("train", stories, "--tasks", "1", "-m", "a", *QUICK)
        assert (shown.code, COMPILING in shown.err) == (0, True)

    def test_a_directory_and_a_pipe_give_the_same_weights(
        self, command, started, stories, model, tmp_path
    ):
        shown = command("train", stories, "--tasks", "1,6", "-m", "a", *QUICK)
        assert (shown.code, "error" in shown.err) == (0, False)
        assert shown.out.startswith("a: 120 questions, ")
        assert shown.out.count("\n") == 1
        told = command("train", stories, "--tasks", "1,6", "-m", "a", *QUICK, "--signature").out
        assert told.splitlines()[1].startswith("system:cascade|")
        assert (tmp_path / "a").read_bytes() == model.read_bytes()
        process = started("train", "-", "-m", "b", *QUICK)
        text = "".join(path.read_text() for path in sorted(stories.glob("*_train.txt")))
        _, errors = process.communicate(text)
        assert process.returncode == 0, errors
        for name, array in load_model(tmp_path / "a")[0].items():
            assert (array == load_model(tmp_path / "b")[0][name]).all()

    @pytest.mark.parametrize(
        ("args", "said"),
        [
            (["nowhere.txt", "-m", "m"], "nowhere.txt: found no such file"),
            (["FILE", "-m", "no/folder/m"], "cannot write a model there"),
            (["FILE", "-m", "m", "--learner", "luck"], "luck"),
            (["FILE", "-m", "m", "--features", "wings"], "'wings', expected one of"),
            (["FILE", "-m", "m", "--tasks", "1"], "choose files of a directory"),
            (["FILE", "-m", "m", "--srl", "conllu"], "need --conllu FILE"),
        ],
    )
    def test_wrong_usage_is_one_line(self, command, tmp_path, asked, args, said):
        shown = command("train", *QUICK, *[str(asked) if a == "FILE" else a for a in args])
        assert shown.code == 2
        assert said in shown.err
        assert shown.err.count("\n") == 1
        assert not list(tmp_path.iterdir())

    def test_bad_and_unsupported_questions_are_named(self, command, tmp_path, half_bad):
        (tmp_path / "bad.txt").write_text(half_bad)
        shown = command("train", "bad.txt", "-m", "m", *QUICK)
        assert (shown.code, "bad.txt:4: found support 9" in shown.err) == (2, True)
        line = '{"story": ["Mary left."], "question": "Who left?", "answer": "Mary"}\n'
        (tmp_path / "q.jsonl").write_text(line)
        shown = command("train", "q.jsonl", "-m", "m", "--supervision", "facts", *QUICK)
        assert (shown.code, "found no supporting facts" in shown.err) == (2, True)

    @pytest.mark.parametrize("preset", ["extended", "paper"])
    def test_the_same_training_gives_the_same_bytes(self, stories, tmp_path, preset):
        """Whatever the order of sets, the number of threads and the time it takes."""
        for number in ("1", "2"):
            varied = {"PYTHONHASHSEED": number, "OPENBLAS_NUM_THREADS": number}
            done = subprocess.run(
                [*COMMAND, "train", str(stories), "--tasks", "1,6", "-m", number, "--preset", preset,
                 "--coref", "none", "--srl", "none"],
                cwd=tmp_path, capture_output=True, text=True,
                env={**os.environ, "PYTHONPATH": str(ROOT), **varied},
            )  # fmt: skip
            assert done.returncode == 0, done.stderr
        assert (tmp_path / "1").read_bytes() == (tmp_path / "2").read_bytes()

    @pytest.mark.skipif(find_spec("stanza") is None, reason="needs the extra nlp")
    def test_the_same_bytes_with_parser_and_roles(self, command, stories, tmp_path):
        (tmp_path / "few.txt").write_text(
            "".join(min(stories.glob("qa1_*_train.txt")).read_text().splitlines(True)[:45])
        )
        for number in (1, 2):
            shown = command("train", "few.txt", "-m", number, "--no-cache", "--jobs", number)
            assert shown.code == 0, shown.err
        assert (tmp_path / "1").read_bytes() == (tmp_path / "2").read_bytes()
