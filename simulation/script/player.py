"""Plays a script: command after command, into lines that can be printed."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from babi_cascade.simulation.actions import Refused
from babi_cascade.simulation.dice import Dice
from babi_cascade.simulation.events import Event
from babi_cascade.simulation.lexicon import Lexicon, load_lexicon
from babi_cascade.simulation.script.commands import (
    Command,
    LongNames,
    NotUnderstoodError,
    Turns,
    action_of,
    clipped,
    commands_of,
    words_of,
)
from babi_cascade.simulation.script.questions import answer_to, tidied
from babi_cascade.simulation.script.story import Story
from babi_cascade.simulation.script.wording import OBSERVED, Wording
from babi_cascade.simulation.script.worldfile import read_world

Kind = Literal["statement", "question", "refused", "observation"]


@dataclass(frozen=True, slots=True)
class Line:
    """What came of a command.

    ``number`` counts the lines of the story from 1; a refused command has none. ``text`` is the
    sentence, the question, or why the command was refused and where it stands; ``answer`` belongs
    to a question. ``command`` is the command as written, ``line`` the script's line it is in.
    """

    number: int | None
    kind: Kind
    text: str
    answer: str | None
    command: str
    line: int


def play(
    text: str,
    *,
    world_file: Path | None = None,
    seed: int = 0,
    lexicon: Lexicon | None = None,
    source: str = "script",
) -> Iterator[Line]:
    """Play a script and yield its lines; equal scripts, worlds and seeds give equal lines.

    ``source`` is what messages call the script. Only a bad world file or a lexicon without the
    needed wording raises ``SimulationError``, at once; a bad command becomes a refused line.
    """
    player = Player(world_file=world_file, seed=seed, lexicon=lexicon, source=source)
    return (line for command in commands_of(text) for line in player.lines(command))


class Player:
    """Carries out commands one at a time; ``story`` is the world they are carried out in."""

    def __init__(
        self,
        *,
        world_file: Path | None = None,
        seed: int = 0,
        lexicon: Lexicon | None = None,
        source: str = "script",
    ) -> None:
        words = load_lexicon("en") if lexicon is None else lexicon
        described = None if world_file is None else read_world(world_file)
        spelled = described.spelled if described else {}
        self.source = source
        self.story = Story(described, words, Dice(seed, "script", "world"))
        self.wording = Wording(words, spelled, self.story.kind_of, Dice(seed, "script", "words"))
        self._long_names = LongNames(spelled)
        self._number = 0

    def lines(self, command: Command) -> Iterator[Line]:
        """Yield what comes of one command: one line, or one for each turn of ``act``."""
        try:
            words = words_of(command.text, self._long_names)
            if command.is_question:
                answer = answer_to(words, self.story, self.wording)
                question = tidied(words, self.story, self.wording)
                yield self._line(command, "question", question, answer)
                return
            action = action_of(words)
            if isinstance(action, Turns):
                for _ in range(action.turns):
                    yield self._told(command, self.story.turn(action.actor))
            else:
                yield self._told(command, self.story.do(action))
        except (NotUnderstoodError, Refused) as error:
            place = f"{self.source}: line {command.line}, command {command.position}"
            reason = f"{place}: {clipped(command.text)!r}: {error}"
            yield Line(None, "refused", reason, None, command.text, command.line)

    def _told(self, command: Command, event: Event) -> Line:
        if event.predicate in OBSERVED:
            text = self.wording.observe(event, self.story.world)
            return self._line(command, "observation", text, None)
        return self._line(command, "statement", self.wording.tell(event), None)

    def _line(self, command: Command, kind: Kind, text: str, answer: str | None) -> Line:
        self._number += 1
        return Line(self._number, kind, text, answer, command.text, command.line)
