"""A CoreNLP server: one that runs somewhere, or one that is started here and ends with this process.

The server listens on every address of the machine, so ours has a password that nobody else knows: it stands
in a file that only this user can read, never on a command line.
"""

from __future__ import annotations

import base64
import re
import secrets
import socket
import tempfile
import urllib.error
import urllib.parse
import urllib.request
import zipfile
from collections.abc import Mapping, Sequence
from pathlib import Path

from babi_cascade.pipeline.coref.errors import CorefError
from babi_cascade.pipeline.errors import MissingRequirement
from babi_cascade.pipeline.java import (
    JavaError,
    JavaProgram,
    check_jars,
    jars_in,
    java_of,
    missing_model,
)
from babi_cascade.pipeline.stories.strict_json import json_text

FETCH = "babi-cascade fetch-resources corenlp"
MEMORY = "-Xmx3g"
START = 120.0
"""Seconds for a server to listen; models are loaded at the first request."""

_JAR = re.compile(r"stanford-corenlp-(\d[\d.]*\d)\.jar")
_LOOPBACK = ("localhost", "127.0.0.1", "::1")


class Server:
    """A server that runs at an address."""

    def __init__(self, url: str, timeout: float, password: str = "") -> None:
        parts = urllib.parse.urlsplit(url)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise CorefError(f"corenlp: found URL {url!r}, expected http://HOST:PORT")
        self.url = url.rstrip("/")
        self.timeout = timeout
        self._headers = {}
        if password:
            token = base64.b64encode(f"{password}:{password}".encode()).decode()
            self._headers["Authorization"] = f"Basic {token}"
        # A proxy from the environment must not stand between this machine and itself.
        handlers = [urllib.request.ProxyHandler({})] if parts.hostname in _LOOPBACK else []
        self._opener = urllib.request.build_opener(*handlers)

    def __str__(self) -> str:
        return self.url

    def version(self) -> str:
        """Return the version that the server's own page states."""
        page = self._open(urllib.request.Request(f"{self.url}/", headers=self._headers))
        found = re.search(rb"version ([0-9][0-9.]*[0-9])", page)
        return found[1].decode() if found else "unknown"

    def annotate(self, content: bytes, properties: Mapping[str, str], kind: str) -> bytes:
        """Send a text or a document and return the answer."""
        query = urllib.parse.urlencode({"properties": json_text(dict(properties))})
        headers = {"Content-Type": kind, **self._headers}
        return self._open(urllib.request.Request(f"{self.url}/?{query}", content, headers))

    def bad(self, found: str) -> CorefError:
        """Return the error for an answer that is none of CoreNLP's."""
        return CorefError(
            f"{self}: found {found} in the answer, expected CoreNLP's; is it a CoreNLP server?"
        )

    def unreachable(self) -> Exception:
        """Return the error for a server that does not answer at all."""
        return MissingRequirement(
            "coref", "corenlp", f"a CoreNLP server at {self}, where none answers",
            f"{FETCH}, then leave out --corenlp-url: it is started when it is needed",
        )  # fmt: skip

    def _open(self, request: urllib.request.Request) -> bytes:
        try:
            with self._opener.open(request, timeout=self.timeout) as response:
                body: bytes = response.read()
                return body
        except urllib.error.HTTPError as error:
            raise self._refused(error.code, error.read(2000).decode("utf-8", "replace")) from error
        except TimeoutError as error:
            raise self._late() from error
        except OSError as error:  # refused, unknown host, cut connection
            if isinstance(getattr(error, "reason", None), TimeoutError):
                raise self._late() from error
            raise self.unreachable() from error
        except Exception as error:  # http.client: a server that does not speak HTTP
            raise self.bad(f"no HTTP ({type(error).__name__})") from error

    def _refused(self, code: int, reason: str) -> CorefError:
        model = missing_model(reason)
        if model is None and "initializing coref" in reason:
            model = "of the annotator coref"
        if model is not None:
            return CorefError(
                f"{self}: CoreNLP has no model {model}, which it needs for what was asked; "
                "give it the models of its English release (stanford-corenlp-VERSION-models.jar)"
            )
        return CorefError(f"{self}: the server answered {code}: {reason[:200]}")

    def _late(self) -> CorefError:
        return CorefError(
            f"{self}: no answer in {self.timeout:g} seconds, expected one; "
            "give a longer timeout or send shorter stories"
        )


class OwnServer(Server):
    """A server that is started from the jars of a folder, and ends with this process at the latest."""

    def __init__(self, folder: Path, timeout: float) -> None:
        self.folder = folder
        password, port = secrets.token_hex(16), _free_port()
        super().__init__(f"http://127.0.0.1:{port}", timeout, password)
        place = tempfile.TemporaryDirectory(prefix="babi-cascade-corenlp-")
        words = [
            MEMORY, "-XX:+UseSerialGC", f"-Djava.io.tmpdir={place.name}",
            "-cp", ":".join(str(jar) for jar in jars_in(folder)),
            "edu.stanford.nlp.pipeline.StanfordCoreNLPServer",
            "-port", str(port), "-username", password, "-password", password,
            "-timeout", str(int(timeout * 1000)), "-maxCharLength", "2000000000", "-quiet", "true",
        ]  # fmt: skip
        self._program = JavaProgram(java_of("coref", "corenlp"), words, place)
        try:
            self._program.wait_for(self._listens, START)
        except JavaError as error:
            self.close()
            raise CorefError(f"{self}: CoreNLP {error}") from error

    def __str__(self) -> str:
        return str(self.folder)

    def unreachable(self) -> Exception:
        """Return the error: it has ended, or it would answer."""
        return CorefError(f"{self}: CoreNLP ended while it worked: {self._program.said()}")

    def close(self) -> None:
        """Kill it."""
        self._program.close()

    def _listens(self) -> bool:
        address = urllib.parse.urlsplit(self.url)
        try:
            socket.create_connection((str(address.hostname), address.port or 0), 1).close()
        except OSError:
            return False
        return True


def check_folder(folder: Path, models: Sequence[str]) -> None:
    """See that a folder has CoreNLP's jars with these models, without starting them."""
    jars = jars_in(folder)
    if not any(_JAR.fullmatch(jar.name) for jar in jars):
        missing = f"CoreNLP (no stanford-corenlp-VERSION.jar in {folder})"
        raise MissingRequirement("coref", "corenlp", missing, FETCH)
    check_jars(jars, FETCH)
    there: set[str] = set()
    for jar in jars:
        with zipfile.ZipFile(jar) as archive:
            there.update(archive.namelist())
    for model in models:
        if not any(name.startswith(model) for name in there):
            missing = f"the model {model}, which no jar in {folder} has"
            raise MissingRequirement("coref", "corenlp", missing, FETCH)
    java_of("coref", "corenlp")


def version_in(folder: Path) -> str:
    """Return the version of the jars of a folder."""
    for jar in jars_in(folder):
        named = _JAR.fullmatch(jar.name)
        if named:
            try:
                with zipfile.ZipFile(jar) as archive:
                    manifest = archive.read("META-INF/MANIFEST.MF").decode("utf-8", "replace")
            except (OSError, KeyError, zipfile.BadZipFile):
                return named[1]
            told = re.search(r"^Implementation-Version: *(\S+)", manifest, re.MULTILINE)
            return told[1] if told else named[1]
    return "missing"


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port
