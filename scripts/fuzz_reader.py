#!/usr/bin/env python3
"""Feed the story readers damaged files: only StoryError may come out, and nothing may be lost.

Each mutant is an excerpt of a story file, as it is or turned into JSON lines, with a few bytes or
lines changed. It is read strictly and with skipping. Besides the type of the exceptions this
checks that messages are one line, that skipping finds no fault in a file that reads strictly, that
each line is either read or counted as left out, and that whatever was read can be written and
reads back the same. The same seed gives the same mutants.
"""

from __future__ import annotations

import argparse
import io
import random
import sys
import time
import traceback
from collections import Counter
from collections.abc import Callable
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from babi_cascade.pipeline.stories import (
    Question,
    Skipped,
    Story,
    StoryError,
    read_questions,
    read_stories,
    write_babi,
    write_jsonl,
)
from babi_cascade.pipeline.stories.babi import parse_babi
from babi_cascade.pipeline.stories.jsonl import parse_jsonl
from babi_cascade.pipeline.stories.lines import read_lines
from babi_cascade.pipeline.stories.sources import NumberedLines

EXCERPT_LINES = 30
MOST_FAILURES = 10

OWN_STORIES = "".join(
    f"1 Ada number {n} took the key.\n2 Où est la clé {n}?\t{n}\t1\n4 It rained.\n"
    f"5 Who has what?{' ' * (n % 2)}\tkey,lamp\t4 1\n6 मैरी रसोई में गई।\n7 And now?\tkey\n"
    for n in range(1, 40)
).encode()

Mutation = Callable[[bytes, random.Random], bytes]


