"""`train`: what ends up in the model file, and what is refused."""

from __future__ import annotations

import pytest

from babi_cascade.app.batch.model import origin_of
from babi_cascade.app.results.signature import Signature, files_fingerprint
from babi_cascade.cascade import Cascade
from babi_cascade.svm.model_file import load_model

QUICK = ("--coref", "none", "--srl", "none", "--cost", "0.1")


class TestTrain:
    def test_the_model_says_how_it_was_made(self, model, stories):
        cascade = Cascade.load(model)
        origin = origin_of(cascade.origin_, model)
        files = sorted(stories.glob("*_train.txt"))
        assert origin.files == tuple(path.name for path in files)
        assert origin.data == files_fingerprint(files)
        assert origin.questions == 120
        assert (origin.coref, origin.srl) == ("none", "none")
        parts = dict(Signature.parse(origin.signature).parts)
        assert (parts["cost"], parts["parser"], parts["data"]) == ("0.1", "none", origin.data)

    def test_a_directory_and_a_pipe_give_the_same_weights(
        self, command, started, stories, model, tmp_path
    ):
        shown = command("train", stories, "--tasks", "1,6", "-m", "a", *QUICK)
        assert (shown.code, shown.err) == (0, "")
        assert shown.out.startswith("a: 120 questions, ")
        assert load_model(tmp_path / "a")[1] == load_model(model)[1] | timed(tmp_path / "a")
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
        shown = command("train", "q.jsonl", "-m", "m", *QUICK)
        assert (shown.code, "found no supporting facts" in shown.err) == (2, True)


def timed(path):
    """Return what differs between two models of the same training: how long it took."""
    meta = load_model(path)[1]
    return {name: meta[name] for name in ("support", "answer")}
