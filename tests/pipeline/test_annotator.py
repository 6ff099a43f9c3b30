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
from babi_cascade.pipeline.coref import Clusters
from babi_cascade.pipeline.output import conllu_sentences, frame_listing
from babi_cascade.pipeline.parse.cache import AnnotationCache
from babi_cascade.pipeline.parse.errors import ParserError
from babi_cascade.pipeline.parse.stanza import StanzaParser
from babi_cascade.pipeline.parse.stanza_trees import flat_tree
from babi_cascade.pipeline.read import StoryReader
from babi_cascade.pipeline.trees import read_conllu, write_conllu
from babi_cascade.pipeline.trees.rows import compact_json, tree_of_rows, tree_rows
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


def test_trees_and_entities_survive_their_short_form(annotated):
    trees = [sentence.written for sentence in annotated.replaced]
    for tree in (*trees, flat_tree("one two"), flat_tree("")):
        assert tree_of_rows(json.loads(compact_json(tree_rows(tree)))) == tree
    rows = json.loads(compact_json(annotated.clusters.to_rows()))
    assert Clusters.from_rows(rows) == annotated.clusters


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
        "print(len(story.sentences), *(m in sys.modules for m in ('torch', 'stanza', 'numpy')))\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=300,
        env={**os.environ, "PYTHONPATH": str(ROOT)}, check=True,
    )  # fmt: skip
    assert done.stdout.split() == [str(len(STORY)), "False", "False", "False"]


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
