"""The form of a sentence: its words with names, rooms, things and the like masked."""

from __future__ import annotations

import re

from babi_cascade.pipeline.stories import tokenize
from babi_cascade.simulation.check.reading import Comprehension
from babi_cascade.simulation.events import Event
from babi_cascade.simulation.lexicon import Lexicon

MASKS = {
    "people": "PERSON",
    "rooms": "ROOM",
    "things": "THING",
    "animals": "ANIMAL",
    "species": "SPECIES",
    "colours": "COLOUR",
    "shapes": "SHAPE",
    "boxes": "BOX",
    "states": "STATE",
    "times": "TIME",
}
"""What stands for an entity of each kind. The answers that name nothing ("yes") are not masked."""


class FormReader:
    """Gives the forms and the meaning of the sentences of one task, and remembers both.

    The same few sentences come again and again, so that looking them up is most of the work.
    """

    def __init__(self, lexicon: Lexicon) -> None:
        self.lexicon = lexicon
        self._comprehension = Comprehension(lexicon)
        self._masks = mask_of_words(lexicon)
        # The longest first: "box of chocolates" must not be taken for a box.
        longest_first = sorted(self._masks, key=lambda word: (-len(word), word))
        words = "|".join(map(re.escape, longest_first)) or r"(?!)"
        self._words = re.compile(rf"(?<!\w)(?:{words})(?!\w)", re.IGNORECASE)
        self._forms: dict[str, str] = {}
        self._tokens: dict[str, frozenset[str]] = {}

    def form(self, text: str) -> str:
        """Return a sentence with the entities of the lexicon masked."""
        form = self._forms.get(text)
        if form is None:
            form = self._forms[text] = self._words.sub(self._masked, text)
        return form

    def statement(self, text: str) -> Event | None:
        """Return what a statement says, or None when the grammar cannot read it."""
        understood = self._comprehension.statement(text)
        return understood.event if understood is not None else None

    def words(self, text: str) -> frozenset[str]:
        """Return the different words of a sentence."""
        words = self._tokens.get(text)
        if words is None:
            words = self._tokens[text] = frozenset(tokenize(text))
        return words

    def kind(self, entity: str) -> str:
        """Return the kind of an entity."""
        return self.lexicon.entities[entity].kind

    def _masked(self, found: re.Match[str]) -> str:
        word = found.group()
        mask, spelled = self._masks[word.lower()]
        if word[0].isupper() == spelled[0].isupper():
            return mask
        if word[0].islower():
            return mask.lower()  # a name without its capital
        return mask if found.start() == 0 else mask.capitalize()


def mask_of_words(lexicon: Lexicon) -> dict[str, tuple[str, str]]:
    """Map every word of an entity, in lower case, to its mask and to how the lexicon spells it.

    Where two entities or forms share a word, the first one of the lexicon has it.
    """
    masks: dict[str, tuple[str, str]] = {}
    for entity in lexicon.entities.values():
        if entity.kind not in MASKS:
            continue
        for form, spellings in entity.forms.items():
            if form not in lexicon.verb_forms:
                for word in spellings:
                    masks.setdefault(word.lower(), (mask_of(entity.kind, form), word))
    return masks


def mask_of(kind: str, form: str) -> str:
    """Return what stands for a form of an entity: ANIMAL, its plural ANIMALS, ROOM-oblique."""
    if form == "word":
        return MASKS[kind]
    return f"{MASKS[kind]}S" if form == "plural" else f"{MASKS[kind]}-{form}"
