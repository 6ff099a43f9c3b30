"""The ClearNLP back end: roles from what ClearNLP really said, and what is told when something is missing."""

from __future__ import annotations

import pickle
import zipfile
from pathlib import Path

import pytest

from babi_cascade.pipeline.errors import MissingRequirement
from babi_cascade.pipeline.java import JavaError
from babi_cascade.pipeline.srl import clearnlp
from babi_cascade.pipeline.srl.clearnlp import ClearNLP, roles_in
from babi_cascade.pipeline.srl.propbank import phrase_head, propbank_role
from babi_cascade.pipeline.trees import Tree
from tests import recorded
from tests.pipeline.frames.small_trees import tree
from tests.pipeline.told import as_written

JARS = (
    "clearnlp-3.2.0", "clearnlp-dictionary-3.2", "clearnlp-global-lexica-3.1",
    "clearnlp-general-en-pos-3.2", "clearnlp-general-en-dep-3.2", "clearnlp-general-en-srl-3.0",
)  # fmt: skip


def said(story: str, line: int) -> dict[str, dict[str, str]]:
    """The recorded roles of a sentence, in words."""
    sentence = recorded.stories()[story][line]
    roles = roles_in(sentence, recorded.clearnlp()[" ".join(token.form for token in sentence)])
    return {
        sentence[verb].form: {sentence[word].form: role for word, role in arguments.items()}
        for verb, arguments in roles.items()
    }


def test_recorded_roles_stand_at_the_heads_of_our_tree() -> None:
    assert said("paper-stories-5", 0) == {
        "gave": {"Mary": "ARG0", "cake": "ARG1", "Fred": "ARG2-GOL"}
    }
    assert said("paper-stories-5", 2) == {
        "given": {"Jeff": "ARG2-GOL", "milk": "ARG1", "Bill": "ARG0"}
    }
    assert said("paper-stories-1", 3) == {"is": {"Where": "R-ARG2-PRD", "Mary": "ARG1"}}
    assert said("paper-stories-5", 4)["give"]["Who"] == "ARG2-GOL"  # of "to", which hangs on it
    assert said("qa13-1", 0) == {"went": {"John": "ARG0", "garden": "ARG2-GOL"}}


def test_every_recorded_sentence_has_roles_or_none_that_hold() -> None:
    labelled = 0
    for story in recorded.stories().values():
        for sentence in story:
            rows = recorded.clearnlp()[" ".join(token.form for token in sentence)]
            roles = roles_in(sentence, rows)
            labelled += bool(roles)
            for verb, arguments in roles.items():
                assert rows[verb - 1][3].startswith("VB")
                assert all(sentence[word].relation != "case" for word in arguments)
    assert labelled > 100


@pytest.mark.parametrize(
    ("given", "name"),
    [
        ("A0", "ARG0"), ("A5", "ARG5"), ("AA", "ARGA"), ("AM-LOC", "ARGM-LOC"), ("R-AM-LOC", "R-ARGM-LOC"),
        ("ADV", "ARGM-ADV"), ("TMP", "ARGM-TMP"), ("R-LOC", "R-ARGM-LOC"), ("C-A1", "C-ARG1"),
        ("GOL", "ARG2-GOL"), ("R-PRD", "R-ARG2-PRD"), ("ARGM-NEG", "ARGM-NEG"),
    ],
)  # fmt: skip
def test_roles_have_propbanks_names(given: str, name: str) -> None:
    assert propbank_role(given) == name


def test_the_head_of_a_phrase_hangs_on_a_word_outside() -> None:
    went = tree(
        "Kim:PROPN:2:nsubj went/go:VERB:0:root back:ADV:2:advmod to:ADP:5:case town:NOUN:2:obl"
    )
    assert phrase_head(went.tokens[2:], went[3]).form == "town"
    assert phrase_head(went.tokens[2:3], went[3]).form == "back"
    assert phrase_head(went.tokens[3:], went[4]).form == "town"
    assert phrase_head(went.tokens[:1]).form == "Kim"


