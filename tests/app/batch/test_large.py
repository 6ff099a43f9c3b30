"""Questions that are too large: each is an error in its place, and the others are answered."""

from __future__ import annotations

import json

import pytest

from babi_cascade.app.batch import stream as answer_stream
from babi_cascade.app.batch.model import ModelChoice
from babi_cascade.cascade import Cascade, CascadeError
from babi_cascade.pipeline.stories import Question, Sentence, read_questions


def story(n_facts):
    facts = [f"{line} Mary moved to the office.\n" for line in range(1, n_facts + 1)]
    return "".join(facts) + f"{n_facts + 1} Where is Mary?\n"


@pytest.mark.parametrize("jobs", [1, 2])
def test_a_story_above_the_bound_is_an_error_record(command, model, tmp_path, jobs):
    (tmp_path / "f.txt").write_text(story(2) + story(9) + story(5))
    args = ("-m", model, "f.txt", "--longest-story", 5, "--jobs", jobs)
    shown = command("predict", *args)
    found = [json.loads(line) for line in shown.out.splitlines()]
    assert shown.code == 1
    assert [record.get("answer") for record in found] == ["office", None, "office"]
    assert found[1]["id"] == "f-2-10"
    assert (found[1]["source"], found[1]["line"]) == ("f.txt", 13)
    said = "found 9 facts before the question, expected at most 5"
    assert said in found[1]["error"]
    told = shown.err.splitlines()
    assert told[0].startswith("not answered: f.txt:13: the story is too long: " + said)
    assert told[1:] == ["1 line could not be answered; see the records with `error`"]


def test_a_bound_holds_without_anybody_saying_so(command, model, tmp_path):
    (tmp_path / "f.txt").write_text(story(6000) + story(2))
    shown = command("predict", "-m", model, "f.txt")
    found = [json.loads(line) for line in shown.out.splitlines()]
    assert (shown.code, ["error" in record for record in found]) == (1, [True, False])
    shown = command("explain", "-m", model, "f.txt")
    assert (shown.code, shown.err.count("\n")) == (2, 1)
    assert "expected at most 5000" in shown.err


class TooSmall(Cascade):
    """A cascade on a machine with memory for stories of three facts."""

    calls = 0

    def answer_read(self, read, **options):
        self.calls += 1
        if any(asked.n_facts > 3 for asked in read):
            raise MemoryError("Unable to allocate 74.5 GiB")
        return super().answer_read(read, **options)


def test_a_lack_of_memory_takes_no_other_answer_with_it(model, asked):
    questions = list(read_questions(asked))[:10]
    small = [len(question.facts) <= 3 for question in questions]
    assert 0 < sum(small) < 10
    cascade = TooSmall.load(model)
    found = answer_stream.answers(cascade, questions)
    assert ["answer" in record for record in found] == small
    said = {record["error"] for record in found if "error" in record}
    assert len(said) == 1
    assert said.pop().startswith("not enough memory (Unable to allocate 74.5 GiB)")


def test_a_lack_of_memory_elsewhere_is_one_line(command, model, asked, monkeypatch):
    def full(self, notice=None):
        raise MemoryError

    monkeypatch.setattr(ModelChoice, "load", full)
    shown = command("predict", "-m", model, asked)
    assert (shown.code, shown.out) == (2, "")
    assert shown.err == "error: not enough memory; fewer or shorter stories at a time need less\n"


def test_large_questions_are_answered_one_after_the_other(model, asked, monkeypatch):
    questions = list(read_questions(asked))[:20]
    cascade = Cascade.load(model)
    whole = answer_stream.answers(cascade, questions)
    sizes = []
    monkeypatch.setattr(answer_stream, "ROOM", 100)
    original = Cascade.answer_read

    def counted(self, read, **options):
        sizes.append([asked.n_facts for asked in read])
        return original(self, read, **options)

    monkeypatch.setattr(Cascade, "answer_read", counted)
    assert answer_stream.answers(cascade, questions) == whole
    assert len(sizes) > 1
    assert all(len(part) == 1 or sum(n * n for n in part) <= 100 for part in sizes)


def test_the_bound_is_a_parameter_that_no_file_sets(tmp_path):
    facts = tuple(Sentence(line, "Mary moved to the office.") for line in (1, 2, 3))
    question = Question(4, "Where is Mary?", "office", (3,), facts)
    cascade = Cascade(cost=0.1, longest_story=2).fit([question])
    for answer in (cascade.predict, cascade.score, lambda many: cascade.explain(many[0])):
        with pytest.raises(
            CascadeError, match="found 3 facts before the question, expected at most 2"
        ):
            answer([question])
    cascade.save(tmp_path / "m")
    assert Cascade.load(tmp_path / "m").answer([question])[0].answer == "office"
