"""From a task to told stories: drafts, words, and the promise that train and test share no story."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from babi_cascade.simulation.dice import Dice
from babi_cascade.simulation.errors import SimulationError
from babi_cascade.simulation.events import Asked, Draft, Event
from babi_cascade.simulation.grammar import INTRODUCED, Grammar, Mention
from babi_cascade.simulation.letters import Letters
from babi_cascade.simulation.lexicon import Lexicon, load_lexicon
from babi_cascade.simulation.setting import Knobs, Setting
from babi_cascade.simulation.tasks.base import Task, with_distractors

REDRAWS = 50
"""How often a story that the other split has is drawn again before it is accepted as unavoidable."""

LANGUAGES = ("en", "hn", "shuffled", "symbolic")


class ToldLine(NamedTuple):
    """One line of a story: its words, and what they mean. A statement has no answer."""

    text: str
    meaning: Event | Asked
    mentions: tuple[Mention, ...]
    pad: str = ""
    answer: str = ""

    @property
    def support(self) -> tuple[int, ...]:
        """The supporting lines of a question."""
        return self.meaning.support if isinstance(self.meaning, Asked) else ()


class Storyteller:
    """Tells the stories of one task in one language.

    Parameters
    ----------
    task : Task
    language : one of ``LANGUAGES``
    lexicon : a lexicon with other words, or None for the shipped one of the language
    knobs, seed : what and which stories; the same seed tells the same stories in every language
    """

    def __init__(
        self,
        task: Task,
        *,
        language: str = "en",
        lexicon: Lexicon | None = None,
        knobs: Knobs = Knobs(),  # noqa: B008 - frozen
        seed: int = 0,
    ) -> None:
        self.task = task
        self.language = language
        self.seed = seed
        self.letters = Letters(seed) if language == "shuffled" else None
        base = lexicon or load_lexicon("en" if language == "shuffled" else language)
        self.lexicon = base.for_task(task.lexicon_key or str(task.number))
        self.setting = Setting.of(self.lexicon, knobs)
        self.grammar = Grammar(self.lexicon, synonyms=knobs.synonyms)
        self.descriptions = descriptions_of(self.setting, self.lexicon, task)
        self.shared_stories = 0

    def stories(
        self, split: str, questions: int, seen: set[int] | None = None, *, avoid: bool = False
    ) -> Iterator[list[ToldLine]]:
        """Yield stories with exactly so many questions in all; the last one may be cut short.

        The keys of the stories are added to ``seen``; or, with ``avoid``, a story whose key is there is drawn
        again. Where a task has too few stories for that, ``shared_stories`` counts the failures.
        """
        key = f"{self.task.number} {self.task.name}"
        world = Dice(self.seed, key, split, "world")
        words = Dice(self.seed, key, split, "words")
        calling = Dice(self.seed, key, split, "descriptions")
        left = questions
        while left > 0:
            for _ in range(REDRAWS):
                draft = with_distractors(self.task.story(self.setting, world), self.setting, world)
                draft.cut_after_question(left)
                if seen is None or not avoid or story_key(draft) not in seen:
                    break
            else:
                self.shared_stories += 1
            if seen is not None and not avoid:
                seen.add(story_key(draft))
            left -= draft.questions
            yield self.tell(draft, words, calling)

    def tell(self, draft: Draft, words: Dice, calling: Dice) -> list[ToldLine]:
        """Put a draft into words. Descriptions have dice of their own and change nothing else."""
        grammar, pad = self.grammar, self.lexicon.pad
        told = []
        named: dict[str, tuple[str, ...]] = {}
        for line in draft.lines:
            if isinstance(line, Asked):
                called = self._called(line.question, named, calling)
                text, mentions = grammar.ask(line.question, words, called)
                bare = text.rstrip()
                answer = grammar.answer(line.answer)
                told.append(ToldLine(bare, line, mentions, text[len(bare) :] or pad, answer))
            else:
                called = self._called(line, named, calling)
                text, mentions = grammar.tell(line, words, called)
                told.append(ToldLine(text, line, mentions))
        return told if self.letters is None else [self._shuffled(line) for line in told]

    def _called(
        self, event: Event, named: dict[str, tuple[str, ...]], dice: Dice
    ) -> dict[str, str]:
        """Draw who is told by a description: people whose name the story has said before.

        ``named`` keeps what they may be called; with introductions that is what they were introduced by.
        """
        if not self.descriptions or event.pronoun:
            return {}
        knobs = self.setting.knobs
        called: dict[str, str] = {}
        for person in (*event.who, event.to) if event.to else event.who:
            if person in named:
                if named[person] and dice.chance(knobs.descriptions):
                    called[person] = dice.pick(named[person])
                continue
            known = self.descriptions.get(person, ())
            if known and knobs.introductions:
                known = (dice.pick(known),)
                called[person] = INTRODUCED + known[0]
            named[person] = known
        return called

    def _shuffled(self, line: ToldLine) -> ToldLine:
        assert self.letters is not None
        shuffle = self.letters.shuffle
        return line._replace(text=shuffle(line.text), answer=shuffle(line.answer))


def descriptions_of(setting: Setting, lexicon: Lexicon, task: Task) -> dict[str, tuple[str, ...]]:
    """Return what each person of a cast may be called, when descriptions are asked for."""
    knobs = setting.knobs
    if not (knobs.descriptions or knobs.introductions) or "people" not in task.knobs:
        return {}
    found = {
        person: lexicon.entities[person].descriptions
        for person in (*setting.people, *setting.bystanders)
        if lexicon.entities[person].descriptions
    }
    if not found:
        raise SimulationError(
            f"{lexicon.source}: descriptions are asked for, but nobody of the cast has any; write people as "
            '{ word = …, gender = …, descriptions = ["the old man"] } in a file with --lexicon'
        )
    return found


def story_key(draft: Draft) -> int:
    """Return what makes two stories the same: what their statements say, in whatever words.

    The word "there" does not count; some languages have none.
    """
    told = (line for line in draft.lines if not isinstance(line, Asked))
    return hash(tuple((event[:9], event.pronoun) for event in told))


def babi_lines(told: list[ToldLine]) -> str:
    """Return a told story in the official format."""
    out = []
    for number, line in enumerate(told, start=1):
        if line.answer:
            support = " ".join(map(str, line.support))
            out.append(f"{number} {line.text}{line.pad}\t{line.answer}\t{support}\n")
        else:
            out.append(f"{number} {line.text}\n")
    return "".join(out)
