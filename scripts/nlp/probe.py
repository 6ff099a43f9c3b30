"""How well the models read simulated stories: every argument of a sentence right, or it is wrong.

A measure only: nothing of the stories goes into training. The ``*.truth.jsonl`` files of
``babi-cascade generate`` say what every sentence means; a sample of the different sentences of every
construction is parsed, and heads, relations and prepositions are compared with the truth::

    python -m scripts.nlp.probe MODELS STORIES
"""

from __future__ import annotations

import argparse
import json
import random
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from scripts.nlp.corpora import Tree

DIRECTIONS = {"north", "south", "east", "west"}
VERBAL = {"go", "get", "drop", "give", "carry", "receive", "fit"}


@dataclass(frozen=True, slots=True)
class Case:
    """A sentence with its truth record."""

    construction: str
    text: str
    truth: dict[str, Any]


def read_cases(stories: Path, sample: int, seed: int = 0) -> list[Case]:
    """Up to ``sample`` different sentences of every construction."""
    found: dict[str, dict[str, Case]] = defaultdict(dict)
    for path in sorted(stories.glob("*.truth.jsonl")):
        for line in path.read_text(encoding="utf-8").splitlines():
            for truth in json.loads(line)["lines"]:
                case = Case(_construction(truth), truth["text"].strip(), truth)
                found[case.construction].setdefault(case.text, case)
    rng = random.Random(seed)
    cases = []
    for name in sorted(found):
        every = sorted(found[name].values(), key=lambda case: case.text)
        cases += rng.sample(every, min(sample, len(every)))
    return cases


def errors(tree: Tree, truth: dict[str, Any]) -> list[str]:
    """What is wrong with a tree, as readable remarks; empty if every argument is right."""
    return _Check(tree, truth).run()


def _construction(truth: dict[str, Any]) -> str:
    if truth.get("question"):
        return f"{truth['predicate']}?{truth['kind']}"
    parts = [str(truth["predicate"])]
    parts += [key for key in ("there", "when", "alternatives") if key in truth]
    first = truth["text"].split()[0].lower()
    if truth["negated"]:
        parts.append("negated" if " not " in truth["text"] else "no longer")
    if len(truth.get("who", [])) > 1:
        parts.append("several")
    if first in {"after", "afterwards", "following", "then"}:
        parts.append("fronted")
    return " ".join(parts)


