"""JSON that any reader takes: finite numbers, nothing hidden."""

from __future__ import annotations

import ast
import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from babi_cascade.pipeline.stories.strict_json import HIDDEN, JsonError, json_text, read_json

ROOT = Path(__file__).parents[3]
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**70), 2**70) | st.text(st.characters(exclude_categories=()))
    | st.floats(allow_nan=False, allow_infinity=False),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=20,
)  # fmt: skip


@given(VALUES, st.sampled_from([None, 2]))
def test_what_is_written_is_read_back_and_shows_everything(value, indent):
    text = json_text(value, indent=indent)
    assert read_json(text) == value
    assert json.loads(text) == value
    assert not HIDDEN.search(text.replace("\n", ""))
    text.encode("utf-8")


@pytest.mark.parametrize(
    "text",
    [
        "NaN",
        "[Infinity]",
        '{"a": -Infinity}',
        "1e999",
        "[-1e400]",
        "9" * 301,
        "[" * 100_000,
        '{"a": 1, "a": 2}',
        "{",
        "",
    ],
)
def test_what_is_no_number_or_no_json_is_refused_in_one_line(text):
    with pytest.raises(JsonError) as refused:
        read_json(text)
    assert str(refused.value).isprintable()


@pytest.mark.parametrize("number", [float("nan"), float("inf"), float("-inf")])
def test_what_is_no_number_is_not_written(number):
    with pytest.raises(JsonError, match="not finite"):
        json_text({"a": [number]})


def test_bytes_that_are_no_utf8_are_refused():
    with pytest.raises(JsonError, match="UTF-8"):
        read_json(b'"\xff"')


ELSEWHERE = {
    "pipeline/cached.py": "entries of the cache, which are checked value by value",
    "pipeline/coref/corenlp.py": "the answer of a server that the user named",
    "pipeline/parse": "the cache and the workers, which read what they wrote",
    "pipeline/trees/rows.py": "trees in the cache and between processes, checked value by value",
    "pipeline/fetch/download.py": "the note beside a download, which is checked field by field",
    "pipeline/report/markup.py": "JSON inside a page, where nothing may end the script",
    "pipeline/serving": "a request, of which one text is taken",
    "pipeline/stories/strict_json.py": "this",
    "pipeline/srl": "models that ship",
    "pipeline/training": "files of the trainer's own making",
    "simulation": "knows nothing of the pipeline; what is no record counts as none",
    "svm/model_file.py": "headers, which are checked value by value",
}
TEXTS_ONLY = ("pipeline/parse", "pipeline/trees/rows.py", "pipeline/serving", "svm/model_file.py")
"""What writes no numbers that were measured, or checks them before."""


def test_nothing_else_reads_or_writes_json_by_itself():
    """Whoever adds a door uses the strict one, or says here why not; NaN is written nowhere."""
    found = []
    for folder in ("simulation", "pipeline", "features", "svm", "comparison"):
        for path in sorted((ROOT / folder).rglob("*.py")):
            name = path.relative_to(ROOT).as_posix()
            own = any(name == each or name.startswith(f"{each}/") for each in ELSEWHERE)
            for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
                if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
                    continue
                called = ast.unparse(node.func)
                if called not in ("json.load", "json.loads", "json.dump", "json.dumps"):
                    continue
                strict = "dump" not in called or any(
                    each.arg == "allow_nan" for each in node.keywords
                )
                if not own or not (strict or name.startswith(TEXTS_ONLY)):
                    found.append(f"{name}:{node.lineno}: {called}")
    assert found == []
