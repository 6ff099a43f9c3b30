"""The systems say in words what is no question, and the same training gives the same file."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from babi_cascade.comparison import make_system
from babi_cascade.pipeline.stories import Question, Sentence
from babi_cascade.svm.model_file import ModelFileError, load_model, save_model

ROOT = Path(__file__).parents[2]
QUICK = {
    "ngram": {"costs": (1.0,)},
    "lstm": {"epochs": 2, "dimensions": (8,), "rates": (0.01,)},
    "memnn": {"epochs": 2, "dimensions": (8,), "rates": (0.01,), "margins": (0.1,)},
    "memnn-am-ng-nl": {"epochs": 2, "dimensions": (8,), "rates": (0.01,), "margins": (0.1,)},
}
QUESTIONS = [
    Question(2, f"Where is {who}?", place, (1,), (Sentence(1, f"{who} went to the {place}."),))
    for who in ("Ana", "Tom", "Ida")
    for place in ("mill", "harbour")
]


@pytest.fixture(scope="module", params=["ngram", "lstm", "memnn"])
def system(request):
    return make_system(request.param, **QUICK[request.param]).fit(QUESTIONS)


@pytest.mark.parametrize("method", ["fit", "predict", "score"])
@pytest.mark.parametrize("given", [["Where is Ana?"], [None], [{}], "Where?", None, QUESTIONS[0]])
def test_something_else_than_questions(system, method, given):
    made = make_system(system.kind, **QUICK[system.kind]) if method == "fit" else system
    with pytest.raises(TypeError, match=rf"^{method}: .*found .*, expected a .*Question"):
        getattr(made, method)(given)


def test_a_file_cannot_set_what_is_not_kept_in_files(system, tmp_path):
    system.save(tmp_path / "m")
    arrays, meta = load_model(tmp_path / "m")
    save_model(tmp_path / "m", arrays, {**meta, "params": {**meta["params"], "progress": 1}})
    with pytest.raises(ModelFileError, match="not kept in files"):
        type(system).load(tmp_path / "m")


PROGRAM = """
import sys
from babi_cascade.comparison import make_system
from tests.comparison.test_given import QUESTIONS, QUICK
for name, params in QUICK.items():
    make_system(name, **params).fit(QUESTIONS).save(f"{sys.argv[1]}-{name}")
"""


def test_the_same_training_gives_the_same_bytes(tmp_path):
    for number in ("1", "2"):
        varied = {"PYTHONHASHSEED": number, "OMP_NUM_THREADS": number, "PYTHONPATH": str(ROOT)}
        done = subprocess.run(
            [sys.executable, "-c", PROGRAM, number], cwd=tmp_path, capture_output=True, text=True,
            env={**os.environ, **varied},
        )  # fmt: skip
        assert done.returncode == 0, done.stderr
    for name in QUICK:
        one, other = ((tmp_path / f"{number}-{name}").read_bytes() for number in (1, 2))
        assert one == other, name
