"""A question as a reader sees it: the story with entities and frames, the facts, the answer, and why.

Plain values that JSON can hold, the same for the report and for the live page. What is not known is left
out, and the page shows what is there::

    {"line": 3, "text": "Where is she?", "answer": "mill", "expected": "mill",
     "support": [1], "expected_support": [1], "score": 0.8, "margin": 1.1,
     "support_score": 0.5, "support_margin": 1.0,
     "story": [{"line": 1, "text": "Ada went to the mill."}, …],
     "readings": [READING of each sentence, that of the question last],
     "why": {"support": [GROUP, …], "answer": [GROUP, …]},
     "others": {"support": [{"what": [2], "score": 0.1}], "answer": [{"what": "barn", "score": -0.2}]}}

    READING {"mentions": [[start, end, entity], …], "read_as": "…", "words": ["Ada", …],
             "frames": [{"predicate": "go", "token": 1, "arguments": [{"relation": …, "role": …,
                         "span": [0]}], "negated": true, "time": …, "asks": {…}}]}
    GROUP   {"group": "word-pairs", "weight": 0.4, "features": [["…", 0.3], …], "rest": [17, 0.1]}
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from babi_cascade.app.report.runner_up import others
from babi_cascade.pipeline.stories import Story

if TYPE_CHECKING:
    from babi_cascade.cascade import Cascade, Contribution, Explanation, Prediction
    from babi_cascade.pipeline.frames import Frame
    from babi_cascade.pipeline.read import ReadQuestion, ReadSentence, ReadStory, StoryReader
    from babi_cascade.pipeline.stories import Question
    from babi_cascade.pipeline.trees import Tree

TOP = 5
"""Features of a group that are named; the others are summed up."""

_DIGITS = 4

View = dict[str, Any]


def question_view(cascade: Cascade, asked: ReadQuestion, *, top: int = TOP) -> View:
    """Return everything that can be shown of a question and its answer."""
    explanation = cascade.explain_read(asked)
    reader = cascade.reader
    view = asked_view(asked.source) | prediction_view(explanation.prediction)
    if reader is not None and reader.annotator is not None:
        view["readings"] = readings(reader, asked)
    view["why"] = why(explanation, top)
    view["others"] = {stage: others(explanation, stage) for stage in ("support", "answer")}
    return view


def asked_view(question: Question) -> View:
    """Return the story, the question, and what is known of its answer."""
    view: View = {
        "line": question.line,
        "text": question.text,
        "story": [{"line": fact.line, "text": fact.text} for fact in question.facts],
    }
    if question.answer is not None:
        view["expected"] = question.answer
    if question.support is not None:
        view["expected_support"] = list(question.support)
    return view


def prediction_view(found: Prediction) -> View:
    """Return the answer and the facts with their scores."""
    record = {name: value for name, value in found.to_json().items() if name != "id"}
    return {"answer": found.answer, **record}


def readings(reader: StoryReader, asked: ReadQuestion) -> list[View]:
    """Return what the reading stages made of every sentence, the question last."""
    source = asked.source
    (story,) = reader.stories([Story((*source.facts, source))])
    read = [*asked.facts, asked.question]
    return [
        reading(text, sentence, mentions)
        for text, sentence, mentions in zip(story.texts, read, entity_spans(story), strict=True)
    ]


def reading(text: str, sentence: ReadSentence, mentions: list[list[int]]) -> View:
    """Return entities of a sentence as it was written, and words and frames as it was read."""
    view: View = {}
    if mentions:
        view["mentions"] = mentions
    if sentence.text != text:
        view["read_as"] = sentence.text
    if sentence.frames and sentence.tree is not None:
        view["words"] = [token.form for token in sentence.tree]
        view["frames"] = [frame_view(frame, len(sentence.tree)) for frame in sentence.frames]
    return view


def entity_spans(story: ReadStory) -> list[list[list[int]]]:
    """Return for every sentence its mentions as [start, end, entity], in characters.

    Only entities that are mentioned twice have a number: there is nothing to see in the others.
    """
    spans: list[list[list[int]]] = [[] for _ in story.texts]
    for number, entity in enumerate(story.clusters.without_singletons()):
        for mention in entity:
            written = story.replaced[mention.sentence].written
            found = _characters(written, mention.start, mention.end)
            if found is not None:
                spans[mention.sentence].append([*found, number])
    return [sorted(each, key=lambda span: (span[0], -span[1])) for each in spans]


def _characters(tree: Tree, first: int, last: int) -> tuple[int, int] | None:
    """Return where words begin and end in the text; None where the tree does not know."""
    start, end = tree[first].start, tree[last].end
    return (start, end) if tree.text and start < end <= len(tree.text) else None


def frame_view(frame: Frame, length: int) -> View:
    """Return a frame with the places of its words, from 0."""
    view: View = {
        "predicate": frame.predicate,
        "token": frame.token - 1,
        "arguments": [
            {"relation": argument.relation, "role": argument.role,
             "span": [i - 1 for i in argument.span if 1 <= i <= length]}
            for argument in frame.arguments
        ],
    }  # fmt: skip
    if frame.negated:
        view["negated"] = True
    if frame.time:
        view["time"] = frame.time
    if frame.asks is not None:
        view["asks"] = {"token": frame.asks.token - 1, "relation": frame.asks.relation,
                        "role": frame.asks.role}  # fmt: skip
    return view


def why(explanation: Explanation, top: int) -> View:
    """Return the features behind both choices."""
    return {
        "support": groups(explanation.support, top),
        "answer": groups(explanation.answer, top),
    }


def groups(parts: Sequence[Contribution], top: int) -> list[View]:
    """Return each group with its sum and its weightiest features; what is not named is summed up."""
    members: dict[str, list[Contribution]] = {}
    for part in parts:
        members.setdefault(part.group, []).append(part)
    found: list[View] = []
    for name, own in members.items():
        own.sort(key=lambda part: -abs(part.weight))
        record: View = {
            "group": name,
            "weight": round(sum(part.weight for part in own), _DIGITS),
            "features": [[part.words, round(part.weight, _DIGITS)] for part in own[:top]],
        }
        rest = own[top:]
        if rest:
            record["rest"] = [len(rest), round(sum(part.weight for part in rest), _DIGITS)]
        found.append(record)
    return sorted(found, key=lambda record: (-abs(record["weight"]), record["group"]))
