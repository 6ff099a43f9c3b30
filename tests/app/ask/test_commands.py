"""`ask` as a user meets it: in a pipe, with a file, on a terminal."""

from __future__ import annotations

import json
import lzma
import os
import pty
import select
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from babi_cascade.app.ask import default_model
from babi_cascade.app.ask.default_model import default_model as make_default
from babi_cascade.app.experiments.progress import Telling

ROOT = Path(__file__).parents[3]
COMMAND = [sys.executable, "-c", "from babi_cascade.app.cli import main; main()"]
STORY = "Ana went to the mill. Tom moved to the barn.\nWhere is Tom?\n"


@pytest.fixture
def environment(tmp_path):
    paths = [str(ROOT), os.environ.get("PYTHONPATH", "")]
    return {**os.environ, "PYTHONPATH": os.pathsep.join(paths), "TERM": "xterm",
            "XDG_CACHE_HOME": str(tmp_path / "cache"), "XDG_STATE_HOME": str(tmp_path / "state")}  # fmt: skip


def piped(environment, text, *args):
    return subprocess.run(
        [*COMMAND, "ask", *map(str, args)], input=text, capture_output=True, text=True, env=environment,
        timeout=120, encoding="utf-8",
    )  # fmt: skip


def test_a_pipe_gets_plain_text(environment, words_model):
    done = piped(environment, STORY, "-m", words_model)
    assert (done.returncode, done.stderr) == (0, "")
    lines = done.stdout.splitlines()
    assert lines[0] == "Where is Tom?"
    assert lines[1].startswith("  answer  barn  (")
    assert lines[2] == "  facts   2 Tom moved to the barn."
    assert lines[3].startswith("  state   ")
    assert any(line.startswith("  margin  ") for line in lines[4:])
    assert "\x1b" not in done.stdout


def test_annotations_that_are_not_there_or_not_used_are_told(command, words_model, tmp_path):
    (tmp_path / "story.txt").write_text(STORY)
    for model in ((), ("-m", words_model)):
        shown = command("ask", "story.txt", *model, "--conllu", "nothere")
        assert (shown.code, shown.out) == (2, "")
        assert shown.err == "error: --conllu: nothere: cannot be read: no such file\n"
    shown = command("ask", "story.txt", "--stanza-models", "mine")
    assert (shown.code, shown.out) == (2, "")
    (line,) = shown.err.splitlines()
    assert line.startswith("error: --stanza-models is for a model of your own (-m)")


def test_files_of_all_kinds(command, words_model, tmp_path):
    (tmp_path / "plain.txt").write_text(STORY)
    (tmp_path / "babi.txt").write_text("1 Tom moved to the barn.\n2 Where is Tom?\tbarn\t1\n")
    record = {"story": ["Tom moved to the barn."], "question": "Where is Tom?", "answer": "mill"}
    (tmp_path / "q.jsonl").write_text(json.dumps(record) + "\n")
    for name, note in (("plain.txt", ""), ("babi.txt", "; right"), ("q.jsonl", "; expected mill")):
        shown = command("ask", name, "-m", words_model)
        assert shown.code == 0, shown.err
        assert "answer  barn" in shown.out
        assert note in shown.out


def test_for_programs_and_with_reasons(command, words_model, tmp_path):
    (tmp_path / "story.txt").write_text(STORY + "\nWhere is Tom?\n")
    shown = command("ask", "story.txt", "-m", words_model, "--json")
    first, second = map(json.loads, shown.out.splitlines())
    assert (first["answer"], first["support"], first["facts"]) == (
        "barn",
        [2],
        ["Tom moved to the barn."],
    )
    assert (second["answer"], second["verdict"]) == (None, "unknown")  # an empty line: a new story
    assert "why this answer" in command("ask", "story.txt", "-m", words_model, "--explain").out


