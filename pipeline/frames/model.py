"""Frames: who did what to whom, where and when, as one sentence says it.

JSON form of a frame (fields that are empty, false or unknown are left out)::

    {"predicate": "give", "token": 2,
     "arguments": [{"role": "ARG0", "relation": "nsubj", "phrase": "kim", "head": "kim",
                    "head_id": 1, "span": [1], "text": "Kim"}, …],
     "negated": true, "time": "yesterday",
     "question": "wh" | "yes/no",
     "asks": {"word": "what", "relation": "obj", "role": "ARG1", "phrase": "color", "token": 1},
     "unplaced": [["ARGM-NEG", "not"], …]}
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

WH, YES_NO = "wh", "yes/no"
RELATIVE = ("that", "which", "who", "whom", "where", "when")


@dataclass(frozen=True, slots=True)
class Argument:
    """One participant of a frame; each conjunct of "Kim and Pat" is one.

    ``relation`` is the *logical* dependency relation with its preposition: the subject of a passive is
    an ``obj``, its by-agent a ``nsubj``, and a receiver is ``obl:to`` in "gave her soup" as in "gave soup
    to her". What a copula says of its subject is ``attr``. ``phrase`` is the whole noun phrase in
    lower-case lemmas without determiners ("cup of bean"), ``head`` the lemma of its head word,
    ``span`` the ids of its words and ``text`` what stands in the sentence. ``role`` is what the labeller said
    of it, empty if it said nothing; conjuncts have that of their phrase.
    """

    role: str
    relation: str
    phrase: str
    head: str
    head_id: int
    span: tuple[int, ...] = ()
    text: str = ""
    conjoined: bool = False
    alternative: bool = False

    @property
    def function(self) -> str:
        """The relation without its preposition: ``obl:to`` is an ``obl``."""
        return self.relation.partition(":")[0]

    @property
    def preposition(self) -> str:
        """The preposition of the relation, empty if it has none."""
        return self.relation.partition(":")[2]

    def to_json(self) -> dict[str, Any]:
        """Return the JSON form."""
        record: dict[str, Any] = {
            "role": self.role,
            "relation": self.relation,
            "phrase": self.phrase,
            "head": self.head,
            "head_id": self.head_id,
            "span": list(self.span),
            "text": self.text,
        }
        return record | {k: True for k in ("conjoined", "alternative") if getattr(self, k)}

    @classmethod
    def from_json(cls, record: Mapping[str, Any]) -> Argument:
        """Return the argument whose JSON form this is."""
        return cls(**{**record, "span": tuple(record.get("span", ()))})


@dataclass(frozen=True, slots=True)
class Asked:
    """What a wh-question asks for: the wh-words, and the relation and role that the answer would have.

    ``phrase`` is what the wh-word determines ("color" in "What color is …?"), else empty.
    """

    word: str
    relation: str
    role: str
    phrase: str = ""
    token: int = 0

    def to_json(self) -> dict[str, Any]:
        """Return the JSON form."""
        record: dict[str, Any] = {"word": self.word, "relation": self.relation, "role": self.role}
        return record | ({"phrase": self.phrase} if self.phrase else {}) | {"token": self.token}

    @classmethod
    def from_json(cls, record: Mapping[str, Any]) -> Asked:
        """Return what this is the JSON form of."""
        return cls(**record)


@dataclass(frozen=True, slots=True)
class Frame:
    """A predicate with its arguments.

    ``predicate`` is a lemma with its particle ("pick up"), or a copula with what makes it a relation
    ("be in", "be north of", "be bigger than", "be a"); ``token`` is the id of the verb or copula. What the
    labeller names that is no argument in the tree is ``unplaced``: roles with their words.
    """

    predicate: str
    token: int
    arguments: tuple[Argument, ...] = ()
    negated: bool = False
    time: str | None = None
    question: str | None = None
    asks: Asked | None = None
    unplaced: tuple[tuple[str, str], ...] = ()

    @property
    def verb(self) -> str:
        """The lemma of the verb alone: without its particle, without what a copula relates."""
        return self.predicate.partition(" ")[0]

    @property
    def full_predicate(self) -> str:
        """The predicate, with "not" before it if it is denied."""
        return f"not {self.predicate}" if self.negated else self.predicate

    @property
    def is_labelled(self) -> bool:
        """Whether a labeller gave the predicate any role."""
        roles = [argument.role for argument in self.arguments]
        return any(roles) or bool(self.unplaced) or (self.asks is not None and self.asks.role != "")

    @property
    def disagreements(self) -> tuple[str, ...]:
        """Where labeller and tree disagree, in words: arguments of one of them that the other has not.

        Only numbered roles count, and no pronoun that refers: "not", "then" and the "that" of "the kite that
        she sold" are no arguments in the tree, and rightly so.
        """
        if not self.is_labelled:
            return (f"no role of {self.predicate!r}",) if self.arguments else ()
        return (
            *(f"no role of {a.text!r} ({a.relation})" for a in self.arguments if not a.role),
            *(
                f"{role} {words!r} is no argument in the tree"
                for role, words in self.unplaced
                if not role.startswith("ARGM") and words not in RELATIVE
            ),
        )

    @property
    def alternatives(self) -> tuple[Argument, ...]:
        """The arguments that stand for one another: "either in the barn or the mill"."""
        return tuple(a for a in self.arguments if a.alternative)

    def fillers(self, relation: str) -> tuple[Argument, ...]:
        """Return the arguments with a relation; "obl" stands for every preposition."""
        return tuple(a for a in self.arguments if relation in (a.relation, a.function))

    def to_json(self) -> dict[str, Any]:
        """Return the JSON form."""
        record: dict[str, Any] = {
            "predicate": self.predicate,
            "token": self.token,
            "arguments": [a.to_json() for a in self.arguments],
        }
        if self.negated:
            record["negated"] = True
        if self.time is not None:
            record["time"] = self.time
        if self.question is not None:
            record["question"] = self.question
        if self.asks is not None:
            record["asks"] = self.asks.to_json()
        if self.unplaced:
            record["unplaced"] = [list(each) for each in self.unplaced]
        return record

    @classmethod
    def from_json(cls, record: Mapping[str, Any]) -> Frame:
        """Return the frame whose JSON form this is."""
        asks = record.get("asks")
        return cls(
            record["predicate"],
            record["token"],
            tuple(Argument.from_json(a) for a in record.get("arguments", ())),
            record.get("negated", False),
            record.get("time"),
            record.get("question"),
            Asked.from_json(asks) if asks is not None else None,
            tuple((role, words) for role, words in record.get("unplaced", ())),
        )

    def __str__(self) -> str:
        """One readable line: ``not be in(nsubj/ARG1 kim; obl:in/ARG2 barn | mill) @yesterday ?``."""
        parts: list[str] = []
        previous: Argument | None = None
        for argument in self.arguments:
            joined = argument.conjoined or argument.alternative
            if joined and previous is not None and previous.relation == argument.relation:
                parts[-1] += (" | " if argument.alternative else " & ") + argument.phrase
            else:
                parts.append(f"{_with_role(argument)} {argument.phrase}")
            previous = argument
        text = f"{'not ' if self.negated else ''}{self.predicate}({'; '.join(parts)})"
        if self.time:
            text += f" @{self.time}"
        if self.asks:
            of = f" {self.asks.phrase}" if self.asks.phrase else ""
            text += f" ?{self.asks.word}{of} = {_with_role(self.asks)}"
        elif self.question:
            text += " ?"
        return text


def _with_role(told: Argument | Asked) -> str:
    return f"{told.relation}/{told.role}" if told.role else told.relation
