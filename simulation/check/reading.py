"""Understanding sentences: the grammar's templates, used backwards.

Nothing of the world or of the task that told the story is known here: a sentence is matched against
every template of the language and gives the event that it states.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from babi_cascade.simulation.events import Event
from babi_cascade.simulation.grammar import CALLED, INTRODUCED, Grammar, Part
from babi_cascade.simulation.lexicon import Lexicon
from babi_cascade.simulation.lexicon_file import Entity

PEOPLE, ROOMS = ("people",), ("rooms",)
KINDS = {
    "who": PEOPLE,
    "who2": PEOPLE,
    "to": PEOPLE,
    "where": ROOMS,
    "where2": ROOMS,
    "when": ("times",),
}
"""Which kinds of entities may fill a role; ``what`` and ``other`` depend on the predicate."""

OBJECTS = ("things", "rooms", "shapes", "boxes", "animals")
OTHERS = {
    "be_a": ("animals", "species"), "be_coloured": ("colours",), "feel": ("states",),
    "who_of_kind": ("animals", "species"), "whether_of_kind": ("animals", "species"),
    "who_of_state": ("states",), "whether_of_state": ("states",),
}  # fmt: skip


class Understood(NamedTuple):
    """The event that a sentence states or asks; whom a pronoun refers to is open, but it agrees."""

    event: Event
    agreement: str


class Comprehension:
    """Reads the sentences and answers of one task's language."""

    def __init__(self, lexicon: Lexicon) -> None:
        self.lexicon = lexicon
        self.genders = {entity.id: entity.gender for entity in lexicon.entities.values()}
        self._grammar = Grammar(lexicon)
        self._patterns: dict[str, list[tuple[re.Pattern[str], str, str, list[Part]]]] = {}
        self._read: dict[tuple[str, str], Understood | None] = {}
        self._answers: dict[str, str] = {}
        for entity in lexicon.entities.values():
            for word in entity.forms.get("answer", entity.forms["word"]):
                self._answers.setdefault(word, entity.id)

    def statement(self, text: str) -> Understood | None:
        """Return what a statement says, or None when it cannot be read."""
        return self._understand("statements", text)

    def question(self, text: str) -> Understood | None:
        """Return what a question asks, or None when it cannot be read."""
        return self._understand("questions", text)

    def answer(self, text: str) -> tuple[str, ...] | None:
        """Return the entities that an answer names, or None when one of them is unknown."""
        names = [self._answers.get(word) for word in text.split(",")]
        return tuple(name for name in names if name is not None) if all(names) else None

    def _understand(self, table: str, text: str) -> Understood | None:
        key = (table, text)
        if key not in self._read:
            self._read[key] = self._match(table, text)
        return self._read[key]

    def _match(self, table: str, text: str) -> Understood | None:
        if table not in self._patterns:
            self._patterns[table] = list(self._compile(table))
        for pattern, name, agreement, slots in self._patterns[table]:
            found = pattern.fullmatch(text.rstrip())
            if found is None:
                continue
            words = list(zip(slots, found.groups(), strict=True))
            verbs = self.lexicon.verb_forms
            roles = {s.role: self._entity(w, s, name) for s, w in words if s.form not in verbs}
            event = assemble(name, roles)
            agreeing = [(s, w) for s, w in words if s.form in verbs]
            if self._agrees(event, agreement) and all(
                word.lower() in self.lexicon.entities[roles[slot.role]].forms[slot.form]
                for slot, word in agreeing
            ):
                return Understood(event, agreement)
        return None

    def _agrees(self, event: Event, agreement: str) -> bool:
        if not agreement or not event.who:
            return True
        if len(event.who) > 1:
            return agreement == "pl"
        return self.lexicon.entities[event.who[0]].gender == agreement

    def _compile(self, table: str) -> list[tuple[re.Pattern[str], str, str, list[Part]]]:
        patterns = []
        for name, choices in getattr(self.lexicon, table).items():
            agreements = ("f", "m", "pl") if self._depends_on_agreement(choices) else ("",)
            for agreement in agreements:
                if choices.keys() - {""} and agreement not in choices:
                    continue
                for template in self._grammar.templates(table, name, agreement):
                    slots: list[Part] = []
                    regex = ""
                    for part in template:
                        if not part.role:
                            regex += re.escape(part.text)
                            continue
                        words = sorted(self._words(part, name), key=len, reverse=True)
                        regex += "(" + "|".join(map(re.escape, words)) + ")"
                        slots.append(part)
                    flags = re.IGNORECASE if self.lexicon.capitals else 0
                    patterns.append(
                        (re.compile(regex.rstrip("\\ "), flags), name, agreement, slots)
                    )
        return patterns

    def _depends_on_agreement(self, choices: dict[str, tuple[str, ...]]) -> bool:
        groups = self.lexicon.groups
        return bool(choices.keys() - {""}) or any(
            groups[group].keys() - {""}
            for phrases in choices.values()
            for phrase in phrases
            for group in re.findall(r"\{(\w+)\}", phrase)
            if group in groups
        )

    def _allowed(self, slot: Part, name: str) -> tuple[str, ...]:
        if slot.role == "what":
            return OBJECTS
        if slot.role == "other":
            return OTHERS.get(name, OBJECTS)
        return KINDS[slot.role]

    def _words(self, slot: Part, name: str) -> set[str]:
        allowed = self._allowed(slot, name)
        return {
            word
            for entity in self.lexicon.entities.values()
            if entity.kind in allowed
            for word in self._spellings(entity, slot)
        }

    def _spellings(self, entity: Entity, slot: Part) -> tuple[str, ...]:
        """Return every way to spell an entity there, descriptions of people among them."""
        spelled = self.lexicon.spellings(entity, slot.form) or entity.forms["word"]
        is_name = slot.role in CALLED and slot.form not in self.lexicon.verb_forms
        if not is_name:
            return spelled
        introduced = (
            f"{word}{INTRODUCED}{description}{closing}"
            for word in spelled
            for description in entity.descriptions
            for closing in (",", "")
        )
        return (*spelled, *entity.descriptions, *introduced)

    def _entity(self, word: str, slot: Part, name: str) -> str:
        word = word.lower()
        for entity in self.lexicon.entities.values():
            if entity.kind in self._allowed(slot, name) and word in (
                form.lower() for form in self._spellings(entity, slot)
            ):
                return entity.id
        raise AssertionError(f"{word!r} was matched but is nobody's word")


def assemble(name: str, roles: dict[str, str]) -> Event:
    """Build the event of a form from the entities that fill its roles."""
    predicate = re.sub(r"_(pronoun|when|together|there|at|either|negated)$", "", name)
    either = name.endswith("_either")
    return Event(
        predicate,
        who=tuple(roles[role] for role in ("who", "who2") if role in roles),
        what=roles.get("what"),
        where=None if either else roles.get("where"),
        to=roles.get("to"),
        other=roles.get("other"),
        when=roles.get("when"),
        negated=name.endswith("_negated"),
        alternatives=(roles["where"], roles["where2"]) if either else (),
        pronoun=name.endswith("_pronoun"),
    )
