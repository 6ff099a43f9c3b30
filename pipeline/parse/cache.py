"""A cache of annotations on disk: parse a sentence once, whoever asks for it and however often.

Entries are keyed by what made them (the fingerprint of the back end and its models) and by the text. SQLite
keeps the file whole under two processes at once and under kill -9; a checksum in every entry and a check of
the file when it is opened find damage that SQLite cannot know of. A damaged file is put aside under another
name, said so, and begun anew: a cache must never be trusted more than it deserves.

No work ever fails for the sake of a cache. One that cannot be written is only read, and one that cannot be
read either is done without; both are told once.
"""

from __future__ import annotations

import hashlib
import os
import sqlite3
import time
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import quote

from babi_cascade.pipeline.stories.wording import counted

LAYOUT = 1
BATCH = 500  # SQLite allows 999 variables in a statement of old versions
BUSY_SECONDS = 60.0
SPARE, TIMES = 1_000_000, 3_000
"""Bytes of an annotation: so many in any case, and so many times the characters of its text."""

TABLE = (
    "CREATE TABLE annotations (maker BLOB NOT NULL, text_key BLOB NOT NULL, "
    "content BLOB NOT NULL, checksum BLOB NOT NULL, PRIMARY KEY (maker, text_key)) WITHOUT ROWID"
)

_told: set[str] = set()
"""What was said of caches that cannot be written; several readers of a program may open the same."""


