"""The truth behind the words: for every sentence what happened, for every mention who is meant.

Later stages (coreference, semantic roles) are measured against these records. One JSON object a story::

    {"story": 1, "lines": [
      {"line": 1, "text": "Mary went to the office.", "predicate": "go", "who": ["mary"],
       "where": "office", "negated": false,
       "mentions": [{"start": 0, "end": 4, "text": "Mary", "entities": ["mary"]}, …]},
      {"line": 2, "text": "Where is Mary?", "question": true, "kind": "where_person",
       "predicate": "be_in", "asks": "where", "who": ["mary"], …,
       "answer": ["office"], "support": [1]}]}
"""

from __future__ import annotations

import json
from typing import Any

from babi_cascade.simulation.events import Asked, Event
from babi_cascade.simulation.telling import ToldLine
from babi_cascade.simulation.world import OPPOSITE

ASKED = {
    # question kind: (predicate, the role that is asked for)
    "where_person": ("be_in", "where"),
    "where_thing": ("be_in", "where"),
    "where_person_before": ("be_in", "where"),
    "where_thing_before": ("be_in", "where"),
    "where_person_after": ("go", "where"),
    "where_at_time": ("be_in", "where"),
    "person_in_room": ("be_in", "truth"),
    "thing_in_room": ("be_in", "truth"),
    "how_many_carried": ("carry", "count"),
    "what_carried": ("carry", "what"),
    "what_given": ("give", "what"),
    "who_gave": ("give", "who"),
    "who_gave_to": ("give", "who"),
    "who_received": ("receive", "who"),
    "who_given_to": ("give", "to"),
    "who_has": ("carry", "who"),
    "has_thing": ("carry", "truth"),
    "who_get": ("get", "who"),
    "who_drop": ("drop", "who"),
    "what_got": ("get", "what"),
    "person_was_in": ("be_in", "truth"),
    "who_in_room": ("be_in", "who"),
    "what_in_room": ("be_in", "what"),
    "what_of_kind": ("be_a", "other"),
    "who_of_kind": ("be_a", "who"),
    "whether_of_kind": ("be_a", "truth"),
    "what_of_state": ("feel", "other"),
    "who_of_state": ("feel", "who"),
    "whether_of_state": ("feel", "truth"),
    "afraid_of_what": ("fear", "other"),
    "which_colour": ("be_coloured", "other"),
    "is_above": ("above", "truth"),
    "is_below": ("below", "truth"),
    "is_left": ("left", "truth"),
    "is_right": ("right", "truth"),
    "is_bigger": ("bigger", "truth"),
    "does_fit": ("fit", "truth"),
    "which_way": ("go", "way"),
    "where_will_go": ("go", "where"),
    "why_went": ("go", "why"),
    "why_got": ("get", "why"),
    **{f"what_is_{d}": (d, "what") for d in OPPOSITE},
    **{f"{d}_of_what": (d, "other") for d in ("north", "south", "east", "west")},
}


def truth_record(number: int, told: list[ToldLine], *, antecedents: bool = False) -> str:
    """Return the record of one story as a line of JSON.

    With ``antecedents``, a statement with a pronoun also says which line named those whom it means.
    """
    lines = [line_record(position, line) for position, line in enumerate(told, start=1)]
    named: dict[tuple[str, ...], int] = {}
    for line, record in zip(told, lines, strict=True):
        if isinstance(line.meaning, Asked):
            continue
        if not line.meaning.pronoun:
            named[line.meaning.who] = record["line"]
        elif antecedents:
            record["antecedent"] = named[line.meaning.who]
    return json.dumps({"story": number, "lines": lines}, ensure_ascii=False, allow_nan=False) + "\n"


def line_record(number: int, line: ToldLine) -> dict[str, Any]:
    """Return what one line means."""
    record: dict[str, Any] = {"line": number, "text": line.text}
    if isinstance(line.meaning, Asked):
        kind = line.meaning.question.predicate
        predicate, asks = ASKED[kind]
        record |= {"question": True, "kind": kind, "predicate": predicate, "asks": asks}
        record |= participants(line.meaning.question)
        record |= {"answer": list(line.meaning.answer), "support": list(line.meaning.support)}
    else:
        record |= {"predicate": line.meaning.predicate, **participants(line.meaning)}
    record["mentions"] = [
        {
            "start": m.start,
            "end": m.end,
            "text": line.text[m.start : m.end],
            "entities": list(m.entities),
        }
        for m in line.mentions
    ]
    return record


def participants(event: Event) -> dict[str, Any]:
    """Return who and what takes part; roles that are not filled are left out."""
    roles: dict[str, Any] = {}
    if event.who:
        roles["who"] = list(event.who)
    for role in ("what", "where", "to", "other", "when", "there"):
        value = getattr(event, role)
        if value is not None:
            roles[role] = value
    roles["negated"] = event.negated
    if event.alternatives:
        roles["alternatives"] = list(event.alternatives)
    return roles
