"""The parser: Stanza, with the small models that ship, or with any other model directory.

Models of the kind that ships are computed with NumPy (`small`), which gives the same trees several times
sooner; with all others Stanza and torch are imported when the first sentence is really parsed, not before: a
run whose sentences are all in the cache never pays for them. The fingerprint, which decides whether the cache
may be used, comes from the model files and the installed version alone.

Sentences are sorted by length and parsed in batches that do not depend on the number of processes, each
by one thread: so any number of processes gives the same trees.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import cached_property
from importlib import metadata, resources
from pathlib import Path
from typing import TYPE_CHECKING, Any

from babi_cascade.pipeline.parse.errors import ParserError
from babi_cascade.pipeline.parse.model_files import check_model_file
from babi_cascade.pipeline.parse.stanza_trees import flat_tree, tree_of
from babi_cascade.pipeline.parse.workers import Workers
from babi_cascade.pipeline.trees import Tree

PROCESSORS = "tokenize,pos,lemma,depparse"
FURTHER = "pos,lemma,depparse"
LONGEST = 250
"""Words of a sentence that are parsed; the parser's tables grow with the square of the length."""

WIDEST = 20_000
"""Characters of a sentence that are cut into words at all."""

BATCH = 200
"""Sentences parsed at once."""

TABLE = BATCH * 20**2
"""Pairs of words in a batch, padding included: what decides how much memory the parser needs."""

FEW = 400
"""So many sentences are parsed sooner here than other processes have loaded the models."""

if TYPE_CHECKING:
    from babi_cascade.pipeline.parse.small import SmallModels, Word

Batch = Sequence[str] | Sequence[Sequence[str]]