class AnnotationCache:
    """Texts and their annotations, as JSON strings.

    Parameters
    ----------
    path : file of the cache; made when it is not there
    notice : gets one line when a damaged file had to be put aside, or nothing more can be kept
    """

    def __init__(self, path: Path, *, notice: Callable[[str], None] | None = None) -> None:
        self.path = path
        self._notice = notice
        self._keeping = True
        self._connection: sqlite3.Connection | None = None
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            self._connection = self._connect()
        except sqlite3.Error as error:
            if _is_damage(error):
                self._begin_anew(str(error))
            else:
                self._only_read(str(error))
        except OSError as error:
            self._only_read(error.strerror or str(error))

    def __reduce__(self) -> tuple[Any, ...]:
        """Go to another process as the name of the file: a connection belongs to one."""
        return AnnotationCache, (self.path,)

    def get(self, maker: str, texts: Sequence[str]) -> dict[str, str]:
        """Return the known annotations of some texts; what is damaged is left out."""
        key = _maker_key(maker)
        found: dict[str, str] = {}
        damaged: list[str] = []
        for batch in _batches(list(dict.fromkeys(texts))):
            wanted = {_text_key(text): text for text in batch}
            marks = ",".join("?" * len(wanted))
            query = (
                "SELECT text_key, content, checksum FROM annotations "
                f"WHERE maker = ? AND length(content) <= ? AND text_key IN ({marks})"
            )
            for text_key, content, checksum in self._read(
                query, (key, max(map(most_bytes, batch)), *wanted)
            ):
                text = wanted.get(text_key)
                if text is None:
                    continue  # nobody asked for it: the order of a damaged file is wrong
                value = _unpacked(content, checksum, most_bytes(text))
                if value is None:
                    damaged.append(text)
                else:
                    found[text] = value
        if damaged:
            self.discard(maker, damaged)
        return found

    def discard(self, maker: str, texts: Sequence[str]) -> None:
        """Take entries out that turned out to be damaged, and say so."""
        made = counted(len(texts), "damaged entry is", "damaged entries are")
        self._say(f"{self.path}: {made} made anew")
        key = _maker_key(maker)
        self._write(
            "DELETE FROM annotations WHERE maker = ? AND text_key = ?",
            [(key, _text_key(text)) for text in texts],
        )

    def put(self, maker: str, annotations: Mapping[str, str]) -> None:
        """Keep annotations; all of them or, after a crash, none.

        A disk that is full or cannot be written stops no work: it is said once, and nothing more is kept.
        What is larger than any annotation of its text should be is not kept either.
        """
        key = _maker_key(maker)
        rows = []
        for text, value in annotations.items():
            data = value.encode("utf-8", "surrogatepass")
            if len(data) <= most_bytes(text):
                content = zlib.compress(data, 1)
                rows.append((key, _text_key(text), content, _checksum(content)))
        self._write(
            "INSERT OR REPLACE INTO annotations (maker, text_key, content, checksum) "
            "VALUES (?, ?, ?, ?)",
            rows,
        )

    def __len__(self) -> int:
        rows = self._read("SELECT count(*), 0, 0 FROM annotations", ())
        return int(rows[0][0]) if rows else 0

    def close(self) -> None:
        """Close the file."""
        if self._connection is not None:
            self._connection.close()

    def _connect(self) -> sqlite3.Connection:
        """Open the file, or make it; SQLite does not wait by itself while another process makes it."""
        until = time.monotonic() + BUSY_SECONDS
        while True:
            try:
                return self._connect_now()
            except sqlite3.OperationalError as error:
                if "locked" not in str(error) or time.monotonic() > until:
                    raise
                time.sleep(0.02)

    def _connect_now(self) -> sqlite3.Connection:
        # A pool of processes asks for its next work from a thread of its own, one at a time.
        connection = sqlite3.connect(
            self.path, timeout=BUSY_SECONDS, isolation_level=None, check_same_thread=False
        )
        try:
            _check(connection)
            connection.execute("PRAGMA journal_mode = WAL")
            connection.execute("PRAGMA synchronous = NORMAL")
            connection.execute(TABLE.replace("TABLE", "TABLE IF NOT EXISTS", 1))
            connection.execute(f"PRAGMA user_version = {LAYOUT}")
        except UnicodeDecodeError as error:  # SQLite quotes a damaged file in its own error
            connection.close()
            raise sqlite3.DatabaseError("malformed: found what is no UTF-8") from error
        except BaseException:
            connection.close()
            raise
        return connection

    def _only_read(self, reason: str) -> None:
        """Go on with a file that cannot be written, or with none; nothing is kept from here on."""
        self._keeping = False
        reason = _line(reason)
        self.close()
        self._connection = None
        # With its journal if there may be one, else the bare file.
        for way in ("mode=ro", "mode=ro&immutable=1"):
            try:
                connection = sqlite3.connect(
                    f"file:{quote(str(self.path.absolute()))}?{way}", uri=True,
                    timeout=BUSY_SECONDS, isolation_level=None, check_same_thread=False,
                )  # fmt: skip
            except sqlite3.Error:
                continue
            try:
                _check(connection)
                connection.execute("SELECT count(*) FROM annotations WHERE maker = ?", (b"",))
            except (sqlite3.Error, UnicodeDecodeError):
                connection.close()
            else:
                self._connection = connection
                self._say_once(
                    f"{self.path}: cannot be written ({reason}); new annotations are not kept"
                )
                return
        self._say_once(
            f"{self.path}: cannot be used as a cache ({reason}); annotations are not kept; --cache "
            "chooses another place"
        )

    def _say(self, line: str) -> None:
        if self._notice is not None:
            self._notice(line)

    def _say_once(self, line: str) -> None:
        if self._notice is not None and line not in _told:
            _told.add(line)
            self._notice(line)

    def _begin_anew(self, reason: str) -> None:
        """Put a damaged file aside, with the journals that belong to it, and start an empty one."""
        aside = self.path.with_name(f"{self.path.name}.damaged-{time.time_ns()}-{os.getpid()}")
        self.close()
        try:
            for suffix in ("", "-wal", "-shm"):
                part = self.path.with_name(self.path.name + suffix)
                if part.exists():
                    part.replace(aside.with_name(aside.name + suffix))
            self._say(
                f"{self.path}: damaged ({_line(reason)}); put aside as {aside.name} and begun anew"
            )
            self._connection = self._connect()
        except (OSError, sqlite3.Error) as error:
            self._only_read(f"damaged: {reason}; {error}")

    def _read(self, query: str, values: tuple[object, ...]) -> list[tuple[bytes, bytes, bytes]]:
        if self._connection is not None:
            with self._guarded(), closing(self._connection.execute(query, values)) as cursor:
                return cursor.fetchall()
        return []  # there is no file, or it was damaged and is empty now

    def _write(self, statement: str, rows: Iterable[tuple[object, ...]]) -> None:
        if self._connection is None or not self._keeping:
            return
        with self._guarded():
            self._connection.execute("BEGIN IMMEDIATE")
            try:
                self._connection.executemany(statement, rows)
                self._connection.execute("COMMIT")
            except BaseException:
                if (
                    self._connection.in_transaction
                ):  # SQLite itself ends one that finds the disk full
                    self._connection.execute("ROLLBACK")
                raise

    @contextmanager
    def _guarded(self) -> Iterator[None]:
        """Turn damage into a new beginning, and a full, locked or unreadable disk into reading or nothing."""
        try:
            yield
        except (sqlite3.Error, UnicodeDecodeError) as error:
            if _is_damage(error) and self._keeping:
                self._begin_anew(str(error))
            else:
                self._only_read(str(error))


