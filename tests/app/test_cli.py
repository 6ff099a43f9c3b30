"""The command line as a user meets it: what is printed, where, and with which exit code."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import tarfile
import time
from pathlib import Path

import pytest
from rich.progress import Progress
from rich.text import Text

from babi_cascade.app.cli import cli
from babi_cascade.app.cli.terminal import Count, print_signature, print_table

COMMAND = [sys.executable, "-c", "from babi_cascade.app.cli import main; main()"]
ROOT = Path(__file__).parents[2]
STORY = (
    "1 Mary went to the kitchen.\n2 John moved to the garden.\n3 Where is Mary? \tkitchen\t1\n"
    "4 Mary journeyed to the office.\n5 Where is Mary? \toffice\t4\n"
)


@pytest.fixture
def run(command):
    return command


@pytest.fixture
def story_file(tmp_path):
    path = tmp_path / "qa1_single-supporting-fact_train.txt"
    path.write_text(STORY)
    return path


class TestHelp:
    def test_commands_stand_in_sections_with_an_example_each(self, run):
        shown = run("--help")
        assert shown.code == 0
        for section, names in cli.sections.items():
            assert f"{section}:" in shown.out
            for name in names:
                assert f"$ babi-cascade {name}" in shown.out

    @pytest.mark.parametrize(
        "name", sorted(n for n, each in cli.commands.items() if not each.hidden)
    )
    def test_every_command_explains_itself_with_an_unbroken_example(self, run, name):
        shown = run(name, "--help")
        assert shown.code == 0
        assert cli.commands[name].example in shown.out

    def test_version(self, run):
        assert run("--version").out.startswith("babi-cascade, version ")

    def test_completion_is_printed_for_the_shell(self, run):
        assert "_BABI_CASCADE_COMPLETE" in run("completion", "bash").out

    def test_an_unknown_command_lists_the_known_ones(self, run):
        shown = run("genrate")
        assert shown.code == 2
        assert "'genrate'" in shown.err
        assert "generate" in shown.err


class TestGenerate:
    def test_what_is_generated_can_be_read_back_and_described(self, run):
        made = run("generate", "--tasks", "1,19", "--questions", 10, "--out", "stories")
        assert (made.code, made.err) == (0, "")
        shown = run("stats", "stories", "--json")
        figures = json.loads(shown.out)
        assert [entry["questions"] for entry in figures] == [10] * 4
        assert figures[0]["source"] == "qa1_single-supporting-fact_train.txt"

    def test_the_statistics_are_a_table_for_people(self, run):
        run("generate", "--tasks", "1", "--questions", 10, "--out", "stories")
        lines = run("stats", "stories", "--split", "test").out.splitlines()
        assert lines[0].split()[:3] == ["file", "stories", "statements"]
        assert lines[1].startswith("qa1_single-supporting-fact_test.txt")
        assert len(lines) == 2

    def test_answers_are_proved_when_asked_for(self, run):
        made = run("generate", "--tasks", "2,4", "--questions", 20, "--check", "--out", "stories")
        assert "proved: 80 answers" in made.out

    def test_the_truth_stands_beside_the_stories(self, run, tmp_path):
        run("generate", "--tasks", "1", "--questions", 5, "--truth", "--out", "stories")
        record = (tmp_path / "stories/qa1_single-supporting-fact_test.truth.jsonl").read_text()
        assert json.loads(record.splitlines()[0])["lines"][0]["predicate"] == "go"

    def test_a_second_run_changes_nothing_and_another_seed_is_refused(self, run):
        args = ("generate", "--tasks", "1", "--questions", 5, "--out", "stories")
        assert run(*args).code == 0
        assert run(*args).code == 0
        refused = run(*args, "--seed", 1)
        assert refused.code == 2
        assert "--force" in refused.err
        assert run(*args, "--seed", 1, "--force").code == 0

    def test_a_task_of_ones_own_in_two_languages(self, run, tmp_path):
        config = ROOT / "data/samples/gifts-and-places.toml"
        made = run("generate", "--config", config, "--questions", 10, "--check", "--out", "gifts")
        assert made.code == 0
        for language in ("en", "hn"):
            assert (tmp_path / f"gifts/{language}/qa21_gifts-and-places_train.txt").exists()

    def test_other_words_for_the_same_tasks(self, run, tmp_path):
        words = ROOT / "data/samples/village.toml"
        made = run(
            "generate",
            "--tasks",
            "2",
            "--questions",
            20,
            "--lexicon",
            words,
            "--check",
            "--out",
            "v",
        )
        assert made.code == 0
        text = (tmp_path / "v/qa2_two-supporting-facts_train.txt").read_text()
        assert "Amara" in text
        assert "Mary" not in text
        checked = run("check", "v", "--lexicon", words)
        assert checked.out.splitlines()[-1] == "40 questions, 0 problems, 0 oddities"

    def test_the_papers_wording_is_generated_and_checked_by_name(self, run):
        made = run("generate", "--tasks", "5,14", "--questions", "20", "--wording", "paper",
                   "--descriptions", "0.3", "--introductions", "--check", "--out", "w")  # fmt: skip
        assert made.code == 0
        assert "proved: 80 answers" in made.out
        assert (
            run("check", "w", "--wording", "paper").out == "80 questions, 0 problems, 0 oddities\n"
        )
        assert run("check", "w").code == 1
        hindi = run("generate", "--wording", "paper", "--language", "hn", "--out", "h")
        assert hindi.code == 2
        assert hindi.err == "error: the wording 'paper' is one of the language 'en', not of 'hn'\n"

    def test_a_knob_without_meaning_for_a_task_is_said(self, run):
        made = run("generate", "--tasks", "4", "--questions", 5, "--people", 3, "--out", "s")
        assert made.code == 0
        assert "--people means nothing to this task" in made.err


class TestCheck:
    def test_true_stories_pass(self, run, story_file):
        assert run("check", story_file.parent).out == "2 questions, 0 problems, 0 oddities\n"

    def test_oddities_are_counted_and_the_option_that_lists_them_is_named(self, run, tmp_path):
        path = tmp_path / "qa19_path-finding_test.txt"
        path.write_text(
            "1 The office is north of the kitchen.\n2 The garden is east of the office.\n"
            "3 The hallway is east of the kitchen.\n4 The bathroom is north of the hallway.\n"
            "5 How do you go from the kitchen to the garden?\tn,e\t1 2\n"
        )
        counted = "1 question, 0 problems, 1 oddity"
        assert run("check", path).out == f"{counted} (listed with --notes)\n"
        note, total = run("check", path, "--notes").out.splitlines()
        assert "one cell" in note
        assert total == counted

    def test_a_wrong_answer_is_named_with_its_place(self, run, story_file):
        story_file.write_text(STORY.replace("office\t4", "garden\t4"))
        checked = run("check", story_file.parent)
        assert checked.code == 1
        assert (
            f"{story_file.name}, story at line 1: line 5: 'Where is Mary?' is answered 'garden'"
            in checked.out
        )


class TestConvert:
    def test_there_and_back_gives_the_same_questions(self, run, story_file):
        forward = run("convert", story_file, "--to", "jsonl")
        records = [json.loads(line) for line in forward.out.splitlines()]
        assert [record["answer"] for record in records] == ["kitchen", "office"]
        assert records[1]["story"] == [
            "Mary went to the kitchen.", "John moved to the garden.", "Mary journeyed to the office."
        ]  # fmt: skip
        assert run("convert", story_file, "--to", "babi").out == STORY
        back = run("convert", "-", "--to", "jsonl", stdin=forward.out)
        assert back.out == forward.out

    def test_a_file_is_written_whole_or_not_at_all(self, run, story_file, tmp_path):
        target = tmp_path / "questions.jsonl"
        target.write_text("precious")
        story_file.write_text(STORY + "6 bad\tline\t9\n")
        refused = run("convert", story_file, "--to", "jsonl", "--out", target)
        assert refused.code == 2
        assert target.read_text() == "precious"
        assert sorted(p.name for p in tmp_path.iterdir()) == sorted([target.name, story_file.name])


class TestBadInput:
    @pytest.mark.parametrize(
        ("content", "line", "message"),
        [
            (b"no id\n", 1, "expected"),
            (b"1 A cat sat.\n1x Where?\ta\t1\n", 2, "expected"),
            (b"1 A cat sat.\n3 It ran.\n2 It hid.\n", 3, "expected"),
            (b"1 A cat sat.\n2 Where?\ta\t2\n", 2, "expected"),
            (b"1 A cat sat.\n2 Where?\t\t1\n", 2, "expected"),
            (b"1 A cat sat.\n2 Where?\ta\t1\tx\n", 2, "expected"),
            (b"1 A \xff sat.\n", 1, "UTF-8"),
        ],
    )
    def test_one_line_names_file_and_line(self, run, tmp_path, content, line, message):
        path = tmp_path / "bad.txt"
        path.write_bytes(content)
        refused = run("stats", path)
        assert (refused.code, refused.out) == (2, "")
        assert refused.err.startswith(f"error: {path}:{line}: ")
        assert message in refused.err
        assert refused.err.count("\n") == 1

    @pytest.mark.parametrize(
        "args",
        [
            ("stats", "missing.txt"),
            ("stats", "."),
            ("stats", "x", "--tasks", "1-0"),
            ("generate", "--out", "o", "--tasks", "21"),
            ("generate", "--out", "o", "--tasks", "one"),
            ("generate", "--out", "o", "--questions", "-1"),
            ("generate", "--out", "o", "--questions", "many"),
            ("generate", "--out", "o", "--distance", "5-1"),
            ("generate", "--out", "o", "--pronoun-distance", "x"),
            ("generate", "--out", "o", "--pronoun-distance", "3-1"),
            ("generate", "--out", "o", "--descriptions", "2"),
            ("generate", "--out", "o", "--people", "1"),
            ("generate", "--out", "o", "--places", "999"),
            ("generate", "--out", "o", "--lexicon", "missing.toml"),
            ("generate", "--out", "o", "--config", "missing.toml"),
            ("generate",),
            ("play",),
            ("play", "missing.script"),
            ("play", "-c", "joe go home", "--world", "missing.toml"),
            ("convert", "missing.txt", "--to", "jsonl"),
            ("convert", "missing.txt", "--to", "html"),
            ("fidelity", "missing"),
            ("fetch-data", "--url", "gopher://nowhere/x.tar.gz"),
            ("check", "missing"),
        ],
    )
    def test_wrong_usage_is_one_line_and_writes_nothing(self, run, tmp_path, args):
        refused = run(*args)
        assert refused.code == 2
        assert refused.err.startswith("error: ")
        assert refused.err.count("\n") == 1
        assert not list(tmp_path.rglob("*.txt"))

    def test_skip_bad_goes_on_and_counts(self, run, story_file):
        story_file.write_text(STORY + "6 Where is Bob?\t\t1\n7 Mary left.\n")
        shown = run("stats", story_file, "--skip-bad", "--json")
        assert shown.code == 1
        assert json.loads(shown.out)[0]["questions"] == 2
        assert "1 bad line;" in shown.err

    def test_an_archive_that_is_not_the_released_one_is_refused(self, run, tmp_path):
        archive = tmp_path / "some.tar.gz"
        with tarfile.open(archive, "w:gz") as tar:
            tar.addfile(tarfile.TarInfo("tasks_1-20_v1-2/en/other.txt"))
        refused = run("fetch-data", "--url", archive.as_uri(), "--out", "babi")
        assert refused.code == 2
        assert refused.err.splitlines()[-1].startswith("error: ")
        assert not (tmp_path / "babi").exists()


class TestPlay:
    def test_the_example_of_the_paper(self, run):
        script = "joe go playground; bob go office; joe get football; where is the football?"
        played = run("play", "-c", script)
        lines = played.out.splitlines()
        assert played.code == 0
        assert len(lines) == 4
        assert lines[0].startswith("1 Joe ")
        assert lines[3].startswith("4 Where is the football?\tplayground")

    def test_a_broken_constraint_is_named_and_changes_nothing(self, run):
        played = run(
            "play",
            "-",
            stdin="joe go park\njoe get ball\nbob go park\nbob get ball\nwho has the ball?\n",
        )
        assert played.code == 1
        assert "joe has the ball" in played.err.lower()
        assert played.out.splitlines()[-1].endswith("\tjoe") or "Joe" in played.out.splitlines()[-1]


def piped(*args, **kwargs):
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    return subprocess.Popen([*COMMAND, *map(str, args)], env=environment, **kwargs)


def test_a_reader_that_has_seen_enough_gets_no_traceback(tmp_path):
    path = tmp_path / "long.txt"
    path.write_text(STORY * 20_000)
    with piped(
        "convert", path, "--to", "jsonl", stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.readline()
        process.stdout.close()
        assert process.stderr.read() == b""
        assert process.wait(timeout=60) == 0


def test_nothing_but_the_result_goes_to_standard_output(tmp_path):
    path = tmp_path / "some.txt"
    path.write_text(STORY)
    with piped("stats", path, "--json", stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        out, err = process.communicate(timeout=60)
    assert json.loads(out)[0]["stories"] == 1
    assert err == b""


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupted_run_leaves_nothing_behind(tmp_path, how):
    with piped(
        "generate", "--questions", 1_000_000, "--out", tmp_path / "new", stderr=subprocess.PIPE
    ) as process:
        deadline = time.monotonic() + 60
        while not list(tmp_path.glob("new/.generate-*/*.txt")) and time.monotonic() < deadline:
            time.sleep(0.05)
        process.send_signal(how)
        _, err = process.communicate(timeout=60)
    assert process.returncode == 128 + how
    assert b"Traceback" not in err
    assert list(tmp_path.iterdir()) == []


def test_any_script_can_be_written_into_a_pipe_of_any_locale(tmp_path):
    command = [*COMMAND, "play", "-c", "joe go küche"]
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "PYTHONIOENCODING": "ascii"}
    done = subprocess.run(command, env=environment, capture_output=True, check=True, timeout=60)
    assert "küche" in done.stdout.decode("utf-8")


def test_the_command_alone_shows_its_help(run):
    shown = run()
    assert shown.code == 0
    assert "Make stories:" in shown.out


def test_a_signature_is_one_line_in_a_pipe_and_folded_on_a_terminal(capsys, monkeypatch):
    signature = "|".join(f"part{i}:{'x' * i}" for i in range(30))
    print_signature(signature)
    assert capsys.readouterr().out == f"{signature}\n"
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    monkeypatch.setenv("COLUMNS", "80")
    print_signature(signature)
    lines = capsys.readouterr().out.splitlines()
    assert max(map(len, lines)) <= 80
    assert "".join(line.strip() for line in lines) == signature


@pytest.mark.parametrize(
    ("done", "total", "shown"), [(0, None, ""), (7, None, "7"), (0, 5, "0/5"), (3, 5, "3/5")]
)
def test_a_bar_counts_what_is_known(done, total, shown):
    bar = Progress(disable=True)
    task = bar.add_task("starting", total=total, completed=done)
    assert Count().render(bar.tasks[task]).plain == shown


class TestTablesOnATerminal:
    """A terminal of 80 columns: nothing is cut, and every line fits."""

    @pytest.fixture(autouse=True)
    def terminal(self, capsys, monkeypatch):
        monkeypatch.setattr(type(sys.stdout), "isatty", lambda stream: True)
        monkeypatch.setenv("TERM", "dumb")
        monkeypatch.setenv("COLUMNS", "80")

    def test_what_is_too_wide_comes_in_blocks_that_repeat_the_first_columns(self, capsys):
        names = [f"group-\nnumber-{number}" for number in range(12)]
        row = (
            "7",
            "a-name-of-a-task",
            *(Text(f"{number}.5", style="green") for number in range(12)),
        )
        print_table(("task", "name", *names), [row], left=("name",), repeated=2, title="worth")
        lines = capsys.readouterr().out.splitlines()
        assert max(map(len, lines)) <= 80
        assert "…" not in "".join(lines)
        shown = [line.split() for line in lines if "a-name-of-a-task" in line]
        assert len(shown) > 1
        assert all(line[:2] == ["7", "a-name-of-a-task"] for line in shown)
        assert [cell for line in shown for cell in line[2:]] == [f"{n}.5" for n in range(12)]
        heads = " ".join(lines).split()
        assert [word for word in heads if word.startswith("number-")] == [
            f"number-{number}" for number in range(12)
        ]
        assert heads.count("worth") == 1

    def test_a_table_that_fits_is_one_block(self, capsys):
        print_table(("a", "b" * 77), [("1", "2")])
        assert len(capsys.readouterr().out.splitlines()) == 2

    def test_a_cell_wider_than_the_terminal_is_whole(self, capsys):
        print_table(("file", "size"), [("x" * 100, "1")], left=("file",))
        assert f"{'x' * 100}     1" in capsys.readouterr().out

    def test_a_name_in_brackets_is_no_style(self, capsys):
        print_table(("file", "size"), [("[a].txt", "1")], left=("file",))
        assert "[a].txt" in capsys.readouterr().out

    def test_stats_shows_every_column(self, run, story_file):
        lines = run("stats", story_file.name).out.splitlines()
        assert max(map(len, lines)) <= 80
        shown = " ".join(lines)
        for word in ("stories", "statements/story", "facts/question", "top answer", "kitchen 50%"):
            assert word in shown
        assert shown.count(story_file.name) > 1


def test_samples_are_found_by_name_anywhere_and_a_file_of_that_name_comes_first(
    run, tmp_path, monkeypatch
):
    monkeypatch.chdir(tmp_path)
    made = ("generate", "--tasks", "1", "--questions", "5", "--out")
    assert run(*made, "stories", "--lexicon", "village").code == 0
    words = (tmp_path / "stories/qa1_single-supporting-fact_train.txt").read_text()
    assert run(*made, "others").code == 0
    assert words != (tmp_path / "others/qa1_single-supporting-fact_train.txt").read_text()
    (tmp_path / "village").write_text("no lexicon")
    assert run(*made, "mine", "--lexicon", "village").code == 2
    assert run(*made, "nobody", "--lexicon", "metropolis").code == 2


def test_the_package_is_the_command():
    done = subprocess.run(
        [sys.executable, "-m", "babi_cascade", "--version"], capture_output=True, text=True
    )
    assert (done.returncode, done.stdout[:12]) == (0, "babi-cascade")
