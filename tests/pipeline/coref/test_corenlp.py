"""The CoreNLP back end: what CoreNLP really said, bad answers, a dead server, a damaged folder.

The stand-in server on loopback gives back recorded answers (`tests/recorded`); bad ones are made here.
"""

from __future__ import annotations

import json
import pickle
import threading
import time
import urllib.parse
import zipfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from babi_cascade.pipeline.backends import coreference
from babi_cascade.pipeline.coref import CorefError
from babi_cascade.pipeline.coref.corenlp import MODELS, CoreNLP
from babi_cascade.pipeline.coref.corenlp_documents import WireError, document_of, sentences_of
from babi_cascade.pipeline.errors import MissingRequirement
from babi_cascade.pipeline.java import JavaError
from babi_cascade.pipeline.trees import Tree
from scripts.record_resources import checksum
from tests import recorded
from tests.pipeline.coref.trees import go_together, goes, story, texts

TOLD = story(go_together("Kofi", "Leila"), goes("They"))
VERSION, ANSWERS = recorded.corenlp()


@contextmanager
def server(
    reply: Callable[[bytes], tuple[int, bytes]], page: bytes = b"CoreNLP version 4.5.10<br>"
) -> Iterator[tuple[str, list[dict[str, Any]]]]:
    asked: list[dict[str, Any]] = []

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self._send(200, page)

        def do_POST(self) -> None:
            content = self.rfile.read(int(self.headers["Content-Length"]))
            query = urllib.parse.parse_qs(urllib.parse.urlsplit(self.path).query)
            asked.append(json.loads(query["properties"][0]))
            self._send(*reply(content))

        def _send(self, status: int, body: bytes) -> None:
            self.send_response(status)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            with suppress(OSError):  # the client may not have waited
                self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            pass

    httpd = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=httpd.serve_forever, args=(0.02,), daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{httpd.server_address[1]}", asked
    finally:
        httpd.shutdown()
        httpd.server_close()
        thread.join()


def replayed(content: bytes) -> tuple[int, bytes]:
    """Answer as CoreNLP did when it was asked the same, byte for byte."""
    answer = ANSWERS.get(checksum(content))
    return (404, b"was not recorded") if answer is None else (200, answer)


def test_recorded_chains_become_clusters() -> None:
    told = recorded.stories()
    with server(replayed) as (url, asked):
        made = coreference("corenlp", url=url)
        made.check()
        assert isinstance(made, CoreNLP)
        found = dict(zip(told, made.resolve_all(list(told.values())), strict=True))
    kites = [["Angela", "She"], ["the broken kite", "the kite"]]
    assert texts(told["kites-1"], found["kites-1"]) == kites
    first = found["qa13-1"].mentions[0]
    assert first.text(told["qa13-1"]) == "John and Mary"
    assert [m.kind for m in found["qa13-1"].entities[0]][:2] == ["list", "pronoun"]
    assert all(isinstance(each["annotators"], str) for each in asked)
    # Every sentence is parsed once, however many stories tell it; then stories are asked about.
    parses = [each for each in asked if each["outputFormat"] == "serialized"]
    assert parses
    assert len(asked) - len(parses) == len(told)
    assert {each["annotators"] for each in asked if each not in parses} == {"dcoref"}


def test_an_empty_sentence_is_not_sent_and_does_not_shift_the_others() -> None:
    told = recorded.stories()["kites-1"]
    with server(replayed) as (url, asked):
        made = CoreNLP(url)
        assert made.resolve([]).entities == ()
        assert made.resolve([Tree(())]).entities == ()
        assert asked == []
        # The recorded request to parse had all stories in it.
        made.resolve_all(list(recorded.stories().values()))
        with_hole = [told[0], Tree(()), *told[1:]]
        assert texts(with_hole, made.resolve(with_hole)) == texts(told, made.resolve(told))


def test_the_fingerprint_is_of_what_decides_and_not_of_the_address(tmp_path: Path) -> None:
    with server(replayed) as (url, _), server(replayed) as (other, _):
        assert CoreNLP(url).fingerprint == CoreNLP(other).fingerprint
        assert CoreNLP(url).fingerprint != CoreNLP(url, annotator="coref").fingerprint
        jar(tmp_path, "stanford-corenlp-4.5.10.jar", "Implementation-Version: 4.5.10\n")
        assert CoreNLP(folder=tmp_path).fingerprint == CoreNLP(url).fingerprint
    with server(replayed, b"version 4.4.0") as (older, _):
        assert "corenlp-4.4.0-dcoref-" in CoreNLP(older).fingerprint


