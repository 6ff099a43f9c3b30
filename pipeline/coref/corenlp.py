"""Back end: a Stanford CoreNLP server, over plain HTTP.

The sentences are sent with their words already cut, one sentence a line, so that the word numbers of the
answer are ours. ``annotator="dcoref"`` asks for Stanford's own sieve, the system of the paper; ``coref`` for
its successor. The JSON is that of the server's documentation: ``corefs`` maps a chain to its mentions with
``sentNum``, ``startIndex``, ``endIndex`` (one past the last word) and ``headIndex``, all counted from 1.
"""

from __future__ import annotations

import json
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Mapping, Sequence
from typing import Any

from babi_cascade.pipeline.coref.errors import CorefError
from babi_cascade.pipeline.coref.given import given_mention
from babi_cascade.pipeline.coref.model import Clusters, Mention
from babi_cascade.pipeline.errors import MissingRequirement
from babi_cascade.pipeline.trees import Tree

START = (
    "java -mx4g -cp 'stanford-corenlp-*/*' edu.stanford.nlp.pipeline.StanfordCoreNLPServer "
    "-port 9000 -timeout 60000"
)
_LOOPBACK = ("localhost", "127.0.0.1", "::1")


class CoreNLP:
    """Ask a server; nothing is sent anywhere unless the user chose this back end."""

    name = "corenlp"
    version = "1"

    def __init__(
        self, url: str = "http://localhost:9000", annotator: str = "coref", timeout: float = 60.0
    ) -> None:
        parts = urllib.parse.urlsplit(url)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise CorefError(f"corenlp: found URL {url!r}, expected http://HOST:PORT")
        if annotator not in ("coref", "dcoref"):
            raise CorefError(f"corenlp: found annotator {annotator!r}, expected coref or dcoref")
        self.url = url.rstrip("/")
        self.annotator = annotator
        self.timeout = timeout
        # A proxy from the environment must not stand between this machine and itself.
        handlers = [urllib.request.ProxyHandler({})] if parts.hostname in _LOOPBACK else []
        self._opener = urllib.request.build_opener(*handlers)

    @property
    def requires(self) -> str:
        """The server."""
        return f"a Stanford CoreNLP server at {self.url}"

    @property
    def fingerprint(self) -> str:
        """The server does not tell its models: its address and the annotator stand for them."""
        return f"corenlp-{self.version}-{self.annotator}-{self.url}"

    def check(self) -> None:
        """See that the server answers."""
        self._open(urllib.request.Request(f"{self.url}/ping"))

    def resolve(self, story: Sequence[Tree]) -> Clusters:
        """Send the story and read the chains of the answer."""
        sent = [index for index, tree in enumerate(story) if len(tree)]
        if not sent:
            return Clusters()
        text = "\n".join(" ".join(_word(token.form) for token in story[i]) for i in sent)
        answer = self._answer(text)
        self._same_words(answer, [len(story[i]) for i in sent])
        chains = answer.get("corefs")
        if not isinstance(chains, Mapping):
            raise self._bad("no object under 'corefs'")
        groups: list[list[Mention]] = []
        for chain in chains.values():
            if not isinstance(chain, list):
                raise self._bad("a chain that is not a list")
            spans = [self._span(mention) for mention in chain]
            groups.append([self._mention(story, sent, *span) for span in dict.fromkeys(spans)])
        return Clusters.of(groups)

    def _answer(self, text: str) -> Mapping[str, Any]:
        properties = {
            "annotators": f"tokenize,ssplit,pos,lemma,ner,parse,{self.annotator}",
            "tokenize.whitespace": "true",
            "ssplit.eolonly": "true",
            "outputFormat": "json",
        }
        query = urllib.parse.urlencode({"properties": json.dumps(properties, allow_nan=False)})
        headers = {"Content-Type": "text/plain; charset=utf-8"}
        request = urllib.request.Request(f"{self.url}/?{query}", text.encode(), headers)
        body = self._open(request)
        try:
            answer = json.loads(body.decode("utf-8"))
        except ValueError as error:  # also bytes that are not UTF-8
            raise self._bad("something that is not JSON") from error
        if not isinstance(answer, Mapping):
            raise self._bad("JSON that is not an object")
        return answer

    def _open(self, request: urllib.request.Request) -> bytes:
        try:
            with self._opener.open(request, timeout=self.timeout) as response:
                body: bytes = response.read()
                return body
        except urllib.error.HTTPError as error:
            reason = error.read(200).decode("utf-8", "replace")
            raise CorefError(f"{self.url}: the server answered {error.code}: {reason}") from error
        except TimeoutError as error:
            raise CorefError(
                f"{self.url}: no answer in {self.timeout:g} seconds, expected one; "
                "give a longer timeout or send shorter stories"
            ) from error
        except OSError as error:  # refused, unknown host, cut connection
            if isinstance(getattr(error, "reason", None), TimeoutError):
                raise CorefError(f"{self.url}: no answer in {self.timeout:g} seconds") from error
            raise MissingRequirement("coref", self.name, self.requires, START) from error
        except Exception as error:  # http.client: a server that does not speak HTTP
            raise self._bad(f"no HTTP ({type(error).__name__})") from error

    def _same_words(self, answer: Mapping[str, Any], sizes: list[int]) -> None:
        try:
            found = [len(sentence["tokens"]) for sentence in answer["sentences"]]
        except (KeyError, TypeError) as error:
            raise self._bad("no tokens under 'sentences'") from error
        if found != sizes:
            raise self._bad(f"{len(found)} sentences cut otherwise than the {len(sizes)} sent")

    def _span(self, mention: Any) -> tuple[int, int, int]:
        try:
            span = mention["sentNum"] - 1, mention["startIndex"], mention["endIndex"] - 1
        except (KeyError, TypeError) as error:
            raise self._bad("a mention without sentNum, startIndex or endIndex") from error
        if not all(isinstance(number, int) for number in span):
            raise self._bad("a place that is not a number")
        return span

    def _mention(
        self, story: Sequence[Tree], sent: list[int], sentence: int, start: int, end: int
    ) -> Mention:
        if not 0 <= sentence < len(sent) or not 1 <= start <= end <= len(story[sent[sentence]]):
            raise self._bad(f"a mention outside the text: sentence {sentence + 1}, {start}-{end}")
        return given_mention(story[sent[sentence]], sent[sentence], start, end)

    def _bad(self, found: str) -> CorefError:
        return CorefError(
            f"{self.url}: found {found} in the answer, expected CoreNLP's JSON; is it a CoreNLP server?"
        )


def _word(form: str) -> str:
    """Return a word without white space: a space inside would count as two words there."""
    return "_".join(form.split()) or "_"
