"""The words of a script: names that no lexicon knows, and what actors observe.

Actions are told by the lexicon's templates. What somebody sees, carries or examines has any number
of parts, which templates cannot express, and is put into English here.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from babi_cascade.simulation.dice import Dice
from babi_cascade.simulation.errors import SimulationError
from babi_cascade.simulation.events import Event
from babi_cascade.simulation.grammar import MAY_BE_MISSING, SLOT, Grammar
from babi_cascade.simulation.lexicon import Lexicon
from babi_cascade.simulation.lexicon_file import Entity
from babi_cascade.simulation.world import World

LEXICON_KINDS = {
    "actor": ("people",),
    "place": ("rooms",),
    "thing": ("things", "boxes"),
    "state": ("states",),
}
TOLD = ("go", "get", "get_from", "put_in", "put_on", "give", "drop", "feel", "be_state")
OBSERVED = ("see", "carry", "examine")


class Wording:
    """Tells the events of a script.

    Parameters
    ----------
    lexicon : Lexicon
        Its words are used for names that it knows in the same sense.
    spelled : mapping of str to str
        How the names of a world file are written.
    kind_of : callable
        Says what a name stands for: "actor", "place" or "thing".
    dice : Dice
        Which synonyms are used.
    """

    def __init__(
        self,
        lexicon: Lexicon,
        spelled: Mapping[str, str],
        kind_of: Callable[[str], str | None],
        dice: Dice,
    ) -> None:
        check_wording(lexicon)
        self._known = lexicon.entities
        self._spelled = spelled
        self._kind_of = kind_of
        self._dice = dice
        self._entities: dict[str, Entity] = {}
        self._grammar = Grammar(replace(lexicon, entities=self._entities))

    def word(self, name: str) -> str:
        """Return the word of a name, as an answer gives it."""
        entity = self._entity(name, self._kind_of(name) or "thing", name)
        return entity.forms.get("answer", entity.forms["word"])[0]

    def tell(self, event: Event) -> str:
        """Put what happened into words."""
        for name in (*event.who, event.what, event.where, event.to, event.other):
            kind = None if name is None else self._kind_of(name)
            if name is not None and kind is not None:
                self._entity(name, kind, name)
        if event.predicate in ("feel", "be_state") and event.other is not None:
            # A state may be called like a thing ("orange"); no name has a space in it.
            key = f"state {event.other}"
            self._entity(event.other, "state", key)
            event = event._replace(other=key)
        return self._grammar.tell(event, self._dice).text

    def observe(self, event: Event, world: World) -> str:
        """Put into words what somebody sees, carries or finds out about a thing."""
        if event.predicate == "examine" and event.what is not None:
            return self._description(event.what, world)
        seen = listed([self._with_article(name) for name in event.alternatives], "nothing")
        who = self.word(event.who[0])
        if event.where is None:
            return f"{who} is carrying {seen}."
        return f"{who} sees {seen} in the {self.word(event.where)}."

    def _description(self, name: str, world: World) -> str:
        thing = world.things[name]
        qualities = [thing.colour.replace("_", " ")] if thing.colour else []
        qualities += [state.replace("_", " ") for state in sorted(thing.states)]
        qualities += [word for word in ("edible", "drinkable") if getattr(thing, word)]
        contents = listed([self._with_article(inner) for inner in world.lying_in(name)], "")
        parts = [f"is {listed(qualities, '')}"] if qualities else []
        if contents:
            parts.append(f"has {contents} {'on' if thing.supporter else 'in'} it")
        return f"The {self.word(name)} {' and '.join(parts) or 'is nothing special'}."

    def _with_article(self, name: str) -> str:
        return self.word(name) if self._kind_of(name) == "actor" else f"the {self.word(name)}"

    def _entity(self, name: str, kind: str, key: str) -> Entity:
        if key not in self._entities:
            known = self._known.get(name)
            if known is None or known.kind not in LEXICON_KINDS[kind]:
                word = self._spelled.get(name, name) if kind != "state" else name
                word = word.replace("_", " ")
                if kind == "actor":
                    word = " ".join(part[:1].upper() + part[1:] for part in word.split())
                known = Entity(name, LEXICON_KINDS[kind][0], {"word": (word,)})
            self._entities[key] = known
        return self._entities[key]


def check_wording(lexicon: Lexicon) -> None:
    """Refuse a lexicon that cannot tell about new names: no template, or special forms."""
    grammar = Grammar(lexicon)
    for form in TOLD:
        if form not in lexicon.statements:
            raise SimulationError(
                f"{lexicon.source}: the language {lexicon.language!r} has no wording for the "
                f"statement {form!r}, which a script needs"
            )
        for agreement in ("", "f", "m"):
            grammar.templates("statements", form, agreement)  # raises when nothing agrees
        for phrases in lexicon.statements[form].values():
            for slot in (slot for phrase in phrases for slot in SLOT.finditer(phrase)):
                if slot[2] not in (None, "word", "lower", *MAY_BE_MISSING):
                    raise SimulationError(
                        f"{lexicon.source}: the statement {form!r} needs the form {slot[2]!r} of a "
                        "word, which the names of a script do not have"
                    )


def listed(words: Sequence[str], if_none: str) -> str:
    """Return "a", "a and b" or "a, b and c"."""
    if not words:
        return if_none
    return " and ".join(filter(None, (", ".join(words[:-1]), words[-1])))
