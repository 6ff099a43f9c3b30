"""CoreNLP and ClearNLP themselves, where the variables CORENLP and CLEARNLP name their folders.

They are started once for all of these tests. What they say must be what was recorded of them, and nothing of
them may outlive the process that started them, however it ends.
"""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from babi_cascade import Cascade, generate
from babi_cascade.pipeline.annotator import Annotator
from babi_cascade.pipeline.backends import coreference, role_labeller
from babi_cascade.pipeline.coref import CorefError
from babi_cascade.pipeline.coref.corenlp import READING, RULES, WORDS, CoreNLP
from babi_cascade.pipeline.coref.corenlp_server import Server
from babi_cascade.pipeline.java import JavaError
from babi_cascade.pipeline.parse.given import ConlluParser
from babi_cascade.pipeline.read import StoryReader
from babi_cascade.pipeline.srl.clearnlp import ClearNLP
from babi_cascade.pipeline.trees import Tree
from tests import recorded
from tests.pipeline.coref.test_corenlp import replayed, server
from tests.pipeline.told import as_written

ROOT = Path(__file__).parents[2]


def needs(variable: str) -> pytest.MarkDecorator:
    folder = os.environ.get(variable, "")
    there = Path(folder).is_dir() if folder else False
    reason = f"{variable} names no folder with the program" if not there else "there is no Java"
    return pytest.mark.skipif(not there or shutil.which("java") is None, reason=reason)


corenlp_is_there, clearnlp_is_there = needs("CORENLP"), needs("CLEARNLP")
pytestmark = pytest.mark.xdist_group("java")


@pytest.fixture(scope="module")
def coref() -> Iterator[CoreNLP]:
    made = CoreNLP()
    yield made
    made.close()


@pytest.fixture(scope="module")
def labeller() -> Iterator[ClearNLP]:
    made = ClearNLP()
    yield made
    made.close()


def started_by(code: str) -> tuple[subprocess.Popen[str], int]:
    """Another Python that starts a program, and the process group of that program."""
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    process = subprocess.Popen(
        [sys.executable, "-c", f"{code}\nprint(java.process.pid, flush=True)\ninput()"],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environment,
    )  # fmt: skip
    assert process.stdout is not None
    return process, int(process.stdout.readline())


def ends(group: int, seconds: float = 10) -> bool:
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        try:
            os.killpg(group, 0)
        except ProcessLookupError:
            return True
        time.sleep(0.05)
    return False


CORENLP = (
    "from babi_cascade.pipeline.coref.corenlp import CoreNLP\njava = CoreNLP().start()._program"
)
CLEARNLP = (
    "from babi_cascade.pipeline.srl.clearnlp import ClearNLP, _Program\n"
    "java = _Program(ClearNLP().jars)._java"
)


@pytest.mark.parametrize(
    ("code", "how"),
    [
        pytest.param(CORENLP, signal.SIGKILL, marks=corenlp_is_there),
        pytest.param(CORENLP, signal.SIGINT, marks=corenlp_is_there),
        pytest.param(CLEARNLP, signal.SIGKILL, marks=clearnlp_is_there),
    ],
)
def test_a_program_ends_with_the_process_that_started_it(code: str, how: signal.Signals) -> None:
    process, group = started_by(code)
    os.killpg(group, 0)  # it runs
    process.send_signal(how)
    process.communicate()
    assert ends(group)


@corenlp_is_there
def test_corenlp_says_what_was_recorded(coref: CoreNLP) -> None:
    version, _ = recorded.corenlp()
    if coref.version != version:
        pytest.skip(f"recorded with CoreNLP {version}, this is {coref.version}")
    told = list(recorded.stories().values())
    with server(replayed) as (url, _):
        assert coref.resolve_all(told) == CoreNLP(url).resolve_all(told)


@corenlp_is_there
def test_who_does_not_know_the_password_is_refused(coref: CoreNLP) -> None:
    own = coref.start()
    stranger = Server(own.url, timeout=30)
    with pytest.raises(CorefError, match="401"):
        stranger.annotate(b"Kim slept.", {"annotators": "tokenize"}, "text/plain")
    assert own.annotate(b"Kim slept.", {"annotators": "tokenize"}, "text/plain")


def tellings(task: int) -> list[list[str]]:
    """Every question of a small task behind the facts before it."""
    return [[*(fact.text for fact in q.facts), q.text] for q in generate(task, 15)]


def in_words(lines: Sequence[str]) -> list[Tree]:
    from babi_cascade.pipeline.parse.stanza import StanzaParser

    return StanzaParser().parse(list(lines))


