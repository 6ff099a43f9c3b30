"""From events to sentences: templates, agreement, synonyms, and where each entity is mentioned.

Wording has dice of its own, so that the same seed tells the same story in every language and with or
without synonyms.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import NamedTuple

from babi_cascade.simulation.dice import Dice
from babi_cascade.simulation.errors import SimulationError
from babi_cascade.simulation.events import Event
from babi_cascade.simulation.lexicon import Lexicon
from babi_cascade.simulation.lexicon_file import Phrases

MAY_BE_MISSING = ("answer", "oblique", "alias", "feminine")
"""Forms that are the plain word for many entities; any other form must be given where it is used."""

INTRODUCED = ", "
"""How a description begins that is added to a name: "John, the old man,"."""

CALLED = ("who", "who2", "to")
"""Roles of people, who may be called by a description."""

SLOT = re.compile(r"\{(\w+)(?::(\w+))?\}")
ROLES: dict[str, Callable[[Event], str | None]] = {
    "who": lambda e: e.who[0] if e.who else None,
    "who2": lambda e: e.who[1] if len(e.who) > 1 else None,
    "what": lambda e: e.what,
    "where": lambda e: e.alternatives[0] if e.alternatives else e.where,
    "where2": lambda e: e.alternatives[1] if len(e.alternatives) > 1 else None,
    "to": lambda e: e.to,
    "other": lambda e: e.other,
    "when": lambda e: e.when,
}


NOBODY: Mapping[str, str] = MappingProxyType({})


class Mention(NamedTuple):
    """Where in the sentence which entities are mentioned (a plural pronoun mentions several)."""

    start: int
    end: int
    entities: tuple[str, ...]


class Utterance(NamedTuple):
    """A sentence and its mentions."""

    text: str
    mentions: tuple[Mention, ...]


class Part(NamedTuple):
    """A piece of a template: literal text, a role to fill, or a phrase that stands for people or a room."""

    text: str = ""
    role: str = ""
    form: str = ""
    points_to: str = ""  # "who" for a pronoun, "there" for the word "there"


Template = tuple[Part, ...]
"""A sentence with gaps."""


def form_of(event: Event) -> str:
    """Return the name of the statement form in which an event is told."""
    if event.pronoun:
        return f"{event.predicate}_pronoun"
    if event.when is not None:
        return f"{event.predicate}_when"
    if len(event.who) > 1:
        return f"{event.predicate}_together"
    if event.there is not None:
        return f"{event.predicate}_there"
    if event.who and event.what and event.where:
        return f"{event.predicate}_at"
    if event.alternatives:
        return f"{event.predicate}_either"
    if event.negated:
        return f"{event.predicate}_negated"
    return event.predicate


class Grammar:
    """Tells events and asks questions in one language.

    Parameters
    ----------
    lexicon : Lexicon
        The words, already those of the task (``Lexicon.for_task``).
    synonyms : bool
        When False, only the first template, phrase and spelling is used.
    """

    def __init__(self, lexicon: Lexicon, *, synonyms: bool = True) -> None:
        self.lexicon = lexicon
        self.synonyms = synonyms
        self._templates: dict[tuple[str, str, str], list[Template]] = {}
        # Stories repeat themselves: what was said of an event before, by template.
        self._said: dict[Event, list[Utterance | None]] = {}

    def tell(self, event: Event, dice: Dice, called: Mapping[str, str] = NOBODY) -> Utterance:
        """Put a statement into words; ``called`` says who is told by which description.

        A description that begins with a comma is added to the name: "John, the old man,".
        """
        return self._say("statements", event, dice, called)

    def ask(self, question: Event, dice: Dice, called: Mapping[str, str] = NOBODY) -> Utterance:
        """Put a question into words (without the pad before the TAB)."""
        return self._say("questions", question, dice, called)

    def answer(self, entities: tuple[str, ...]) -> str:
        """Put an answer into words, always the same ones: several are joined by commas."""
        return ",".join(self._spellings(entity, "answer")[0] for entity in entities)

    def templates(self, table: str, name: str, agreement: str) -> list[Template]:
        """Return the templates of a form with all groups expanded, for one kind of agreement."""
        key = (table, name, agreement)
        if key not in self._templates:
            phrases: Phrases = getattr(self.lexicon, table)
            if name not in phrases:
                raise SimulationError(
                    f"the language {self.lexicon.language!r} has no wording for {table[:-1]} {name!r}"
                )
            self._templates[key] = [
                parts
                for phrase in self._agreeing(phrases[name], agreement, name)
                for parts in self._expand(phrase, agreement)
            ]
        return self._templates[key]

    def _say(self, table: str, event: Event, dice: Dice, called: Mapping[str, str]) -> Utterance:
        said = self._said.get(event)
        if said is None:
            said = self._said[event] = [None] * len(self._templates_for(table, event))
        choice = dice.below(len(said)) if len(said) > 1 else 0
        utterance = None if called else said[choice]
        if utterance is None:
            template = self._templates_for(table, event)[choice]
            utterance, fixed = self._fill(template, event, dice, called)
            if fixed and not called:
                said[choice] = utterance
        return utterance

    def _templates_for(self, table: str, event: Event) -> list[Template]:
        name = form_of(event) if table == "statements" else event.predicate
        return self.templates(table, name, self._agreement(event))

    def _fill(
        self, parts: Template, event: Event, dice: Dice, called: Mapping[str, str]
    ) -> tuple[Utterance, bool]:
        """Fill a template; also say whether the result is the same every time."""
        text, mentions, fixed = "", [], True
        for part in parts:
            closing = ""
            if part.role:
                entity = ROLES[part.role](event)
                if entity is None:
                    raise SimulationError(
                        f"{self.lexicon.source}: {form_of(event)}: nothing fills {{{part.role}}} there; "
                        "expected only roles that the shipped sentence has"
                    )
                word = self._word(entity, part.form, dice)
                fixed = fixed and len(self._spellings(entity, part.form)) == 1
                is_verb = part.form in self.lexicon.verb_forms
                entities: tuple[str, ...] = () if is_verb else (entity,)
                if part.role in CALLED and not is_verb and entity in called:
                    if called[entity].startswith(INTRODUCED):
                        mentions.append(Mention(len(text), len(text) + len(word), entities))
                        text, closing = text + word + INTRODUCED, ","
                    word = called[entity].removeprefix(INTRODUCED)
            else:
                word = part.text
                entities = event.who if part.points_to == "who" else ()
                if part.points_to == "there" and event.there is not None:
                    entities = (event.there,)
            text += word
            if entities:
                # "at school" mentions the school, not the preposition.
                names = part.role and part.form in self.lexicon.default_forms
                length = self._name_length(word, entities[0]) if names else len(word)
                mentions.append(Mention(len(text) - length, len(text), entities))
            text += closing
        if called:  # no comma before the end: "… to Mary, the tall woman."
            text = re.sub(r",(\W*)$", r"\1", text)
        if self.lexicon.capitals:
            text = text[:1].upper() + text[1:]
        return Utterance(text, tuple(mentions)), fixed

    def _agreement(self, event: Event) -> str:
        if len(event.who) > 1:
            return "pl"
        if event.who and event.who[0] in self.lexicon.entities:
            return self.lexicon.entities[event.who[0]].gender
        return ""

    def _agreeing(
        self, choices: dict[str, tuple[str, ...]], agreement: str, name: str
    ) -> tuple[str, ...]:
        found = choices.get(agreement) or choices.get("") or choices.get("m")
        if not found:
            raise SimulationError(
                f"{self.lexicon.source}: {name!r} has no phrase that agrees with {agreement!r}"
            )
        return found if self.synonyms else found[:1]

    def _expand(self, template: str, agreement: str) -> list[Template]:
        """Split a template at its slots and multiply it by the phrases of its groups."""
        expanded: list[Template] = [()]
        position = 0
        for slot in SLOT.finditer(template):
            name, form = slot.group(1), slot.group(2) or "word"
            literal = template[position : slot.start()]
            position = slot.end()
            if name in ROLES:
                choices = [Part(role=name, form=form)]
            elif name in self.lexicon.groups:
                points_to = {"pronoun": "who", "there": "there"}.get(name, "")
                phrases = self._agreeing(self.lexicon.groups[name], agreement, name)
                choices = [Part(text=phrase, points_to=points_to) for phrase in phrases]
            else:
                raise SimulationError(
                    f"{self.lexicon.source}: {{{name}}} in {template!r} is neither a role nor a group"
                )
            start = (Part(text=literal),) if literal else ()
            expanded = [(*parts, *start, choice) for parts in expanded for choice in choices]
        end = template[position:]
        return [(*parts, Part(text=end)) if end else parts for parts in expanded]

    def _spellings(self, entity: str, form: str) -> tuple[str, ...]:
        known = self.lexicon.entities.get(entity)
        if known is None:
            raise SimulationError(f"{self.lexicon.source}: no word for {entity!r}")
        found = self.lexicon.spellings(known, form)
        if not found and form in MAY_BE_MISSING:
            found = known.forms["word"]
        if not found:
            raise SimulationError(
                f"{self.lexicon.source}: {known.forms['word'][0]!r} of the {known.kind} has no form "
                f"{form!r}; write it as {{ word = …, {form} = … }}"
            )
        return found if self.synonyms else found[:1]

    def _name_length(self, spelled: str, entity: str) -> int:
        """Return how much of the end of a longer form is the word itself."""
        words = self.lexicon.entities[entity].forms["word"]
        return max((len(w) for w in words if spelled.endswith(w)), default=len(spelled))

    def _word(self, entity: str, form: str, dice: Dice) -> str:
        spellings = self._spellings(entity, form)
        return spellings[0] if len(spellings) == 1 else dice.pick(spellings)
