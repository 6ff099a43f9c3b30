"""Feature groups of other packages: they join when the user names them, and never because a file does."""

from __future__ import annotations

import sys
from importlib.util import find_spec
from pathlib import Path

import pytest
from joblib.externals.loky import get_reusable_executor
from sklearn.base import clone

import babi_cascade
from babi_cascade import Cascade, UserError, generate
from babi_cascade.features.group import SupportGroup
from babi_cascade.features.registry import ANSWER, SUPPORT, FeatureError, join, register
from babi_cascade.pipeline.backends import BACK_ENDS

MODULE = """
from babi_cascade.pipeline.coref import Clusters
from babi_cascade.features.group import SupportGroup

class Words(SupportGroup):
    name = "many-words"
    description = "how many words a sentence has"

    def of_sentence(self, sentence):
        return [str(len(sentence.words))]

class Alone:
    name, requires, version, fingerprint = "alone", "nothing", "1", "alone-1"

    def check(self):
        pass

    def resolve(self, story):
        return Clusters()
"""
needs_parser = pytest.mark.skipif(find_spec("stanza") is None, reason="needs the extra nlp")
QUICK = ("--cost", "0.1", "--coref", "none", "--srl", "none")


class Length(SupportGroup):
    name = "word-count"
    description = "how many words a sentence has"

    def of_sentence(self, sentence):
        return [str(len(sentence.words))]


@pytest.fixture(autouse=True)
def other_package(tmp_path, monkeypatch):
    """An installed package with a feature group."""
    site = tmp_path / "site"
    information = site / "wordy-1.0.dist-info"
    information.mkdir(parents=True)
    (site / "wordy.py").write_text(MODULE)
    (information / "METADATA").write_text("Metadata-Version: 2.1\nName: wordy\nVersion: 1.0\n")
    (information / "entry_points.txt").write_text(
        "[babi_cascade.features]\nmany-words = wordy:Words\nother-name = wordy:Words\n"
        "[babi_cascade.coref]\nalone = wordy:Alone\n"
    )
    monkeypatch.syspath_prepend(str(site))
    monkeypatch.setenv("PYTHONPATH", f"{site}:{Path(__file__).parents[2]}")
    monkeypatch.chdir(tmp_path)
    # Processes that an earlier test left for whoever comes next know nothing of this package.
    get_reusable_executor().shutdown(wait=True)
    yield
    get_reusable_executor().shutdown(wait=True)
    sys.modules.pop("wordy", None)
    for name in ("many-words", "word-count"):
        SUPPORT.pop(name, None)
    BACK_ENDS["coref"].pop("alone", None)


def test_a_group_joins_when_it_is_named_and_not_before():
    assert "wordy" not in sys.modules
    assert join("many-words")
    assert "many-words" in SUPPORT
    assert join("recency")
    assert not join("nobody")
    with pytest.raises(FeatureError, match="has another name"):
        join("other-name")


def test_from_the_command_line_and_in_other_processes(command):
    stories = ("--tasks", "1,6", "--questions", "20")
    shown = command("run", *stories, *QUICK, "--features", "+many-words", "--jobs", 2)
    assert shown.code == 0, shown.err
    command("generate", *stories, "--out", "stories")
    done = command("train", "stories", *QUICK, "--features", "+many-words", "-m", "m")
    assert done.code == 0
    one = command("predict", "-m", "m", "stories", "--plugin", "many-words")
    assert one.code == 0
    two = command("predict", "-m", "m", "stories", "--plugin", "many-words", "--jobs", 2)
    assert (two.code, two.out) == (0, one.out)
    refused = command("predict", "-m", "m", "stories", "--plugin", "nobody")
    assert (refused.code, refused.err.count("\n")) == (2, 1)
    assert "'nobody'" in refused.err


@needs_parser
def test_a_back_end_of_another_package_is_compared_and_used_again(command):
    stories = ("--tasks", "1", "--questions", "10", "--no-cache")
    compared = command(
        "resources", *stories, "--presets", "extended", "--corefs", "alone,none", "--srls", "none",
        "--cost", "0.1", "--no-plot",
    )  # fmt: skip
    assert compared.code == 0, compared.err
    assert "alone" in compared.out
    command("generate", *stories[:-1], "--out", "stories")
    made = command("train", "stories", "--cost", "0.1", "--coref", "alone", "-m", "m", "--no-cache")
    assert made.code == 0
    BACK_ENDS["coref"].pop("alone")
    refused = command("predict", "-m", "m", "stories", "--no-cache")
    assert (refused.code, refused.err.count("\n")) == (2, 1)
    assert 'found --coref "alone"' in refused.err
    assert "--plugin" in refused.err
    assert command("predict", "-m", "m", "stories", "--no-cache", "--plugin", "alone").code == 0


def test_a_model_that_names_a_group_imports_nothing(command):
    command("generate", "--tasks", "1", "--questions", "20", "--out", "stories")
    assert command("train", "stories", *QUICK, "--features", "+many-words", "-m", "m").code == 0
    sys.modules.pop("wordy")
    SUPPORT.pop("many-words")
    for asked in (("predict", "-m", "m", "stories"), ("weights", "m")):
        refused = command(*asked)
        assert (refused.code, refused.err.count("\n")) == (2, 1)
        assert "many-words" in refused.err
        assert "--plugin" in refused.err
    with pytest.raises(UserError, match="many-words"):
        babi_cascade.load("m")
    with pytest.raises(UserError, match="many-words"):
        Cascade.load("m")
    assert "wordy" not in sys.modules
    assert babi_cascade.load("m", plugins="many-words").predict(generate(1, 2)).shape == (2,)
    assert "many-words: " in command("weights", "m", "--plugin", "many-words").out


def test_a_group_can_be_handed_over_as_a_class_or_an_object():
    train = generate(1, 30)
    for given in (Length, Length()):
        trained = Cascade(features=[given], cost=0.1).fit(train)
        assert "recency" in trained.settings.groups.names  # beside those of the preset
        explained = trained.explain(train[0])
        assert "word-count" in {part.group for part in explained.support}
        again = clone(trained).fit(train)
        assert again.settings.groups == trained.settings.groups
    listed = Cascade(features=["word-pairs", Length, "answer-word-pairs"], cost=0.1).fit(train)
    assert set(listed.settings.groups.names) == {"word-pairs", "word-count", "answer-word-pairs"}


@pytest.mark.parametrize("wrong", [int, object(), type("Recency", (Length,), {"name": "recency"})])
def test_what_is_no_group_of_ones_own_is_refused(wrong):
    known = (dict(SUPPORT), dict(ANSWER))
    with pytest.raises(FeatureError):
        register(wrong)
    assert known == (SUPPORT, ANSWER)
