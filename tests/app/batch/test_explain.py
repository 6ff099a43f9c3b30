"""`explain`: facts, answer and reasons that add up."""

from __future__ import annotations

import json

import pytest


def test_the_listing_names_facts_answer_and_reasons(command, model, asked):
    shown = command("explain", "-m", model, asked, "--question", 2, "--top", 1)
    assert (shown.code, shown.err) == (0, "")
    record = json.loads(command("explain", "-m", model, asked, "--question", 2, "--json").out)
    line = record["support"][0]
    text = next(fact["text"] for fact in record["story"] if fact["line"] == line)
    assert f"1> {line} {text}" in shown.out
    assert f"answer  {record['best']}" in shown.out
    assert "why these facts: " in shown.out
    assert "other reason" in shown.out


def test_it_is_short_unless_everything_is_asked_for(command, model, asked):
    """Reasons that are nearly the same are merged; of the story only the facts are told."""
    record = json.loads(command("explain", "-m", model, asked, "--question", 9, "--json").out)
    short = command("explain", "-m", model, asked, "--question", 9).out.splitlines()
    full = command("explain", "-m", model, asked, "--question", 9, "--all").out.splitlines()
    assert len(short) < 30
    features = sum(len(group["features"]) for group in record["why"]["support"])
    assert len(full) > max(features, len(short))
    other = next(fact for fact in record["story"] if fact["line"] not in record["support"])
    assert not any(other["text"] in line for line in short)
    assert any(other["text"] in line for line in full)
    for lines in (short, full):
        start = next(i for i, line in enumerate(lines) if line.startswith("why these facts"))
        parts = lines[start + 1 : lines.index("", start)]
        weights = [float(line.split()[0]) for line in parts if line[2] != " "]
        assert sum(weights) == pytest.approx(float(lines[start].split()[-1]), abs=0.005)
    named = [line.split(":", 1)[1] for line in short if line.startswith("  ") and ": " in line]
    assert len(named) == len(set(named))


@pytest.mark.parametrize("number", [1, 7, 60])
def test_the_weights_add_up_to_the_scores(command, model, asked, number):
    record = json.loads(command("explain", "-m", model, asked, "--question", number, "--json").out)
    for stage, score in (("support", "support_score"), ("answer", "score")):
        groups = record["why"][stage]
        for group in groups:
            parts = sum(feature["weight"] for feature in group["features"])
            assert parts == pytest.approx(group["weight"])
        total = sum(group["weight"] for group in groups)
        assert total == pytest.approx(record[score], abs=1e-6)


def test_rounded_weights_of_the_listing_add_up_too(command, model, asked):
    lines = command("explain", "-m", model, asked, "--top", 2).out.splitlines()
    total = float(next(line for line in lines if line.startswith("why this")).split()[-1])
    start = next(i for i, line in enumerate(lines) if line.startswith("why this"))
    end = next(i for i, line in enumerate([*lines, ""]) if i > start and not line)
    groups = [
        float(line.split()[0])
        for line in lines[start + 1 : end]
        if line[:2] == "  " and line[2] != " "
    ]
    assert sum(groups) == pytest.approx(total, abs=0.0005 * (len(groups) + 1))


def test_a_question_without_answer_from_a_pipe(started, model):
    process = started("explain", "-m", model, "-")
    line = '{"story": ["Mary moved to the office."], "question": "Where is Mary?"}\n'
    out, errors = process.communicate(line)
    assert process.returncode == 0, errors
    assert "answer  office  (" in out
    assert "facts   1 Mary moved to the office." in out
    assert "of the facts without a rival" in out


def test_a_question_of_babi_text_without_answer(command, model, tmp_path):
    (tmp_path / "f.txt").write_text("1 Mary moved to the office.\n2 Where is Mary?\n")
    shown = command("explain", "-m", model, "f.txt")
    assert (shown.code, shown.err) == (0, "")
    assert "answer  office  (" in shown.out


def test_the_id_of_a_prediction_names_its_question(command, model, asked):
    ids = [
        json.loads(line)["id"] for line in command("predict", "-m", model, asked).out.splitlines()
    ]
    for number in (1, 7):
        by_number = command("explain", "-m", model, asked, "--question", number, "--json")
        by_id = command("explain", "-m", model, asked, "--question", ids[number - 1], "--json")
        assert (by_id.code, by_id.err, by_id.out) == (0, "", by_number.out)
        assert json.loads(by_id.out)["id"] == ids[number - 1]


def test_an_id_of_the_users_own_that_is_a_number(command, model, tmp_path):
    story = '{"story": ["Mary moved to the office."], "question": "Where is Mary?", "id": '
    (tmp_path / "f.jsonl").write_text("".join(f"{story}{name}}}\n" for name in (2, 1007, 9, 9)))
    for wanted, found in (("1007", "1007"), ("2", "1007"), ("1", "2")):  # the number comes first
        shown = command("explain", "-m", model, "f.jsonl", "--question", wanted, "--json")
        assert json.loads(shown.out)["id"] == found
    shown = command("explain", "-m", model, "f.jsonl", "--question", 9)
    assert shown.code == 2
    assert 'f.jsonl: found 2 questions with the id "9", expected one' in shown.err


@pytest.mark.parametrize("wanted", ["qa1-test-1-99", "0", "-1", "1" * 5000, "two\nlines"])
def test_an_id_that_is_not_there(command, model, asked, wanted):
    shown = command("explain", "-m", model, asked, "--question", wanted)
    assert (shown.code, shown.out) == (2, "")
    said = f'{asked}: found 60 questions (the first is "qa1-test-1-3"), expected one with the number or id '
    assert f'{said}"{wanted[:9].splitlines()[0]}' in shown.err
    assert len(shown.err) < len(said) + 300


def test_a_question_that_is_not_there(command, model, asked):
    shown = command("explain", "-m", model, asked, "--question", 61)
    assert shown.code == 2
    assert "found 60 questions, expected at least 61" in shown.err
