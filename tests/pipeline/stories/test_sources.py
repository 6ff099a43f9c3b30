"""Where stories come from and go to: formats told apart, tasks found, files saved whole."""

import io
import os
import stat
import sys
from types import SimpleNamespace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from babi_cascade.pipeline.stories import (
    Question,
    Sentence,
    Skipped,
    Story,
    StoryError,
    TaskFile,
    find_tasks,
    parse_task_list,
    read_questions,
    read_stories,
    save_questions,
    save_stories,
)

BABI = b"1 Ada took the key.\n2 Who has it?\tAda\t1\n3 Bob left.\n4 Who left?\tBob\t3\n"
JSONL = b'{"story":["Ada took the key."],"question":"Who has it?","answer":"Ada","id":"q"}\n'


class Pipe(io.RawIOBase):
    """A stream that cannot be wound back and gives little at a time."""

    def __init__(self, content: bytes, step: int = 2) -> None:
        self._content = io.BytesIO(content)
        self._step = step

    def readable(self) -> bool:
        return True

    def read(self, size: int = -1, /) -> bytes:
        return self._content.read(self._step)


class TestFormats:
    @pytest.mark.parametrize("prefix", [b"", b"\xef\xbb\xbf", b"\n \r\n", b"\xef\xbb\xbf\n"])
    @pytest.mark.parametrize("opened", [io.BytesIO, Pipe])
    def test_a_stream_is_told_by_its_first_character(self, prefix, opened):
        assert list(read_stories(opened(prefix + BABI))) == list(read_stories(io.BytesIO(BABI)))
        assert list(read_questions(opened(prefix + JSONL))) == list(
            read_questions(io.BytesIO(JSONL))
        )

    def test_a_name_says_json_lines(self, tmp_path):
        path = tmp_path / "some.jsonl"
        path.write_bytes(BABI)
        with pytest.raises(StoryError, match=r"some.jsonl:1: found broken JSON"):
            list(read_stories(path))

    def test_other_names_say_nothing(self, tmp_path):
        path = tmp_path / "some.txt"
        path.write_bytes(JSONL)
        assert [question.id for question in read_questions(str(path))] == ["q"]

    def test_a_question_of_json_lines_is_a_story_of_its_own(self):
        (story,) = read_stories(io.BytesIO(b"\n" + JSONL))
        (question,) = read_questions(io.BytesIO(JSONL))
        assert story == Story((Sentence(1, "Ada took the key."), question))
        assert story.start == 2

    def test_the_questions_of_a_story_come_in_order(self):
        assert [question.answer for question in read_questions(io.BytesIO(BABI))] == ["Ada", "Bob"]

    def test_a_dash_is_standard_input(self, monkeypatch):
        monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=Pipe(BABI)))
        assert len(list(read_questions("-"))) == 2

    def test_faults_of_standard_input_are_named_so(self, monkeypatch):
        monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=Pipe(b"\n{}")))
        with pytest.raises(StoryError, match=r"^<stdin>:2: found no story"):
            list(read_questions("-"))

    @pytest.mark.parametrize("content", [b"", b"\n\n", b"\xef\xbb\xbf"])
    def test_nothing_is_refused(self, content):
        with pytest.raises(StoryError, match="found no lines"):
            list(read_stories(io.BytesIO(content)))

    def test_bad_lines_can_be_skipped_in_both_formats(self):
        for content in (b"1 A.\n2 Q?\t\n" + BABI, JSONL + b"{}\n" + JSONL):
            skipped = Skipped()
            assert len(list(read_questions(io.BytesIO(content), on_error=skipped))) == 2
            assert skipped.errors == 1

    def test_much_white_space_is_not_kept(self):
        assert len(list(read_stories(io.BytesIO(b" \n" * (1 << 20) + BABI)))) == 1

    def test_a_missing_file(self, tmp_path):
        with pytest.raises(StoryError, match="no such file"):
            list(read_questions(tmp_path / "none"))

    @given(st.binary(max_size=60))
    def test_any_bytes_give_questions_or_a_story_error(self, content):
        try:
            list(read_questions(Pipe(content)))
        except StoryError as error:
            assert str(error).isprintable()  # noqa: PT017


