"""What people hand to the cascade in the place of questions is told in words."""

from __future__ import annotations

import pytest

from babi_cascade.cascade import Cascade
from babi_cascade.pipeline.stories import Question, Sentence

QUESTION = Question(2, "Where is Ana?", "mill", (1,), (Sentence(1, "Ana went to the mill."),))
WRONG = [
    (["Where is Ana?"], "element 1: found a text ('Where is Ana?'), expected a Question"),
    ([QUESTION, None], "element 2: found None, expected a Question"),
    ([{"question": "Where?"}], "element 1: found a dict ("),
    ("Where is Ana?", "found a text ('Where is Ana?'), expected a list of Question"),
    (None, "found None, expected a list"),
    (QUESTION, "found a single question ('Where is Ana?'), expected a list"),
    ({"a": QUESTION}, "found a dict ("),
    (7, "found an int (7), expected a list"),
    ([Question(2, "Where?", "mill", (1,), ("Ana went.",))], "a fact that is a text ('Ana went.')"),
    ([Question(2, "Where?", "mill", (1,), "Ana went.")], "facts that are a text ('Ana went.')"),
    ([Question(2, "Where?", "mill", (1,), None)], "facts that are None"),
]


@pytest.fixture(scope="module")
def cascade():
    return Cascade(cost=0.1).fit([QUESTION])


@pytest.mark.parametrize("method", ["fit", "predict", "score"])
@pytest.mark.parametrize(("given", "said"), WRONG)
def test_something_else_than_questions(cascade, method, given, said):
    answer = getattr(Cascade(cost=0.1) if method == "fit" else cascade, method)
    with pytest.raises(TypeError) as told:
        answer(given)
    assert str(told.value).startswith(f"{method}: ")
    assert said in str(told.value)
    assert "read_questions(FILE)" in str(told.value)
    assert "\n" not in str(told.value)


@pytest.mark.parametrize("given", ["Where is Ana?", None, {}, [QUESTION]])
def test_something_else_than_one_question(cascade, given):
    with pytest.raises(TypeError, match=r"explain: found .*, expected a Question; read_questions"):
        cascade.explain(given)


def test_anything_that_gives_questions_will_do(cascade):
    assert cascade.answer(iter([QUESTION])) == cascade.answer((QUESTION,))
    assert cascade.score(iter([QUESTION])) == 1.0
    assert Cascade(cost=0.1).fit(iter([QUESTION])).answer([QUESTION])[0].answer == "mill"
