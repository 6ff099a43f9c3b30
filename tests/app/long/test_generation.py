import importlib.util
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from babi_cascade.pipeline.stories import read_questions

COMMAND = [
    "generate",
    "--background",
    "sample",
    "--tasks",
    "1,2",
    "--questions",
    "0",
    "--test-questions",
    "3",
]
FILE = "qa1_single-supporting-fact_test"


def test_a_folder_for_every_length_with_the_same_questions(tmp_path: Path, command):
    assert (
        command(*COMMAND, "--tokens", "0,1k,4k", "--check", "--out", str(tmp_path / "a")).code == 0
    )
    found = {n: list(read_questions(tmp_path / f"a/{n}/{FILE}.jsonl")) for n in ("0", "1k", "4k")}
    assert len({tuple(q.text for q in asked) for asked in found.values()}) == 1
    for asked in zip(*found.values(), strict=True):
        assert len({tuple(f.text for f in q.supporting) for q in asked}) == 1
        short, middle, long = (len(q.facts) for q in asked)
        assert short < middle < long
        assert [asked[2].facts[line - 1].text for line in asked[2].extra["facts"]] == [
            fact.text for fact in asked[0].facts
        ]


def test_the_same_seed_gives_the_same_bytes(tmp_path: Path, command):
    for name, seed in (("a", "1"), ("b", "1"), ("c", "2")):
        command(*COMMAND, "--tokens", "2k", "--seed", seed, "--out", str(tmp_path / name))
    one, same, other = ((tmp_path / n / f"2k/{FILE}.jsonl").read_bytes() for n in "abc")
    assert one == same != other


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (["--tokens", "many"], "--tokens: found 'many'"),
        (["--tokens", "1k", "--between", "0.9-0.1"], "--between: found '0.9-0.1'"),
        (["--tokens", "1k", "--tokenizer", "mine"], "--tokenizer: found 'mine'"),
        ([], "expected --tokens"),
    ],
)
def test_what_is_wrong_is_said(tmp_path: Path, command, wrong, message):
    done = command(*COMMAND, *wrong, "--out", tmp_path)
    assert done.code == 2
    assert message in done.err


def test_lm_evaluation_harness_runs_a_task(tmp_path: Path, command):
    if importlib.util.find_spec("lm_eval") is None:
        pytest.skip("lm-evaluation-harness is not installed (pip install lm-eval)")
    assert command(*COMMAND, "--tokens", "1k", "--form", "lm", "--out", tmp_path).code == 0
    done = subprocess.run(
        [
            sys.executable, "-m", "lm_eval", "run", "--model", "dummy",
            "--include_path", str(tmp_path / "1k"),
            "--tasks", "babi_long_qa1_single_supporting_fact_test_1k", "--output_path", str(tmp_path / "out"),
        ],
        env=os.environ | {"HF_HUB_OFFLINE": "1", "HF_HOME": str(tmp_path / "hf")},
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[-2000:]
    (result,) = (tmp_path / "out").rglob("results_*.json")
    (scores,) = json.loads(result.read_text())["results"].values()
    assert scores["label_set,none"] == 0.0  # a model that says nothing of use


def test_prompts_have_two_worked_examples_of_other_stories(tmp_path: Path, command):
    assert command(*COMMAND, "--tokens", "1k", "--form", "lm", "--out", tmp_path).code == 0
    for line in (tmp_path / f"1k/{FILE}.jsonl").read_text().splitlines():
        record = json.loads(line)
        assert record["prompt"].count("Facts: ") == 2
        assert record["prompt"].endswith(f"Question: {record['question']}\nAnswer:")
        assert record["input"] in record["prompt"]
        assert record["target"] in record["labels"]