def fill(directory, *names):
    directory.mkdir(exist_ok=True)
    for name in names:
        (directory / name).write_bytes(BABI)
    return directory


class TestTasks:
    def test_official_names_in_order(self, tmp_path):
        names = ("qa10_ten_test.txt", "qa2_two-words_test.txt", "qa2_two-words_train.txt")
        fill(tmp_path, *names, "README.txt", "qa3_x_train.txt.bak", "qa0_zero_train.txt")
        assert find_tasks(tmp_path) == [
            TaskFile(2, "two-words", "train", tmp_path / names[2]),
            TaskFile(2, "two-words", "test", tmp_path / names[1]),
            TaskFile(10, "ten", "test", tmp_path / names[0]),
        ]

    def test_names_without_a_name_and_json_lines(self, tmp_path):
        fill(tmp_path, "qa1_valid.txt", "qa1_train.txt", "qa1_test.jsonl")
        assert [(file.name, file.split) for file in find_tasks(str(tmp_path))] == [
            ("qa1", "train"),
            ("qa1", "valid"),
            ("qa1", "test"),
        ]

    def test_some_tasks_and_one_split(self, tmp_path):
        fill(tmp_path, *(f"qa{n}_t_{split}.txt" for n in (1, 2, 3) for split in ("train", "test")))
        found = find_tasks(tmp_path, tasks=[3, 1], split="test")
        assert [(file.number, file.split) for file in found] == [(1, "test"), (3, "test")]

    @pytest.mark.parametrize(
        ("names", "options", "message"),
        [
            ([], {}, "found no task files, expected files called qaN_name_train.txt or"),
            (["qa1_a_train.txt"], {"split": "test"}, "found only train files, expected test files"),
            (["qa1_a_train.txt"], {"split": "dev"}, 'found split "dev", expected one of train,'),
            (
                ["qa1_a_train.txt"],
                {"tasks": [1, 3, 2]},
                "found no task 2, 3, expected all tasks asked for",
            ),
            (
                ["qa1_a_train.txt", "qa2_b_test.txt"],
                {"tasks": [1], "split": "test"},
                "found no task 1, expected test files of all tasks asked for",
            ),
            (
                ["qa1_a_train.txt", "qa1_b_train.txt"],
                {},
                "found qa1_a_train.txt and qa1_b_train.txt, expected one train file for task 1",
            ),
        ],
    )
    def test_what_is_missing_or_doubtful_is_an_error(self, tmp_path, names, options, message):
        fill(tmp_path, *names)
        with pytest.raises(StoryError) as caught:
            find_tasks(tmp_path, **options)
        assert str(caught.value).startswith(f"{tmp_path}: {message}")

    def test_the_directory_meant_may_be_one_further_down(self, tmp_path):
        fill(tmp_path / "en", "qa1_a_train.txt")
        fill(tmp_path / "hn", "qa1_a_train.txt")
        fill(tmp_path / "other", "notes.txt")
        with pytest.raises(StoryError, match="found no task files here but in en, hn, expected"):
            find_tasks(tmp_path)

    def test_no_directory(self, tmp_path):
        with pytest.raises(StoryError, match="found no such directory"):
            find_tasks(tmp_path / "none")
        fill(tmp_path, "file")
        with pytest.raises(StoryError, match="found a file, expected a directory"):
            find_tasks(tmp_path / "file")


