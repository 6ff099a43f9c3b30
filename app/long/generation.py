"""Files of long stories: every question alone, its facts hidden in running text of its own.

OUT has a folder a length. The same seed and text give the same bytes.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from importlib import import_module
from pathlib import Path
from typing import Any

from babi_cascade.app.long.language_models import write_task
from babi_cascade.errors import UserError
from babi_cascade.pipeline.stories import Question, find_tasks, read_questions, save_questions
from babi_cascade.pipeline.stories.background import Background, Hidden, hide, tokens
from babi_cascade.simulation.dice import Dice
from babi_cascade.simulation.generate import Order, generate

UNITS = {"k": 1_000, "m": 1_000_000}
JSONL, LANGUAGE_MODEL = "jsonl", "lm"


@dataclass(frozen=True, slots=True)
class LongOrder:
    """What is to be hidden in what.

    ``lengths`` are tokens by the names of their folders; ``form`` is jsonl or lm. ``count`` counts the tokens
    of a sentence, ``tokenizer`` says by what.
    """

    stories: Order
    background: Background
    lengths: dict[str, int]
    between: tuple[float, float] = (0.0, 1.0)
    form: str = JSONL
    count: Callable[[str], float] = tokens
    tokenizer: str = "4 characters"


@dataclass
class Made:
    """What was written, and what was kept out of the background."""

    files: list[Path] = field(default_factory=list)
    questions: int = 0
    affected: int = 0
    kept_out: int = 0
    proved: int = 0


def generate_long(
    order: LongOrder,
    out: Path,
    *,
    force: bool = False,
    progress: Callable[[str], None] | None = None,
) -> Made:
    """Write the files of an order."""
    made = Made()
    with tempfile.TemporaryDirectory() as folder:
        told = generate(order.stories, Path(folder))
        made.proved = told.checked.questions
        for file in find_tasks(folder):
            questions = list(read_questions(file.path))
            for name, length in order.lengths.items():
                if progress is not None:
                    progress(f"{file.path.stem} {name}")
                hidden = hidden_all(questions, order, file.path.stem, length)
                made.files += _write(
                    order, out / name, file.path.stem, counting(hidden, made), force
                )
    return made


def hidden_all(
    questions: Sequence[Question], order: LongOrder, name: str, length: int
) -> Iterator[Hidden]:
    """Hide every question by dice of its own."""
    for number, question in enumerate(questions, start=1):
        dice = Dice(order.stories.seed, "background", name, length, number)
        question = replace(question, id=f"{name}-{number}")
        yield hide(
            question,
            order.background,
            length,
            dice.random,
            between=order.between,
            count=order.count,
        )


def counting(hidden: Iterator[Hidden], made: Made) -> Iterator[Hidden]:
    """Count what goes by."""
    for each in hidden:
        made.questions += 1
        made.kept_out += each.kept_out
        made.affected += each.kept_out > 0
        yield each


def _write(
    order: LongOrder, folder: Path, name: str, hidden: Iterator[Hidden], force: bool
) -> list[Path]:
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{name}.jsonl"
    if path.exists() and not force:
        raise UserError(f"{path}: is there already; choose another --out, or --force to replace it")
    if order.form == LANGUAGE_MODEL:
        return write_task(order.stories, path, hidden)
    save_questions(path, (recorded(each, order) for each in hidden))
    return [path]


def recorded(hidden: Hidden, order: LongOrder) -> Question:
    """Return the question with what was done to it."""
    how: dict[str, Any] = {
        "facts": list(hidden.places),
        "tokens": hidden.tokens,
        "tokenizer": order.tokenizer,
        "background": order.background.name,
        "seed": order.stories.seed,
    }
    return replace(hidden.question, extra=how)


def lengths_in(text: str) -> dict[str, int]:
    """Read lengths such as 0,4k,128k,1M: tokens by name, the shortest first."""
    found: dict[str, int] = {}
    for part in filter(None, map(str.strip, text.split(","))):
        unit = UNITS.get(part[-1].lower(), 1)
        digits = part[:-1] if unit > 1 else part
        if not digits.isdecimal() or len(digits) > 9:
            raise UserError(f"--tokens: found {part!r}, expected lengths such as 0,4k,128k,1M")
        found[part] = int(digits) * unit
    if not found:
        raise UserError("--tokens: found none, expected lengths such as 0,4k,128k,1M")
    return dict(sorted(found.items(), key=lambda each: each[1]))


def between_in(text: str) -> tuple[float, float]:
    """Read a part of the text such as 0.2-0.8."""
    try:
        first, last = map(float, text.split("-"))
    except ValueError:
        first, last = 1.0, 0.0
    if not 0 <= first <= last <= 1:
        raise UserError(
            f"--between: found {text!r}, expected two shares of the text such as 0.2-0.8"
        )
    return first, last


def tokenizer_called(name: str) -> Callable[[str], float]:
    """Return what counts the tokens of a sentence with a tokenizer that is installed.

    ``tiktoken:NAME`` or ``transformers:NAME``; a blank goes before the sentence, as inside a text.
    """
    package, _, own = name.partition(":")
    try:
        if package == "tiktoken":
            encode = import_module(package).get_encoding(own).encode_ordinary
        elif package == "transformers":
            load = import_module(package).AutoTokenizer.from_pretrained
            tokenizer = load(own, local_files_only=True)
            encode = lambda text: tokenizer.encode(text, add_special_tokens=False)  # noqa: E731
        else:
            raise UserError(
                f"--tokenizer: found {name!r}, expected tiktoken:NAME or transformers:NAME"
            )
    except ImportError as error:
        raise UserError(
            f"--tokenizer: {package} is not installed; pip install {package}"
        ) from error
    except (OSError, ValueError, KeyError) as error:
        raise UserError(f"--tokenizer: {name}: {str(error).splitlines()[0]:.100}") from error
    return lambda sentence: len(encode(" " + sentence))