class StanzaParser:
    """Parses sentences with Stanza.

    Parameters
    ----------
    models : "shipped" (the small English models of this project), "default" (Stanza's official English
        models, where Stanza keeps them) or the path of a Stanza model directory
    jobs : how many processes parse large amounts; None for as many as there are cores to use
    numpy : whether models of the kind that ships are computed with NumPy; otherwise Stanza's own networks
        do it, all in this process
    """

    name = "stanza"

    def __init__(
        self, *, models: str = "shipped", jobs: int | None = None, numpy: bool = True
    ) -> None:
        # From here on wherever this process, or another one that parses for it, may stand.
        self.models = models if models in ("shipped", "default") else str(Path(models).absolute())
        self.jobs = available_cores() if jobs is None else max(1, jobs)
        if not numpy:
            self.jobs = 1
        self.numpy = numpy
        self._workers: Workers | None = None

    def __getstate__(self) -> dict[str, Any]:
        """Go to another process without the networks, which are loaded there when they are needed."""
        return {
            "models": self.models, "jobs": self.jobs, "numpy": self.numpy, "_workers": None,
        }  # fmt: skip

    @cached_property
    def directory(self) -> Path:
        """The folder with ``resources.json`` and the models in ``en/``, as Stanza wants it."""
        if self.models == "shipped":
            return Path(str(resources.files("babi_cascade.data") / "models"))
        if self.models == "default":
            return _official_directory()
        return Path(self.models)

    @cached_property
    def fingerprint(self) -> str:
        """What decides the result: Stanza's version and the content of the model files."""
        digest = hashlib.sha256()
        for path in self._model_files():
            digest.update(str(path.relative_to(self.directory)).encode())
            digest.update(_checksum(path))
        return f"stanza {_stanza_version()} {digest.hexdigest()[:16]}"

    def parse(self, sentences: Sequence[str]) -> list[Tree]:
        """Return one tree a sentence; one that cannot be parsed gives its words without structure."""
        # A blank line ends a sentence; white space inside one would end it too early.
        spaced = [" ".join(text.split()) for text in sentences]
        sizes = [len(text.split()) if len(text) <= WIDEST else LONGEST + 1 for text in spaced]
        found = self._parsed(spaced, sizes)
        return [found.get(i) or flat_tree(text) for i, text in enumerate(sentences)]

    def parse_words(self, sentences: Sequence[Sequence[str]]) -> list[Tree]:
        """Parse sentences that are split into words already; the words stay as they are."""
        found = self._parsed(sentences, [len(words) for words in sentences])
        return [
            found.get(i) or flat_tree(" ".join(words), words) for i, words in enumerate(sentences)
        ]

    def split(self, text: str) -> list[Tree]:
        """Split running text into sentences and parse them."""
        trees: list[Tree] = []
        if self._small is not None and self._small.takes([text]):
            for part in paragraphs(text):
                (sentences,) = self._small.cut([part], split=True)
                trees += self._small_trees([(part, words) for words in sentences])
            return trees
        with self._telling(), one_thread():
            for part in paragraphs(text):
                document = self._by_text.process(part, "tokenize")
                if any(len(sentence.words) > LONGEST for sentence in document.sentences):
                    trees += self.parse([sentence.text for sentence in document.sentences])
                else:
                    trees += map(tree_of, self._by_text.process(document, FURTHER).sentences)
        return trees

    def sentences(self, text: str) -> list[str]:
        """Split running text into sentences, without parsing them."""
        if self._small is not None and self._small.takes([text]):
            return [
                part[words[0].start : words[-1].end]
                for part in paragraphs(text)
                for words in self._small.cut([part], split=True)[0]
            ]
        with self._telling(), one_thread():
            return [
                sentence.text
                for part in paragraphs(text)
                for sentence in self._by_text.process(part, "tokenize").sentences
            ]

    def parse_batch(self, batch: Batch) -> list[Tree]:
        """Parse a few sentences in this process, texts or lists of words."""
        if self._small is not None:
            if batch and not isinstance(batch[0], str):
                from babi_cascade.pipeline.parse.small import given

                return self._small_trees([given(words) for words in batch])
            texts = [str(text) for text in batch]
            if self._small.takes(texts):
                cut = self._small.cut(texts, split=False)
                pairs = zip(texts, cut, strict=True)
                return self._small_trees(
                    [(text, found[0] if found else ()) for text, found in pairs]
                )
        with self._telling(), one_thread():
            if batch and not isinstance(batch[0], str):
                return [tree_of(s) for s in self._by_word.process([*map(list, batch)]).sentences]
            return self._parse_lines([str(text) for text in batch])

    def close(self) -> None:
        """End the worker processes, if there are any; the next large amount starts new ones."""
        if self._workers is not None:
            self._workers.close()
            self._workers = None

    def _parsed(self, sentences: Batch, sizes: Sequence[int]) -> dict[int, Tree]:
        """Return the trees of the sentences that have some words and not too many."""
        order = sorted(
            (i for i, size in enumerate(sizes) if 0 < size <= LONGEST),
            key=lambda i: (sizes[i], sentences[i]),
        )
        places = _batches(order, sizes)
        batches: list[Batch] = [[sentences[i] for i in place] for place in places]
        found: dict[int, Tree] = {}
        try:
            for place, trees in zip(places, self._trees(batches, len(order)), strict=True):
                found.update(zip(place, trees, strict=True))
        except BaseException:
            self.close()
            raise
        return found

    def _trees(self, batches: Sequence[Batch], amount: int) -> Iterable[list[Tree]]:
        if self._workers is None and (self.jobs == 1 or amount <= FEW):
            return map(self.parse_batch, batches)
        if self._workers is None:
            self._check_models()  # a missing model is told before any process starts
            self._workers = Workers({"models": str(self.directory)}, self.jobs)
        return self._workers.map(batches)

    def _parse_lines(self, texts: list[str]) -> list[Tree]:
        document = self._by_line.process("\n\n".join(texts), "tokenize")
        sizes = [len(sentence.words) for sentence in document.sentences]
        if len(sizes) != len(texts):
            # The rare line that Stanza takes for several sentences, or for none.
            return [flat_tree(texts[0])] if len(texts) == 1 else self._one_by_one(texts)
        if max(sizes) > LONGEST:
            # One word for us, hundreds for Stanza: "a,b,c,…"
            long = {text for text, size in zip(texts, sizes, strict=True) if size > LONGEST}
            rest = [text for text in texts if text not in long]
            short = iter(self._parse_lines(rest) if rest else ())
            return [flat_tree(text) if text in long else next(short) for text in texts]
        return [
            tree_of(sentence) for sentence in self._by_line.process(document, FURTHER).sentences
        ]

    def _small_trees(self, cut: Sequence[tuple[str, Sequence[Word]]]) -> list[Tree]:
        """The trees of sentences cut into words; without structure where these are none or too many."""
        assert self._small is not None
        right = [0 < len(words) <= LONGEST for _, words in cut]
        chosen = [pair for pair, good in zip(cut, right, strict=True) if good]
        trees = iter(
            self._small.trees([text for text, _ in chosen], [words for _, words in chosen])
        )
        return [
            next(trees) if good else flat_tree(text)
            for (text, _), good in zip(cut, right, strict=True)
        ]

    @cached_property
    def _small(self) -> SmallModels | None:
        """The models where they are of the kind that needs no Stanza."""
        _stanza_version()
        from babi_cascade.pipeline.parse.small import load

        return load(self.directory) if self.numpy else None

    def _one_by_one(self, texts: list[str]) -> list[Tree]:
        return [tree for text in texts for tree in self._parse_lines([text])]

    @cached_property
    def _by_line(self) -> Any:
        return self._pipeline(tokenize_no_ssplit=True)

    @cached_property
    def _by_text(self) -> Any:
        return self._pipeline()

    @cached_property
    def _by_word(self) -> Any:
        return self._pipeline(tokenize_pretokenized=True)

    def _pipeline(self, **settings: Any) -> Any:
        self._check_models()  # what is missing or no model is told before anything is loaded
        _stanza_version()
        # A model may name a transformer; without this, one that is not here would be fetched.
        os.environ.setdefault("HF_HUB_OFFLINE", "1")
        import stanza

        from babi_cascade.pipeline.parse.decoder import use_decoder

        with self._telling():
            pipeline = stanza.Pipeline(
                "en", dir=str(self.directory), processors=PROCESSORS, download_method=None,
                use_gpu=False, logging_level="CRITICAL", **settings,
            )  # fmt: skip
            use_decoder(pipeline)
        return pipeline

    @contextmanager
    def _telling(self) -> Iterator[None]:
        """Turn what Stanza and torch raise into one line: models from elsewhere may hold anything."""
        try:
            yield
        except ParserError:
            raise
        except Exception as error:
            reason = " ".join(f"{type(error).__name__}: {error}".split())[:200]
            raise ParserError(
                f"{self.directory}: Stanza cannot work with these models: {reason}"
            ) from error

    def _check_models(self) -> None:
        """See that there is nothing but weights in what Stanza will load."""
        further = [
            path
            for name in ("pretrain", "forward_charlm", "backward_charlm")
            for path in sorted((self.directory / "en" / name).rglob("*.pt"))
        ]
        for path in (*self._model_files(), *further):
            check_model_file(path)

    def _model_files(self) -> list[Path]:
        files = sorted(
            path
            for processor in (*PROCESSORS.split(","), "mwt")
            for path in (self.directory / "en" / processor).rglob("*.pt")
            if path.is_file()
        )
        if not files:
            how = "python -c \"import stanza; stanza.download('en')\""
            hint = f"; get them with {how}" if self.models == "default" else ""
            raise ParserError(f"{self.directory}: found no Stanza models there{hint}")
        return files


