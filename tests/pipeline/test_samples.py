"""The paper's sample stories, the worked example of docs/reading.md, and the options of the command."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from babi_cascade.pipeline.annotator import Annotator
from babi_cascade.pipeline.backends import coreference, role_labeller
from babi_cascade.pipeline.output import conllu_sentences, frame_listing
from babi_cascade.pipeline.parse.errors import ParserError
from babi_cascade.pipeline.parse.given import ConlluParser
from babi_cascade.pipeline.parse.stanza import StanzaParser
from babi_cascade.pipeline.read import StoryReader
from babi_cascade.pipeline.stories import read_questions, read_stories
from babi_cascade.pipeline.trees import write_conllu
from tests.pipeline.told import told

ROOT = Path(__file__).parents[2]
SAMPLES = ROOT / "data" / "samples"
GUIDE = (ROOT / "docs" / "reading.md").read_text(encoding="utf-8")
KITES = ["Angela lent Sandra the broken kite.", "She repaired it.", "Who repaired the kite?"]


def run(*arguments, cwd=ROOT, text=None):
    return subprocess.run(
        [sys.executable, "-c", "from babi_cascade.app.cli import main; main()", *map(str, arguments)],
        cwd=cwd, input=text, capture_output=True, text=True, timeout=300,
        env={**os.environ, "PYTHONPATH": str(ROOT), "XDG_CACHE_HOME": str(cwd)},
    )  # fmt: skip


def test_the_papers_stories_are_twenty_with_answers_and_support():
    stories = list(read_stories(SAMPLES / "paper-stories.txt"))
    questions = list(read_questions(SAMPLES / "paper-stories.txt"))
    assert len(stories) == 20
    assert len(questions) == 31
    assert all(question.supporting for question in questions)
    assert questions[0].answer == "office"


def test_every_sentence_of_the_papers_stories_has_a_frame():
    pytest.importorskip("stanza", reason="the extra nlp is not installed")
    reader = StoryReader(Annotator(StanzaParser(), coreference("sieve"), role_labeller("stanza")))
    listing = []
    for story in reader.stories(read_stories(SAMPLES / "paper-stories.txt")):
        for text, read in zip(story.texts, story.sentences, strict=True):
            frames = read.frames
            assert len(frames) == 1, text
            assert frames[0].arguments, text
            assert bool(frames[0].question) == text.endswith("?"), text
        listing += frame_listing(story)
    shown = "\n".join(listing)
    assert "give(obl:to/ARG2 jeff; obj/ARG1 milk; nsubj/ARG0 bill)" in shown
    assert "= Then Daniel and Sandra went to the garden." in shown
    assert "not be in(nsubj/ARG1 fred; obl:in/ARG2 office)" in shown
    assert "classroom | playground" in shown


def commands():
    found = [
        line.partition("  #")[0].strip()
        for block in re.findall(r"^```sh\n(.*?)^```", GUIDE, flags=re.DOTALL | re.MULTILINE)
        for line in block.splitlines()
    ]
    return [line for line in found if "babi-cascade annotate" in line]


def test_every_command_of_the_guide_works_and_shows_what_it_says(tmp_path):
    pytest.importorskip("stanza", reason="the extra nlp is not installed")
    shutil.copytree(SAMPLES, tmp_path / "data" / "samples")
    command = tmp_path / "bin" / "babi-cascade"
    command.parent.mkdir()
    command.write_text(
        f"#!{sys.executable}\nimport sys\nsys.path.insert(0, {str(ROOT)!r})\n"
        "from babi_cascade.app.cli import main\nmain()\n"
    )
    command.chmod(0o755)
    environment = {**os.environ, "PATH": f"{command.parent}:{os.environ['PATH']}"}
    environment["XDG_CACHE_HOME"] = str(tmp_path)
    assert len(commands()) == 6
    for line in commands():
        done = subprocess.run(
            line, shell=True, cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=300
        )  # fmt: skip
        assert done.returncode == 0, f"{line}\n{done.stderr}"
    # The last one is the worked example.
    assert f"```\n{done.stdout}```" in GUIDE
    assert (tmp_path / "mine.conllu").stat().st_size > 500


def given_reader(file, coref="conllu", srl="conllu"):
    options = {"conllu": ({"path": file}, {"files": [file]})}
    return StoryReader(
        Annotator(
            ConlluParser(file),
            coreference(coref, **options.get(coref, ({}, {}))[0]),
            role_labeller(srl, **options.get(srl, ({}, {}))[1]),
        )
    )


def test_given_trees_need_no_parser_and_serve_every_back_end():
    file = SAMPLES / "kites.conllu"
    (story,) = given_reader(file).stories([told(*KITES)])
    assert story.sentences[0].frames[0].predicate == "lend"
    assert list(frame_listing(story))[3:5] == [
        "    = Sandra repaired the broken kite.",
        "    repair(nsubj/ARG0 sandra; obj/ARG1 broken kite)",
    ]
    (other,) = given_reader(file, "sieve", "stanza").stories([told(*KITES)])
    assert "    = Angela repaired the broken kite." in list(frame_listing(other))
    parser = ConlluParser(file)
    assert parser.parse(["", "She  repaired it ."])[1].text == "She repaired it."
    assert parser.sentences(" ".join(KITES)) == KITES
    assert parser.fingerprint.startswith("conllu ")


@pytest.mark.parametrize("sample", ["paper-stories.txt", "kites.txt"])
def test_what_annotate_shows_is_what_the_cascade_gets(sample):
    """Line by line: the text as read, words, frames; and nothing else is shown."""
    pytest.importorskip("stanza", reason="the extra nlp is not installed")
    reader = StoryReader(Annotator(StanzaParser(), coreference("sieve"), role_labeller("stanza")))
    stories = list(read_stories(SAMPLES / sample))
    shown = list(reader.stories(stories))
    reader = StoryReader(Annotator(StanzaParser(), coreference("sieve"), role_labeller("stanza")))
    for asked in reader.read(question for story in stories for question in story.questions):
        number = next(i for i, story in enumerate(stories) if asked.source in story.questions)
        lines, story = stories[number].lines, shown[number]
        places = [lines.index(line) for line in (*asked.source.facts, asked.source)]
        for place, sentence in zip(places, [*asked.facts, asked.question], strict=True):
            listed = story.to_json()["sentences"][place]
            assert listed["text"] == lines[place].text
            assert listed.get("read_as", listed["text"]) == sentence.text
            assert listed["words"] == [token.form for token in sentence.tree]
            assert listed["frames"] == [frame.to_json() for frame in sentence.frames]


@pytest.mark.parametrize("sample", ["paper-stories.txt", "kites.txt"])
def test_annotations_that_are_given_back_unchanged_are_read_alike(sample, tmp_path):
    pytest.importorskip("stanza", reason="the extra nlp is not installed")
    reader = StoryReader(Annotator(StanzaParser(), coreference("sieve"), role_labeller("stanza")))
    stories = list(read_stories(SAMPLES / sample))
    file = tmp_path / "mine.conllu"
    before = list(reader.stories(stories))
    with file.open("w", encoding="utf-8") as stream:
        for number, story in enumerate(before):
            write_conllu(conllu_sentences(story, f"story-{number}"), stream)
    after = list(given_reader(file).stories(stories))
    assert [list(frame_listing(s)) for s in after] == [list(frame_listing(s)) for s in before]


def test_what_a_given_file_lacks_is_named(tmp_path):
    parser = ConlluParser(SAMPLES / "kites.conllu")
    with pytest.raises(ParserError, match=r"no tree of 1 of 2 sentences, e\.g\. 'Nobody knows\.'"):
        parser.parse(["She repaired it.", "Nobody knows."])
    with pytest.raises(ParserError, match="are not the text"):
        parser.sentences("Nobody knows.")
    with pytest.raises(ParserError, match="cannot be read"):
        _ = ConlluParser(tmp_path / "gone.conllu").fingerprint


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--srl", "conllu"], "need --conllu FILE"),
        (["--srl", "magic"], "'magic' is not one of"),
        (["--conllu", "gone.conllu"], "gone.conllu: cannot be read"),
        (["--conllu", "gone.conllu", "--srl", "conllu"], "gone.conllu: cannot be read"),
        (["--srl", "senna", "--senna", "nowhere"], "nowhere; get it with: "),
        (["--coref", "corenlp", "--corenlp-url", "http://127.0.0.1:9"], "fetch-resources corenlp"),
        (["--coref", "corenlp", "--corenlp", "nowhere"], "fetch-resources corenlp"),
        (["--srl", "clearnlp", "--clearnlp", "nowhere"], "fetch-resources clearnlp"),
        (["--coref", "stanza", "--coref-model", "gone.pt"], "get it with: "),
        (["--stanza-models", "nowhere"], "nowhere: found no Stanza models there"),
        (["--jobs", "0"], "0 is not in the range"),
    ],
)
def test_what_is_missing_is_told_before_any_work(tmp_path, options, message):
    done = run("annotate", SAMPLES / "kites.txt", *options, cwd=tmp_path)
    assert done.returncode == 2
    assert message in done.stderr
    assert done.stderr.count("\n") == 1