@corenlp_is_there
@pytest.mark.parametrize("task", [11, 13])
def test_parsing_sentences_once_changes_no_chain(coref: CoreNLP, task: int) -> None:
    pytest.importorskip("stanza", reason="the extra nlp is not installed")
    told = tellings(task)
    different = list(dict.fromkeys(line for lines in told for line in lines))
    trees = dict(zip(different, in_words(different), strict=True))
    found = coref.resolve_all([[trees[line] for line in lines] for lines in told])
    whole = {
        **WORDS, **READING, **RULES, "annotators": f"{READING['annotators']},dcoref", "outputFormat": "json",
    }  # fmt: skip
    for lines, clusters in zip(told, found, strict=True):
        text = "\n".join(" ".join(token.form for token in trees[line]) for line in lines)
        answer = json.loads(coref.start().annotate(text.encode(), whole, "text/plain"))
        chains = {
            frozenset((m["sentNum"] - 1, m["startIndex"], m["endIndex"] - 1) for m in chain)
            for chain in answer["corefs"].values()
        }
        assert {frozenset(mention.span for mention in entity) for entity in clusters} == chains


@corenlp_is_there
@pytest.mark.parametrize("task", [11, 13])
def test_a_small_task_is_learned_with_corenlp(coref: CoreNLP, task: int) -> None:
    pytest.importorskip("stanza", reason="the extra nlp is not installed")
    from babi_cascade.pipeline.parse.stanza import StanzaParser

    reader = StoryReader(Annotator(StanzaParser(), coref, role_labeller("stanza")))
    questions = generate(task, 120)
    cascade = Cascade(reader=reader, cost=0.1).fit(questions[:80])
    assert cascade.score(questions[80:]) >= 0.95


@corenlp_is_there
def test_a_server_that_is_killed_in_the_middle_is_one_line() -> None:
    made = CoreNLP()
    program = made.start()._program
    os.killpg(program.process.pid, signal.SIGKILL)
    with pytest.raises(CorefError, match="CoreNLP ended while it worked") as caught:
        made.resolve(recorded.stories()["kites-1"])
    assert "\n" not in str(caught.value)
    made.close()


@clearnlp_is_there
def test_clearnlp_says_what_was_recorded_at_once_and_one_by_one(labeller: ClearNLP) -> None:
    told = [tree for story in recorded.stories().values() for tree in story]
    expected = [recorded.clearnlp()[" ".join(token.form for token in tree)] for tree in told]
    assert labeller.rows(told) == expected
    started = time.monotonic()
    for tree, rows in zip(told[:10], expected, strict=False):
        assert labeller.rows([tree]) == [rows]
    assert time.monotonic() - started < 10  # it was not started again


@clearnlp_is_there
def test_clearnlp_takes_odd_words(labeller: ClearNLP) -> None:
    from tests.pipeline.coref.trees import tree

    odd = [
        tree("🙂/SYM/0/root (/PUNCT/1/punct _/X/1/dep \ud800/X/1/dep"),
        tree("x" * 5000 + "/X/0/root"),
    ]
    assert labeller.label(as_written(*odd)) == [{}, {}]
    plain = recorded.stories()["kites-1"][0]
    assert labeller.label(as_written(*odd, plain, *odd))[2] == labeller.label(as_written(plain))[0]


@clearnlp_is_there
def test_clearnlp_killed_in_the_middle_is_one_line(labeller: ClearNLP) -> None:
    story = recorded.stories()["kites-1"]
    labeller.label(as_written(*story))
    running = labeller._running
    assert running is not None
    os.killpg(running._java.process.pid, signal.SIGKILL)
    with pytest.raises(JavaError, match="ClearNLP ended while it worked") as caught:
        labeller.label(as_written(*story))
    assert "\n" not in str(caught.value)


@clearnlp_is_there
def test_a_jar_damaged_inside_is_one_line(tmp_path: Path) -> None:
    for jar in ClearNLP().jars:
        (tmp_path / jar.name).symlink_to(jar)
    spoilt = next(tmp_path.glob("clearnlp-general-en-srl-*.jar"))
    content = bytearray(spoilt.read_bytes())
    spoilt.unlink()
    content[len(content) // 2 : len(content) // 2 + 1000] = b"\0" * 1000
    spoilt.write_bytes(content)
    labeller = ClearNLP(tmp_path)
    with pytest.raises(JavaError, match=rf"{spoilt.name}: is damaged") as caught:
        labeller.label(as_written(*recorded.stories()["kites-1"]))
    assert "\n" not in str(caught.value)


@corenlp_is_there
def test_trees_of_corenlp_serve_in_the_place_of_ours(tmp_path: Path) -> None:
    """The script parses every line of a file, and the reader finds all of them again."""
    stories, trees = tmp_path / "qa12.txt", tmp_path / "corenlp.conllu"
    told = generate(12, 60)
    lines = dict.fromkeys(text for q in told for text in (*(f.text for f in q.facts), q.text))
    rows = [f"{number} {text}" for number, text in enumerate(lines, start=1)]
    stories.write_text("\n".join(rows) + "\n", encoding="utf-8")
    subprocess.run(
        [sys.executable, ROOT / "scripts/corenlp_trees.py", stories, "--out", trees],
        check=True, capture_output=True,
    )  # fmt: skip
    reader = StoryReader(
        Annotator(ConlluParser(trees), coreference("none"), role_labeller("stanza"))
    )
    assert Cascade(cost=0.1, reader=reader).fit(told[:40]).score(told[40:]) >= 0.9