def answer(text: str) -> dict[str, Any]:
    """An answer in CoreNLP's format, for what is changed in it below."""
    return {
        "sentences": [{"tokens": [{"word": w} for w in line.split()]} for line in text.split("\n")],
        "corefs": {"3": [mention(1, 1, 4), mention(2, 1, 2)]},
    }


def mention(sentence: int, start: Any, end: int) -> dict[str, Any]:
    return {"sentNum": sentence, "startIndex": start, "endIndex": end}


def change(text: bytes, **changes: Any) -> bytes:
    return json.dumps({**answer(text.decode()), **changes}).encode()


@pytest.mark.parametrize(
    ("status", "body", "message"),
    [
        (500, lambda text: b"Could not handle\nincoming annotation", "500: Could not handle incoming"),
        (500, lambda text: b'IOException: Unable to open "edu/x.ser.gz" as class path, filename or URL',
         r"no model edu/x\.ser\.gz"),
        (500, lambda text: b"Error initializing coref system", "no model of the annotator coref"),
        (200, lambda text: b"<html>hello</html>", "not JSON"),
        (200, lambda text: b"\xff\xfe", "not JSON"),
        (200, lambda text: b"[]", "not an object"),
        (200, lambda text: b"{}", "no tokens"),
        (200, lambda text: change(text, corefs=None), "corefs"),
        (200, lambda text: change(text, sentences=[{"tokens": []}]), "cut otherwise"),
        (200, lambda text: change(text, corefs={"1": [{"sentNum": 1}]}), "startIndex"),
        (200, lambda text: change(text, corefs={"1": [mention(9, 1, 2)]}), "outside"),
        (200, lambda text: change(text, corefs={"1": [mention(1, 3, 3)]}), "outside"),
        (200, lambda text: change(text, corefs={"1": 5}), "not a list"),
        (200, lambda text: change(text, corefs={"1": [mention(1, "a", 3)]}), "a number"),
    ],
)  # fmt: skip
def test_bad_answers_are_one_clear_error(
    status: int, body: Callable[[bytes], bytes], message: str
) -> None:
    with server(lambda text: (status, body(text))) as (url, _):
        with pytest.raises(CorefError, match=message) as caught:
            coreference("corenlp", url=url, annotator="coref").resolve(TOLD)
        assert "\n" not in str(caught.value)
        assert url in str(caught.value)


def parsed() -> bytes:
    """A recorded answer to the request to parse some sentences."""
    return next(body for body in ANSWERS.values() if not body.startswith(b"{"))


@pytest.mark.parametrize(
    ("spoil", "message"),
    [
        (lambda body: b"", "no document"),
        (lambda body: body[:1000], "no document"),
        (lambda body: b"\xff" * 40, "no document"),
        (lambda body: b"<html>", "no document"),
        (lambda body: body, r"\d+ sentences for the 2 sent"),
    ],
)
def test_what_is_no_document_of_corenlp_is_one_clear_error(
    spoil: Callable[[bytes], bytes], message: str
) -> None:
    with (
        server(lambda text: (200, spoil(parsed()))) as (url, _),
        pytest.raises(CorefError, match=message),
    ):
        CoreNLP(url).resolve(TOLD)


def test_a_document_of_parsed_sentences_is_taken_apart_into_the_same_sentences() -> None:
    sentences = sentences_of(parsed())
    whole = document_of([(f"sentence {n}", 3, each) for n, each in enumerate(sentences)])
    assert sentences_of(whole) == sentences
    assert sentences_of(document_of([("🙂 b", 2, sentences[0])] * 2)) == [sentences[0]] * 2
    with pytest.raises(WireError):
        sentences_of(whole[:-5])


def test_a_server_that_does_not_answer_in_time() -> None:
    def slow(text: bytes) -> tuple[int, bytes]:
        time.sleep(0.6)
        return 200, b"{}"

    with (
        server(slow) as (url, _),
        pytest.raises(CorefError, match=r"no answer in 0\.1 seconds"),
    ):
        coreference("corenlp", url=url, timeout=0.1).resolve(TOLD)


