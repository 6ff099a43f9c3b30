"""Java programs of other people's, started when they are needed and never left behind.

A program runs in a process group of its own beside a watcher that reads a pipe of ours. The pipe closes when
this process ends, however it ends, and then the watcher kills the group: no port, no memory and no process
outlives a command that failed or was killed.
"""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
import tempfile
import time
import weakref
import zipfile
import zlib
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import IO, Literal

from babi_cascade.pipeline.errors import MissingRequirement, ReadingError

INSTALL = "your system's packages, e.g. apt install default-jre-headless (any Java from 11 on)"
_LOG = 1 << 20
ENCODING = ("-Dfile.encoding=UTF-8", "-Dstdout.encoding=UTF-8", "-Dstderr.encoding=UTF-8")

# The watcher has the pipe as its input, Java has not; "0" is the group of both.
_WATCHED = (
    "place=$1; shift; exec 3<&0 </dev/null; "
    '{ cat <&3 >/dev/null; rm -rf "$place"; kill -9 0; } >/dev/null 2>&1 & exec 3<&-; exec "$@"'
)
_MODEL = re.compile(
    r'Unable to open "([^"]+)"|(\S+\.(?:gz|ser|tagger|xz|txt))(?=\W.*(?:not|n\'t) )'
)


class JavaError(ReadingError):
    """A Java program did not do what it is known for."""


def java_of(kind: Literal["coref", "srl"], backend: str) -> str:
    """Return the Java that is to be used: that of JAVA_HOME, or the first on the PATH."""
    home = os.environ.get("JAVA_HOME")
    program = shutil.which(f"{home}/bin/java") if home else shutil.which("java")
    if program is None:
        where = f"no bin/java in JAVA_HOME={home}" if home else "no java is on the PATH"
        raise MissingRequirement(kind, backend, f"Java ({where})", INSTALL)
    return program


def fetched(name: str) -> Path:
    """Return where `babi-cascade fetch-resources` puts a program."""
    from platformdirs import user_cache_path

    return user_cache_path("babi-cascade") / name


def folder_of(given: Path | str | None, variable: str, name: str) -> Path | None:
    """Return the folder of a program: given, said by the environment, or fetched; None if there is none."""
    place = given or os.environ.get(variable)
    if place:
        return Path(place).absolute()
    return fetched(name) if fetched(name).is_dir() else None


def jars_in(folder: Path) -> list[Path]:
    """Return the jars of a folder, or of the one inside it that holds them."""
    for place in (folder, folder / "lib", folder / "jars"):
        found = sorted(place.glob("*.jar"))
        if found:
            return found
    return []


def check_jars(jars: Sequence[Path], command: str, *, whole: bool = False) -> None:
    """Refuse a jar that is damaged: Java passes over it and then misses classes that nobody knows.

    Unless it is the whole that is looked at, before a start, it is the table of contents: that stands at the
    end, so what is cut short is found.
    """
    for jar in jars:
        try:
            with zipfile.ZipFile(jar) as archive:
                found = archive.testzip() if whole else None
        except (OSError, EOFError, zipfile.BadZipFile, zlib.error, NotImplementedError) as error:
            raise JavaError(f"{jar}: is damaged ({error}); get it again with: {command}") from error
        if found is not None:
            raise JavaError(f"{jar}: is damaged at {found}; get it again with: {command}")


class JavaProgram:
    """A running program; closing it, or the end of this process, kills it and removes its folder.

    Parameters
    ----------
    java : the Java to start
    words : its arguments; they stand in a file that nobody else can read, not on the command line
    place : a folder of the program's own, where it runs
    """

    def __init__(
        self, java: str, words: Sequence[str], place: tempfile.TemporaryDirectory[str]
    ) -> None:
        self._place = place
        arguments = Path(place.name) / "arguments"
        arguments.touch(mode=0o600)
        arguments.write_text("\n".join(map(_quoted, [*ENCODING, *words])), encoding="utf-8")
        self._log: IO[bytes] = tempfile.TemporaryFile()  # noqa: SIM115 - as long as the program
        try:
            self.process = subprocess.Popen(
                ["/bin/sh", "-c", _WATCHED, "sh", place.name, java, f"@{arguments}"],
                stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=self._log,
                cwd=place.name, start_new_session=True,
            )  # fmt: skip
        except OSError as error:
            raise JavaError(f"{java}: cannot be run: {error.strerror or error}") from error
        self._end = weakref.finalize(self, _kill, self.process, os.getpid())

    @property
    def running(self) -> bool:
        """Say whether it has not ended."""
        return self.process.poll() is None

    def said(self) -> str:
        """Return the telling line of what it wrote to its log: the first exception, or else the last line."""
        lines = self.log().decode("utf-8", "replace").splitlines()
        lines = [line.strip() for line in lines if line.strip() and not line.startswith("SLF4J")]
        told = [line for line in lines if re.search(r"(?:Exception|Error)\b", line)]
        return (told or lines[-1:] or [f"it ended with code {self.process.poll()}"])[0][:300]

    def log(self) -> bytes:
        """Return what it wrote to its log."""
        return os.pread(self._log.fileno(), _LOG, 0)

    def wait_for(self, ready: Callable[[], bool], seconds: float) -> None:
        """Wait until it is ready; an end of the program or of the time is an error."""
        until = time.monotonic() + seconds
        while not ready():
            if not self.running:
                raise JavaError(f"ended before it was ready: {self.said()}")
            if time.monotonic() > until:
                raise JavaError(f"not ready after {seconds:g} seconds: {self.said()}")
            time.sleep(0.05)

    def close(self) -> None:
        """Kill it, if it still runs."""
        self._end()
        self._log.close()
        self._place.cleanup()


def _kill(process: subprocess.Popen[bytes], owner: int) -> None:
    if os.getpid() != owner:  # a copy of this process is no reason to end it
        return
    with suppress(OSError):
        os.killpg(process.pid, signal.SIGKILL)
    if process.stdin is not None:
        with suppress(OSError):
            process.stdin.close()
    process.wait()


def _quoted(word: str) -> str:
    """Write a word for a file of arguments of Java."""
    return '"' + word.replace("\\", "\\\\").replace('"', '\\"') + '"'


def missing_model(said: str) -> str | None:
    """Return the model that a Java program says it could not open."""
    found = _MODEL.search(said)
    return next((name for name in found.groups() if name), None) if found else None
