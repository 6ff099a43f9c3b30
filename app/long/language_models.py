"""Long stories for language models: one JSON line a question, and a task file for lm-evaluation-harness.

A line has `input` (the text), `question`, `target`, `prompt` (all that a model is given: what is to be done,
two worked examples, the text, the question) and `labels` (all answers of the file: what the score looks for).
"""

from __future__ import annotations

import inspect
import json
import tempfile
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from babi_cascade.app.results import label_set
from babi_cascade.pipeline.stories import Question, find_tasks, read_stories
from babi_cascade.pipeline.stories.background import Hidden
from babi_cascade.pipeline.stories.saving import replacing
from babi_cascade.pipeline.stories.strict_json import json_text
from babi_cascade.simulation.generate import Order, generate

EXAMPLES = 2
ENOUGH = 20
"""Questions that are told for them: more than two stories have."""

PROMPT = """\
A long text follows. Here and there between its sentences stand the facts of a short story; nothing else in \
the text has to do with it. Read the facts in their order, then answer the question about them. Where two \
facts differ, the later one holds. Say the answer alone, as in the examples, without an explanation; where \
the answer is a list or a path, separate its parts by commas without blanks.

{examples}Text: {input}

Question: {question}
Answer:"""

EXAMPLE = """\
Facts: {facts}
Question: {question}
Answer: {answer}

"""

TASK = """\
task: {task}
tag: babi_long
dataset_path: json
dataset_kwargs:
  data_files:
    test: {file}
test_split: test
output_type: generate_until
doc_to_text: "{{{{prompt}}}}"
doc_to_target: "{{{{target}}}}"
process_results: !function label_set.process_results
generation_kwargs:
  until: ["\\n"]
  do_sample: false
  max_gen_toks: 32
metric_list:
  - metric: label_set
    aggregation: mean
    higher_is_better: true
metadata:
  version: 1.0
"""


def write_task(order: Order, path: Path, hidden: Iterator[Hidden]) -> list[Path]:
    """Write the questions of one file and one length, the task file beside them, and the score it needs."""
    made = list(hidden)
    labels = label_set.labels_of(each.question.answer or "" for each in made)
    shown = "".join(map(_example, examples(order, path.stem)))
    with replacing(path) as stream:
        for each in made:
            asked = each.question
            text = " ".join(fact.text for fact in asked.facts)
            record = {
                "id": asked.id,
                "input": text,
                "question": asked.text,
                "target": asked.answer,
                "prompt": PROMPT.format(examples=shown, input=text, question=asked.text),
                "labels": labels,
                "tokens": each.tokens,
                "facts": list(each.places),
            }
            stream.write(json_text(record, separators=(",", ":")) + "\n")
    task = path.with_suffix(".yaml")
    name = f"babi_long_{path.stem.replace('-', '_')}_{path.parent.name}"
    with replacing(task) as stream:
        # A path in double quotes is the same in YAML and JSON.
        stream.write(TASK.format(task=name, file=json.dumps(str(path.resolve()))))
    score = path.with_name("label_set.py")
    with replacing(score) as stream:
        stream.write(inspect.getsource(label_set))
    return [path, task, score]


def examples(order: Order, stem: str) -> list[Question]:
    """Return the first questions of two stories of a task, told by dice that no file has."""
    number = stem.removeprefix("qa").partition("_")[0]
    tasks = [task for task in order.tasks if str(task.number) == number]
    shots = replace(order, tasks=tasks, train=ENOUGH, test=0, seed=-1 - order.seed, truth=False)
    with tempfile.TemporaryDirectory() as folder:
        generate(shots, Path(folder))
        stories = [s for file in find_tasks(folder) for s in read_stories(file.path)]
    return [story.questions[0] for story in stories[:EXAMPLES]]


def _example(asked: Question) -> str:
    facts = " ".join(fact.text for fact in asked.facts)
    return EXAMPLE.format(facts=facts, question=asked.text, answer=asked.answer)
