"""Whatever is in a sentence: frames or none, never a crash, and memory that does not grow with its length."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from babi_cascade.pipeline.annotator import Annotator
from babi_cascade.pipeline.backends import coreference, role_labeller
from babi_cascade.pipeline.parse.stanza import LONGEST, StanzaParser
from babi_cascade.pipeline.read import StoryReader
from tests.pipeline.told import told

pytest.importorskip("stanza", reason="the extra nlp is not installed")

ROOT = Path(__file__).parents[2]
HINDI = "मरियम बाथरूम में गयी। जॉन कहाँ है?"
ODD = {
    "empty": "",
    "white space": " \t \u00a0 ",
    "no word": "?!",
    "no verb": "A very old bridge",
    "emoji": "😀 😀 👩‍🚀",
    "emoji in a sentence": "Angela sold 🚲 to Victor 😀.",
    "markup": '<p class="x">Angela <b>left</b> &amp; slept.</p>',
    "Hindi": HINDI,
    "German": "Das ist ein Satz auf Deutsch.",
    "Chinese": "玛丽去了浴室。" * 60,
    "control characters": "Angela\x00 \x1b[31mleft\x07 \u200b\u202e.",
    "half a character": "Angela \ud83d left.",
    "lines inside": "Angela\tleft\n\nthe\r\nroom.",
    "10 000 words": "word " * 10_000,
    "10 000 words without spaces": "a,b;" * 2_500,
    "one long word": "a" * 50_000,
}


@pytest.fixture(scope="module")
def parser():
    return StanzaParser()


@pytest.mark.parametrize("text", ODD.values(), ids=ODD)
def test_odd_input_gives_frames_or_none_and_never_a_crash(parser, text):
    reader = StoryReader(Annotator(parser, coreference("sieve"), role_labeller("stanza")))
    (story,) = reader.stories([told(text, "Angela left.", f"Did she see {text}?")])
    assert story.sentences[1].frames[0].predicate == "leave"
    assert story.texts[0] == story.sentences[0].text == text
    assert story.to_json()


def test_partial_frames(parser):
    reader = StoryReader(Annotator(parser, coreference("sieve"), role_labeller("stanza")))
    (story,) = reader.stories([told("", "A very old bridge", "Angela sold 🚲 to Victor 😀.")])
    assert story.sentences[0].frames == ()
    assert story.sentences[0].text == ""
    assert "sell" in [frame.predicate for frame in story.sentences[2].frames]


def test_too_many_words_are_kept_without_structure(parser):
    many, spaceless = parser.parse(["word " * (LONGEST + 1), "a,b;" * 500])
    assert len(many) == LONGEST + 1
    assert {token.deprel for token in many} == {"root", "dep"}
    assert spaceless.text == "a,b;" * 500
    assert len(spaceless) == 1
    (parsed,) = parser.parse(["word " * LONGEST])
    assert {token.deprel for token in parsed} != {"root", "dep"}


def test_running_text_of_any_length_is_split(parser):
    text = "Angela left. " * 50 + "\n\n" + "and so on " * 4_000
    found = parser.sentences(text)
    assert found[:2] == ["Angela left.", "Angela left."]
    assert "".join("".join(found).split()) == "".join(text.split())
    assert parser.sentences("") == []


def test_long_sentences_need_no_more_memory_than_short_ones(tmp_path):
    """A fresh process: what the models need, measured with a short sentence, and then with long ones."""
    code = (
        "import resource\n"
        "from babi_cascade.pipeline.annotator import Annotator\n"
        "from babi_cascade.pipeline.parse.stanza import StanzaParser\n"
        "from babi_cascade.pipeline.backends import coreference, role_labeller\n"
        "from babi_cascade.pipeline.read import StoryReader\n"
        "from tests.pipeline.told import told\n"
        "a = Annotator(StanzaParser(), coreference('sieve'), role_labeller('stanza'))\n"
        "r = StoryReader(a)\n"
        "list(r.stories([told('word ' * 250, 'Angela left.')]))\n"
        "before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss\n"
        "list(r.stories([told('word ' * 10_000, 'a,b;' * 2_500, 'x' * 50_000, 'Angela left.')]))\n"
        "print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=300, check=True,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )  # fmt: skip
    unit = 1 if sys.platform == "darwin" else 1024
    assert int(done.stdout) * unit < 200_000_000
