"""`import babi_cascade` is all that a user of the library needs to know."""

from __future__ import annotations

import doctest
import subprocess
import sys
from pathlib import Path

import pytest

import babi_cascade
from babi_cascade import Cascade, UserError, ask, generate, load, reader
from babi_cascade.app import api

ROOT = Path(__file__).parents[1]


@pytest.mark.parametrize("name", babi_cascade.__all__)
def test_every_public_name_is_there_and_says_what_it_is(name: str) -> None:
    assert getattr(babi_cascade, name).__doc__


def test_a_name_that_is_not_there_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="has no attribute 'wings'"):
        babi_cascade.wings  # noqa: B018


def test_importing_the_package_imports_nothing_else() -> None:
    code = (
        "import sys, babi_cascade; "
        "exit(any(m.split('.')[0] in ('numpy', 'numba', 'torch', 'sklearn') for m in sys.modules))"
    )
    assert subprocess.run([sys.executable, "-c", code], cwd=ROOT).returncode == 0


def test_the_examples_in_the_documentation_of_functions_work() -> None:
    assert doctest.testmod(api).failed == 0
    assert doctest.testmod(api).attempted > 3


def test_stories_are_simulated_in_memory_and_the_splits_share_none() -> None:
    train, test = (generate(1, 40, seed=3, split=split) for split in ("train", "test"))
    assert len(train) == len(test) == 40
    told = [{tuple(f.text for f in q.facts) for q in each} for each in (train, test)]
    assert not told[0] & told[1]
    assert generate(1, 40, seed=3) == train
    assert generate(1, 40, seed=4) != train


@pytest.mark.parametrize(
    "wrong", [{"task": 21}, {"task": 1, "language": "xx"}, {"task": 1, "split": "dev"}]
)
def test_what_cannot_be_simulated_is_told(wrong: dict[str, object]) -> None:
    with pytest.raises(UserError, match="expected"):
        generate(**wrong)  # type: ignore[arg-type]


def test_an_option_that_no_back_end_has_is_told() -> None:
    with pytest.raises(UserError, match="corenlp_url"):
        reader("none", "none", wings=2)


def test_a_saved_model_is_loaded_with_its_reader_and_asked(tmp_path: Path) -> None:
    from babi_cascade.app.cli import main

    stories = tmp_path / "stories"
    for args in (
        ["generate", "--tasks", "1", "--questions", "40", "--out", stories],
        ["train", stories, "--tasks", "1", "--coref", "none", "--srl", "none", "--cost", "0.1",
         "-m", tmp_path / "qa1.model"],
    ):  # fmt: skip
        with pytest.raises(SystemExit) as stopped:
            main([str(each) for each in args])
        assert stopped.value.code == 0
    model = load(tmp_path / "qa1.model")
    assert isinstance(model, Cascade)
    story = ["Mary went to the office.", "John moved to the garden."]
    asked = ask(story, "Where is John?", model=model)
    assert asked.prediction.answer == "garden"
    assert asked.prediction.support == (2,)
    with pytest.raises(UserError, match="words only"):
        load(tmp_path / "qa1.model", conllu="nothere.conllu")