def most_bytes(text: str) -> int:
    """Return how large the annotation of a text may be; more is damage, however small it is packed."""
    return SPARE + TIMES * len(text)


def _check(connection: sqlite3.Connection) -> None:
    """Raise what SQLite raises for damage if a file holds anything else than our table."""
    connection.execute("PRAGMA trusted_schema = OFF")
    connection.execute("PRAGMA cell_size_check = ON")
    # A view or a trigger could run for ever; quick_check already evaluates what a schema says.
    schema = connection.execute("SELECT sql FROM sqlite_master").fetchall()
    if schema not in ([], [(TABLE,)]):
        raise sqlite3.DatabaseError("malformed: found other tables than ours")
    result = connection.execute("PRAGMA quick_check(1)").fetchone()
    if result is None or result[0] != "ok":
        raise sqlite3.DatabaseError(f"malformed: {result and result[0]}")
    layout = connection.execute("PRAGMA user_version").fetchone()[0]
    if layout not in (0, LAYOUT):
        raise sqlite3.DatabaseError(f"malformed: found layout {layout}, expected {LAYOUT}")
    connection.text_factory = bytes  # a text where bytes belong may be no UTF-8


def _is_damage(error: Exception) -> bool:
    if isinstance(error, UnicodeDecodeError):
        return True
    text = str(error).lower()
    return any(sign in text for sign in ("malformed", "not a database", "corrupt", "no such table"))


def _line(reason: str) -> str:
    """Return what SQLite says as the part of a line; it may quote a hostile file."""
    shown = " ".join(reason.split())[:200]
    return "".join(letter if letter.isprintable() else "?" for letter in shown)


def _maker_key(maker: str) -> bytes:
    return hashlib.blake2b(maker.encode("utf-8"), digest_size=16).digest()


def _text_key(text: str) -> bytes:
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=20).digest()


def _checksum(content: bytes) -> bytes:
    return hashlib.blake2b(content, digest_size=8).digest()


def _unpacked(content: bytes, checksum: bytes, most: int) -> str | None:
    if not isinstance(content, bytes) or _checksum(content) != checksum:
        return None
    unpacking = zlib.decompressobj()
    try:
        data = unpacking.decompress(content, most + 1)
        whole = unpacking.eof and len(data) <= most
        return data.decode("utf-8", "surrogatepass") if whole else None
    except (zlib.error, UnicodeDecodeError):
        return None


def _batches(items: list[str]) -> Iterator[list[str]]:
    for start in range(0, len(items), BATCH):
        yield items[start : start + BATCH]
