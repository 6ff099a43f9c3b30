"""The paper's sample stories, the worked example of docs/reading.md, and the options of the command."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from babi_cascade.pipeline.annotate.annotator import Annotator
from babi_cascade.pipeline.annotate.brought import ConlluParser
from babi_cascade.pipeline.annotate.errors import ParserError
from babi_cascade.pipeline.annotate.output import frame_listing
from babi_cascade.pipeline.annotate.parser import StanzaParser
from babi_cascade.pipeline.coref import backend
from babi_cascade.pipeline.srl import role_backend
from babi_cascade.pipeline.stories import read_questions, read_stories

ROOT = Path(__file__).parents[3]
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
    told = [[line.text for line in s.lines] for s in read_stories(SAMPLES / "paper-stories.txt")]
    annotator = Annotator(StanzaParser(), backend("sieve"), role_backend("stanza"))
    listing = []
    for story in annotator.annotate(told):
        for text, frames in zip(story.sentences, story.frames, strict=True):
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


def test_brought_trees_need_no_parser_and_serve_every_back_end(tmp_path):
    file = SAMPLES / "kites.conllu"
    parser = ConlluParser(file)
    brought = Annotator(parser, backend("conllu", path=file), role_backend("conllu", files=[file]))
    (story,) = brought.annotate([KITES])
    assert story.frames[0][0].predicate == "lend"
    assert "    = Sandra repaired the broken kite." in list(frame_listing(story))
    (other,) = Annotator(parser, backend("sieve"), role_backend("stanza")).annotate([KITES])
    assert "    = Angela repaired the broken kite." in list(frame_listing(other))
    assert parser.parse(["", "She  repaired it ."])[1].text == "She repaired it."
    assert parser.sentences(" ".join(KITES)) == KITES
    assert parser.fingerprint.startswith("conllu ")


def test_what_a_brought_file_lacks_is_named(tmp_path):
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
        (["--coref", "corenlp", "--corenlp-url", "http://127.0.0.1:9"], "StanfordCoreNLPServer"),
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