@pytest.mark.parametrize(
    ("text", "said", "code"),
    [
        (b"a\x01b?\n", "not answered: <stdin>:1: found the character U+0001", 1),
        (b'{"story": 3}\n', "not answered: <stdin>:1: ", 1),
        (b"ok.\n\xff\n", "<stdin>:2: not UTF-8", 2),
    ],
)
def test_bad_input_is_one_line(environment, words_model, text, said, code):
    done = subprocess.run(
        [*COMMAND, "ask", "-m", str(words_model)], input=text, capture_output=True, env=environment,
        timeout=120,
    )  # fmt: skip
    assert done.returncode == code
    assert said in done.stderr.decode()
    assert done.stderr.count(b"\n") == 1


def test_a_bad_question_does_not_keep_the_others_from_being_answered(environment, words_model):
    text = "Tom moved to the barn. Where is Tom? ??? Where is Tom?!\nWhere is Tom?\n"
    done = piped(environment, text, "-m", words_model)
    assert done.stdout.count("answer  barn") == 3
    assert done.stderr == "not answered: <stdin>:1: found '???', expected a question in words\n"
    assert done.returncode == 1
    record = json.dumps({"story": ["Tom moved to the barn."], "question": "Where is Tom?"})
    done = piped(environment, f'{record}\n{{"story": 3}}\n{record}\n', "-m", words_model)
    assert done.stdout.count("answer  barn") == 2
    assert (done.returncode, done.stderr.count("\n")) == (1, 1)


def test_a_wrong_file_or_model_is_one_line(command, words_model, tmp_path):
    (tmp_path / "no.model").write_text("no model")
    for args in (("nowhere.txt", "-m", words_model), ("-m", "no.model"), ("-m", "nowhere.model")):
        shown = command("ask", *args)
        assert (shown.code, shown.out, shown.err.count("\n")) == (2, "", 1)


def test_what_is_no_file_is_called_what_it_is(command, environment, words_model, tmp_path):
    for path, found in ((tmp_path, "a directory"), (tmp_path / "no.txt", "no such file")):
        shown = command("ask", path, "-m", "nowhere.model")  # told before any model is looked for
        assert (shown.code, shown.out) == (2, "")
        assert f"{path}: found {found}, expected a story file" in shown.err
    shown = command("ask", os.devnull, "-m", words_model)
    assert (shown.code, shown.out) == (0, "")
    assert "no question was asked" in shown.err
    os.mkfifo(tmp_path / "pipe")
    process = subprocess.Popen(
        [*COMMAND, "ask", str(tmp_path / "pipe"), "-m", str(words_model)], stdout=subprocess.PIPE,
        env=environment,
    )  # fmt: skip
    (tmp_path / "pipe").write_text(STORY)
    assert b"answer  barn" in process.communicate(timeout=120)[0]


def test_answers_come_while_the_pipe_is_open(environment, words_model):
    process = subprocess.Popen(
        [*COMMAND, "ask", "-m", str(words_model)], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
        env=environment,
    )  # fmt: skip
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdin.write(STORY.encode())
    process.stdin.flush()
    assert process.stdout.readline() == b"Where is Tom?\n"
    assert b"barn" in process.stdout.readline()
    process.stdin.close()
    assert process.wait(60) == 0
    process.stdout.close()


class Terminal:
    """The command on a terminal of its own."""

    def __init__(self, environment, *args):
        self.process, self.seen = -1, ""
        self.process, self._end = pty.fork()
        if not self.process:
            os.execvpe(COMMAND[0], [*COMMAND, "ask", *map(str, args)], environment)

    def type(self, text):
        os.write(self._end, text.encode())

    def shows(self, text, seconds):
        """Whether a text is shown within so many seconds; what is shown stays to be waited for."""
        end = time.monotonic() + seconds
        while text not in self.seen and time.monotonic() < end:
            if select.select([self._end], [], [], 0.2)[0]:
                try:
                    data = os.read(self._end, 65536)
                except OSError:  # the other end is closed
                    data = b""
                assert data or text in self.seen, self.seen
                self.seen += data.decode("utf-8", "replace")
        return text in self.seen

    def wait_for(self, text, seconds=90.0):
        assert self.shows(text, seconds), self.seen
        before, _, self.seen = self.seen.partition(text)
        return before

    def left(self):
        return os.waitstatus_to_exitcode(os.waitpid(self.process, 0)[1])

    def close(self):
        try:
            os.kill(self.process, signal.SIGKILL)
            os.waitpid(self.process, 0)
        except (ProcessLookupError, ChildProcessError):
            pass
        os.close(self._end)


