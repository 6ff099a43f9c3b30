"""Back ends of both kinds: one protocol, found by name, joined by other packages only when named."""

from __future__ import annotations

import pickle
import sys
from pathlib import Path

import pytest

from babi_cascade.pipeline.backends import BACK_ENDS, coreference, join, role_labeller
from babi_cascade.pipeline.errors import MissingRequirement, ReadingError

MADE = {
    "coref": (coreference, {"conllu": {"path": "mine.conllu"}}),
    "srl": (role_labeller, {"conllu": {"files": ["mine.conllu"]}}),
}


@pytest.mark.parametrize(("kind", "name"), [(k, name) for k in BACK_ENDS for name in BACK_ENDS[k]])
def test_every_back_end_says_who_it_is_and_what_it_requires(kind: str, name: str) -> None:
    make, options = MADE[kind]
    made = make(name, **options.get(name, {}))
    assert made.name == name
    assert isinstance(made.requires, str)
    assert made.requires
    assert isinstance(made.version, str)
    assert callable(made.check)
    assert callable(made.resolve if kind == "coref" else made.label)


def test_the_defaults_need_nothing_more_and_their_fingerprints_begin_with_their_names() -> None:
    for made in (coreference(), role_labeller(), coreference("none"), role_labeller("none")):
        made.check()
        assert made.fingerprint.startswith(made.name)


def test_an_unknown_name_lists_the_known() -> None:
    with pytest.raises(
        ReadingError, match=r"--srl: found 'magic', expected one of stanza, clearnlp"
    ):
        role_labeller("magic")
    with pytest.raises(ReadingError, match=r"--coref: found 'oracle', expected one of sieve"):
        coreference("oracle")
    with pytest.raises(ReadingError, match="speed"):
        coreference("sieve", speed=3)


def test_what_is_missing_is_one_line_and_survives_pickling() -> None:
    error = MissingRequirement("coref", "stanza", "a\nmodel", "pip install x")
    again = pickle.loads(pickle.dumps(error))
    assert str(again) == str(error)
    assert "\n" not in str(error)
    assert "--coref stanza needs a model; get it with: pip install x" in str(error)
    assert again.command == "pip install x"


@pytest.fixture
def other_package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An installed package with a back end of roles."""
    (tmp_path / "another.py").write_text(
        "class Another:\n    name, requires, version, fingerprint = 'another', 'nothing', '1', 'another-1'\n"
        "    def check(self): pass\n    def label(self, sentences): return [{} for _ in sentences]\n"
    )
    info = tmp_path / "another-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: another\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text("[babi_cascade.srl]\nanother = another:Another\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setitem(BACK_ENDS, "srl", dict(BACK_ENDS["srl"]))


@pytest.mark.usefixtures("other_package")
def test_another_package_joins_when_the_user_names_it_and_not_before() -> None:
    with pytest.raises(ReadingError, match="found 'another'"):
        role_labeller("another")
    assert "another" not in sys.modules
    assert join("srl", "another")
    assert role_labeller("another").label([]) == []
    assert not join("srl", "nobody")
    assert join("coref", "sieve")
