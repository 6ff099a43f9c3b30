"""Time the simulator against the reader: generating must take less than reading back ten times."""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import time
from collections import deque
from pathlib import Path

from babi_cascade.pipeline.stories import find_tasks, read_stories
from babi_cascade.simulation.generate import Order, generate
from babi_cascade.simulation.tasks import TASKS

LIMIT = 10.0


def main() -> int:
    """Measure both in one run and print the ratio."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--questions", type=int, default=1000, help="questions in each file")
    parser.add_argument("--runs", type=int, default=3, help="the best of so many runs counts")
    parser.add_argument("--json", action="store_true", help="print JSON")
    options = parser.parse_args()
    generating, reading = [], []
    for _ in range(options.runs):
        with tempfile.TemporaryDirectory() as folder:
            order = Order(list(TASKS.values()), train=options.questions, test=options.questions)
            start = time.perf_counter()
            generate(order, Path(folder))
            generating.append(time.perf_counter() - start)
            start = time.perf_counter()
            for file in find_tasks(Path(folder)):
                deque(read_stories(file.path), maxlen=0)
            reading.append(time.perf_counter() - start)
    ratio = min(generating) / min(reading)
    figures = {"generate": min(generating), "read": min(reading), "ratio": ratio, "limit": LIMIT}
    if options.json:
        print(json.dumps(figures))
    else:
        print(f"generating 20 tasks, 2 x {options.questions} questions: {min(generating):.2f} s")
        print(f"reading them back once:                     {min(reading):.2f} s")
        print(f"ratio: {ratio:.1f} (limit {LIMIT:.0f})")
    return 0 if ratio <= LIMIT else 1


if __name__ == "__main__":
    sys.exit(main())
