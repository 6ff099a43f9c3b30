"""Roles and matches in words that a student understands."""

from __future__ import annotations

MARK_ALTERNATIVE = "~"
"""Behind the role of a filler that is one of several: "either in the barn or the mill"."""

MANY = 4
"""So many facts or more count alike."""

PLAIN = {
    "nsubj": "subject",
    "obj": "object",
    "iobj": "receiver",
    "obl": "prepositional phrase",
    "attr": "attribute",
    "nmod": "noun phrase",
    "?": "mention without a role",
}

FUNCTIONS = {*PLAIN, "xcomp", "ccomp", "advcl", "csubj"}
"""What a shape of frames is made of."""


def role_words(role: str) -> str:
    """Return "subject" for nsubj, "“to” phrase" for obl:to; a learned role is shown as it is."""
    plain = role.removesuffix(MARK_ALTERNATIVE)
    function, _, preposition = plain.partition(":")
    if preposition:
        words = f"“{preposition}” phrase"
    else:
        words = PLAIN.get(function, f"“{plain}” place")
    return f"{words} (one of several)" if role.endswith(MARK_ALTERNATIVE) else words


def shape_words(shape: str) -> str:
    """Return the roles of a shape: "subject, object"; a learned shape is shown as it is.

    Functions of frames are single words, with blanks between them; a learned role may have a blank itself,
    and stands alone where nothing sets several apart.
    """
    parts = shape.split(" / ")
    if set(shape.split()) <= FUNCTIONS:
        parts = shape.split()
    return ", ".join(role_words(part) for part in parts if part) or "no roles"


def match_words(match: str, first: str, second: str) -> str:
    """Return what `match_text` wrote as a clause: "the question and the first fact have the same subject"."""
    if not match:
        return f"the {first} and the {second} share nothing"
    pairs = [part.split("=") for part in match.split("; ")]
    same = [role_words(a) for a, b in pairs if a == b]
    clauses = [
        f"the {role_words(a)} of the {first} is the {role_words(b)} of the {second}"
        for a, b in pairs
        if a != b
    ]
    if same:
        clauses.insert(0, f"the {first} and the {second} have the same {' and '.join(same)}")
    return " and ".join(clauses)


def facts_words(size: str) -> str:
    """Return a number of facts; the features count up to `MANY` and no further."""
    if size == "1":
        return "1 fact"
    return f"{size} facts or more" if size == str(MANY) else f"{size} facts"


def asked_words(kind: str) -> str:
    """Return a kind of question, for the end of a clause."""
    return f" (question: {kind})" if kind else ""
