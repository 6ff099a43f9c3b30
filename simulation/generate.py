"""Files of simulated stories: official names, the same bytes for the same seed, all or nothing.

Everything is written into a hidden folder beside the result first and moved into place when the last
file is done (and proved, when asked for), so that an interruption or an untrue story leaves what was
there before as it was.
"""

from __future__ import annotations

import filecmp
import hashlib
import json
import os
import shutil
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import IO, Any

from babi_cascade.simulation.check import Comprehension, Line, Report, check_story
from babi_cascade.simulation.errors import SimulationError
from babi_cascade.simulation.lexicon import Lexicon
from babi_cascade.simulation.setting import Knobs
from babi_cascade.simulation.tasks.base import Task
from babi_cascade.simulation.telling import LANGUAGES, Storyteller, ToldLine, babi_lines
from babi_cascade.simulation.truth import truth_record

RECORD = "generation.json"
WORKSHOP = ".generate-"


@dataclass(frozen=True)
class Order:
    """What is to be generated."""

    tasks: Sequence[Task]
    train: int = 1000
    test: int = 1000
    seed: int = 0
    language: str = "en"
    lexicon: Lexicon | None = None
    knobs: Knobs = field(default_factory=Knobs)
    truth: bool = False
    check: bool = False
    version: str = ""
    origin: Mapping[str, Any] = field(
        default_factory=dict
    )  # a user's config and lexicon, for the record

    def __post_init__(self) -> None:
        if self.language not in LANGUAGES:
            raise SimulationError(
                f"no language {self.language!r}; expected one of {', '.join(LANGUAGES)}"
            )
        for name in ("train", "test"):
            if not 0 <= getattr(self, name) <= 10_000_000:
                raise SimulationError(
                    f"{getattr(self, name)} {name} questions, expected a number from 0 to 10000000"
                )
        if not self.train and not self.test:
            raise SimulationError("no questions are asked for in either split")
        if not self.tasks:
            raise SimulationError("no task is asked for")


@dataclass
class Outcome:
    """What was written, and what a user should know about it."""

    files: list[Path] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)
    checked: Report = field(default_factory=Report)


def generate(
    order: Order, out: Path, *, force: bool = False, progress: Callable[[str], None] | None = None
) -> Outcome:
    """Write the files of an order into a folder.

    Files that are there already with the same content are left; with other content they are refused
    unless ``force`` is set.
    """
    outcome = Outcome()
    with workshop(out) as shop:
        for task in order.tasks:
            if progress is not None:
                progress(f"task {task.number} {task.name}" if task.number else task.name)
            tell_task(order, task, shop, outcome)
        if outcome.checked.problems:
            first = "; ".join(outcome.checked.problems[:3])
            raise SimulationError(
                f"{len(outcome.checked.problems)} of {outcome.checked.questions} questions are not proved, "
                f"nothing was written: {first}"
            )
        write_record(order, shop, out)
        outcome.files = put_in_place(shop, out, force=force)
    return outcome


def tell_task(order: Order, task: Task, folder: Path, outcome: Outcome) -> None:
    """Write both splits of one task."""
    storyteller = Storyteller(
        task, language=order.language, lexicon=order.lexicon, knobs=order.knobs, seed=order.seed
    )
    seen: set[int] | None = set() if order.train and order.test else None
    for split, questions in (("train", order.train), ("test", order.test)):
        if not questions:
            continue
        told = storyteller.stories(split, questions, seen, avoid=split == "test")
        if order.check:
            told = checking(told, storyteller, f"{file_stem(task)}_{split}", outcome.checked)
        write_stories(
            told, folder / f"{file_stem(task)}_{split}", truth=order.truth,
            antecedents=order.knobs.pronoun_distance != (1, 1),
        )  # fmt: skip
    if storyteller.shared_stories:
        outcome.warnings.append(
            f"{task.name}: {storyteller.shared_stories} stories of the test file have the statements of a "
            "training story; the task has too few different stories for so many questions"
        )
    unused = [
        name
        for name in ("people", "places", "things", "questions_per_story", "statements_per_question")
        if getattr(order.knobs, name) is not None and name not in task.knobs
    ]
    if order.knobs.distance != (1, 5) and "distance" not in task.knobs:
        unused.append("distance")
    if "people" not in task.knobs:
        unused += [n for n in ("descriptions", "introductions") if getattr(order.knobs, n)]
    if order.knobs.pronoun_distance != (1, 1) and "pronoun_distance" not in task.knobs:
        unused.append("pronoun_distance")
    if unused:
        named = ", ".join("--" + name.replace("_", "-") for name in unused)
        outcome.warnings.append(f"{task.name}: {named} means nothing to this task and was not used")


def file_stem(task: Task) -> str:
    """Return the official file name of a task without split and ending."""
    return f"qa{task.number}_{task.name}"