def jars(folder: Path) -> Path:
    folder.mkdir(exist_ok=True)
    for name in JARS:
        with zipfile.ZipFile(folder / f"{name}.jar", "w") as archive:
            archive.writestr("META-INF/MANIFEST.MF", "x" * 5000)
    return folder


@pytest.fixture
def nowhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A user who has fetched nothing and has set nothing."""
    monkeypatch.delenv("CLEARNLP", raising=False)
    monkeypatch.delenv("JAVA_HOME", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return tmp_path


def test_a_folder_is_given_or_named_by_the_environment_or_fetched(
    nowhere: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(MissingRequirement, match="babi-cascade fetch-resources clearnlp"):
        ClearNLP().check()
    fetched = nowhere / "cache" / "babi-cascade" / "clearnlp"
    fetched.mkdir(parents=True)
    assert ClearNLP().folder == fetched
    monkeypatch.setenv("CLEARNLP", str(nowhere))
    assert ClearNLP().folder == nowhere
    assert pickle.loads(pickle.dumps(ClearNLP(fetched))).folder == fetched


def test_the_fingerprint_is_of_the_jars_wherever_they_lie(nowhere: Path) -> None:
    one, other = jars(nowhere / "one"), jars(nowhere / "other")
    print_ = ClearNLP(one).fingerprint
    assert print_.startswith("clearnlp-3.2.0-")
    assert ClearNLP(other).fingerprint == print_
    (other / "clearnlp-general-en-srl-3.0.jar").write_bytes(b"PK")
    assert ClearNLP(other).fingerprint != print_


@pytest.mark.parametrize("name", JARS)
def test_a_missing_or_damaged_jar_is_named(nowhere: Path, name: str) -> None:
    folder = jars(nowhere / "clearnlp")
    jar = folder / f"{name}.jar"
    jar.write_bytes(jar.read_bytes()[:-30])
    with pytest.raises(JavaError, match=rf"{name}\.jar: is damaged .*fetch-resources clearnlp"):
        ClearNLP(folder).check()
    jar.unlink()
    with pytest.raises(MissingRequirement, match=rf"{name.rpartition('-')[0]}-VERSION\.jar"):
        ClearNLP(folder).check()


def test_without_java_it_says_what_to_install(
    nowhere: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(nowhere))
    with pytest.raises(MissingRequirement, match=r"needs Java .*no java is on the PATH"):
        ClearNLP(jars(nowhere / "clearnlp")).check()


@pytest.mark.parametrize(
    ("script", "message"),
    [
        ("echo 'Exception: no heap' >&2; exit 1", "ClearNLP ended .*Exception: no heap"),
        ("echo Loading >&2; sleep 0.3; exit 3", "ClearNLP ended while it worked"),
        ("echo Loading >&2; exec sleep 60", r"ClearNLP gave no answer in 0\.5 seconds"),
    ],
)
def test_a_java_that_fails_or_hangs_is_told_in_one_line(
    nowhere: Path, monkeypatch: pytest.MonkeyPatch, script: str, message: str
) -> None:
    program = nowhere / "java"
    program.write_text(f"#!/bin/sh\n{script}\n")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", str(nowhere), prepend=":")
    monkeypatch.setattr(clearnlp, "START", 0.5)
    labeller = ClearNLP(jars(nowhere / "clearnlp"), timeout=0.5)
    with pytest.raises(JavaError, match=message) as caught:
        labeller.label(as_written(tree("Rain:NOUN:0:root")))
    assert "\n" not in str(caught.value)


def test_what_has_no_words_or_too_many_is_not_sent(nowhere: Path) -> None:
    long = tree(" ".join(["word:NOUN:0:root"] * (clearnlp.LONGEST + 1)))
    assert ClearNLP(nowhere).label(as_written(Tree(()), long)) == [None, None]