def test_no_server_names_the_command_that_gets_one() -> None:
    with server(lambda text: (200, b"{}")) as (url, _):
        pass  # closed again: nobody listens there now
    with pytest.raises(MissingRequirement, match="babi-cascade fetch-resources corenlp"):
        coreference("corenlp", url=url).check()


@pytest.mark.parametrize(
    "options", [{"url": "localhost"}, {"url": "ftp://x"}, {"annotator": "magic"}]
)
def test_wrong_options(options: dict[str, Any]) -> None:
    with pytest.raises(CorefError, match="expected"):
        coreference("corenlp", **options)


def jar(
    folder: Path, name: str, manifest: str = "", without: str = "edu/stanford/nlp/models/coref/"
) -> Path:
    """A jar with the names of the models, but for one, and nothing in them."""
    path = folder / name
    kinds = ("coref", "dcoref")
    with zipfile.ZipFile(path, "w") as archive:
        for model in (*MODELS, *(f"edu/stanford/nlp/models/{kind}/" for kind in kinds)):
            if model != without:
                archive.writestr(model, "")
        archive.writestr("META-INF/MANIFEST.MF", manifest)
        archive.writestr("padding", "x" * 5000)
    return path


@pytest.fixture
def nowhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A user who has fetched nothing and has set nothing."""
    monkeypatch.delenv("CORENLP", raising=False)
    monkeypatch.delenv("JAVA_HOME", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    folder = tmp_path / "corenlp"
    folder.mkdir()
    return folder


def test_a_folder_is_given_or_named_by_the_environment_or_fetched(
    nowhere: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(MissingRequirement, match="fetch-resources corenlp"):
        CoreNLP().check()
    fetched = nowhere.parent / "cache" / "babi-cascade" / "corenlp"
    fetched.mkdir(parents=True)
    assert CoreNLP().folder == fetched
    monkeypatch.setenv("CORENLP", str(nowhere))
    assert CoreNLP().folder == nowhere
    given = CoreNLP(folder=nowhere.parent)
    assert given.folder == nowhere.parent
    assert pickle.loads(pickle.dumps(given)).folder == nowhere.parent


def test_a_folder_without_corenlp_or_with_a_damaged_jar(nowhere: Path) -> None:
    with pytest.raises(MissingRequirement, match=r"no stanford-corenlp-VERSION\.jar in"):
        CoreNLP(folder=nowhere).check()
    whole = jar(nowhere, "stanford-corenlp-4.5.10.jar")
    whole.write_bytes(whole.read_bytes()[:-40])
    with pytest.raises(JavaError, match=r"4\.5\.10\.jar: is damaged .*fetch-resources corenlp"):
        CoreNLP(folder=nowhere).check()


def test_a_model_that_no_jar_has_is_named(nowhere: Path) -> None:
    jar(nowhere, "stanford-corenlp-4.5.10.jar")
    with pytest.raises(MissingRequirement, match=r"the model edu/stanford/nlp/models/coref/"):
        CoreNLP(folder=nowhere, annotator="coref").check()
    for model in MODELS:
        jar(nowhere, "stanford-corenlp-4.5.10.jar", without=model)
        with pytest.raises(MissingRequirement, match=f"the model {model}, which no jar"):
            CoreNLP(folder=nowhere).check()


def test_without_java_it_says_what_to_install(
    nowhere: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    jar(nowhere, "stanford-corenlp-4.5.10.jar")
    monkeypatch.setenv("PATH", str(nowhere))
    with pytest.raises(MissingRequirement, match=r"needs Java .*no java is on the PATH"):
        CoreNLP(folder=nowhere).check()
    monkeypatch.setenv("JAVA_HOME", str(nowhere))
    with pytest.raises(MissingRequirement, match=r"no bin/java in JAVA_HOME="):
        CoreNLP(folder=nowhere).check()


def test_a_java_that_does_not_start_the_server_is_told_in_one_line(
    nowhere: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    jar(nowhere, "stanford-corenlp-4.5.10.jar")
    program = nowhere / "java"
    program.write_text("#!/bin/sh\necho 'Error: Unsupported class file' >&2\nexit 1\n")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", str(nowhere), prepend=":")
    with pytest.raises(CorefError, match="ended before it was ready: Error: Unsupported"):
        CoreNLP(folder=nowhere).resolve(TOLD)
