"""`score`: predictions beside the true answers, matched by id or by order, and mismatches in words."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from babi_cascade.app.batch.score import score_predictions
from babi_cascade.app.results.matching import match
from babi_cascade.app.results.predictions import SavedPrediction
from babi_cascade.cascade.prediction import Prediction
from babi_cascade.errors import UserError
from babi_cascade.pipeline.stories import Question, Sentence

GOLD = """\
1 Mary moved to the office.
2 Where is Mary?\toffice\t1
3 Mary moved to the garden.
4 Where is Mary?\tgarden\t3
"""


def question(name, answer="x", support=(1,)):
    return Question(2, "Where?", answer, support, (Sentence(1, "Here."),), name)


@pytest.fixture
def two(tmp_path):
    """Two gold questions in a file, and a function that writes predictions."""
    (tmp_path / "gold.txt").write_text(GOLD)

    def write(*records):
        text = "".join(json.dumps(record) + "\n" for record in records)
        (tmp_path / "said.jsonl").write_text(text)

    return write


class TestCommand:
    def test_predictions_of_a_directory(self, command, model, stories, tmp_path):
        (tmp_path / "p.jsonl").write_text(command("predict", "-m", model, stories).out)
        shown = command("score", "p.jsonl", stories)
        assert (shown.code, shown.err) == (0, "")
        assert [line.split()[1] for line in shown.out.splitlines()[1:]] == ["60", "60", "120"]
        record = json.loads(command("score", "p.jsonl", stories, "--json", "--confusion").out)
        assert (record["matched_by"], record["questions"]) == ("id", 120)
        assert [file["task"] for file in record["files"]] == [1, 6]
        right = sum(c["count"] for c in record["confusion"] if c["expected"] == c["predicted"])
        assert right == round(120 * record["accuracy"])
        assert sum(c["count"] for c in record["confusion"]) == 120
        bare = command("score", "p.jsonl", stories, "--score-only").out
        assert float(bare) == pytest.approx(record["accuracy"], abs=1e-4)

    def test_predictions_of_a_run_can_be_scored(self, command, stories):
        quick = ("--coref", "none", "--srl", "none", "--cost", "0.1")
        run = command("run", "--data", stories, *quick, "--tasks", 1, "--json", "--out", "run")
        (task,) = json.loads(run.out)["tasks"]
        scored = command("score", "run/predictions/qa1.jsonl", stories, "--tasks", 1, "--json")
        record = json.loads(scored.out)
        assert record["accuracy"] == task["accuracy"]
        assert record["support_accuracy"] == task["support_accuracy"]

    def test_order_counts_where_ids_have_nothing_in_common(self, command, two):
        two({"id": "a", "answer": "office", "support": [1]}, {"answer": "office", "support": [3]})
        shown = command("score", "said.jsonl", "gold.txt")
        assert shown.code == 0
        assert "matched by order" in shown.err
        assert shown.out.splitlines()[1].split() == ["gold.txt", "2", "50.0", "100.0", "0"]

    @pytest.mark.parametrize(
        "table",
        [
            "id,answer\ngold-1-4,garden\ngold-1-2,kitchen\n",
            'Answer;ID;remark\n" garden ";gold-1-4;"a; b"\nkitchen;gold-1-2;\n',
            "answer\nkitchen\ngarden\n",
            "\ufeffanswer\tsupport\r\nkitchen\t1\r\n\r\ngarden\t3\r\n",
        ],
    )
    def test_tables_of_other_systems_are_scored(self, command, two, tmp_path, table):
        """By id or, without, by order; comma, semicolon or TAB; other columns do not matter."""
        (tmp_path / "theirs.csv").write_text(table)
        (tmp_path / "gold.txt").write_text(GOLD)
        shown = command("score", "theirs.csv", "gold.txt", "--score-only")
        assert (shown.code, float(shown.out)) == (0, 0.5)

    @pytest.mark.parametrize(
        ("table", "said"),
        [
            ("id,answer\na\n", "theirs.csv:2: found 1 cells, expected 2 cells"),
            ("answer,support\nkitchen,one\n", "theirs.csv:2: found a wrong support"),
            ("id,text\na,b\n", 'theirs.csv:1: found "id,text", expected the names of the columns'),
            (
                "kitchen\noffice\n",
                'theirs.csv:1: found "kitchen", expected the names of the columns',
            ),
            ("answer\nkitchen\n", "found 1 predictions for 2 questions"),
        ],
    )
    def test_tables_that_are_none_are_refused_in_one_line(
        self, command, two, tmp_path, table, said
    ):
        (tmp_path / "theirs.csv").write_text(table)
        (tmp_path / "gold.txt").write_text(GOLD)
        shown = command("score", "theirs.csv", "gold.txt")
        assert shown.code == 2
        assert said in shown.err
        assert shown.err.count("\n") == 1

    def test_a_system_that_names_no_facts_is_not_scored_on_them(self, command, two, tmp_path):
        """What a language model writes is told, not mended: answers are compared word for word."""
        (tmp_path / "theirs.csv").write_text("answer\nOffice.\ngarden\n")
        (tmp_path / "gold.txt").write_text(GOLD)
        shown = command("score", "theirs.csv", "gold.txt", "--json")
        found = json.loads(shown.out)
        assert (found["accuracy"], found["support_accuracy"]) == (0.5, None)
        assert "1 answer would be right but for case" in shown.err

    def test_official_ids_of_another_task_are_refused(self, command, two, tmp_path):
        two({"id": "qa1-test-1-2", "answer": "office"}, {"id": "qa1-test-1-4", "answer": "garden"})
        (tmp_path / "qa2_two-supporting-facts_test.txt").write_text(GOLD)
        shown = command("score", "said.jsonl", "qa2_two-supporting-facts_test.txt")
        assert (shown.code, shown.out) == (2, "")
        assert shown.err == (
            "error: predictions of other questions: found qa1-test-1-2, qa1-test-1-4, expected "
            "qa2-test-1-2, qa2-test-1-4\n"
        )

    def test_official_ids_cannot_agree_with_those_of_a_renamed_file(self, command, two):
        two({"id": "qa1-test-1-2", "answer": "office"}, {"id": "qa1-test-1-4", "answer": "garden"})
        shown = command("score", "said.jsonl", "gold.txt", "--score-only")
        assert (shown.code, shown.out) == (0, "1.0000\n")
        assert "matched by order" in shown.err

    def test_ids_count_in_any_order_and_errors_are_wrong(self, command, two):
        two({"id": "gold-1-4", "answer": "garden"}, {"id": "gold-1-2", "error": "no tree"})
        record = json.loads(command("score", "said.jsonl", "gold.txt", "--json").out)
        assert (record["accuracy"], record["unanswered"]) == (0.5, 1)
        assert "confusion" not in record
        table = command("score", "said.jsonl", "gold.txt", "--confusion").out
        assert [line.split() for line in table.splitlines()[-2:]] == [
            ["garden", "1", ".", "."], ["office", ".", ".", "1"],
        ]  # fmt: skip

    def test_a_prediction_without_answer_as_a_run_writes_it_is_wrong(self, command, two):
        silent = Prediction(None, (1,), id="gold-1-2").to_json()
        assert "answer" not in silent
        two({"id": "gold-1-4", "answer": "garden"}, silent)
        record = json.loads(command("score", "said.jsonl", "gold.txt", "--json").out)
        assert (record["accuracy"], record["unanswered"]) == (0.5, 1)

    def test_a_missing_prediction_is_refused_or_wrong(self, command, two):
        two({"id": "gold-1-4", "answer": "garden"})
        shown = command("score", "said.jsonl", "gold.txt")
        assert shown.code == 2
        assert "1 of 2 questions have no prediction: gold-1-2" in shown.err
        shown = command("score", "said.jsonl", "gold.txt", "--missing", "wrong", "--score-only")
        assert (shown.code, shown.out) == (0, "0.5000\n")

    @pytest.mark.parametrize(
        ("line", "said"),
        [
            ("{", "said.jsonl:1: found broken JSON"),
            ("[1]", "said.jsonl:1: found no answer"),
            ("{}", "said.jsonl:1: found no answer"),
            ('{"answer": 1}', "said.jsonl:1: found a wrong answer"),
            ('{"answer": "a", "support": "1"}', "said.jsonl:1: found a wrong support"),
            ('{"answer": "a", "id": []}', "said.jsonl:1: found a wrong id"),
            ('{"answer": "a"}', "found 1 predictions for 2 questions"),
            ("\udcff", "not UTF-8"),
            ("", "found 0 predictions for 2 questions"),
        ],
    )
    def test_what_is_no_prediction_is_named(self, command, two, tmp_path, line, said):
        two()
        (tmp_path / "said.jsonl").write_bytes(line.encode("utf-8", "surrogateescape"))
        shown = command("score", "said.jsonl", "gold.txt")
        assert shown.code == 2
        assert said in shown.err
        assert shown.err.count("\n") == 1

    def test_many_answers_are_listed_as_mistakes(self, command, tmp_path):
        lines = [f"1 It is {n}.\n2 What is it?\ta{n}\t1\n" for n in range(20)]
        (tmp_path / "many.txt").write_text("".join(lines))
        said = "".join(json.dumps({"answer": f"a{n // 2}"}) + "\n" for n in range(20))
        (tmp_path / "said.jsonl").write_text(said)
        shown = command("score", "said.jsonl", "many.txt", "--confusion")
        assert [line.split() for line in shown.out.splitlines()[2:4]] == [
            ["expected", "given", "times"], ["a1", "a0", "1"],
        ]  # fmt: skip

    def test_a_file_without_questions_is_refused(self, command, two, tmp_path):
        two()
        (tmp_path / "none.txt").write_text("1 Mary moved to the office.\n2 Where is Mary?\n")
        for files in (["none.txt"], ["gold.txt", "none.txt"]):
            shown = command("score", "said.jsonl", *files, "--missing", "wrong")
            assert (shown.code, shown.out) == (2, "")
            assert shown.err == (
                "error: none.txt: found no questions with answers, expected at least one\n"
            )

    def test_wrong_usage(self, command, two):
        two()
        for args in (["--json", "--score-only"], ["gone.txt"], ["-"]):
            assert command("score", "said.jsonl", "gold.txt", *args).code == 2


class TestMatching:
    def test_ids_that_occur_twice_are_refused_unless_all_are_in_order(self):
        asked = [question("a"), question("a"), question("b")]
        said = [SavedPrediction(name, "x") for name in "aab"]
        assert match(said, asked) == ("id", said)
        with pytest.raises(UserError, match="the predictions have ids that occur twice: a"):
            match(said[::-1], asked)

    def test_predictions_of_other_questions_are_refused(self):
        with pytest.raises(UserError, match="2 of 3 predictions are of questions that are not"):
            match(
                [SavedPrediction("a", "x"), SavedPrediction("b", "x"), SavedPrediction("c", "x")],
                [question("a")],
            )

    def test_faults_without_id_are_passed_over(self):
        said = [SavedPrediction("a", "x"), SavedPrediction("", None), SavedPrediction("b", "y")]
        assert match(said, [question("a"), question("b")])[1] == [said[0], said[2]]

    @given(st.lists(st.text("ab", min_size=1), unique=True, min_size=1), st.randoms())
    def test_by_id_the_order_of_predictions_means_nothing(self, names, random):
        asked = [question(name, answer=name) for name in names]
        said = [SavedPrediction(name, name, (1,)) for name in names]
        random.shuffle(said)
        score = score_predictions(said, {"all": asked})
        assert score.total.accuracy == score.total.support_accuracy == 1
        assert score.matched_by == "id"

    def test_gold_must_have_answers(self):
        with pytest.raises(UserError, match="the question a has no answer"):
            score_predictions([SavedPrediction("a", "x")], {"f": [question("a", answer=None)]})


def test_outputs_of_a_language_model_count_by_the_labels_they_name():
    gold = {"qa1.jsonl": [asked_of("kitchen"), asked_of("garden"), asked_of("garden")]}
    said = [
        SavedPrediction("", "She is in the kitchen. Or the garden."),
        SavedPrediction("", "The kitchen or the garden."),
        SavedPrediction("", "kitchen"),
    ]
    assert score_predictions(said, gold).total.accuracy == 0
    assert score_predictions(said, gold, label_set=True).total.accuracy == 1 / 3


def asked_of(answer) -> Question:
    return Question(2, "Where is she?", answer, None, ())
