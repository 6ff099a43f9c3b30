"""The reading stages on the shipped models: parse, coreference, frames, cache, and the command."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from babi_cascade.pipeline.annotator import Annotator
from babi_cascade.pipeline.backends import coreference, role_labeller
from babi_cascade.pipeline.cached import (
    clusters_of,
    frames_of,
    kept_clusters,
    kept_frames,
    kept_tree,
    tree_of,
)
from babi_cascade.pipeline.output import conllu_sentences, frame_listing
from babi_cascade.pipeline.parse.cache import AnnotationCache
from babi_cascade.pipeline.parse.errors import ParserError
from babi_cascade.pipeline.parse.stanza import StanzaParser
from babi_cascade.pipeline.parse.stanza_trees import flat_tree
from babi_cascade.pipeline.read import StoryReader
from babi_cascade.pipeline.trees import read_conllu, write_conllu
from tests.pipeline.told import told

pytest.importorskip("stanza", reason="the extra nlp is not installed")

ROOT = Path(__file__).parents[2]
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
    return next(reader_of(parser).stories([told(*STORY)]))


def reader_of(parser, coref=None, cache=None):
    annotator = Annotator(parser, coref or coreference("sieve"), role_labeller("stanza"), cache)
    return StoryReader(annotator)


def frame(annotated, sentence):
    return annotated.sentences[sentence].frames[0]


def test_the_shipped_models_are_small():
    files = [path for path in (ROOT / "data/models").rglob("*") if path.is_file()]
    assert sum(path.stat().st_size for path in files) <= 40_000_000


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
    trees = [sentence.written for sentence in annotated.replaced]
    for tree in (*trees, flat_tree("one two"), flat_tree("")):
        assert tree_of(kept_tree(tree), tree.text) == tree
    for sentence in annotated.sentences:
        assert frames_of(kept_frames(sentence.frames), sentence.tree) == sentence.frames
    assert clusters_of(kept_clusters(annotated.clusters), trees) == annotated.clusters


def test_a_cached_story_needs_no_coreference_and_no_labeller(parser, tmp_path):
    cache = AnnotationCache(tmp_path / "cache.sqlite")
    sieve, labeller = coreference("sieve"), role_labeller("stanza")
    (first,) = reader_of(parser, sieve, cache).stories([told(*STORY)])

    class Unused:
        def __init__(self, real):
            self.name, self.version, self.requires = real.name, real.version, real.requires
            self.fingerprint = real.fingerprint

        def check(self):
            pass

        def resolve(self, story):
            raise AssertionError("the story is known")

        def label(self, sentences):
            raise AssertionError("the sentences are known")

    (again,) = StoryReader(Annotator(parser, Unused(sieve), Unused(labeller), cache)).stories(
        [told(*STORY)]
    )
    assert again.to_json() == first.to_json()


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
        "another sentence": json.dumps(["Nobody came.", []]),
        "a row too short": json.dumps([text, [row[:5]]]),
        "a head outside": json.dumps([text, [row]]),
        "a number for a word": json.dumps([text, [[1, *row[1:4], 0, *row[5:]]]]),
        "an end outside": json.dumps([text, [[*row[:4], 0, *row[5:8], 900]]]),
        "frames of no list": json.dumps(frame),
        "a frame of nothing": json.dumps([{**frame, "token": 70}]),
        "an unknown field": json.dumps([{**frame, "run": "x"}]),
        "a span outside": json.dumps([{**frame, "arguments": [argument]}]),
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
    forging = reader_of(parser, cache=Overwritten(path))
    list(forging.stories([told(*STORY)]))
    forging.annotator.sentences(text)
    for stages in (4, 0):  # trees, entities, frames, sentences of a text
        again = reader_of(parser, cache=AnnotationCache(path, notice=said.append))
        (story,) = again.stories([told(*STORY)])
        assert story.to_json() == annotated.to_json()
        assert again.annotator.sentences(text) == ["It rained.", "We slept."]
        assert bool(said) == bool(stages)
        assert len(said) >= stages
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
        annotator = Annotator(parser, coreference("none"), role_labeller("stanza"), cache)
        annotator.parse(odd)
        # Each tree is there, and nothing was made anew.
        assert (len(cache), said) == (len(odd), [])


def test_what_is_cached_needs_no_parser(annotated, parser, tmp_path):
    path = tmp_path / "cache.sqlite"
    first = reader_of(parser, cache=AnnotationCache(path))
    list(first.stories([told(*STORY)]))
    assert first.annotator.sentences("It rained. We slept.") == ["It rained.", "We slept."]
    code = (
        "import sys; from pathlib import Path\n"
        "from babi_cascade.pipeline.annotator import Annotator\n"
        "from babi_cascade.pipeline.backends import coreference, role_labeller\n"
        "from babi_cascade.pipeline.parse.cache import AnnotationCache\n"
        "from babi_cascade.pipeline.parse.stanza import StanzaParser\n"
        "from babi_cascade.pipeline.read import StoryReader\n"
        "from tests.pipeline.told import told\n"
        f"cache = AnnotationCache(Path({str(path)!r}))\n"
        "a = Annotator(StanzaParser(), coreference('sieve'), role_labeller('stanza'), cache)\n"
        f"story, = StoryReader(a).stories([told(*{STORY!r})])\n"
        "assert a.sentences('It rained. We slept.') == ['It rained.', 'We slept.']\n"
        "heavy = ('torch', 'stanza', 'numpy', 'numba')\n"
        "print(len(story.sentences), *(name in sys.modules for name in heavy))\n"
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