def checking(
    stories: Iterator[list[ToldLine]], storyteller: Storyteller, name: str, report: Report
) -> Iterator[list[ToldLine]]:
    """Prove every story on its way, from its words alone."""
    language = Comprehension(storyteller.lexicon)
    plain = storyteller.letters.restore if storyteller.letters else str
    for number, told in enumerate(stories, start=1):
        lines = [
            Line(n, plain(t.text), plain(t.answer) if t.answer else None, t.support)
            for n, t in enumerate(told, start=1)
        ]
        report.add(check_story(lines, language), f"{name}, story {number}")
        yield told


def write_stories(
    stories: Iterator[list[ToldLine]], path: Path, *, truth: bool, antecedents: bool = False
) -> None:
    """Write one split: the official format and, when asked for, the truth beside it."""
    truth_file: IO[str] | None = None
    with path.with_name(path.name + ".txt").open("w", encoding="utf-8", newline="\n") as file:
        try:
            if truth:
                truth_path = path.with_name(path.name + ".truth.jsonl")
                truth_file = truth_path.open("w", encoding="utf-8", newline="\n")
            for number, told in enumerate(stories, start=1):
                file.write(babi_lines(told))
                if truth_file is not None:
                    truth_file.write(truth_record(number, told, antecedents=antecedents))
        finally:
            if truth_file is not None:
                truth_file.close()


def write_record(order: Order, folder: Path, out: Path) -> None:
    """Write down how each file was made, so that anybody can make it again.

    What an earlier run wrote down about other files of the folder is kept.
    """
    how: dict[str, Any] = {
        "generator": f"babi-cascade {order.version}".strip(),
        "seed": order.seed,
        "questions": {"train": order.train, "test": order.test},
        "language": order.language,
        "knobs": {k: v for k, v in asdict(order.knobs).items() if v is not None},
        **order.origin,
    }
    files = earlier_record(out / RECORD)
    for path in sorted(folder.iterdir()):
        files[path.name] = {"sha256": hashlib.sha256(path.read_bytes()).hexdigest(), **how}
    record = {"files": dict(sorted(files.items()))}
    text = json.dumps(record, indent=2, ensure_ascii=False, allow_nan=False) + "\n"
    # Half a pair of UTF-16 in the name of a file: its escape means the same in JSON.
    data = text.encode("utf-8", "backslashreplace")
    (folder / RECORD).write_bytes(data)


def earlier_record(path: Path) -> dict[str, Any]:
    """Return what a record says about its files; nothing when there is none that can be read."""
    try:
        files = json.loads(path.read_text(encoding="utf-8"))["files"]
        json.dumps(files, allow_nan=False)  # what cannot be written again is no record
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        return {}
    return files if isinstance(files, dict) else {}


@contextmanager
def workshop(out: Path) -> Iterator[Path]:
    """Give a hidden folder on the same disk as ``out``, and remove it in the end, whatever happens."""
    new = [folder for folder in (out, *out.parents) if not folder.exists()]
    try:
        out.mkdir(parents=True, exist_ok=True)
        clear_abandoned(out)
        shop = Path(tempfile.mkdtemp(prefix=f"{WORKSHOP}{os.getpid()}-", dir=out))
    except OSError as error:
        raise SimulationError(f"{out}: cannot write there: {error.strerror}") from error
    try:
        yield shop
    except OSError as error:
        raise SimulationError(f"{out}: cannot write there: {error.strerror}") from error
    finally:
        shutil.rmtree(shop, ignore_errors=True)
        with suppress(OSError):  # a folder with something in it stays
            for folder in new:
                folder.rmdir()


def clear_abandoned(out: Path) -> None:
    """Remove what killed runs left behind; a run that is still going on keeps its folder."""
    for folder in out.glob(f"{WORKSHOP}*"):
        owner = folder.name.removeprefix(WORKSHOP).split("-")[0]
        if owner.isdecimal() and not is_running(int(owner)):
            shutil.rmtree(folder, ignore_errors=True)


def is_running(process: int) -> bool:
    """Say whether a process exists (also when it is somebody else's)."""
    if os.name != "posix":
        return True  # cannot be asked without doing harm: keep the folder
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except OSError:
        return True
    return True


def put_in_place(shop: Path, out: Path, *, force: bool) -> list[Path]:
    """Move finished files to where they belong, or refuse before the first one is touched."""
    made = sorted(shop.iterdir())
    for path in made:
        there = out / path.name
        if there.exists() and not there.is_file():
            raise SimulationError(f"{there}: is there and no file; choose another --out")
        if path.name == RECORD or force or not there.exists():
            continue
        if not filecmp.cmp(path, there, shallow=False):
            raise SimulationError(
                f"{there}: is there with other content; choose another --out, or --force to replace it"
            )
    for path in made:
        path.replace(out / path.name)
    return [out / path.name for path in made if path.name != RECORD]
