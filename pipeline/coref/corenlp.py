"""Back end: Stanford CoreNLP, whose deterministic sieve (``dcoref``) is the system that the paper used.

A server is asked over HTTP: one that the user has started, or one that is started here from a folder with
the jars and ends with this process. The words are sent already cut, one sentence a line, so that the word
numbers of the answer are ours. The JSON is that of the server's documentation: ``corefs`` maps a chain to its
mentions with ``sentNum``, ``startIndex`` and ``endIndex`` (one past the last word), all counted from 1.

For dcoref every different sentence is parsed once (`corenlp_documents.py`); stories go side by side.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cached_property
from pathlib import Path
from typing import Any, TypeVar

from babi_cascade.pipeline.coref.corenlp_documents import WireError, document_of, sentences_of
from babi_cascade.pipeline.coref.corenlp_server import (
    FETCH,
    OwnServer,
    Server,
    check_folder,
    version_in,
)
from babi_cascade.pipeline.coref.errors import CorefError
from babi_cascade.pipeline.coref.given import given_mention
from babi_cascade.pipeline.coref.model import Clusters, Mention
from babi_cascade.pipeline.errors import MissingRequirement
from babi_cascade.pipeline.java import check_jars, folder_of, jars_in
from babi_cascade.pipeline.trees import Tree

Given = TypeVar("Given")
Found = TypeVar("Found")

ANNOTATORS = ("dcoref", "coref")
WORDS = {"tokenize.whitespace": "true", "ssplit.eolonly": "true"}
READING = {
    "annotators": "tokenize,ssplit,pos,lemma,ner,parse",
    # One name tagger, no fine-grained names, no times: half the memory, and no chain that is better.
    "ner.model": "edu/stanford/nlp/models/ner/english.all.3class.distsim.crf.ser.gz",
    "ner.applyFineGrained": "false",
    "ner.applyNumericClassifiers": "false",
    "ner.useSUTime": "false",
    "ner.buildEntityMentions": "false",
    "parse.maxlen": "100",
}
MODELS = (
    READING["ner.model"],
    "edu/stanford/nlp/models/pos-tagger/english-left3words-distsim.tagger",
    "edu/stanford/nlp/models/lexparser/englishPCFG.ser.gz",
)
RULES = {"coref.md.type": "RULE"}  # mentions by rule, as dcoref had them from the beginning
_SERIALIZER = "edu.stanford.nlp.pipeline.ProtobufAnnotationSerializer"
_TEXT, _DOCUMENT = "text/plain; charset=utf-8", "application/octet-stream"

_AT_ONCE = 40
"""Sentences of a request to parse; stories wait for one with a long sentence."""

_KEPT = 20_000
"""Parsed sentences that are kept, of about two kilobytes each."""


class CoreNLP:
    """Ask CoreNLP; nothing is started and nothing is sent anywhere unless the user chose this back end.

    Parameters
    ----------
    url : of a server that runs already
    folder : with CoreNLP's jars; by default the environment variable CORENLP or what was fetched
    annotator : "dcoref", or "coref" for its statistical successor
    timeout : seconds for an answer; the first one waits for the models
    """

    name = "corenlp"

    def __init__(
        self,
        url: str | None = None,
        folder: Path | str | None = None,
        annotator: str = "dcoref",
        timeout: float = 300.0,
    ) -> None:
        if annotator not in ANNOTATORS:
            raise CorefError(f"corenlp: found annotator {annotator!r}, expected dcoref or coref")
        self.annotator = annotator
        self.timeout = timeout
        self.url = url
        self.folder = None if url else folder_of(folder, "CORENLP", "corenlp")
        self._server: Server | None = Server(url, timeout) if url else None
        self._parsed: dict[str, bytes] = {}

    def __reduce__(self) -> tuple[Any, ...]:
        """Go to another process without the server; that one starts its own if it needs one."""
        return CoreNLP, (self.url, self.folder, self.annotator, self.timeout)

    @property
    def requires(self) -> str:
        """The server, or the folder."""
        if self.url:
            return f"a Stanford CoreNLP server at {self.url}"
        return "Java and Stanford CoreNLP (option corenlp, or the environment variable CORENLP)"

    @cached_property
    def version(self) -> str:
        """The version of CoreNLP."""
        if self.url and self._server is not None:
            return self._server.version()
        return version_in(self.folder) if self.folder else "missing"

    @property
    def fingerprint(self) -> str:
        """Version, annotator and properties, wherever it runs; the server does not tell its models."""
        asked = "\n".join(f"{name} = {value}" for name, value in (WORDS | READING | RULES).items())
        digest = hashlib.sha256(asked.encode()).hexdigest()[:12]
        return f"corenlp-{self.version}-{self.annotator}-{digest}"

    def check(self) -> None:
        """See that the server answers, or that Java and the jars are there."""
        if self.url and self._server is not None:
            self._server.version()
        elif self.folder is None:
            raise MissingRequirement("coref", self.name, "Stanford CoreNLP", FETCH)
        else:
            check_folder(self.folder, (*MODELS, f"edu/stanford/nlp/models/{self.annotator}/"))

    def start(self) -> Server:
        """Return the server; it is started with the first story, or now."""
        if self._server is None:
            self.check()
            assert self.folder is not None
            check_jars(jars_in(self.folder), FETCH, whole=True)
            self._server = OwnServer(self.folder, self.timeout)
        return self._server

    def close(self) -> None:
        """Kill the server that was started here, if there is one."""
        if isinstance(self._server, OwnServer):
            self._server.close()
            self._server = None

    def resolve(self, story: Sequence[Tree]) -> Clusters:
        """Return the entities of a story."""
        return self.resolve_all([story])[0]

    def resolve_all(self, stories: Sequence[Sequence[Tree]]) -> list[Clusters]:
        """Return the entities of stories, several of them at a time."""
        told = [[tree for tree in story if len(tree)] for story in stories]
        if any(told):
            self.start()
        if self.annotator == "dcoref":
            self._parse([_line(tree) for story in told for tree in story])
        return self._at_once(self._resolved, stories)

    def _resolved(self, story: Sequence[Tree]) -> Clusters:
        sent = [index for index, tree in enumerate(story) if len(tree)]
        if not sent:
            return Clusters()
        assert self._server is not None
        lines = [_line(story[i]) for i in sent]
        if self.annotator == "dcoref":
            content = document_of(
                [
                    (line, len(story[i]), self._parsed[line])
                    for i, line in zip(sent, lines, strict=True)
                ]
            )
            asked = {
                "annotators": "dcoref", **RULES, "enforceRequirements": "false", "inputFormat": "serialized",
                "inputSerializer": _SERIALIZER, "outputFormat": "json",
            }  # fmt: skip
            answer = _json(self._server, self._server.annotate(content, asked, _DOCUMENT))
        else:
            annotators = f"{READING['annotators']},{self.annotator}"
            asked = {**WORDS, **READING, "annotators": annotators, "outputFormat": "json"}
            text = "\n".join(lines).encode()
            answer = _json(self._server, self._server.annotate(text, asked, _TEXT))
        return _clusters(self._server, answer, story, sent)

    def _parse(self, lines: Sequence[str]) -> None:
        """Have the sentences parsed that were not parsed before."""
        wanted = set(lines)
        if len(self._parsed) + len(wanted) > _KEPT:
            self._parsed = {line: p for line, p in self._parsed.items() if line in wanted}
        new = [line for line in dict.fromkeys(lines) if line not in self._parsed]
        parts = [new[start : start + _AT_ONCE] for start in range(0, len(new), _AT_ONCE)]
        for part, parsed in zip(parts, self._at_once(self._parsed_part, parts), strict=True):
            self._parsed.update(zip(part, parsed, strict=True))

    def _parsed_part(self, lines: Sequence[str]) -> list[bytes]:
        assert self._server is not None
        asked = {**WORDS, **READING, "outputFormat": "serialized", "serializer": _SERIALIZER}
        answer = self._server.annotate("\n".join(lines).encode(), asked, _TEXT)
        try:
            found = sentences_of(answer)
        except WireError as error:
            raise self._server.bad(f"no document ({error})") from error
        if len(found) != len(lines):
            raise self._server.bad(f"{len(found)} sentences for the {len(lines)} sent")
        return found

    def _at_once(self, do: Callable[[Given], Found], given: Sequence[Given]) -> list[Found]:
        """Do things in threads, as many as there are cores; the first error ends it all."""
        pool = ThreadPoolExecutor(min(8, os.cpu_count() or 1, max(1, len(given))))
        try:
            return list(pool.map(do, given))
        finally:
            pool.shutdown(cancel_futures=True)


def _json(server: Server, body: bytes) -> Mapping[str, Any]:
    try:
        answer = json.loads(body.decode("utf-8"))
    except ValueError as error:  # also bytes that are not UTF-8
        raise server.bad("something that is not JSON") from error
    if not isinstance(answer, Mapping):
        raise server.bad("JSON that is not an object")
    return answer


def _clusters(
    server: Server, answer: Mapping[str, Any], story: Sequence[Tree], sent: Sequence[int]
) -> Clusters:
    """Read the chains of an answer; ``sent`` are the sentences of the story that have words."""
    try:
        found = [len(sentence["tokens"]) for sentence in answer["sentences"]]
    except (KeyError, TypeError) as error:
        raise server.bad("no tokens under 'sentences'") from error
    if found != [len(story[i]) for i in sent]:
        raise server.bad(f"{len(found)} sentences cut otherwise than the {len(sent)} sent")
    chains = answer.get("corefs")
    if not isinstance(chains, Mapping):
        raise server.bad("no object under 'corefs'")
    groups: list[list[Mention]] = []
    for chain in chains.values():
        if not isinstance(chain, list):
            raise server.bad("a chain that is not a list")
        spans = dict.fromkeys(_spans(server, chain))
        for sentence, start, end in spans:
            inside = 0 <= sentence < len(sent) and 1 <= start <= end <= found[sentence]
            if not inside:
                place = f"sentence {sentence + 1}, {start}-{end}"
                raise server.bad(f"a mention outside the text: {place}")
        groups.append([given_mention(story[sent[s]], sent[s], a, b) for s, a, b in spans])
    return Clusters.of(groups)


def _spans(server: Server, chain: Sequence[Any]) -> Iterator[tuple[int, int, int]]:
    for mention in chain:
        try:
            span = mention["sentNum"] - 1, mention["startIndex"], mention["endIndex"] - 1
        except (KeyError, TypeError) as error:
            raise server.bad("a mention without sentNum, startIndex or endIndex") from error
        if not all(isinstance(number, int) for number in span):
            raise server.bad("a place that is not a number")
        yield span


def _line(tree: Tree) -> str:
    """Return a sentence as it is sent; a space inside a word would count as two words there."""
    line = " ".join("_".join(token.form.split()) or "_" for token in tree)
    return line.encode("utf-8", "replace").decode()  # half a surrogate cannot be sent
