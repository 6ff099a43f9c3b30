from __future__ import annotations

import io
from pathlib import Path

import pytest

from babi_cascade.pipeline.backends import coreference
from babi_cascade.pipeline.coref import CorefError
from babi_cascade.pipeline.coref.entities import (
    EntitySpan,
    entity_column,
    read_entities,
    with_entities,
)
from babi_cascade.pipeline.errors import MissingRequirement
from babi_cascade.pipeline.trees import ConlluSentence, Tree, read_conllu, write_conllu
from tests.pipeline.coref.trees import go_together, goes, story, texts

GUM = [
    "(2-person-new-nnnnn-cf1-1,3-coref(1-person-new-nnnnn-cf1-1-coref)", "",
    "(3-person-new-nnnnn-cf1-1-sgl)2)", "", "", "(4-place-new-nnnnn-cf2-2-sgl", "4)", "",
]  # fmt: skip
PLAIN = ["(2(1)", "", "(3)2)", "", "", "(4", "4)", ""]


def annotated(values: list[str], one: Tree) -> ConlluSentence:
    return ConlluSentence(one, misc=tuple(f"Entity={v}|X=1" if v else "_" for v in values))


@pytest.mark.parametrize("values", [GUM, PLAIN])
def test_gum_and_plain(values: list[str]) -> None:
    (one,) = story(go_together("Kofi", "Leila"))
    spans = read_entities([annotated(values, one)])
    assert [(s.entity, s.start, s.end) for s in spans] == [
        ("1", 1, 1),
        ("3", 3, 3),
        ("2", 1, 3),
        ("4", 6, 7),
    ]
    assert spans[2].head(one).form == "Kofi"
    if values is GUM:
        assert spans[0].fields[0] == "person"


def test_parts_of_a_mention_with_a_gap() -> None:
    (one,) = story(goes("Kofi"))
    values = ["(7[1/2])", "", "", "(7[2/2]-place", "7[2/2])", ""]
    assert read_entities([annotated(values, one)]) == [
        EntitySpan(0, 1, 1, "7"),
        EntitySpan(0, 4, 5, "7", ("place",)),
    ]


@pytest.mark.parametrize("values", [["(1", "", "", "", "", ""], ["1)", "", "", "", "", ""]])
def test_brackets_that_do_not_match(values: list[str]) -> None:
    with pytest.raises(CorefError, match=r"sentence 1.*'1'"):
        read_entities([annotated(values, story(goes("Kofi"))[0])])


def test_out_and_in_again(tmp_path: Path) -> None:
    told = story(go_together("Kofi", "Leila"), goes("They"), goes("Kofi", "well"))
    found = coreference().resolve(told)
    column = entity_column(told, found)
    assert column[0][:3] == ["(1(2)", "", "(3)1)"]
    stream = io.StringIO()
    plain = [
        ConlluSentence(one, {"newdoc id": "a"} if i == 0 else {}) for i, one in enumerate(told)
    ]
    write_conllu(with_entities(plain, found), stream)
    path = tmp_path / "story.conllu"
    path.write_text(stream.getvalue(), encoding="utf-8")
    again = coreference("conllu", path=path)
    assert again.resolve(told) == found
    # The beginning of the story, and the story without a sentence, are found too.
    assert texts(told[:2], again.resolve(told[:2])) == [
        ["Kofi and Leila", "They"],
        ["the mill", "the mill"],
    ]
    shorter = [told[0], told[2]]
    assert texts(shorter, again.resolve(shorter)) == [["Kofi", "Kofi"]]
    assert len(again.resolve([])) == 0
    marked = list(read_conllu(path))
    assert with_entities(marked, found) == tuple(marked)
    with pytest.raises(CorefError, match="Tobias"):
        again.resolve(story(goes("Tobias")))
    assert again.fingerprint.startswith("conllu-1-")
    again.check()


def test_missing_and_broken_files(tmp_path: Path) -> None:
    with pytest.raises(MissingRequirement, match="babi-cascade annotate"):
        coreference("conllu", path=tmp_path / "none.conllu").check()
    broken = tmp_path / "broken.conllu"
    broken.write_text("1\tword\n", encoding="utf-8")
    with pytest.raises(CorefError, match="columns"):
        coreference("conllu", path=broken).resolve(story(goes("Kofi")))
