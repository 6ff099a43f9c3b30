"""Figures about stories."""

import io
import json

from babi_cascade.pipeline.stories import AnswerShare, Statistics, describe, read_stories

CONTENT = b"""\
1 Ada took the key.
2 Bob took the lamp.
3 Who has the key?\tAda\t1
4 ADA left.
5 Who has the lamp?\tBob\t2
6 Who left?\tAda\t4 1
1 It rained.
2 Was it wet?\tyes\t1
"""


def test_what_is_counted():
    assert describe(read_stories(io.BytesIO(CONTENT))) == Statistics(
        stories=2,
        statements=4,
        questions=4,
        words=13,  # ada took the key bob lamp who has left it rained was wet
        answers=3,
        statements_mean=2.0,
        statements_max=3,
        facts_mean=(2 + 3 + 3 + 1) / 4,
        support_mean=(1 + 1 + 2 + 1) / 4,
        support_max=2,
        frequent_answers=(
            AnswerShare("Ada", 2, 0.5),
            AnswerShare("Bob", 1, 0.25),
            AnswerShare("yes", 1, 0.25),
        ),
    )


def test_nothing_has_no_size():
    empty = describe([])
    assert (empty.stories, empty.statements_mean, empty.frequent_answers) == (0, 0.0, ())


def test_unknown_answers_and_support_are_left_out():
    content = b'{"story":["A."],"question":"Q?"}\n{"story":[],"question":"Q?","answer":"x"}\n'
    figures = describe(read_stories(io.BytesIO(content)))
    assert (figures.questions, figures.answers, figures.support_mean) == (2, 1, 0.0)
    assert figures.frequent_answers == (AnswerShare("x", 1, 1.0),)


def test_the_record_is_json():
    record = describe(read_stories(io.BytesIO(CONTENT))).to_json()
    assert json.loads(json.dumps(record)) == record
    assert record["frequent_answers"][0] == {"answer": "Ada", "count": 2, "share": 0.5}