def _batches(order: Sequence[int], sizes: Sequence[int]) -> list[list[int]]:
    """Cut sentences in the order of their length into batches, smaller ones of long sentences."""
    batches: list[list[int]] = []
    for i in order:
        room = min(BATCH, TABLE // sizes[i] ** 2)
        if not batches or len(batches[-1]) >= room:
            batches.append([])
        batches[-1].append(i)
    return batches


def available_cores() -> int:
    """Return how many cores this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


@contextmanager
def one_thread() -> Iterator[None]:
    """Let torch use one thread: the order of its sums, and so every last digit, is then always the same."""
    _stanza_version()
    import torch

    before = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(before)


def paragraphs(text: str) -> Iterator[str]:
    """Yield the parts of a text between blank lines, cut where one is too long to be parsed at once."""
    for part in text.split("\n\n"):
        words = part.split()
        for start in range(0, len(words), 5000):
            yield " ".join(words[start : start + 5000])


def _stanza_version() -> str:
    try:
        return metadata.version("stanza")
    except metadata.PackageNotFoundError:
        raise ParserError(
            "Stanza is not installed; get it with: pip install -c constraints.txt 'babi-cascade[nlp]'"
        ) from None


def _official_directory() -> Path:
    """Return where Stanza keeps the models it downloads, without importing it."""
    return Path(os.environ.get("STANZA_RESOURCES_DIR", Path.home() / "stanza_resources"))


def _checksum(path: Path) -> bytes:
    """Return the SHA-256 of a file, which need not fit into memory for that."""
    digest = hashlib.sha256()
    with path.open("rb") as stream:
        while portion := stream.read(1 << 20):
            digest.update(portion)
    return digest.digest()