def main() -> int:
    """Run the mutations that the command line asks for; 1 when a reader failed."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("files", nargs="*", type=Path, help="bAbI files (default: own stories)")
    parser.add_argument("--mutations", type=int, default=100_000, help="how many (100000)")
    parser.add_argument("--seed", type=int, default=0, help="of the random numbers (0)")
    options = parser.parse_args()

    contents = [path.read_bytes() for path in options.files] or [OWN_STORIES]
    sources = [(content, _story_starts(content)) for content in contents]
    chance = random.Random(options.seed)
    outcomes: Counter[str] = Counter()
    failures = 0
    begin = time.perf_counter()
    for number in range(options.mutations):
        excerpt = _excerpt(*chance.choice(sources), chance)
        is_jsonl = chance.random() < 0.4
        if is_jsonl:
            excerpt = _as_jsonl(excerpt)
        mutant = _mutated(excerpt, chance)
        try:
            outcome = check_jsonl(mutant) if is_jsonl else check_babi(mutant)
            check_any(mutant)
        except Exception:
            failures += 1
            print(f"mutant {number}: {mutant!r}", file=sys.stderr)
            traceback.print_exc()
            if failures == MOST_FAILURES:
                break
        else:
            outcomes[f"{'JSON lines' if is_jsonl else 'bAbI text'} {outcome}"] += 1
    seconds = time.perf_counter() - begin
    print(f"{sum(outcomes.values()) + failures} mutants of {len(sources)} files, {seconds:.0f} s")
    for outcome, count in sorted(outcomes.items()):
        print(f"{count:8d}  {outcome}")
    print(f"{failures:8d}  failures")
    return 1 if failures else 0


def numbered(mutant: bytes) -> NumberedLines:
    """Return the lines of a mutant."""
    return read_lines(io.BytesIO(mutant), "mutant")


def check_babi(mutant: bytes) -> str:
    """Read a mutant as bAbI text in both ways, and check that they agree."""
    strict: list[Story] | None = None
    try:
        strict = list(parse_babi(numbered(mutant), "mutant"))
    except StoryError as error:
        _check_message(error)
    skipped = Skipped()
    try:
        stories = list(parse_babi(numbered(mutant), "mutant", skipped))
    except StoryError as error:
        _require(error.line is None, "a bad line was raised though it should be skipped")
        return "refused as empty"
    given = sum(len(story.lines) for story in stories)
    _require(given + skipped.lines == _line_count(mutant), "lines were lost")
    _require((strict is None) == (skipped.errors > 0), "strict and skipping readers disagree")
    _require(strict is None or strict == stories, "strict and skipping readers disagree")
    if stories:
        written = io.StringIO()
        write_babi(stories, written)
        again = list(read_stories(io.BytesIO(written.getvalue().encode())))
        _require(again == stories, "what was written reads back as something else")
    return "still sound" if strict is not None else "refused"


def check_jsonl(mutant: bytes) -> str:
    """Read a mutant as JSON lines in both ways, and check that they agree."""
    strict: list[Question] | None = None
    try:
        strict = [each for _, each in parse_jsonl(numbered(mutant), "mutant")]
    except StoryError as error:
        _check_message(error)
    skipped = Skipped()
    try:
        questions = [each for _, each in parse_jsonl(numbered(mutant), "mutant", skipped)]
    except StoryError as error:
        _require(error.line is None, "a bad line was raised though it should be skipped")
        return "refused as empty"
    _require(len(questions) + skipped.lines == _line_count(mutant), "lines were lost")
    _require((strict is None) == (skipped.errors > 0), "strict and skipping readers disagree")
    _require(strict is None or strict == questions, "strict and skipping readers disagree")
    if questions:
        written = io.StringIO()
        write_jsonl(questions, written)
        again = list(read_questions(io.BytesIO(written.getvalue().encode())))
        _require(again == questions, "what was written reads back as something else")
    return "still sound" if strict is not None else "refused"


def check_any(mutant: bytes) -> None:
    """Read a mutant with the format left open."""
    try:
        for _ in read_stories(io.BytesIO(mutant), on_error=Skipped()):
            pass
    except StoryError as error:
        _check_message(error)


def _require(condition: bool, complaint: str) -> None:
    """Fail with a complaint unless the condition holds."""
    if not condition:
        raise AssertionError(complaint)


def _check_message(error: StoryError) -> None:
    """See that an error can be printed."""
    text = str(error)
    _require(text.isprintable() and len(text) < 400, "a message is not one short line")


def _line_count(content: bytes) -> int:
    """Count the lines that are not blank."""
    lines = read_lines(io.BytesIO(content), "mutant")
    return sum(not isinstance(text, str) or bool(text.strip()) for _, text in lines)


def _story_starts(content: bytes) -> list[int]:
    """Give the offsets at which stories begin."""
    starts = [0]
    while (offset := content.find(b"\n1 ", starts[-1])) >= 0:
        starts.append(offset + 1)
    return starts


def _excerpt(content: bytes, starts: list[int], chance: random.Random) -> bytes:
    """Cut a few lines from the beginning of some story on."""
    start = end = chance.choice(starts)
    for _ in range(EXCERPT_LINES):
        end = content.find(b"\n", end) + 1
        if not end:
            return content[start:]
    return content[start:end]


def _as_jsonl(content: bytes) -> bytes:
    """Turn bAbI text into JSON lines."""
    questions = [
        question for story in read_stories(io.BytesIO(content)) for question in story.questions
    ]
    if not questions:
        return b'{"story":["A."],"question":"B?","id":7}\n'
    written = io.StringIO()
    write_jsonl(questions, written)
    return written.getvalue().encode()


def _mutated(content: bytes, chance: random.Random) -> bytes:
    """Damage a file in one to four places."""
    for _ in range(chance.choice((1, 1, 1, 2, 3, 4))):
        content = chance.choice(MUTATIONS)(content, chance)
    return content


def _flip(content: bytes, chance: random.Random) -> bytes:
    at = chance.randrange(len(content) + 1)
    return content[:at] + bytes([chance.randrange(256)]) + content[at + 1 :]


def _delete(content: bytes, chance: random.Random) -> bytes:
    at = chance.randrange(len(content) + 1)
    return content[:at] + content[at + chance.choice((1, 1, 2, 10)) :]


def _insert(content: bytes, chance: random.Random) -> bytes:
    at = chance.randrange(len(content) + 1)
    return content[:at] + chance.choice(PIECES) + content[at:]


def _digit(content: bytes, chance: random.Random) -> bytes:
    places = [at for at, byte in enumerate(content) if byte in b"0123456789"]
    if not places:
        return content
    at = chance.choice(places)
    piece = chance.choice((b"", b"0", b"1", b"9", b"-1", b"01", b"12", b"1.5", b"9" * 30))
    return content[:at] + piece + content[at + 1 :]


def _tab(content: bytes, chance: random.Random) -> bytes:
    places = [at for at, byte in enumerate(content) if byte in b"\t ,"]
    if not places:
        return content + b"\t"
    at = chance.choice(places)
    return content[:at] + chance.choice((b"", b"\t", b" ", b"\t\t", b"  ")) + content[at + 1 :]


def _lines_changed(content: bytes, chance: random.Random) -> bytes:
    lines = content.splitlines(keepends=True)
    if not lines:
        return content
    one, other = chance.randrange(len(lines)), chance.randrange(len(lines))
    change = chance.randrange(4)
    if change == 0:
        lines[one], lines[other] = lines[other], lines[one]
    elif change == 1:
        lines.insert(other, lines[one])
    elif change == 2:
        del lines[one]
    else:
        lines[one] = lines[one].rstrip(b"\n")
    return b"".join(lines)


def _cut(content: bytes, chance: random.Random) -> bytes:
    return content[: chance.randrange(len(content) + 1)]


def _line_ends(content: bytes, chance: random.Random) -> bytes:
    return content.replace(b"\n", chance.choice((b"\r\n", b"\r\n", b"\r", b"\n\n", b"\r\r\n")))


def _mark(content: bytes, chance: random.Random) -> bytes:
    return (
        chance.choice((b"\xef\xbb\xbf", b"\xef\xbb", b"\xff\xfe", b"\n \n", b"{", b"1")) + content
    )


MUTATIONS: tuple[Mutation, ...] = (
    _flip,
    _flip,
    _delete,
    _insert,
    _insert,
    _digit,
    _tab,
    _lines_changed,
    _cut,
    _line_ends,
    _mark,
)
PIECES = (
    *(bytes([byte]) for byte in range(0, 48)),
    *(b"\x7f", b"\x80", b"\xc0\x80", b"\xff", b"\xed\xa0\x80", b"\xf5\x80\x80\x80", b"\xc2\x85"),
    *(text.encode() for text in ("\u2028", "\u00a0", "\u0661", "²", "\ufeff", "\u202e", "😀")),
    *(
        b"{",
        b"}",
        b"[",
        b"]",
        b'"',
        b"\\",
        b"\\ud800",
        b"\\n",
        b"\\u0000",
        b"NaN",
        b"null",
        b"1e999",
    ),
    *(b'"id":3,', b'"id":true,', b'"support":[1],', b'"line":9,', b'"lines":[2],', b'"pad":" ",'),
    *(b"[" * 5000, b'{"a":' * 3000, b"1" * 5000, b"1 ", b"\n1 ", b"\n2 ", b"\n"),
)

if __name__ == "__main__":
    sys.exit(main())
