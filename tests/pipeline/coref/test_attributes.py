from __future__ import annotations

from pathlib import Path

import pytest

from babi_cascade.pipeline.coref import CorefError
from babi_cascade.pipeline.coref.attributes import Attributes, attributes
from babi_cascade.pipeline.coref.lexicon import FILES, Lexicon, load, shipped
from babi_cascade.pipeline.coref.model import Kind
from tests.pipeline.coref.trees import goes, tree


def of(notation: str, word: int, kind: Kind = "nominal") -> Attributes:
    one = tree(notation)
    return attributes(one, one[word], kind, shipped())


def test_pronouns() -> None:
    assert of("She/PRON/0/root", 1, "pronoun") == ("sing", "fem", 3, "animate")
    assert of("we/PRON/0/root", 1, "pronoun") == ("plur", "unknown", 1, "animate")
    assert of("It/PRON/0/root", 1, "pronoun") == ("sing", "neut", 3, "inanimate")


def test_nouns_of_people_things_and_groups() -> None:
    assert of("the/DET/2/det aunt/NOUN/0/root", 2) == ("sing", "fem", 3, "animate")
    nurses = of("nurses/NOUN/0/root/nurse/Number=Plur", 1)
    assert nurses == ("plur", "unknown", 3, "animate")
    assert of("nurses/NOUN/0/root/nurse", 1).number == "plur"  # no features, no tags
    assert of("the/DET/2/det team/NOUN/0/root", 2).number == "unknown"
    assert of("the/DET/2/det city/NOUN/0/root", 2).animacy == "inanimate"


def test_names_with_titles_and_without() -> None:
    assert of("Mrs./PROPN/2/compound Zorv/PROPN/0/root", 2, "name").gender == "fem"
    assert of("Ingrid/PROPN/0/root Zorv/PROPN/1/flat", 1, "name").gender == "fem"
    assert of(goes("Quillmar"), 1, "name") == ("sing", "unknown", 3, "unknown")


def test_unknown_subject_of_a_human_verb_is_somebody() -> None:
    assert of("Quillmar/PROPN/2/nsubj thinks/VERB/0/root/think", 1, "name").animacy == "animate"
    place = of("in/ADP/2/case Quillmar/PROPN/0/root", 2, "name")
    assert place.animacy == "inanimate"


def test_shipped_lists_have_provenance_and_a_fingerprint() -> None:
    folder = Path(__file__).resolve().parents[3] / "data" / "coref"
    for name in FILES:
        assert (folder / f"{name}.txt").read_text(encoding="utf-8").startswith("#")
    assert load(folder) == shipped()
    assert shipped().names["Sidney"] == "unknown"  # in two lists
    assert shipped().fingerprint != Lexicon().fingerprint


def test_a_wrong_list_is_named(tmp_path: Path) -> None:
    with pytest.raises(CorefError, match="given_names"):
        load(tmp_path)
    for name in FILES:
        (tmp_path / f"{name}.txt").write_text("x: Kofi\n", encoding="utf-8")
    with pytest.raises(CorefError, match="'x'"):
        load(tmp_path)
