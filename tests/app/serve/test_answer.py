"""One question to a server as JSON, for programs."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from babi_cascade import Cascade, generate
from babi_cascade.app.serve.texts import answers_of, only_answer
from babi_cascade.pipeline.stories.book import Book
from tests.app.serve.conftest import request

STORY = "Ana went to the mill. Tom moved to the barn."


def answered(server, body, **headers):
    response, text = request(server, "POST", "/answer", body, **headers)
    return response.status, json.loads(text)


@pytest.mark.parametrize("story", [STORY, STORY.replace(". ", ".\n"), STORY.split(". ")])
def test_a_question_is_answered(served, story):
    status, found = answered(served, {"story": story, "question": "Where is Tom?", "id": "a"})
    assert status == 200
    assert (found["id"], found["answer"], found["verdict"]) == ("a", "barn", "likely")
    assert (found["support"], found["facts"][0][:17]) == ([2], "Tom moved to the ")
    assert "why" not in found


def test_what_else_the_question_says_comes_back(served):
    asked = {"story": STORY, "question": "Where is Tom?", "order": {"no": 17}, "note": "“x” \ud800"}
    _, found = answered(served, asked)
    assert (found["order"], found["note"], found["answer"]) == ({"no": 17}, "“x” \ud800", "barn")


def test_facts_that_were_learned_are_marked():
    untold = [replace(question, support=None) for question in generate(1, 40)]
    asked = {"story": STORY, "question": "Where is Tom?"}
    for train, marked in ((untold, True), (generate(1, 40), None)):
        answers = answers_of(Cascade(cost=0.1).fit(train))(json.dumps(asked))
        assert json.loads(only_answer(answers, asked)).get("facts_learned") is marked


def test_choices_are_kept_to_and_the_truth_is_compared(served):
    asked = {"story": STORY, "question": "Where is Tom?", "choices": ["mill"], "answer": "mill"}
    status, found = answered(served, asked)
    assert (status, found["best"], found["expected"]) == (200, "mill", "mill")


@pytest.mark.parametrize(
    ("body", "status", "said"),
    [
        ("[]", 400, "expected a JSON object"),
        ('{"question": NaN}', 400, "expected a JSON object"),
        ({"story": STORY}, 422, "no question"),
        ({"story": 5, "question": "Where is Tom?"}, 422, "expected a text or a list of sentences"),
        ({"story": STORY, "question": "Where is Tom?", "suport": [1]}, 422, "suport"),
        ({"story": ["Tom left."] * 301, "question": "Where is Tom?"}, 422, "301 sentences"),
        ({"story": "a\u0001b", "question": "Where is Tom?"}, 422, "U+0001"),
    ],
)
def test_what_is_no_question_is_refused_in_one_line(served, body, status, said):
    found = answered(served, body)
    assert found[0] == status
    assert said in found[1]["error"]


def test_a_request_without_the_header_is_told_which(served):
    asked = {"story": STORY, "question": "Where is Tom?"}
    status, found = answered(served, asked, **{"Content-Type": "text/plain"})
    assert status == 415
    assert "Content-Type: application/json" in found["error"]


def test_other_sites_cannot_ask(served):
    asked = {"story": STORY, "question": "Where is Tom?"}
    assert answered(served, asked, Origin="http://evil.example")[0] == 403


def test_a_question_without_a_story_is_about_the_book(reading_cascade):
    texts = ["Ana went to the harbour.", "Ida slept.", "Ana went to the barn."]
    answer = answers_of(reading_cascade, Book.of(texts))
    (found,) = json.loads(answer("Where is Ana?"))["questions"]
    assert (found["answer"], found["support"]) == ("barn", [3])
    (found,) = json.loads(answer("Ana went to the mill. Where is Ana?"))["questions"]
    assert (found["answer"], found["support"]) == ("mill", [1])
