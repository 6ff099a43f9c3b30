"""Where the questions of a run come from: files, training files split in two, the simulator."""

from __future__ import annotations

from collections import Counter

import pytest

from babi_cascade.app.experiments import DataSource
from babi_cascade.errors import UserError
from babi_cascade.pipeline.stories import StoryError

STORY = (
    "1 Mary went to the {place}.\n2 John went to the garden.\n"
    "3 Where is Mary?\t{place}\t1\n4 Where is John?\tgarden\t2\n"
)
PLACES = ("kitchen", "office", "hall", "attic", "cellar")


def write(folder, split, stories, task=1):
    folder.mkdir(exist_ok=True)
    text = "".join(STORY.format(place=PLACES[i % len(PLACES)]) for i in range(stories))
    (folder / f"qa{task}_some-task_{split}.txt").write_text(text)


@pytest.fixture
def folder(tmp_path):
    path = tmp_path / "stories"
    write(path, "train", 10)
    return path


def load(tmp_path, **options):
    return DataSource(**options).load(tmp_path / "simulated")


def story_numbers(questions):
    return [int(asked.id.split("-")[2]) for asked in questions]


class TestFiles:
    def test_train_and_test_files_are_taken_as_they_are(self, tmp_path, folder):
        write(folder, "test", 3)
        (data,) = load(tmp_path, directory=folder)
        assert (data.task, data.name) == (1, "some-task")
        assert (len(data.train), len(data.test)) == (20, 6)
        assert [asked.id for asked in data.test][:3] == [
            "qa1-test-1-3",
            "qa1-test-1-4",
            "qa1-test-2-3",
        ]

    def test_questions_of_a_story_still_share_it(self, tmp_path, folder):
        (data,) = load(tmp_path, directory=folder)
        first, second = data.train[:2]
        assert first.facts.story == second.facts.story

    def test_a_test_file_that_is_missing_for_one_task_is_named(self, tmp_path, folder):
        write(folder, "test", 3)
        write(folder, "train", 3, task=2)
        with pytest.raises(StoryError, match="no task 2"):
            load(tmp_path, directory=folder)
        assert len(load(tmp_path, directory=folder, tasks=[1])) == 1

    def test_the_fingerprint_changes_with_any_file(self, tmp_path, folder):
        write(folder, "test", 3)
        before = load(tmp_path, directory=folder)[0].fingerprint
        assert load(tmp_path, directory=folder)[0].fingerprint == before
        write(folder, "test", 4)
        assert load(tmp_path, directory=folder)[0].fingerprint != before

    def test_a_question_without_an_answer_cannot_be_scored(self, tmp_path):
        (tmp_path / "d").mkdir()
        line = '{"story": ["Mary left."], "question": "Who left?", "id": "q7"}\n'
        (tmp_path / "d/qa1_x_train.jsonl").write_text(line)
        (tmp_path / "d/qa1_x_test.jsonl").write_text(line)
        with pytest.raises(UserError, match="q7 has no answer"):
            load(tmp_path, directory=tmp_path / "d")


class TestSplit:
    def test_training_files_alone_are_split_by_whole_stories(self, tmp_path, folder):
        (data,) = load(tmp_path, directory=folder)
        train, test = Counter(story_numbers(data.train)), Counter(story_numbers(data.test))
        assert (len(train), len(test)) == (8, 2)
        assert not train.keys() & test.keys()
        assert set(train.values()) == set(test.values()) == {2}
        assert story_numbers(data.train) == sorted(story_numbers(data.train))

    def test_the_seed_decides_which(self, tmp_path, folder):
        seen = {
            tuple(story_numbers(load(tmp_path, directory=folder, seed=seed)[0].test))
            for seed in (0, 0, 1, 2, 3)
        }
        assert 1 < len(seen) < 5

    def test_another_share_also_where_there_are_test_files(self, tmp_path, folder):
        write(folder, "test", 3)
        (data,) = load(tmp_path, directory=folder, split=0.5)
        assert (len(data.train), len(data.test)) == (10, 10)
        assert all(asked.id.startswith("qa1-train-") for asked in data.test)

    def test_too_few_stories_to_split(self, tmp_path):
        write(tmp_path / "few", "train", 1)
        with pytest.raises(UserError, match=": 1 story cannot be split"):
            load(tmp_path, directory=tmp_path / "few")

    def test_the_settings_say_how_and_make_the_same_source_again(self, tmp_path, folder):
        def said(source):
            record = source.to_json()
            (again,) = DataSource.from_json(record, folder, [1]).load(tmp_path)
            assert (again,) == tuple(source.load(tmp_path))
            return record["split"], record["data_seed"]

        assert said(DataSource(folder)) == (0.8, 0)
        write(folder, "test", 3)
        assert said(DataSource(folder, seed=4)) == (None, None)
        assert said(DataSource(folder, split=0.6, seed=4, limit=4)) == (0.6, 4)


class TestLimit:
    @pytest.mark.parametrize(("limit", "kept"), [(2, 2), (3, 2), (5, 4), (1000, 16)])
    def test_whole_stories_until_it_is_reached(self, tmp_path, folder, limit, kept):
        (whole,) = load(tmp_path, directory=folder)
        (data,) = load(tmp_path, directory=folder, limit=limit)
        assert len(data.train) == kept
        assert data.test == whole.test
        assert set(story_numbers(data.train)) <= set(story_numbers(whole.train))

    def test_less_than_a_story_is_refused(self, tmp_path, folder):
        with pytest.raises(UserError, match="--limit 1 is less than the 2 questions of one story"):
            load(tmp_path, directory=folder, limit=1)


class TestSimulated:
    def test_stories_are_written_and_the_same_every_time(self, tmp_path):
        first, second = (load(tmp_path, tasks=[1, 6], questions=20) for _ in range(2))
        assert [data.task for data in first] == [1, 6]
        assert first == second
        assert len(first[0].train) == len(first[0].test) == 20
        assert len(list((tmp_path / "simulated").glob("qa*.txt"))) == 4

    def test_a_task_that_cannot_be_simulated(self, tmp_path):
        with pytest.raises(UserError, match="no task 21"):
            load(tmp_path, tasks=[21])
