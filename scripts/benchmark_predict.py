"""Time fitting and predicting per question, of the same system on the same tasks, from cached annotations.

Both sides are what the commands do for a question, in processor seconds of one thread: `train` reads story
files, takes annotations from the cache, encodes, chooses C and fits both stages; `predict` reads story files,
takes annotations from the cache, encodes, searches (twice: for the answer and for the margin) and writes
records. Test questions are others than training questions. Starting up (imports, loading of machine code
and of the model, opening of the cache) is measured apart: it is paid once, not for a question.

Beside this, the learner (choice of C and fitting, all features given) is held against the two searches alone.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from babi_cascade.app.batch.model import ModelChoice
from babi_cascade.app.batch.questions import read_into
from babi_cascade.app.batch.stream import AnswerStream, ThisProcess
from babi_cascade.app.batch.train import train
from babi_cascade.app.cli import cli
from babi_cascade.app.experiments.backends import BackEnds
from babi_cascade.app.experiments.progress import Telling
from babi_cascade.app.experiments.systems import warm_up
from babi_cascade.cascade import stages
from babi_cascade.cascade.settings import Settings
from babi_cascade.pipeline.stories import parse_task_list
from babi_cascade.svm.ranking import RankingProblem
from babi_cascade.svm.selection import SelectionProblem

AIM = 50.0
PROBLEMS = (RankingProblem, SelectionProblem)


def main() -> int:
    """Measure and print; 1 when predicting is too slow."""
    parser = argparse.ArgumentParser(prog="scripts/benchmark_predict.sh", description=__doc__)
    parser.add_argument("--tasks", default="1-20", help="(default: 1-20)")
    parser.add_argument("--questions", type=int, default=1000, help="of train and test each")
    parser.add_argument("--preset", default=None, help="(default: that of `train`)")
    parser.add_argument("--words", action="store_true", help="words only: parse nothing")
    parser.add_argument("--json", action="store_true", help="print JSON")
    options = parser.parse_args()
    tasks = sorted(parse_task_list(options.tasks))
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        arguments = ["--tasks", options.tasks, "--questions", str(options.questions)]
        cli.main(["generate", *arguments, "--out", str(folder)], standalone_mode=False)
        warm_up(Settings().preset)
        rows = [measured(task, folder, options) for task in tasks]
        start = starting(folder / f"{tasks[0]}.model", folder)
    number = sum(row["questions"] for row in rows)
    total = {
        side: sum(row[side] * row["questions"] for row in rows) / number
        for side in ("fit", "predict", "learn", "search")
    }
    ratio, inner = total["fit"] / total["predict"], total["learn"] / total["search"]
    rate = 1 / total["predict"]
    if options.json:
        told = {"ratio": ratio, "inner_ratio": inner, "rate": rate, "start": start, "aim": AIM}
        print(json.dumps({"tasks": rows, **total, **told}))
    else:
        print("milliseconds a question     end to end          learner and search alone")
        print("task      fit   predict    ratio      learn    search    ratio")
        for row in [*rows, {"task": "all", **total}]:
            print(
                f"{row['task']:>4} {_pair(row, 'fit', 'predict')}   {_pair(row, 'learn', 'search')}"
            )
        print(f"predicting is {ratio:.0f} times faster than fitting, the search alone {inner:.0f} times "
              f"faster than the learner (aim {AIM:.0f}); {rate:.0f} questions a second")  # fmt: skip
        print(f"start of predict: {start:.2f} s, without torch and stanza")
    return 0 if ratio >= AIM else 1


def _pair(row: dict[str, Any], one: str, other: str) -> str:
    return f"{1e3 * row[one]:8.3f} {1e3 * row[other]:9.4f} {row[one] / row[other]:8.1f}"


def measured(task: int, folder: Path, options: argparse.Namespace) -> dict[str, Any]:
    """Return the processor seconds of one task, for each question."""
    (learned,), (asked,) = (sorted(folder.glob(f"qa{task}_*_{s}.txt")) for s in ("train", "test"))
    kinds = {"coref": "none", "srl": "none"} if options.words else {}
    back_ends = BackEnds(**kinds, jobs=1)
    settings = Settings() if options.preset is None else Settings(preset=options.preset)
    cache, model = folder / "cache.sqlite", folder / f"{task}.model"
    for path in (learned, asked):  # into the cache: parsing is not what is compared
        found: list[Any] = []
        read_into(found.append, str(path))
        back_ends.reader(cache).read([each.question for each in found])
    with timed("fit_problem", stages) as learning:
        begun = time.process_time()
        reader = back_ends.reader(cache)
        _, origin = train([str(learned)], model, settings, back_ends, reader, Telling())
        fit = (time.process_time() - begun) / origin.questions
    # Twice, each time with a model that has met no question: what the first one imports is start-up.
    predict, search, number = min(
        answered(ModelChoice(model, cache=cache), asked) for _ in range(2)
    )
    return {"task": task, "questions": number, "fit": fit, "predict": predict / number,
            "learn": sum(learning) / origin.questions, "search": search / number}  # fmt: skip


def answered(choice: ModelChoice, asked: Path) -> tuple[float, float, int]:
    """Return the processor seconds of answering a file, those of its searches, and how many questions."""
    cascade = choice.load()
    number = 0
    with Path(os.devnull).open("w", encoding="utf-8") as out:

        def write(records: list[dict[str, Any]]) -> None:
            nonlocal number
            number += len(records)
            out.writelines(json.dumps(record, ensure_ascii=False) + "\n" for record in records)

        engine = ThisProcess(cascade)
        with timed("search_batch", *PROBLEMS) as searches:
            begun = time.process_time()
            answering = AnswerStream(engine, write)
            read_into(answering.take, str(asked))
            answering.catch_up()
            return time.process_time() - begun, sum(searches), number


@contextmanager
def timed(name: str, *holders: Any) -> Iterator[list[float]]:
    """Collect the processor seconds of every call of what the holders have under a name."""
    seconds: list[float] = []

    def watched(real: Any) -> Any:
        def called(*given: Any, **named: Any) -> Any:
            begun = time.process_time()
            found = real(*given, **named)
            seconds.append(time.process_time() - begun)
            return found

        return called

    real = [getattr(holder, name) for holder in holders]
    try:
        for holder in holders:
            setattr(holder, name, watched(getattr(holder, name)))
        yield seconds
    finally:
        for holder, own in zip(holders, real, strict=True):
            setattr(holder, name, own)


def starting(model: Path, folder: Path) -> float:
    """Return the seconds until a fresh process has answered one question; it must import no parser."""
    question = folder / "one.txt"
    (source,) = folder.glob(f"qa{model.stem}_*_test.txt")
    lines = source.read_text(encoding="utf-8").splitlines(keepends=True)
    first = next(place for place, line in enumerate(lines) if "\t" in line)
    question.write_text("".join(lines[: first + 1]), encoding="utf-8")
    code = (
        "import sys; from babi_cascade.app.cli import cli; cli.main(sys.argv[1:], standalone_mode=False); "
        "sys.exit('torch' in sys.modules or 'stanza' in sys.modules)"
    )
    arguments = [
        "predict",
        "-m",
        str(model),
        str(question),
        "--cache",
        str(folder / "cache.sqlite"),
    ]
    begun = time.perf_counter()
    done = subprocess.run([sys.executable, "-c", code, *arguments], stdout=subprocess.DEVNULL,
                          env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)})  # fmt: skip
    if done.returncode:
        sys.exit("error: predicting from the cache failed, or imported torch or stanza")
    return time.perf_counter() - begun


if __name__ == "__main__":
    sys.exit(main())