def test_a_dialogue_on_a_terminal(environment, words_model, tmp_path):
    terminal = Terminal(environment, "-m", words_model)
    try:
        terminal.wait_for(":help has the commands")
        terminal.wait_for("> ")
        terminal.type("Ana went to the mill.\r")
        # A paste of several lines, as terminals mark it.
        terminal.type("\x1b[200~Tom moved to the barn.\nWhere is Tom?\x1b[201~\r")
        terminal.wait_for("answer")
        assert "barn" in terminal.wait_for("margin")
        # Ctrl-C takes back the line only. While an answer is told it stops that, and readline does not hear
        # one that comes in the moment between its prompt and its waiting.
        for _ in range(30):
            terminal.type("\x03")
            if terminal.shows("leaves)", seconds=1.0):
                break
        terminal.wait_for("leaves)")
        terminal.wait_for("> ")
        terminal.type(":dance\r")
        terminal.wait_for("error: no command :dance")
        terminal.type(":quit\r")
        assert terminal.left() == 0
    finally:
        terminal.close()
    history = tmp_path / "state/babi-cascade/ask_history"
    assert "Ana went to the mill." in history.read_text()
    assert history.stat().st_mode & 0o077 == 0
    again = Terminal(environment, "-m", words_model)
    try:
        again.wait_for("> ")
        again.type("\x1b[A\x1b[A")  # up, up: what was typed before
        again.wait_for("dance")
        again.type("\x15\x04")  # nothing on the line, then Ctrl-D
        assert again.left() == 0
    finally:
        again.close()


def test_the_default_model_is_made_once_and_kept(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    heard: list[str] = []
    telling = Telling(notice=heard.append)
    first = make_default(None, telling, questions=3, words_only=True)
    (path,) = (tmp_path / "babi-cascade/models").iterdir()
    assert any(
        "making one from 3 simulated questions" in line and str(path) in line for line in heard
    )
    heard.clear()
    made = path.stat().st_mtime_ns
    second = make_default(None, telling, questions=3, words_only=True)
    assert (heard, path.stat().st_mtime_ns) == ([], made)
    assert first.origin_ == second.origin_
    path.write_bytes(path.read_bytes()[:-7])
    make_default(None, telling, questions=3, words_only=True)
    assert any("is made anew" in line for line in heard)
    make_default(None, telling, questions=4, words_only=True)
    assert len(list((tmp_path / "babi-cascade/models").iterdir())) == 2


def test_a_packed_model_is_unpacked_rather_than_made(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    make_default(None, Telling(), questions=2, words_only=True)
    (path,) = (tmp_path / "babi-cascade/models").iterdir()
    made, packed = path.read_bytes(), tmp_path / "packed"
    packed.mkdir()
    (packed / f"{path.name}.xz").write_bytes(lzma.compress(made))
    path.unlink()
    monkeypatch.setattr(default_model, "packed_models", lambda: packed)
    heard: list[str] = []
    make_default(None, Telling(notice=heard.append), questions=2, words_only=True)
    assert (heard, path.read_bytes()) == ([], made)


def test_a_cache_that_cannot_be_written_is_told(tmp_path, monkeypatch):
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "file"))
    with pytest.raises(default_model.UserError, match="bring one with -m"):
        make_default(None, Telling(), questions=3, words_only=True)
