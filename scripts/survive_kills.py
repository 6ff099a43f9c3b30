"""Kill a run at random moments, start it again, and see that nothing is lost, done twice or different.

Every kill is a SIGKILL, of the whole process group or of the first process alone. After each one the finished
records must be those of before, byte for byte (they hold times: a unit that was done again would differ). A
run that comes to its end must have left the same files as one that nobody disturbed, with the same content
apart from times. Then it begins again in a new folder, until enough kills have hit.
"""

from __future__ import annotations

import argparse
import csv
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
PROGRAM = [sys.executable, "-c", "from babi_cascade.app.cli import main; main()"]
QUICK = ["--coref", "none", "--srl", "none", "--cost", "0.1"]
COMMANDS = {
    "run": ["run", *QUICK, "--tasks", "1,2,4,6,9,11,12,15", "--questions", "80"],
    "ablate": ["ablate", *QUICK, "--tasks", "1,6", "--questions", "80", "--no-plot"],
    "compare": [
        "compare", *QUICK, "--systems", "ngram,memnn,cascade-extended", "--tasks", "1,6",
        "--questions", "30", "--seeds", "2", "--joint", "--curve", "--analyse", "ngram", "--sizes",
        "10,20", "--no-plot",
    ],
    "curve": [
        "curve", *QUICK, "--system", "memnn", "--tasks", "1,6", "--questions", "40", "--sizes",
        "10,20,40", "--seeds", "3", "--no-plot",
    ],
}  # fmt: skip


def main() -> int:
    """Read the options and report."""
    parser = argparse.ArgumentParser(prog="scripts/survive_kills.sh", description=__doc__)
    parser.add_argument("--kills", type=int, default=50, help="for each command (default: 50)")
    parser.add_argument("--jobs", type=int, nargs="+", default=[1, 2], help="(default: 1 2)")
    parser.add_argument("--command", choices=[*COMMANDS, "all"], default="all")
    parser.add_argument("--seed", type=int, default=0, help="of the moments")
    options = parser.parse_args()
    if options.kills < 1 or min(options.jobs) < 1:
        parser.error("--kills and --jobs: expected at least 1")
    chosen = [*COMMANDS] if options.command == "all" else [options.command]
    with tempfile.TemporaryDirectory() as folder:
        for name in chosen:
            problem = disturb(name, Path(folder), options.kills, options.jobs, options.seed)
            if problem:
                print(f"{name}: {problem}", file=sys.stderr)
                return 1
    return 0


def disturb(name: str, folder: Path, kills: int, jobs: list[int], seed: int) -> str:
    """Kill a command so many times; return what was found wrong, or nothing."""
    quiet = folder / f"{name}-undisturbed"
    begun = time.monotonic()
    process = start(name, quiet, 1)
    if process.wait():
        return f"undisturbed, it ended with {process.returncode}: {said(quiet)}"
    whole = time.monotonic() - begun
    dice = random.Random(seed)
    hit = complete = starts = hits_here = 0
    out, kept = folder / f"{name}-{complete}", {}
    orphans: list[int] = []
    while hit < kills or hits_here:
        starts, begun = starts + 1, time.monotonic()
        process = start(name, out, jobs[starts % len(jobs)])
        killed = False
        try:
            # When enough kills have hit, the last run may come to its end.
            process.wait(timeout=dice.uniform(0, whole) if hit < kills else 100 * whole)
        except subprocess.TimeoutExpired:
            killed = True
            (os.killpg if dice.random() < 0.5 else os.kill)(process.pid, signal.SIGKILL)
            process.wait()
            orphans.append(process.pid)
        units = {
            str(path.relative_to(out)): path.read_bytes() for path in out.rglob("units/*.json")
        }
        lost = [unit for unit in kept if unit not in units]
        again = [unit for unit in kept if units.get(unit) != kept[unit]]
        if lost or again:
            return f"after kill {hit}: lost {lost}, done twice {again}"
        hit, hits_here, kept = hit + killed, hits_here + killed, units
        if not killed:
            if not hits_here:  # the first one of all also compiled the kernels, and took longer
                whole = min(whole, time.monotonic() - begun)
            if process.returncode:
                return f"started anew after kill {hit}, it ended with {process.returncode}: {said(out)}"
            problem = difference(quiet, out)
            if problem:
                return f"complete after kill {hit}: {problem}"
            shutil.rmtree(out)
            complete, hits_here = complete + 1, 0
            out, kept = folder / f"{name}-{complete}", {}
    for group in orphans:  # workers whose first process was killed end by themselves, but not soon
        with suppress(ProcessLookupError):
            os.killpg(group, signal.SIGKILL)
    print(
        f"{name}: {hit} kills, {starts} starts, {complete} runs complete, all as undisturbed",
        flush=True,
    )
    return ""


def start(name: str, out: Path, jobs: int) -> subprocess.Popen[str]:
    """Start a command in a process group of its own."""
    with log(out).open("w", encoding="utf-8") as errors:
        return subprocess.Popen(
            [*PROGRAM, *COMMANDS[name], "--jobs", str(jobs), "--out", str(out)],
            env={**os.environ, "PYTHONPATH": str(ROOT)}, start_new_session=True, text=True,
            stdout=subprocess.DEVNULL, stderr=errors,
        )  # fmt: skip


def log(out: Path) -> Path:
    """Return the file beside a folder that gets what a command has to say."""
    return out.with_name(f"{out.name}.log")


def said(out: Path) -> str:
    """Return what the last command said."""
    return log(out).read_text(encoding="utf-8")


def difference(quiet: Path, out: Path) -> str:
    """Say in which file two folders differ, if in one."""
    both = [sorted(str(path.relative_to(f)) for path in f.rglob("*")) for f in (quiet, out)]
    if both[0] != both[1]:
        return f"other files: {sorted(set(both[0]) ^ set(both[1]))}"
    for path in sorted(quiet.rglob("*")):
        other = out / path.relative_to(quiet)
        if path.is_file() and timeless(path) != timeless(other):
            return f"{other} is different"
    return ""


def timeless(path: Path) -> Any:
    """Return what a file says, without times."""
    if path.suffix not in (".json", ".csv", ".md"):
        return path.read_bytes()
    with path.open(encoding="utf-8", newline="") as stream:
        if path.suffix == ".csv":
            return without_times([*csv.DictReader(stream)])
        if path.suffix == ".md":
            return [line for line in stream if "CPU minutes" not in line]
        return without_times(json.load(stream))


def without_times(value: Any) -> Any:
    """Return a record less its seconds."""
    if isinstance(value, dict):
        kept = {name: each for name, each in value.items() if not name.endswith("seconds")}
        return {name: without_times(each) for name, each in kept.items()}
    return [without_times(each) for each in value] if isinstance(value, list) else value


if __name__ == "__main__":
    sys.exit(main())
