"""A cache of annotations on disk: parse a sentence once, whoever asks for it and however often.

Entries are keyed by what made them (the fingerprint of the back end and its models) and by the text. SQLite
keeps the file whole under two processes at once and under kill -9; a checksum in every entry and a check of
the file when it is opened find damage that SQLite cannot know of. A damaged file is put aside under another
name, said so, and begun anew: a cache must never be trusted more than it deserves.
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

from babi_cascade.errors import UserError
from babi_cascade.pipeline.stories.wording import counted

LAYOUT = 1
BATCH = 500  # SQLite allows 999 variables in a statement of old versions
BUSY_SECONDS = 60.0


class CacheError(UserError):
    """The cache cannot be used; the message says where, why and what to do."""


class AnnotationCache:
    """Texts and their annotations, as JSON strings.

    Parameters
    ----------
    path : file of the cache; made when it is not there
    notice : gets one line when a damaged file had to be put aside, or nothing more can be kept
    """

    def __init__(self, path: Path, *, notice: Callable[[str], None] | None = None) -> None:
        self.path = path
        self._notice = notice or (lambda line: None)
        self._keeping = True
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            self._open()
        except OSError as error:
            raise CacheError(
                f"{path}: cannot be used as a cache: {error.strerror}; choose another place with "
                "--cache, or do without it (--no-cache)"
            ) from error

    def get(self, maker: str, texts: Sequence[str]) -> dict[str, str]:
        """Return the known annotations of some texts; what is damaged is left out."""
        key = _maker_key(maker)
        found: dict[str, str] = {}
        damaged: list[bytes] = []
        for batch in _batches(list(dict.fromkeys(texts))):
            wanted = {_text_key(text): text for text in batch}
            marks = ",".join("?" * len(wanted))
            query = (
                "SELECT text_key, content, checksum FROM annotations "
                f"WHERE maker = ? AND text_key IN ({marks})"
            )
            for text_key, content, checksum in self._read(query, (key, *wanted)):
                value = _unpacked(content, checksum)
                if value is None:
                    damaged.append(text_key)
                else:
                    found[wanted[text_key]] = value
        if damaged:
            made = counted(len(damaged), "damaged entry is", "damaged entries are")
            self._notice(f"{self.path}: {made} made anew")
            self._write(
                "DELETE FROM annotations WHERE maker = ? AND text_key = ?",
                [(key, text_key) for text_key in damaged],
            )
        return found

    def put(self, maker: str, annotations: Mapping[str, str]) -> None:
        """Keep annotations; all of them or, after a crash, none.

        A disk that is full or cannot be written stops no work: it is said once, and nothing more is kept.
        """
        if not self._keeping:
            return
        key = _maker_key(maker)
        rows = []
        for text, value in annotations.items():
            content = zlib.compress(value.encode("utf-8", "surrogatepass"), 1)
            rows.append((key, _text_key(text), content, _checksum(content)))
        try:
            self._write(
                "INSERT OR REPLACE INTO annotations (maker, text_key, content, checksum) "
                "VALUES (?, ?, ?, ?)",
                rows,
            )
        except CacheError as error:
            self._keeping = False
            self._notice(f"{error}; new annotations are not kept")

    def __len__(self) -> int:
        return int(next(iter(self._read("SELECT count(*) FROM annotations", ())))[0])

    def close(self) -> None:
        """Close the file."""
        self._connection.close()

    def _open(self) -> None:
        try:
            self._connection = self._connect()
        except sqlite3.DatabaseError as error:
            if isinstance(error, sqlite3.OperationalError) and not _is_damage(error):
                raise CacheError(f"{self.path}: cannot be used as a cache: {error}") from error
            self._begin_anew(str(error))

    def _connect(self) -> sqlite3.Connection:
        connection = sqlite3.connect(self.path, timeout=BUSY_SECONDS, isolation_level=None)
        try:
            connection.execute("PRAGMA journal_mode = WAL")
            connection.execute("PRAGMA synchronous = NORMAL")
            result = connection.execute("PRAGMA quick_check(1)").fetchone()
            if result is None or result[0] != "ok":
                raise sqlite3.DatabaseError(str(result and result[0]))
            layout = connection.execute("PRAGMA user_version").fetchone()[0]
            if layout not in (0, LAYOUT):
                raise sqlite3.DatabaseError(f"found layout {layout}, expected {LAYOUT}")
            connection.execute(
                "CREATE TABLE IF NOT EXISTS annotations (maker BLOB NOT NULL, text_key BLOB NOT NULL, "
                "content BLOB NOT NULL, checksum BLOB NOT NULL, PRIMARY KEY (maker, text_key)) "
                "WITHOUT ROWID"
            )
            connection.execute(f"PRAGMA user_version = {LAYOUT}")
        except BaseException:
            connection.close()
            raise
        return connection

    def _begin_anew(self, reason: str) -> None:
        """Put a damaged file aside, with the journals that belong to it, and start an empty one."""
        aside = self.path.with_name(f"{self.path.name}.damaged-{time.time_ns()}-{os.getpid()}")
        self._notice(f"{self.path}: damaged ({reason}); put aside as {aside.name} and begun anew")
        for suffix in ("", "-wal", "-shm"):
            part = self.path.with_name(self.path.name + suffix)
            if part.exists():
                part.replace(aside.with_name(aside.name + suffix))
        try:
            self._connection = self._connect()
        except sqlite3.DatabaseError as error:
            raise CacheError(f"{self.path}: cannot be used as a cache: {error}") from error

    def _read(self, query: str, values: tuple[object, ...]) -> list[tuple[bytes, bytes, bytes]]:
        with self._guarded(), closing(self._connection.execute(query, values)) as cursor:
            return cursor.fetchall()
        return []  # the file was damaged and is empty now

    def _write(self, statement: str, rows: Iterable[tuple[object, ...]]) -> None:
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
        """Turn a full or locked disk into a clear error, and damage into a new beginning."""
        try:
            yield
        except sqlite3.DatabaseError as error:
            if _is_damage(error):
                self._connection.close()
                self._begin_anew(str(error))
                return
            raise CacheError(f"{self.path}: cannot be used as a cache: {error}") from error


def _is_damage(error: sqlite3.DatabaseError) -> bool:
    text = str(error).lower()
    return any(sign in text for sign in ("malformed", "not a database", "corrupt", "no such table"))


def _maker_key(maker: str) -> bytes:
    return hashlib.blake2b(maker.encode("utf-8"), digest_size=16).digest()


def _text_key(text: str) -> bytes:
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=20).digest()


def _checksum(content: bytes) -> bytes:
    return hashlib.blake2b(content, digest_size=8).digest()


def _unpacked(content: bytes, checksum: bytes) -> str | None:
    if not isinstance(content, bytes) or _checksum(content) != checksum:
        return None
    try:
        return zlib.decompress(content).decode("utf-8", "surrogatepass")
    except (zlib.error, UnicodeDecodeError):
        return None


def _batches(items: list[str]) -> Iterator[list[str]]:
    for start in range(0, len(items), BATCH):
        yield items[start : start + BATCH]