class TestTaskList:
    @pytest.mark.parametrize(
        ("text", "tasks"),
        [
            ("1", [1]),
            ("1,3,5-8", [1, 3, 5, 6, 7, 8]),
            ("8,1-3,2", [1, 2, 3, 8]),
            (" 2 , 4 - 5 ", [2, 4, 5]),
            ("7-7", [7]),
            ("9999", [9999]),
        ],
    )
    def test_numbers_and_ranges(self, text, tasks):
        assert parse_task_list(text) == tasks

    @pytest.mark.parametrize(
        "text",
        ["", ",", "1,", "0", "a", "1-", "-3", "1--3", "10000", "1-999999999", "1.5", "²", "1 2"],
    )
    def test_nonsense(self, text):
        with pytest.raises(StoryError) as caught:
            parse_task_list(text)
        assert caught.value.source == "--tasks"
        assert caught.value.expected == "task numbers from 1 to 9999, such as 1,3,5-8"

    def test_a_range_goes_up(self):
        with pytest.raises(StoryError) as caught:
            parse_task_list("1,8-5")
        assert (
            str(caught.value) == '--tasks: found the range "8-5", expected the smaller number first'
        )

    @given(st.text(max_size=30))
    def test_any_text_gives_numbers_or_a_story_error(self, text):
        try:
            tasks = parse_task_list(text)
        except StoryError:
            return
        assert tasks == sorted(set(tasks))


STORY = Story((Sentence(1, "New."),))
QUESTION = Question(2, "Où?", "là", (1,), (Sentence(1, "New."),))


class TestSaving:
    def test_stories_and_questions_read_back(self, tmp_path):
        save_stories(tmp_path / "a.txt", [STORY])
        save_questions(str(tmp_path / "a.jsonl"), [QUESTION])
        assert list(read_stories(tmp_path / "a.txt")) == [STORY]
        assert list(read_questions(tmp_path / "a.jsonl")) == [QUESTION]

    def test_a_writer_that_fails_leaves_the_old_file_and_nothing_else(self, tmp_path):
        path = tmp_path / "a.txt"
        path.write_text("old")

        def broken():
            yield STORY
            raise KeyboardInterrupt

        with pytest.raises(KeyboardInterrupt):
            save_stories(path, broken())
        with pytest.raises(StoryError, match="story 2"):
            save_stories(path, [STORY, Story((Sentence(1, "\n"),))])
        with pytest.raises(StoryError, match="at least one question"):
            save_questions(path, [])
        assert path.read_text() == "old"
        assert os.listdir(tmp_path) == ["a.txt"]  # noqa: PTH208

    def test_a_new_file_replaces_the_old_one_only_when_it_is_finished(self, tmp_path):
        path = tmp_path / "a.txt"
        path.write_text("old")

        def watching():
            yield STORY
            assert path.read_text() == "old"

        save_stories(path, watching())
        assert path.read_text() == "1 New.\n"
        assert os.listdir(tmp_path) == ["a.txt"]  # noqa: PTH208

    def test_permissions_are_those_of_the_old_file(self, tmp_path):
        path = tmp_path / "a.txt"
        path.write_text("old")
        path.chmod(0o640)
        save_stories(path, [STORY])
        assert stat.S_IMODE(path.stat().st_mode) == 0o640

    def test_a_link_stays_a_link(self, tmp_path):
        path, link = tmp_path / "a.txt", tmp_path / "link.txt"
        path.write_text("old")
        link.symlink_to(path)
        save_stories(link, [STORY])
        assert link.is_symlink()
        assert path.read_text() == "1 New.\n"

    def test_a_place_that_cannot_be_written(self, tmp_path):
        with pytest.raises(StoryError, match="expected a file that can be written"):
            save_stories(tmp_path / "none" / "a.txt", [STORY])
        with pytest.raises(StoryError, match="expected a file that can be written"):
            save_stories(tmp_path, [STORY])

    @pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs named pipes")
    def test_a_pipe_is_written_to_and_not_replaced(self, tmp_path):
        path = tmp_path / "pipe"
        os.mkfifo(path)
        reader = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
        try:
            save_stories(path, [STORY])
            assert os.read(reader, 100) == b"1 New.\n"
        finally:
            os.close(reader)
        assert stat.S_ISFIFO(path.stat().st_mode)
