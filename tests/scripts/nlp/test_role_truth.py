"""The comparison with truth: a right sentence has no faults, each wrong part is one."""

from dataclasses import replace
from typing import Any

import pytest

from babi_cascade.pipeline.frames import Argument, Asked, Frame
from scripts.nlp.role_truth import FrameTally, faults
from tests.pipeline.frames.small_trees import tree

WORDS = tree(
    "Kim:PROPN:2:nsubj sold/sell:VERB:0:root a:DET:4:det kite:NOUN:2:obj to:ADP:6:case Lee:PROPN:2:obl"
)
RECORD: dict[str, Any] = {
    "text": WORDS.text,
    "predicate": "give",
    "who": ["kim"],
    "what": "kite",
    "to": "lee",
    "negated": False,
    "mentions": [
        {"start": 0, "end": 3, "text": "Kim", "entities": ["kim"]},
        {"start": 11, "end": 15, "text": "kite", "entities": ["kite"]},
        {"start": 19, "end": 22, "text": "Lee", "entities": ["lee"]},
    ],
}


def argument(relation: str, *span: int) -> Argument:
    text = " ".join(WORDS[i].form for i in span)
    return Argument("ARG0", relation, text.lower(), text.lower(), span[-1], span, text)


FRAME = Frame("sell", 2, (argument("nsubj", 1), argument("obj", 4), argument("obl:to", 6)))


def test_right() -> None:
    assert faults(RECORD, WORDS, [FRAME]) == []


@pytest.mark.parametrize(
    ("frames", "expected"),
    [
        ([], ["no frame"]),
        ([FRAME, FRAME], ["2 frames: sell + sell"]),
        ([replace(FRAME, negated=True)], ["negated"]),
        ([replace(FRAME, arguments=FRAME.arguments[:2])], ["to is missing"]),
        ([replace(FRAME, arguments=(*FRAME.arguments[:2], argument("obj", 6)))], ["to is obj"]),
        (
            [replace(FRAME, arguments=(argument("nsubj", 1), argument("obj", 4, 5, 6)))],
            ["what is part of a longer obj", "to is part of a longer obj"],
        ),
        ([replace(FRAME, question="yes/no")], ["taken for a question"]),
        ([replace(FRAME, arguments=(*FRAME.arguments, argument("obl", 3)))], ["obl too many"]),
        (
            [
                replace(
                    FRAME,
                    arguments=(*FRAME.arguments[:2], replace(FRAME.arguments[2], alternative=True)),
                )
            ],
            ["to: alternative is True"],
        ),
    ],
)
def test_faults(frames: list[Frame], expected: list[str]) -> None:
    assert faults(RECORD, WORDS, frames) == expected


def test_questions() -> None:
    record = {k: v for k, v in RECORD.items() if k != "who"} | {"asks": "who"}
    record["mentions"] = RECORD["mentions"][1:]
    asked = replace(
        FRAME, arguments=FRAME.arguments[1:], question="wh", asks=Asked("who", "nsubj", "ARG0")
    )
    assert faults(record, WORDS, [asked]) == []
    wrong = replace(asked, asks=Asked("who", "obj", "ARG1"))
    assert faults(record, WORDS, [wrong]) == ["asks for obj, not who"]
    assert faults(RECORD | {"asks": "truth"}, WORDS, [replace(FRAME, question="yes/no")]) == []
    assert faults(RECORD | {"asks": "why"}, WORDS, [FRAME]) == ["asks for nothing"]


def test_the_tally_counts_lines_and_names_faults() -> None:
    tally = FrameTally()
    assert tally.add(RECORD, WORDS, [FRAME])
    assert not tally.add(RECORD, WORDS, [replace(FRAME, negated=True)])
    assert tally.accuracy == 0.5
    report = "\n".join(tally.report())
    assert "50.00 % of 2 lines" in report
    assert "1 × give: negated" in report
