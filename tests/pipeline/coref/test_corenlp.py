"""The CoreNLP adapter against a stand-in server on loopback that answers in the documented format."""

from __future__ import annotations

import json
import threading
import time
import urllib.parse
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

from babi_cascade.pipeline.backends import coreference
from babi_cascade.pipeline.coref import CorefError
from babi_cascade.pipeline.errors import MissingRequirement
from babi_cascade.pipeline.trees import Tree
from tests.pipeline.coref.trees import go_together, goes, story, texts

TOLD = story(go_together("Kofi", "Leila"), goes("They"))


def mention(sentence: int, start: int, end: int, head: int, text: str, kind: str) -> dict[str, Any]:
    """One mention as the server writes it."""
    return {
        "id": 7, "text": text, "type": kind, "number": "PLURAL",
        "gender": "UNKNOWN", "animacy": "ANIMATE", "startIndex": start, "endIndex": end,
        "headIndex": head, "sentNum": sentence, "position": [sentence, 1],
        "isRepresentativeMention": kind != "PRONOMINAL",
    }  # fmt: skip


def answer(text: str) -> dict[str, Any]:
    return {
        "sentences": [
            {"index": i, "tokens": [{"index": n, "word": w} for n, w in enumerate(line.split(), 1)]}
            for i, line in enumerate(text.split("\n"))
        ],
        "corefs": {
            "3": [
                mention(1, 1, 4, 1, "Kofi and Leila", "LIST"),
                mention(2, 1, 2, 1, "They", "PRONOMINAL"),
            ]
        },
    }


@contextmanager
def server(reply: Callable[[str], tuple[int, bytes]]) -> Iterator[tuple[str, list[dict[str, Any]]]]:
    asked: list[dict[str, Any]] = []

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self._send(200, b"pong\n")

        def do_POST(self) -> None:
            text = self.rfile.read(int(self.headers["Content-Length"])).decode()
            query = urllib.parse.parse_qs(urllib.parse.urlsplit(self.path).query)
            asked.append(json.loads(query["properties"][0]))
            self._send(*reply(text))

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


def test_chains_become_clusters() -> None:
    with server(lambda text: (200, json.dumps(answer(text)).encode())) as (url, asked):
        made = coreference("corenlp", url=url, annotator="dcoref")
        made.check()
        # An empty sentence is not sent, and does not shift the others.
        told = [TOLD[0], Tree(()), TOLD[1]]
        clusters = made.resolve(told)
        assert texts(told, clusters) == [["Kofi and Leila", "They"]]
        assert [m.kind for m in clusters.mentions] == ["list", "pronoun"]
        assert made.resolve([]).entities == ()
    assert asked[0]["annotators"].endswith("dcoref")
    assert asked[0]["tokenize.whitespace"] == asked[0]["ssplit.eolonly"] == "true"
    assert "dcoref" in made.fingerprint


def change(text: str, **changes: Any) -> bytes:
    return json.dumps({**answer(text), **changes}).encode()


@pytest.mark.parametrize(
    ("status", "body", "message"),
    [
        (500, lambda text: b"Could not handle\nincoming annotation", "500: Could not handle incoming"),
        (200, lambda text: b"<html>hello</html>", "not JSON"),
        (200, lambda text: b"\xff\xfe", "not JSON"),
        (200, lambda text: b"[]", "not an object"),
        (200, lambda text: b"{}", "no tokens"),
        (200, lambda text: change(text, corefs=None), "corefs"),
        (200, lambda text: change(text, sentences=[{"tokens": []}]), "cut otherwise"),
        (200, lambda text: change(text, corefs={"1": [{"sentNum": 1}]}), "startIndex"),
        (200, lambda text: change(text, corefs={"1": [mention(9, 1, 2, 1, "x", "NOMINAL")]}), "outside"),
        (200, lambda text: change(text, corefs={"1": [mention(1, 3, 3, 3, "x", "NOMINAL")]}), "outside"),
        (200, lambda text: change(text, corefs={"1": 5}), "not a list"),
        (200, lambda text: change(text, corefs={"1": [mention(1, "a", 3, 3, "x", "NOMINAL")]}), "a number"),
    ],
)  # fmt: skip
def test_bad_answers_are_one_clear_error(
    status: int, body: Callable[[str], bytes], message: str
) -> None:
    with server(lambda text: (status, body(text))) as (url, _):
        with pytest.raises(CorefError, match=message) as caught:
            coreference("corenlp", url=url).resolve(TOLD)
        assert "\n" not in str(caught.value)
        assert url in str(caught.value)


def test_a_server_that_does_not_answer_in_time() -> None:
    def slow(text: str) -> tuple[int, bytes]:
        time.sleep(0.6)
        return 200, b"{}"

    with (
        server(slow) as (url, _),
        pytest.raises(CorefError, match=r"no answer in 0\.1 seconds"),
    ):
        coreference("corenlp", url=url, timeout=0.1).resolve(TOLD)


def test_no_server_names_the_command_that_starts_one() -> None:
    with server(lambda text: (200, b"{}")) as (url, _):
        pass  # closed again: nobody listens there now
    with pytest.raises(MissingRequirement, match="StanfordCoreNLPServer"):
        coreference("corenlp", url=url).check()


@pytest.mark.parametrize(
    "options", [{"url": "localhost"}, {"url": "ftp://x"}, {"annotator": "magic"}]
)
def test_wrong_options(options: dict[str, Any]) -> None:
    with pytest.raises(CorefError, match="expected"):
        coreference("corenlp", **options)
