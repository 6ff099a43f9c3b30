"""The Stanza adapter with a stand-in for its model: what goes in, what comes out, what is missing."""

from __future__ import annotations

import contextlib
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from babi_cascade.pipeline.coref import CorefError
from babi_cascade.pipeline.coref import stanza as adapter
from babi_cascade.pipeline.coref.stanza import StanzaCoreference
from babi_cascade.pipeline.errors import MissingRequirement
from babi_cascade.pipeline.trees import Tree
from tests.pipeline.coref.trees import go_together, goes, story, texts


class Model:
    """Answers as ``stanza.models.coref.model.CorefModel`` does: spans over the words of the document."""

    training = True

    def __init__(self, spans: list[list[tuple[int, int]]]) -> None:
        self.spans = spans
        self.seen: dict[str, Any] = {}

    def build_doc(self, document: dict[str, Any]) -> dict[str, Any]:
        self.seen = document
        pieces = [0 if word == "🙂" else 1 for word in document["cased_words"]]
        return {**document, "word2subword": [(i, i + size) for i, size in enumerate(pieces)]}

    def run(self, document: dict[str, Any]) -> SimpleNamespace:
        return SimpleNamespace(span_clusters=self.spans)


def ready(
    spans: list[list[tuple[int, int]]], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> Any:
    path = tmp_path / "coref.pt"
    path.write_bytes(b"weights")
    loads: list[dict[str, Any]] = []
    model = Model(spans)

    def load_model(**options: Any) -> Model:
        loads.append(options)
        return model

    module = SimpleNamespace(
        CorefModel=SimpleNamespace(load_model=load_model), no_grad=contextlib.nullcontext
    )
    monkeypatch.setattr(adapter, "import_module", lambda name: module)
    monkeypatch.setattr(adapter, "find_spec", lambda name: object())
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")  # the adapter sets it for good
    return SimpleNamespace(
        made=StanzaCoreference(path, backbone="/models/tiny"), model=model, loads=loads, path=path
    )


def test_spans_become_clusters(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    told = [*story(go_together("Kofi", "Leila")), Tree(()), *story(goes("They"))]
    kit = ready([[(8, 9), (0, 3)], [(5, 9)]], monkeypatch, tmp_path)  # the last crosses sentences
    clusters = kit.made.resolve(told)
    assert texts(told, clusters) == [["Kofi and Leila", "They"]]
    assert kit.model.seen["sent_id"] == [0] * 8 + [2] * 6
    assert kit.model.seen["cased_words"][8] == "They"
    assert len(kit.made.resolve([])) == 0


def test_words_without_pieces_are_hidden(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    kit = ready([], monkeypatch, tmp_path)
    kit.made.resolve(story("🙂/SYM/0/root"))
    assert kit.model.seen["cased_words"] == ["_"]


def test_the_backbone_can_be_moved(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    kit = ready([], monkeypatch, tmp_path)
    kit.made.resolve(story(goes("Kofi")))
    kit.made.resolve(story(goes("Kofi")))
    (load,) = kit.loads  # once, however many stories
    assert load["path"] == str(kit.path)
    assert load["config_update"]["bert_model"] == "/models/tiny"
    assert kit.model.training is False


def test_fingerprint_is_of_the_file_and_the_backbone(tmp_path: Path) -> None:
    one, other = tmp_path / "one.pt", tmp_path / "other.pt"
    one.write_bytes(b"a")
    other.write_bytes(b"b")
    prints = {
        StanzaCoreference(one).fingerprint,
        StanzaCoreference(other).fingerprint,
        StanzaCoreference(one, backbone="x").fingerprint,
    }
    assert len(prints) == 3


def test_spans_outside_the_story(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    kit = ready([[(0, 99)]], monkeypatch, tmp_path)
    with pytest.raises(CorefError, match="outside"):
        kit.made.resolve(story(goes("Kofi")))


def test_missing_package_names_the_command(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(adapter, "find_spec", lambda name: None if name == "peft" else object())
    with pytest.raises(MissingRequirement, match=r"peft.*pip install"):
        StanzaCoreference().check()


def test_missing_model_names_the_command(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(adapter, "find_spec", lambda name: object())
    monkeypatch.setenv("STANZA_RESOURCES_DIR", str(tmp_path))
    with pytest.raises(MissingRequirement, match=r"stanza\.download"):
        StanzaCoreference().check()
    (tmp_path / "en" / "coref").mkdir(parents=True)
    (tmp_path / "en" / "coref" / "ontonotes.pt").write_bytes(b"")
    StanzaCoreference().check()
    with pytest.raises(MissingRequirement, match=r"none\.pt"):
        StanzaCoreference(tmp_path / "none.pt").check()


def test_a_file_that_is_no_model(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    kit = ready([], monkeypatch, tmp_path)

    def load_model(**options: Any) -> Model:
        raise RuntimeError("invalid magic number")

    module = SimpleNamespace(CorefModel=SimpleNamespace(load_model=load_model))
    monkeypatch.setattr(adapter, "import_module", lambda name: module)
    with pytest.raises(CorefError, match=r"coref\.pt.*magic"):
        kit.made.resolve(story(goes("Kofi")))


def test_missing_backbone_says_how_to_move_it(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    kit = ready([], monkeypatch, tmp_path)

    def load_model(**options: Any) -> Model:
        raise OSError("/home/somebody/roberta is not a local folder")

    module = SimpleNamespace(CorefModel=SimpleNamespace(load_model=load_model))
    monkeypatch.setattr(adapter, "import_module", lambda name: module)
    with pytest.raises(MissingRequirement, match=r"roberta.*backbone=DIR"):
        kit.made.resolve(story(goes("Kofi")))
