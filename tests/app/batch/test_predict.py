"""`predict` as a user meets it: files, bad lines, models that do not fit, and how it works inside."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

from babi_cascade.app.batch import stream as answer_stream
from babi_cascade.app.batch.model import ModelChoice
from babi_cascade.app.batch.questions import Fault, FileQuestion, id_prefix, read_into
from babi_cascade.app.batch.stream import AnswerStream, Processes, ThisProcess
from babi_cascade.cascade import Cascade
from babi_cascade.errors import UserError
from babi_cascade.pipeline.stories import read_questions
from babi_cascade.svm.model_file import load_model, save_model


def records(text):
    return [json.loads(line) for line in text.splitlines()]


class TestPredict:
    def test_the_answers_are_those_of_the_system_in_order(self, command, model, asked):
        shown = command("predict", "-m", model, asked)
        assert (shown.code, shown.err) == (0, "")
        expected = Cascade.load(model).answer(list(read_questions(asked)))
        found = records(shown.out)
        assert [r["answer"] for r in found] == [p.answer for p in expected]
        assert [tuple(r["support"]) for r in found] == [p.support for p in expected]
        assert found[0]["id"] == "qa1-test-1-3"

    def test_every_answer_says_how_sure_it_is(self, command, model, asked, tmp_path):
        """As `ask` does; and the answer stands there even if it is not known what is asked."""
        (tmp_path / "q.txt").write_text(
            "1 Mary went to the office.\n2 Where is Mary?\n3 Where was rain?\n"
        )
        known, unknown = records(command("predict", "-m", model, "q.txt").out)
        assert (known["answer"], known["verdict"]) == ("office", "sure")
        assert unknown["verdict"] == "unknown"
        assert unknown["answer"]
        assert len(unknown["reasons"]) == 1
        told = Cascade.load(model)
        questions = list(read_questions(asked))
        said = records(command("predict", "-m", model, asked).out)
        for each, question in zip(said, questions, strict=True):
            verdict = told.explain(question).verdict
            assert (each["verdict"], each.get("reasons", [])) == (
                verdict.level,
                list(verdict.reasons),
            )

    def test_other_keys_of_a_question_are_handed_on(self, command, model, tmp_path):
        question = {"story": "Mary moved to the office. Bill slept.", "question": "Where is Mary?"}
        other = {"level": [1, {"of": None}], "é": 0.5}
        (tmp_path / "q.jsonl").write_text(json.dumps({**other, **question, "id": "a"}))
        (found,) = records(command("predict", "-m", model, "q.jsonl").out)
        assert (found["id"], found["answer"]) == ("a", "office")
        assert (found["level"], found["é"]) == (other["level"], 0.5)
        assert not {"story", "question", "given"} & set(found)

    def test_keys_that_a_prediction_has_itself_are_handed_on_apart(self, command, model, tmp_path):
        question = {"story": "Mary moved to the office. Bill slept.", "question": "Where is Mary?"}
        mine = {"score": "mine", "margin": 3, "verdict": "guilty", "error": "none", "given": [1]}
        (tmp_path / "q.jsonl").write_text(json.dumps({**mine, **question, "note": "n"}))
        shown = command("predict", "-m", model, "q.jsonl")
        (found,) = records(shown.out)
        assert (shown.code, shown.err) == (0, "")
        assert (found["answer"], found["given"], found["note"]) == ("office", mine, "n")
        assert found["score"] != "mine"
        assert found["verdict"] in ("sure", "likely", "unsure")
        assert "error" not in found

    def test_choices_are_kept_to(self, command, model, tmp_path):
        question = {"story": ["Mary moved to the office."], "question": "Where is Mary?"}
        (tmp_path / "q.jsonl").write_text(json.dumps({**question, "choices": ["garden", "moon"]}))
        (found,) = records(command("predict", "-m", model, "q.jsonl").out)
        assert found["answer"] in ("garden", "moon")

    def test_who_only_asks_need_not_expect_one_of_the_choices(self, command, model, tmp_path):
        question = {"story": ["Mary moved to the office."], "question": "Where is Mary?"}
        strange = {**question, "choices": ["garden", "moon"], "answer": "office"}
        (tmp_path / "q.jsonl").write_text(json.dumps(strange))
        shown = command("predict", "-m", model, "q.jsonl")
        assert (shown.code, records(shown.out)[0]["answer"] in ("garden", "moon")) == (0, True)
        why = json.loads(command("explain", "-m", model, "q.jsonl", "--json").out)
        assert (why["expected"], why["best"] in ("garden", "moon")) == ("office", True)
        for refused in ("train", "batch-score"):
            shown = command(refused, "-m", "other" if refused == "train" else model, "q.jsonl")
            assert shown.code
            assert "one of the choices" in shown.err

    def test_jsonl_directories_and_processes_give_the_same(self, command, model, stories, asked):
        one = command("predict", "-m", model, asked).out
        both = command("predict", "-m", model, stories, "--tasks", "1,6").out
        assert both.startswith(one)
        assert len(both.splitlines()) == 120
        assert command("predict", "-m", model, stories, "--tasks", "1,6", "--jobs", 2).out == both
        command("convert", asked, "--to", "jsonl", "--out", "q.jsonl")
        found = records(command("predict", "-m", model, "q.jsonl").out)
        assert found[0].pop("id") == "q-1-3"
        expected = records(one)
        del expected[0]["id"]
        assert found[0] == expected[0]

    def test_a_line_that_cannot_be_answered_has_a_record_in_its_place(
        self, command, model, tmp_path, half_bad
    ):
        (tmp_path / "some.txt").write_text(half_bad)
        shown = command("predict", "-m", model, "some.txt")
        assert shown.code == 1
        found = records(shown.out)
        assert [r.get("line") for r in found] == [None, 4, None, 6, 7, None]
        assert [r.get("id") for r in found] == [
            "some-1-2", "some-1-4", "some-1-5", None, None, "some-2-2",
        ]  # fmt: skip
        assert "found support 9" in found[1]["error"]
        assert "because line 6" in found[4]["error"]
        assert all("answer" in found[i] for i in (0, 2, 5))
        assert shown.err.splitlines()[-1].startswith("3 lines could not be answered")

    def test_bad_json_lines(self, command, model, tmp_path):
        good = '{"story": ["Mary moved to the office."], "question": "Where is Mary?"}'
        lines = [good, "{", '{"id": "b", "story": 1}', good.replace("{", '{"id": 7, ', 1), ""]
        (tmp_path / "q.jsonl").write_text("\n".join(lines))
        shown = command("predict", "-m", model, "q.jsonl")
        found = records(shown.out)
        assert shown.code == 1
        assert [r.get("id") for r in found] == ["q-1-2", None, "b", "7"]
        assert [r.get("line") for r in found] == [None, 2, 3, None]

    def test_an_empty_file_takes_no_other_with_it(self, command, model, tmp_path, asked):
        (tmp_path / "empty.txt").write_text("")
        shown = command("predict", "-m", model, "empty.txt", asked)
        found = records(shown.out)
        assert (shown.code, len(found)) == (1, 61)
        assert found[0] == {
            "error": "empty.txt: found no lines, expected at least one story", "source": "empty.txt",
        }  # fmt: skip

    def test_a_missing_file_or_model_is_said_before_anything_is_answered(
        self, command, model, asked
    ):
        for args in (["-m", model, asked, "gone.txt"], ["-m", "gone", asked]):
            shown = command("predict", *args)
            assert (shown.code, shown.out) == (2, "")
            assert "gone" in shown.err
            assert shown.err.count("\n") == 1

    def test_a_model_without_origin_or_with_another_parser_is_refused(
        self, command, model, tmp_path, asked
    ):
        arrays, meta = load_model(model)
        save_model(tmp_path / "old", arrays, {**meta, "origin": {}})
        shown = command("predict", "-m", "old", asked)
        assert (shown.code, "found no word on how it was made" in shown.err) == (2, True)
        settings = meta["origin"]["settings"]
        reading = {**settings["reading"], "srl_fingerprint": "rules 9"}
        origin = {**meta["origin"], "settings": {**settings, "reading": reading}}
        save_model(tmp_path / "other", arrays, {**meta, "origin": origin})
        shown = command("predict", "-m", "other", asked)
        assert shown.code == 2
        assert "srl_fingerprint not given instead of rules 9" in shown.err
        for value in (None, [], {"coref": 1}, {"wings": "x"}, {**reading, "coref": "luck"}):
            origin = {**meta["origin"], "settings": {**settings, "reading": value}}
            save_model(tmp_path / "bad", arrays, {**meta, "origin": origin})
            shown = command("predict", "-m", "bad", asked)
            assert (shown.code, shown.err.count("\n")) == (2, 1), value


class TestInside:
    def test_chunks_are_whole_stories_and_change_nothing(self, model, asked, monkeypatch):
        def answered(engine):
            found, sizes = [], []

            def hand_on(chunk):
                found.extend(chunk)
                sizes.append(len(chunk))

            stream = AnswerStream(engine, hand_on)
            read_into(stream.take, str(asked))
            stream.catch_up()
            engine.close()
            return found, sizes

        choice = ModelChoice(model)
        whole, sizes = answered(ThisProcess(choice.load()))
        assert sizes == [60]
        monkeypatch.setattr(answer_stream, "CHUNK", 7)
        parts, sizes = answered(ThisProcess(choice.load()))
        assert parts == whole
        assert set(sizes) == {10}  # two stories of five questions
        assert answered(Processes(choice, 2)) == (parts, sizes)

    def test_a_question_that_a_back_end_refuses_takes_no_other_with_it(
        self, command, model, tmp_path, stories, asked
    ):
        lines = asked.read_text().splitlines()[:15]
        trees = tmp_path / "trees.conllu"
        write_trees(trees, lines)
        args = ("--coref", "none", "--srl", "conllu", "--conllu", trees, "--no-cache")
        (tmp_path / "train.txt").write_text("\n".join(lines))
        shown = command("train", "train.txt", "-m", "m", "--cost", 0.1, *args)
        assert shown.code == 0, shown.err
        more = "1 Zoe moved to the office.\n2 Where is Zoe?\toffice\t1\n"
        (tmp_path / "more.txt").write_text(more + "\n".join(lines))
        write_trees(tmp_path / "other.conllu", lines, "other")
        shown = command("predict", "-m", "m", "more.txt", "--conllu", "other.conllu", "--no-cache")
        found = records(shown.out)
        assert shown.code == 1
        assert ["error" in record for record in found] == [True] + [False] * 5
        assert "Zoe" in found[0]["error"]
        assert (found[0]["source"], found[0]["line"]) == ("more.txt", 2)

    def test_a_killed_process_is_told_in_words(self, model, asked):
        engine = Processes(ModelChoice(model), 1)
        try:
            questions = list(read_questions(asked))
            assert len(engine.submit(questions)()) == 60
            for pid in list(engine._executor._processes):
                os.kill(pid, signal.SIGKILL)
            with pytest.raises(UserError, match="a process that answers was killed"):
                engine.submit(questions)()
        finally:
            engine.close()

    def test_ids_are_those_of_a_run_for_official_names(self):
        assert id_prefix("x/qa12_conjunction_train.txt") == "qa12-train"
        assert id_prefix("x/my.questions.jsonl") == "my.questions"
        assert id_prefix("-") == "stdin"

    def test_a_question_that_is_the_first_line_has_no_known_story(self, tmp_path):
        path = tmp_path / "f.txt"
        path.write_text("1 a?\t\n2 b?\tx\t1\n1 c.\n2 d?\tx\t1\n2 e?\tx\t1\n")
        found = []
        read_into(found.append, str(path))
        assert [(type(item), item.line) for item in found] == [
            (Fault, 1), (Fault, 2), (FileQuestion, 4), (Fault, 5),
        ]  # fmt: skip
        assert [item.id for item in found if isinstance(item, Fault)] == [None, None, "f-1-2"]


class TestQuestionsWithoutAnswer:
    """A line of bAbI text without TAB that ends in "?" is what somebody wants to know."""

    ASKED = "1 Mary moved to the office.\n2 Where is Mary? \n3 Mary moved to the garden.\n4 Where is Mary?\n"

    def test_they_are_answered_as_those_with_answers_are(self, command, model, tmp_path):
        (tmp_path / "f.txt").write_text(self.ASKED)
        found = command("predict", "-m", model, "f.txt")
        assert (found.code, found.err) == (0, "")
        assert [r["id"] for r in records(found.out)] == ["f-1-2", "f-1-4"]
        known = self.ASKED.replace("?", "?\toffice\t1")
        (tmp_path / "f.txt").write_text(known)
        assert command("predict", "-m", model, "f.txt").out == found.out

    def test_they_come_as_soon_as_they_are_read_and_are_no_facts(self, tmp_path):
        (tmp_path / "f.txt").write_text(self.ASKED)
        found = []
        read_into(found.append, str(tmp_path / "f.txt"), unanswered=True)
        assert [item.question.answer for item in found] == [None, None]
        assert [[fact.line for fact in item.question.facts] for item in found] == [[1], [1, 3]]

    def test_they_stand_beside_questions_with_answers_and_support(self, tmp_path):
        (tmp_path / "f.txt").write_text(
            self.ASKED + "5 Where is Mary?\tgarden\t3\n6 Where?\tx\t4\n"
        )
        found = []
        read_into(found.append, str(tmp_path / "f.txt"), unanswered=True)
        assert [type(item) for item in found] == [FileQuestion, FileQuestion, FileQuestion, Fault]
        assert "support 4, a question" in found[-1].said

    def test_one_that_is_left_out_is_told(self, tmp_path):
        (tmp_path / "f.txt").write_text("1 a.\nx lost\n2 b.\n3 Where is Mary?\n")
        found = []
        read_into(found.append, str(tmp_path / "f.txt"), unanswered=True)
        assert [item.line for item in found] == [2, 4]
        assert "left out, because line 2" in found[1].said

    def test_elsewhere_they_stay_statements(self, command, tmp_path):
        (tmp_path / "f.txt").write_text(self.ASKED)
        found = []
        read_into(found.append, str(tmp_path / "f.txt"))
        assert found == []
        story = command("convert", "f.txt", "--to", "babi").out
        assert story == self.ASKED.replace("? ", "?")


def write_trees(path, lines, name="trees"):
    """Write every sentence as a flat tree: the first word is the root."""
    with path.open("w") as stream:
        stream.write(f"# newdoc id = {name}\n")
        for text in dict.fromkeys(line.split(" ", 1)[1].split("\t")[0].strip() for line in lines):
            stream.write(f"# text = {text}\n")
            for place, word in enumerate(text.split(), start=1):
                head, relation = (0, "root") if place == 1 else (1, "dep")
                stream.write(
                    f"{place}\t{word}\t{word.lower()}\tX\t_\t_\t{head}\t{relation}\t_\t_\n"
                )
            stream.write("\n")


@pytest.mark.skipif(find_spec("stanza") is None, reason="needs the extra nlp")
def test_with_cached_annotations_neither_torch_nor_stanza_is_imported(command, asked, tmp_path):
    few = tmp_path / "few.txt"
    few.write_text("".join(asked.read_text().splitlines(keepends=True)[:30]))
    assert command("train", few, "-m", "m", "--cost", 0.1, "--cache", "c.sqlite").code == 0
    first = command("predict", "-m", "m", few, "--cache", "c.sqlite")
    assert first.code == 0
    program = (
        "import sys\nfrom babi_cascade.app.cli import main\n"
        "try:\n    main()\nfinally:\n"
        "    print([m for m in ('torch', 'stanza') if m in sys.modules], file=sys.stderr)\n"
    )
    arguments = ["predict", "-m", "m", str(few), "--cache", "c.sqlite"]
    again = subprocess.run(
        [sys.executable, "-c", program, *arguments], cwd=tmp_path, capture_output=True, text=True,
        env={**os.environ, "PYTHONPATH": str(Path(__file__).parents[3])},
    )  # fmt: skip
    assert (again.returncode, again.stderr) == (0, "[]\n")
    assert again.stdout == first.out
