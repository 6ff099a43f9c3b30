"""Roles that the user brings: CoNLL-U files with one column a predicate."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from functools import cached_property
from pathlib import Path

from babi_cascade.pipeline.frames.extract import RULES, extract_frames
from babi_cascade.pipeline.frames.model import Argument, Frame
from babi_cascade.pipeline.frames.phrases import arguments, case_of
from babi_cascade.pipeline.frames.words import lemma_of
from babi_cascade.pipeline.srl.backend import MissingRequirement
from babi_cascade.pipeline.trees import ConlluSentence, Tree, read_conllu

CORE = {"nsubj": "nsubj", "nsubj:pass": "obj", "obj": "obj", "iobj": "obl:to"}


class Conllu:
    """Looks sentences up in annotated files by their words; the files' own trees are used."""

    name = "conllu"
    requires = "annotated files (CoNLL-U with role columns)"
    version = RULES

    def __init__(self, *paths: Path | str, files: Sequence[Path | str] = ()) -> None:
        self.paths = [Path(p) for p in (*paths, *files)]

    @cached_property
    def fingerprint(self) -> str:
        """The contents of the files."""
        digest = hashlib.sha256(RULES.encode())
        for path in self.paths:
            digest.update(path.read_bytes())
        return f"conllu-{digest.hexdigest()[:12]}"

    def check(self) -> None:
        """Say which file is missing."""
        for path in self.paths or [Path("annotations.conllu")]:
            if not path.is_file():
                command = f"babi-cascade annotate STORIES > {path}, or bring your own annotations"
                raise MissingRequirement(self.name, f"the file {path}", command)

    @cached_property
    def sentences(self) -> dict[tuple[str, ...], ConlluSentence]:
        """The annotated sentences by their words."""
        return {tuple(t.form for t in s.tree): s for path in self.paths for s in read_conllu(path)}

    def label(self, sentences: Sequence[Tree | str]) -> list[list[Frame]]:
        """Return the frames of sentences; one that is not in the files is an error that names it."""
        by_text = {"".join(words): s for words, s in self.sentences.items()}
        found: list[list[Frame]] = []
        for sentence in sentences:
            words = [t.form for t in sentence] if isinstance(sentence, Tree) else sentence.split()
            annotated = by_text.get("".join(words))
            if annotated is None:
                text = " ".join(words)
                files = ", ".join(str(p) for p in self.paths)
                raise ValueError(f"{files}: found no annotation of the sentence {text[:80]!r}")
            found.append(annotated_frames(annotated))
        return found


def annotated_frames(sentence: ConlluSentence) -> list[Frame]:
    """Return the frames of the grammar with the file's roles, and those only the file has.

    A predicate that the grammar does not see (a noun such as "gift") gets the arguments of its column.
    """
    tree = sentence.tree
    frames = extract_frames(tree, sentence.roles)
    seen = {f.token for f in frames}
    for predicate, roles in sentence.roles.items():
        if predicate not in seen and roles:
            found: list[Argument] = []
            for head, role in roles.items():
                token = tree[head]
                case = case_of(tree, token)
                relation = (
                    f"{token.relation}:{case}" if case else CORE.get(token.deprel, token.relation)
                )
                found += arguments(tree, token, relation, role, frozenset({predicate}))
            frames.append(Frame(lemma_of(tree[predicate]), predicate, tuple(found)))
    return sorted(frames, key=lambda f: f.token)