class _Check:
    def __init__(self, tree: Tree, truth: dict[str, Any]) -> None:
        self.tree, self.truth = tree, truth
        self.bad: list[str] = []
        self.starts: dict[int, int] = {}
        place = 0
        for number, token in enumerate(tree.tokens, 1):
            place = truth["text"].find(token.form, place)
            self.starts[place] = number
            place += len(token.form)
        self.root = next(n for n, t in enumerate(tree.tokens, 1) if t.head == 0)

    def run(self) -> list[str]:
        predicate = self.truth["predicate"]
        if predicate in VERBAL:
            self._verbal(predicate)
        else:
            self._copular(predicate)
        if self.truth["negated"]:
            word = "not" if " not " in self.truth["text"] else "longer"
            self._expect(word, self._find(word), {"advmod"})
        return self.bad

    # -- what is expected ------------------------------------------------------------------------

    def _verbal(self, predicate: str) -> None:
        truth, asks = self.truth, self.truth.get("asks")
        subject = "what" if predicate == "fit" else "who"
        if truth.get("kind") == "which_way":
            self._expect("you", self._find("you"), {"nsubj"})
            self._expect("what", self._mention("what"), {"obl"}, {"from"})
            self._expect("other", self._mention("other"), {"obl"}, {"to"})
            return
        self._subject(subject)
        if predicate != "fit" and "what" in truth:
            self._expect("what", self._mention("what"), {"obj"})
        if "to" in truth:
            self._expect("to", self._mention("to"), {"obl", "iobj"}, {"to", ""})
        if "where" in truth:
            self._expect("where", self._mention("where"), {"obl"}, {"to"})
        if predicate == "fit":
            self._expect("other", self._mention("other"), {"obl"}, {"in", "inside"})
        if "there" in truth and "there" in truth["text"].split(".")[0].split():
            self._expect("there", self._find("there"), {"advmod"})
        first = self._word(1)
        if asks == "who":
            self._expect("asked", 1, {"nsubj"})
        elif asks == "to":
            self._expect("asked", 1, {"obl"}, {"to"})
        elif asks in {"what", "count"}:
            self._expect("asked", 1 if first == "what" else 3, {"obj"})
        elif asks in {"where", "why", "way"}:
            self._expect("asked", 1, {"advmod"})

    def _copular(self, predicate: str) -> None:
        truth, asks = self.truth, self.truth.get("asks")
        self._subject("who" if "who" in truth else "what")
        if predicate in {*DIRECTIONS, "left", "right"}:
            self._is_root("relation", self._find(predicate))
            place = 1 if asks == "other" else self._mention("other")
            self._expect("other", place, {"obl", "nmod"}, {"of"})
            if asks == "what":
                self._expect("asked", 1, {"nsubj"})
        elif predicate in {"above", "below"}:
            self._is_root("other", self._mention("other"), {predicate})
        elif predicate == "bigger":
            self._is_root("relation", self._find("bigger"))
            self._expect("other", self._mention("other"), {"obl", "nmod", "advcl"}, {"than"})
        elif predicate == "fear":
            self._is_root("relation", self._find("afraid"))
            place = 1 if asks == "other" else self._mention("other")
            self._expect("other", place, {"obl"}, {"of"})
        elif asks == "where":
            self._is_root("asked", 1)
            if "where" in truth:
                self._expect("where", self._mention("where"), {"obl", "nmod"}, {"before"})
        elif truth.get("kind") == "which_colour":
            self._is_root("asked", 2)
        elif predicate == "be_in" and "alternatives" in truth:
            one, other = truth["alternatives"]
            first, second = self._entity(one), self._entity(other, last=True)
            self._is_root("where", first, {"in"})
            self._expect("or", second, {"conj"})
        elif predicate == "be_in":
            self._is_root("where", self._mention("where"), {"in"})
        else:
            self._is_root("other", self._mention("other"))

    # -- how it is found -------------------------------------------------------------------------

    def _subject(self, key: str) -> None:
        if key not in self.truth:
            return
        names = self.truth[key] if isinstance(self.truth[key], list) else [self.truth[key]]
        places = [self._entity(name) for name in names]
        self._expect("subject", places[0], {"nsubj"})
        for other in places[1:]:
            if other != places[0]:
                self._expect("second subject", other, {"conj"}, head=places[0])

    def _mention(self, key: str) -> int:
        return self._entity(self.truth[key])

    def _entity(self, name: str, last: bool = False) -> int:
        """The head word of the first (or last) mention of an entity; 0 if there is none."""
        mentions = self.truth["mentions"]
        for mention in reversed(mentions) if last else mentions:
            if name in mention["entities"]:
                first = self.starts.get(mention["start"], 0)
                words = mention["text"].split()
                size = words.index("of") if "of" in words else len(words)
                return first + size - 1 if first else 0
        return self._find(name)

    def _find(self, form: str) -> int:
        for number, token in enumerate(self.tree.tokens, 1):
            if token.form.lower() == form or token.lemma.lower() == form:
                return number
        return 0

    def _word(self, number: int) -> str:
        return self.tree.tokens[number - 1].form.lower()

    def _cases(self, number: int) -> set[str]:
        return {t.form.lower() for t in self.tree.tokens if t.head == number and t.deprel == "case"}

    def _expect(
        self,
        what: str,
        number: int,
        relations: set[str],
        cases: set[str] | None = None,
        head: int = 0,
    ) -> None:
        token = self.tree.tokens[number - 1] if number else None
        if token is None:
            self.bad.append(f"{what}: no such word")
            return
        relation, above = token.deprel.split(":")[0], head or self.root
        # "went back to": the phrase may hang on the adverb, as in the treebanks
        adverb = token.head and self.tree.tokens[token.head - 1]
        through = adverb and adverb.deprel == "advmod" and adverb.head == above
        if relation not in relations or (token.head != above and not through):
            self.bad.append(f"{what} {token.form}: {token.deprel} of {self._name(token.head)}")
        elif cases is not None and not ((self._cases(number) or {""}) & cases):
            self.bad.append(f"{what} {token.form}: case {sorted(self._cases(number))}")

    def _is_root(self, what: str, number: int, cases: set[str] | None = None) -> None:
        if number != self.root:
            self.bad.append(f"{what}: root is {self._name(self.root)}")
        elif cases and not self._cases(number) & cases:
            self.bad.append(f"{what}: case {sorted(self._cases(number))}")

    def _name(self, number: int) -> str:
        return self.tree.tokens[number - 1].form if number else "ROOT"


def report(cases: Sequence[Case], trees: Sequence[Tree], examples: int = 2) -> str:
    """A table: construction, sentences, percent right, a few errors."""
    rows: dict[str, list[tuple[Case, list[str], Tree]]] = defaultdict(list)
    for case, tree in zip(cases, trees, strict=True):
        rows[case.construction].append((case, errors(tree, case.truth), tree))
    out, right = [], 0
    for name, found in rows.items():
        good = sum(not bad for _, bad, _ in found)
        right += good
        out.append(f"{name:38s} {good:4d}/{len(found):<4d} {100 * good / len(found):5.1f} %")
        wrong = [(case, bad) for case, bad, _ in found if bad]
        out += [f"      {case.text}  -- {'; '.join(bad)}" for case, bad in wrong[:examples]]
    mean = sum(sum(not b for _, b, _ in f) / len(f) for f in rows.values()) / len(rows)
    total = f"all {right}/{len(cases)} = {100 * right / len(cases):.2f} %"
    out.append(f"{total}; mean of constructions {100 * mean:.2f} %")
    return "\n".join(out)


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("models", type=Path, help="directory that holds en/ and resources.json")
    parser.add_argument("stories", type=Path, help="directory of *.truth.jsonl files")
    parser.add_argument("--sample", type=int, default=60, help="sentences a construction")
    args = parser.parse_args()
    from scripts.nlp.evaluate import annotate, pipeline

    cases = read_cases(args.stories, args.sample)
    trees = annotate(pipeline(args.models), [case.text for case in cases])
    print(report(cases, trees))


if __name__ == "__main__":
    main()
