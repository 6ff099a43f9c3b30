"""Time annotating simulated stories of the 20 tasks, anew and from the cache, each in a fresh process."""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from babi_cascade.pipeline.stories import find_tasks, read_stories
from babi_cascade.simulation.generate import Order, generate
from babi_cascade.simulation.tasks import TASKS

AIM = 20.0
COMMAND = "import sys; from babi_cascade.app.cli import main; main(sys.argv[1:])"
IMPORTED = (
    "import sys; from babi_cascade.app.cli import cli; cli.main(sys.argv[1:], standalone_mode=False); "
    "sys.exit('torch' in sys.modules or 'stanza' in sys.modules)"
)


def main() -> int:
    """Measure both and print the ratio."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--questions", type=int, default=200, help="questions of each task")
    parser.add_argument(
        "--runs", type=int, default=3, help="the best of so many cached runs counts"
    )
    parser.add_argument("--jobs", type=int, help="processes that parse (default: all cores)")
    parser.add_argument("--json", action="store_true", help="print JSON")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        stories = Path(folder) / "stories"
        generate(Order(list(TASKS.values()), train=options.questions, test=0), stories)
        texts = [
            line.text
            for file in find_tasks(stories)
            for story in read_stories(file.path)
            for line in story.lines
        ]
        arguments = ["annotate", str(stories), "--cache", str(Path(folder) / "cache.sqlite")]
        if options.jobs:
            arguments += ["--jobs", str(options.jobs)]
        first, told = timed(COMMAND, arguments, Path(folder))
        again = [timed(COMMAND, arguments, Path(folder)) for _ in range(options.runs)]
        light = subprocess.run(
            [sys.executable, "-c", IMPORTED, *arguments], stdout=subprocess.DEVNULL, check=False
        )
    if any(text != told for _, text in again):
        sys.exit("error: the cached run printed something else than the first")
    if light.returncode:
        sys.exit("error: the cached run imported torch or stanza")
    cached = min(seconds for seconds, _ in again)
    ratio = first / cached
    if options.json:
        print(json.dumps({
            "sentences": len(texts), "different": len(set(texts)), "first": first,
            "cached": cached, "ratio": ratio, "aim": AIM,
        }))  # fmt: skip
    else:
        print(f"{len(texts)} sentences, {len(set(texts))} different")
        print(f"first run:  {first:8.2f} s")
        print(f"cached run: {cached:8.2f} s, without torch and stanza")
        print(f"ratio: {ratio:.1f} (at least {AIM:.0f})")
    return 0 if ratio >= AIM else 1


def timed(code: str, arguments: list[str], folder: Path) -> tuple[float, bytes]:
    """Return the seconds that a fresh process took, and what it printed."""
    # Compiled modules are kept, as they are for users, but not in the checkout.
    environment = {**os.environ, "PYTHONPYCACHEPREFIX": str(folder / "compiled")}
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    start = time.perf_counter()
    done = subprocess.run(
        [sys.executable, "-c", code, *arguments],
        stdout=subprocess.PIPE,
        check=True,
        env=environment,
    )
    return time.perf_counter() - start, done.stdout


if __name__ == "__main__":
    sys.exit(main())
