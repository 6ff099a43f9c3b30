"""The JSON form of frames, and the line a reader sees."""

import json

from hypothesis import given
from hypothesis import strategies as st

from babi_cascade.pipeline.frames import Argument, Asked, Frame

TEXT = st.text(max_size=12)
ARGUMENTS = st.builds(
    Argument,
    role=TEXT,
    relation=TEXT,
    phrase=TEXT,
    head=TEXT,
    head_id=st.integers(1, 50),
    span=st.lists(st.integers(1, 50), max_size=4).map(tuple),
    text=TEXT,
    conjoined=st.booleans(),
    alternative=st.booleans(),
)
FRAMES = st.builds(
    Frame,
    predicate=TEXT,
    token=st.integers(1, 50),
    arguments=st.lists(ARGUMENTS, max_size=4).map(tuple),
    negated=st.booleans(),
    time=st.none() | TEXT,
    question=st.none() | st.sampled_from(["wh", "yes/no"]),
    asks=st.none() | st.builds(Asked, TEXT, TEXT, TEXT, TEXT, st.integers(0, 50)),
)


@given(FRAMES)
def test_json_gives_the_same_frame_back(frame: Frame) -> None:
    assert Frame.from_json(json.loads(json.dumps(frame.to_json()))) == frame
    assert isinstance(str(frame), str)


def test_the_documented_json_form() -> None:
    kim = Argument("ARG0", "nsubj", "kim", "kim", 3, (3,), "Kim")
    frame = Frame("lend", 4, (kim,), True, "yesterday", "wh", Asked("what", "obj", "ARG1", "", 1))
    assert frame.to_json() == {
        "predicate": "lend",
        "token": 4,
        "arguments": [
            {
                "role": "ARG0",
                "relation": "nsubj",
                "phrase": "kim",
                "head": "kim",
                "head_id": 3,
                "span": [3],
                "text": "Kim",
            }
        ],
        "negated": True,
        "time": "yesterday",
        "question": "wh",
        "asks": {"word": "what", "relation": "obj", "role": "ARG1", "token": 1},
    }
    assert str(frame) == "not lend(nsubj/ARG0 kim) @yesterday ?what = obj/ARG1"


def test_what_is_empty_is_left_out_of_the_json() -> None:
    assert Frame("rain", 2).to_json() == {"predicate": "rain", "token": 2, "arguments": []}


def test_conjuncts_and_alternatives_are_shown_apart() -> None:
    def argument(relation: str, phrase: str, **marks: bool) -> Argument:
        return Argument("ARG1", relation, phrase, phrase, 1, **marks)

    frame = Frame(
        "be at",
        2,
        (
            argument("nsubj", "kim", conjoined=True),
            argument("nsubj", "lee", conjoined=True),
            argument("obl:at", "beach", alternative=True),
            argument("obl:at", "lake", alternative=True),
        ),
    )
    assert str(frame) == "be at(nsubj/ARG1 kim & lee; obl:at/ARG1 beach | lake)"
    assert [a.phrase for a in frame.alternatives] == ["beach", "lake"]
    assert [a.phrase for a in frame.fillers("obl")] == ["beach", "lake"]
    assert frame.fillers("obl:at")[0].preposition == "at"
