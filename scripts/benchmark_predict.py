"""Time fitting and predicting per question, of the same system on the same tasks, from cached annotations.

Both sides are what the commands do for a question, in processor seconds of one thread: `train` reads story
files, takes annotations from the cache, encodes, chooses C and fits both stages; `predict` reads story files,
takes annotations from the cache, encodes, searches (twice: for the answer and for the margin) and writes
records. Test questions are others than training questions. Starting up (imports, loading of machine code
and of the model, opening of the cache) is measured apart: it is paid once, not for a question.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from pipeline.batch.answering import Answering, Here
from pipeline.batch.model import ModelChoice
from pipeline.batch.questions import read_into
from pipeline.batch.training import train
from pipeline.cli import cli
from pipeline.stories import parse_task_list
from pipeline.track.backends import BackEnds
from pipeline.track.settings import Settings
from pipeline.track.telling import Telling
from pipeline.track.warming import warm_up

BAR = 50.0


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
        warm_up()
        rows = [measured(task, folder, options) for task in tasks]
        start = starting(folder / f"{tasks[0]}.model", folder)
    total = {
        side: sum(row[side] * row["questions"] for row in rows) / sum(r["questions"] for r in rows)
        for side in ("fit", "predict")
    }
    ratio = total["fit"] / total["predict"]
    if options.json:
        print(json.dumps({"tasks": rows, **total, "ratio": ratio, "start": start, "bar": BAR}))
    else:
        print("task   fit ms  predict ms   ratio")
        for row in rows:
            print(f"{row['task']:4} {1e3 * row['fit']:8.2f} {1e3 * row['predict']:11.3f} "
                  f"{row['fit'] / row['predict']:7.1f}")  # fmt: skip
        print(f" all {1e3 * total['fit']:8.2f} {1e3 * total['predict']:11.3f} {ratio:7.1f}  "
              f"(at least {BAR:.0f}; milliseconds a question)")  # fmt: skip
        print(f"start of predict: {start:.2f} s, without torch and stanza")
    return 0 if ratio >= BAR else 1


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
    begun = time.process_time()
    _, origin = train(
        [str(learned)], model, settings, back_ends, back_ends.reader(cache), Telling()
    )
    fit = (time.process_time() - begun) / origin.questions
    # Twice, each time with a model that has met no question: what the first one imports is start-up.
    number, predict = min(answered(ModelChoice(model, cache=cache), asked) for _ in range(2))
    return {"task": task, "questions": number, "fit": fit, "predict": predict / number}


def answered(choice: ModelChoice, asked: Path) -> tuple[int, float]:
    """Return how many questions a file has, and the processor seconds of answering them."""
    cascade = choice.load()
    number = 0
    with Path(os.devnull).open("w", encoding="utf-8") as out:

        def write(records: list[dict[str, Any]]) -> None:
            nonlocal number
            number += len(records)
            out.writelines(json.dumps(record, ensure_ascii=False) + "\n" for record in records)

        engine = Here(cascade)
        begun = time.process_time()
        answering = Answering(engine, write)
        read_into(answering.take, str(asked))
        answering.catch_up()
        return number, time.process_time() - begun


def starting(model: Path, folder: Path) -> float:
    """Return the seconds until a fresh process has answered one question; it must import no parser."""
    question = folder / "one.txt"
    (source,) = folder.glob(f"qa{model.stem}_*_test.txt")
    lines = source.read_text(encoding="utf-8").splitlines(keepends=True)
    first = next(place for place, line in enumerate(lines) if "\t" in line)
    question.write_text("".join(lines[: first + 1]), encoding="utf-8")
    code = (
        "import sys; from pipeline.cli import cli; cli.main(sys.argv[1:], standalone_mode=False); "
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
