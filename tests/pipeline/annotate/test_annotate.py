"""The reading stages on the shipped models: parse, coreference, frames, cache, and the command."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from babi_cascade.pipeline.annotate.annotator import Annotator
from babi_cascade.pipeline.annotate.cache import AnnotationCache
from babi_cascade.pipeline.annotate.errors import ParserError
from babi_cascade.pipeline.annotate.output import conllu_sentences, frame_listing
from babi_cascade.pipeline.annotate.packing import (
    pack_clusters,
    pack_sentence,
    unpack_clusters,
    unpack_sentence,
)
from babi_cascade.pipeline.annotate.parser import StanzaParser
from babi_cascade.pipeline.annotate.stanza_trees import flat_tree
from babi_cascade.pipeline.coref import backend
from babi_cascade.pipeline.srl import role_backend
from babi_cascade.pipeline.trees import read_conllu, write_conllu

pytest.importorskip("stanza", reason="the extra nlp is not installed")

ROOT = Path(__file__).parents[3]
STORY = (
    "Angela and Victor walked to the station yesterday.",
    "Then they bought a ticket.",
    "Angela gave the ticket to her brother.",
    "The bakery is either near the river or the mill.",
    "Who did Angela give the ticket to?",
    "Is the bakery near the river?",
)


@pytest.fixture(scope="session")
def parser():
    return StanzaParser()


@pytest.fixture(scope="session")
def annotated(parser):
    annotator = Annotator(parser, backend("sieve"), role_backend("stanza"))
    return next(annotator.annotate([STORY]))


def frame(annotated, sentence):
    return annotated.frames[sentence][0]


def test_the_shipped_models_are_small():
    files = list((ROOT / "data/models").rglob("*.pt"))
    assert sum(path.stat().st_size for path in files) <= 25_000_000


def test_a_gift_has_its_three_participants(annotated):
    gift = frame(annotated, 2)
    assert gift.predicate == "give"
    assert [a.phrase for a in gift.fillers("nsubj")] == ["angela"]
    assert [a.phrase for a in gift.fillers("obj")] == ["ticket"]
    assert [a.head for a in gift.fillers("obl:to")] == ["brother"]


def test_two_people_and_a_time_are_found(annotated):
    walk = frame(annotated, 0)
    assert [a.phrase for a in walk.fillers("nsubj")] == ["angela", "victor"]
    assert walk.time == "yesterday"


def test_alternatives_are_marked(annotated):
    assert [a.head for a in frame(annotated, 3).alternatives] == ["river", "mill"]


def test_questions_say_what_they_ask(annotated):
    whom = frame(annotated, 4)
    assert whom.asks is not None
    assert whom.asks.relation == "obl:to"
    assert frame(annotated, 5).question == "yes/no"


def test_a_plural_pronoun_stands_for_both_people(annotated):
    listing = "\n".join(frame_listing(annotated))
    assert "= Then Angela and Victor bought a ticket." in listing


def test_the_conllu_form_has_entities_and_roles(annotated):
    sentences = conllu_sentences(annotated, "d")
    assert any("Entity=" in misc for misc in sentences[0].misc)
    assert "give" in sentences[2].rolesets.values()
    stream = io.StringIO()
    write_conllu(sentences, stream)
    again = list(read_conllu(io.StringIO(stream.getvalue())))
    assert [sentence.tree.text for sentence in again] == list(STORY)
    assert [sentence.roles for sentence in again] == [sentence.roles for sentence in sentences]


def test_annotations_survive_the_cache(annotated):
    flat = [flat_tree("one two"), flat_tree("")]
    for tree, frames in zip([*annotated.trees, *flat], [*annotated.frames, (), ()], strict=True):
        assert unpack_sentence(pack_sentence(tree, frames)) == (tree, tuple(frames))
    sizes = [len(tree) for tree in annotated.trees]
    assert unpack_clusters(pack_clusters(annotated.clusters), sizes) == annotated.clusters


def test_a_cached_story_needs_no_coreference(parser, tmp_path):
    cache = AnnotationCache(tmp_path / "cache.sqlite")
    sieve, labeller = backend("sieve"), role_backend("stanza")
    (first,) = Annotator(parser, sieve, labeller, cache).annotate([STORY])

    class Unused:
        name, version, requirement = sieve.name, sieve.version, sieve.requirement
        fingerprint = sieve.fingerprint

        def check(self):
            pass

        def resolve(self, story):
            raise AssertionError("the story is known")

    again = Annotator(parser, Unused(), labeller, cache)
    assert list(again.annotate([STORY])) == [first]
    assert again.resolve(STORY) == first.clusters


def forged_entries():
    """What an entry may say with every checksum right, by what is wrong with it."""
    row = ["They", "they", "PRON", "_", 2, "nsubj", "_", 0, 4]
    text = "Then they bought a ticket."
    frame = {"predicate": "buy", "token": 1, "arguments": []}
    argument = {"role": "ARG0", "relation": "nsubj", "phrase": "", "head": "", "head_id": 1,
                "span": [99], "text": ""}  # fmt: skip
    return {
        "not JSON": "[[",
        "nested": "[" * 100_000,
        "nothing": "null",
        "another sentence": json.dumps([["Nobody came.", []], []]),
        "a row too short": json.dumps([[text, [row[:5]]], []]),
        "a head outside": json.dumps([[text, [row]], []]),
        "a number for a word": json.dumps([[text, [[1, *row[1:4], 0, *row[5:]]]], []]),
        "an end outside": json.dumps([[text, [[*row[:4], 0, *row[5:8], 900]]], []]),
        "frames of no list": json.dumps([[text, [[*row[:4], 0, *row[5:]]]], {}]),
        "a frame of nothing": json.dumps(
            [[text, [[*row[:4], 0, *row[5:]]]], [{**frame, "token": 7}]]
        ),
        "an unknown field": json.dumps(
            [[text, [[*row[:4], 0, *row[5:]]]], [{**frame, "run": "x"}]]
        ),
        "a span outside": json.dumps(
            [[text, [[*row[:4], 0, *row[5:]]]], [{**frame, "arguments": [argument]}]]
        ),
        "a mention outside": json.dumps([[[9, 1, 1, 1, "name", "sing", "masc", 3, "animate"]]]),
        "an unknown kind": json.dumps([[[0, 1, 1, 1, "spy", "sing", "masc", 3, "animate"]]]),
        "an empty entity": "[[]]",
        "sentences of another text": json.dumps(["It snowed."]),
        "numbers": "[1,2]",
    }


@pytest.mark.parametrize("value", forged_entries().values(), ids=forged_entries())
def test_entries_that_say_the_wrong_thing_are_made_anew(annotated, parser, tmp_path, value):
    class Overwritten(AnnotationCache):
        """Somebody else writes here too: the entries are whole, and not what was put."""

        def put(self, maker, annotations):
            super().put(maker, dict.fromkeys(annotations, value))

    path, text, said = tmp_path / "cache.sqlite", "It rained. We slept.", []
    stages = (parser, backend("sieve"), role_backend("stanza"))
    forging = Annotator(*stages, Overwritten(path))
    list(forging.annotate([STORY]))
    forging.sentences(text)
    for notices in (3, 0):
        again = Annotator(*stages, AnnotationCache(path, notice=said.append))
        assert list(again.annotate([STORY])) == [annotated]
        assert again.sentences(text) == ["It rained.", "We slept."]
        assert len(said) == notices
        assert all("made anew" in line for line in said)
        said.clear()


def test_odd_sentences_are_kept_too(parser, tmp_path):
    odd = (
        "",
        " \t ",
        "Ida  went \n home .",
        "😀 left\x00.",
        "half \ud83d of it",
        "word " * 300,
        "a,b;" * 500,
    )
    said = []
    cache = AnnotationCache(tmp_path / "cache.sqlite", notice=said.append)
    for _ in range(2):
        annotator = Annotator(parser, backend("none"), role_backend("stanza"), cache)
        annotator.prepare(odd)
        # Each sentence is there, and nothing was made anew.
        assert (len(cache), said) == (len(odd), [])


def test_what_is_cached_needs_no_parser(annotated, parser, tmp_path):
    path = tmp_path / "cache.sqlite"
    first = Annotator(parser, backend("sieve"), role_backend("stanza"), AnnotationCache(path))
    list(first.annotate([STORY]))
    assert first.sentences("It rained. We slept.") == ["It rained.", "We slept."]
    code = (
        "import sys; from pathlib import Path\n"
        "from babi_cascade.pipeline.annotate.annotator import Annotator\n"
        "from babi_cascade.pipeline.annotate.cache import AnnotationCache\n"
        "from babi_cascade.pipeline.annotate.parser import StanzaParser\n"
        "from babi_cascade.pipeline.coref import backend\n"
        "from babi_cascade.pipeline.srl import role_backend\n"
        f"cache = AnnotationCache(Path({str(path)!r}))\n"
        "a = Annotator(StanzaParser(), backend('sieve'), role_backend('stanza'), cache)\n"
        f"story, = a.annotate([{STORY!r}])\n"
        "assert a.sentences('It rained. We slept.') == ['It rained.', 'We slept.']\n"
        "heavy = ('torch', 'stanza', 'numpy', 'numba')\n"
        "print(len(story.frames), *(name in sys.modules for name in heavy))\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=300,
        env={**os.environ, "PYTHONPATH": str(ROOT)}, check=True,
    )  # fmt: skip
    assert done.stdout.split() == [str(len(STORY)), *["False"] * 4]


def test_missing_models_are_a_clear_error(tmp_path):
    with pytest.raises(ParserError, match="found no Stanza models there"):
        StanzaParser(models=str(tmp_path)).parse(["A cat sat."])


def test_the_command_lists_frames_of_running_text(tmp_path):
    command = [
        sys.executable, "-c", "from babi_cascade.app.cli import main; main()", "annotate", "-", "--text",
        "--to", "json", "--cache", str(tmp_path / "c.sqlite"),
    ]  # fmt: skip
    done = subprocess.run(
        command, input="Angela sold Victor a bicycle. Then she went home.", capture_output=True,
        text=True, timeout=300, env={**os.environ, "PYTHONPATH": str(ROOT)}, check=True,
    )  # fmt: skip
    (record,) = json.loads(done.stdout)
    assert [s["frames"][0]["predicate"] for s in record["sentences"]] == ["sell", "go"]
