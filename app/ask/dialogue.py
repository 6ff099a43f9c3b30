"""The dialogue on a terminal: sentences, questions, and commands that begin with a colon."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

from babi_cascade.app.ask.conversation import Conversation
from babi_cascade.app.ask.line_parser import (
    Item,
    LineParser,
    NewStory,
    RefusedLine,
    Statement,
    TypedQuestion,
    text_lines,
)
from babi_cascade.app.explanation_text import Line, answer_lines, story_lines, why_lines
from babi_cascade.cascade import Explanation
from babi_cascade.cascade.explanation import TOP
from babi_cascade.errors import EXPECTED, UserError, in_one_line
from babi_cascade.features.outline import outline_words
from babi_cascade.pipeline.read import ReadSentence
from babi_cascade.pipeline.stories import Question

COMMANDS = {
    ":help": "this list",
    ":story": "the story so far",
    ":explain": "why the last question was answered so; `:explain all` has every feature",
    ":frames": "how the story was read: what pronouns stand for, who did what",
    ":load": "a story: `:load qa5` simulates one of task 5, `:load FILE` reads one",
    ":undo": "take back the last sentence",
    ":new": "begin a new story",
    ":quit": "leave (or Ctrl-D)",
}

GREETING = (
    "Tell a story, one or more sentences a line; ask with a ? at the end. :help has the commands, "
    ":load qa2 tells a story for you."
)

LEAVING = ("quit", "exit", "bye", "q")
"""What people type to leave: nobody tells a story with these alone."""

ALONE = {"": ":help", "why": ":explain", **{name[1:]: name for name in COMMANDS}}
"""A line with nothing but the word of a command, or "why", is no sentence either."""

LARGEST_FILE = 4 * 2**20
_TASK = re.compile(r"qa([1-9]\d{0,3})")

Write = Callable[[Line], None]


class Dialogue:
    """Answers what is typed.

    Parameters
    ----------
    conversation : the story and the model
    write : gets lines to show
    """

    def __init__(self, conversation: Conversation, write: Write) -> None:
        self.conversation = conversation
        self._write = write
        self._parser = LineParser()
        self._last: Explanation | None = None
        self._loaded = 0

    def take(self, text: str) -> bool:
        """Take a line, or several that were pasted; False when it is time to leave."""
        for line in text.splitlines():
            try:
                alone = ALONE.get(line.strip().lower().rstrip(".?!")) if line.strip() else None
                if line.strip().lower() in LEAVING:
                    return False
                if alone or line.strip().startswith(":"):
                    if not self._command(alone or line.strip()):
                        return False
                else:
                    self._hear(self._parser.line(line))
            except EXPECTED as error:
                self._say(f"error: {in_one_line(error)}", "red")
        return True

    def _hear(self, items: Iterable[Item], *, echo: bool = False) -> None:
        for each in items:
            if isinstance(each, NewStory):
                self.conversation.new()
                self._say("(a new story)", "dim")
            elif isinstance(each, Statement):
                fact = self.conversation.tell(each.text)
                if echo:
                    self._say(f"{fact.line} {fact.text}")
            elif isinstance(each, RefusedLine):
                self._say(f"error: {each.reason}", "red")
            else:
                if echo:
                    self._say(f"? {each.text}", "bold")
                self._answer(each)

    def _answer(self, query: TypedQuestion) -> None:
        self._last = self.conversation.ask(query)
        self._show(answer_lines(self._last))

    # -- commands -----------------------------------------------------------------------------------

    def _command(self, line: str) -> bool:
        name, _, argument = line.partition(" ")
        found = [command for command in COMMANDS if command.startswith(name) and len(name) > 1]
        if name in COMMANDS:
            found = [name]
        if len(found) != 1:
            raise UserError(f"no command {name}; expected one of {', '.join(COMMANDS)}")
        if found == [":quit"]:
            return False
        actions: dict[str, Callable[[str], None]] = {
            ":help": self._help, ":story": self._story, ":explain": self._explain, ":frames": self._frames,
            ":load": self._load, ":undo": self._undo, ":new": self._new,
        }  # fmt: skip
        actions[found[0]](argument.strip())
        return True

    def _help(self, argument: str) -> None:
        self._say("Sentences are added to the story; a sentence that ends in ? is answered.")
        for name, told in COMMANDS.items():
            self._write([(f"  {name:<9}", "cyan"), (told, "")])

    def _story(self, argument: str) -> None:
        if not self.conversation.facts:
            self._say("(there is no story yet)", "dim")
        for fact in self.conversation.facts:
            self._say(f"{fact.line} {fact.text}")

    def _explain(self, argument: str) -> None:
        if self._last is None:
            raise UserError("nothing was asked yet")
        self._show(why_lines(self._last, None if argument == "all" else TOP))

    def _frames(self, argument: str) -> None:
        facts = self.conversation.facts
        reader = self.conversation.cascade.story_reader
        if reader.annotator is None:
            raise UserError("this model reads words only; there are no frames")
        last = self._last
        if last is not None and tuple(last.asked.source.facts) == tuple(facts):
            used = self._used
            self._show(story_lines(last.asked, last.prediction.support, all_frames=True, used=used))
        elif facts:
            pretended = Question(facts[-1].line + 1, facts[-1].text, None, None, tuple(facts))
            read = self.conversation.read(pretended)
            self._show(story_lines(read, all_frames=True, question=False, used=self._used))
        else:
            self._say("(there is no story yet)", "dim")

    def _used(self, read: ReadSentence) -> str:
        """Return what the features look at, in words."""
        stories = self.conversation.cascade.support_stage_.encoder.stories
        return outline_words(stories.outline(read))

    def _load(self, argument: str) -> None:
        if not argument:
            raise UserError(":load needs a task (qa5) or a file")
        task = _TASK.fullmatch(argument)
        lines = (
            self._simulated(int(task[1]))
            if task and not Path(argument).exists()
            else _file(argument)
        )
        self._new("")
        parser = LineParser(blank_is_new=True)
        for line in lines:
            self._hear(parser.line(line), echo=True)

    def _simulated(self, number: int) -> list[str]:
        from babi_cascade.simulation.tasks import TASKS
        from babi_cascade.simulation.telling import Storyteller, babi_lines

        if number not in TASKS:
            raise UserError(f"there is no task {number}; expected qa1 to qa{max(TASKS)}")
        self._loaded += 1  # another story every time, the same ones in every dialogue
        told = next(Storyteller(TASKS[number], seed=self._loaded).stories("test", 20))
        return babi_lines(told).splitlines()

    def _undo(self, argument: str) -> None:
        gone = self.conversation.undo()
        self._say("(nothing to take back)" if gone is None else f"(without: {gone.text})", "dim")

    def _new(self, argument: str) -> None:
        self.conversation.new()
        self._parser.fresh()
        self._last = None
        self._say("(a new story)", "dim")

    def _show(self, lines: Iterable[Line]) -> None:
        for line in lines:
            self._write(line)

    def _say(self, text: str, style: str = "") -> None:
        self._write([(text, style)])


def _file(name: str) -> Iterator[str]:
    path = Path(name).expanduser()
    try:
        if path.stat().st_size > LARGEST_FILE:
            raise UserError(f"{name}: found more than {LARGEST_FILE >> 20} MiB, expected a story")
        with path.open("rb") as stream:
            return iter(list(text_lines(stream, name)))
    except OSError as error:
        raise UserError(f"{name}: cannot be read: {error.strerror}") from error
