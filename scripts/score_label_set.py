"""Score published answers of language models by the label-set rule, beside the published scores.

    python scripts/score_label_set.py FOLDER

FOLDER holds `MAKER/MODEL/qaN_TOKENS_*.csv` with the columns target, output, question, and `scores.csv` with
the columns model, task, tokens, questions, right. Prints every difference; exit code 1 if there is any.
"""

from __future__ import annotations

import csv
import sys
from collections import defaultdict
from pathlib import Path

from babi_cascade.app.results.label_set import is_right, labels_of


def rows_of(path: Path) -> list[dict[str, str]]:
    """Return the rows of a CSV file."""
    csv.field_size_limit(1 << 27)
    with path.open(encoding="utf-8", newline="") as stream:
        return list(csv.DictReader(stream))


def main(folder: Path) -> int:
    """Compare all files with the published scores."""
    published = {
        (row["model"], row["task"], row["tokens"]): row for row in rows_of(folder / "scores.csv")
    }
    answers: dict[tuple[str, str, str], list[dict[str, str]]] = {}
    targets: dict[str, set[str]] = defaultdict(set)
    for path in sorted(folder.glob("*/*/qa*.csv")):
        task, tokens = path.name.split("_")[:2]
        rows = answers[f"{path.parts[-3]}/{path.parts[-2]}", task, tokens] = rows_of(path)
        targets[task].update(row["target"] for row in rows)
    labels = {task: labels_of(found) for task, found in targets.items()}
    other = 0
    for key, row in published.items():
        own = answers.get(key, [])
        right = sum(is_right(r["target"], r["output"], r["question"], labels[key[1]]) for r in own)
        if (len(own), right) != (int(row["questions"]), int(row["right"])):
            other += 1
            print(*key, f"{right} of {len(own)}, published: {row['right']} of {row['questions']}")
    print(f"{len(published)} files, {other} with another score")
    return int(other > 0)


if __name__ == "__main__":
    raise SystemExit(main(Path(sys.argv[1])))
