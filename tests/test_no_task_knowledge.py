"""The rooms that read, learn and answer know nothing of the tasks: no names, answers, verbs or templates.

The words come from the lexicon of the simulator, which speaks as the released tasks do. Names, places and
things may not even stand in a comment. Verbs, answers and parts of sentences may not stand in a text that the
program works with; what it tells people about is not meant, and words that every text of that kind has ("no",
"one", "left") prove nothing. The commands and the comparison with released files may name what they are
about, and three files hold closed classes and inflection of English: they are named here.
"""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

ROOT = Path(__file__).parents[1]
LEARNING = ("features", "svm", "cascade")
GRAMMAR = ("pipeline/frames/words.py", "pipeline/frames/irregular.py", "pipeline/stories/stems.py")
"""Closed classes (prepositions, words of time, places relative to things) and irregular inflection."""
ABOUT_THE_TASKS = ("app/cli/", "app/fidelity/", "app/fetch/")
KINDS = ("people", "rooms", "things", "animals", "species", "shapes")
EVERYDAY = {"library", "letter", "book", "lamp", "white"}
"""Words that a program, or an example that explains grammar, has anyway; `cat` is also a command."""


def task_words() -> set[str]:
    lexicon = tomllib.loads((ROOT / "data/lexicons/en.toml").read_text(encoding="utf-8"))
    found: set[str] = set()
    for kind in KINDS:
        for entry in lexicon[kind].values():
            forms = [entry] if isinstance(entry, str) else [entry["word"], entry.get("plural", "")]
            found |= {form.lower() for form in forms if len(form) > 2}
    return found - EVERYDAY - {"cat"}


def sources() -> list[Path]:
    paths = [
        p
        for room in ("pipeline", "features", "svm", "cascade", "app")
        for p in (ROOT / room).rglob("*.py")
    ]
    left_out = (*ABOUT_THE_TASKS, *GRAMMAR)
    return [p for p in paths if not p.relative_to(ROOT).as_posix().startswith(left_out)]


def test_there_is_something_to_look_for_and_at() -> None:
    assert len(task_words()) > 60
    assert len(sources()) > 100


@pytest.mark.parametrize("path", sources(), ids=lambda p: p.relative_to(ROOT).as_posix())
def test_a_module_names_no_word_of_the_tasks(path: Path) -> None:
    text = path.read_text(encoding="utf-8").lower()
    named = [word for word in task_words() if re.search(rf"\b{re.escape(word)}\b", text)]
    assert not named


@pytest.mark.parametrize("room", ["features", "svm", "cascade"])
def test_no_decision_depends_on_a_task_number(room: str) -> None:
    for path in (ROOT / room).rglob("*.py"):
        code = re.sub(r'"""[\s\S]*?"""|#.*', "", path.read_text(encoding="utf-8"))
        assert not re.search(r"\btask\b", code), path


SAID_ANYWAY = frozenset(
    """
    a above after an and are at back be bear before below cat did do does dropped either find fit
    for from gave get give go goose got has have he how in inside into is it left longer many mouse much no
    none nobody not nothing of on one or other passed put right she than that the then there they this
    three to took two up was what where which white who why will with yes you down
    """.split()  # noqa: SIM905
)
"""Function words, and words that messages need."""


def texts(entry: object) -> Iterator[str]:
    if isinstance(entry, str):
        yield entry.lower()
    elif isinstance(entry, (list, dict)):
        for each in entry.values() if isinstance(entry, dict) else entry:
            yield from texts(each)


def task_phrases() -> set[str]:
    """Verbs, answers, and what stands between the names of the sentences of the tasks."""
    lexicon = tomllib.loads((ROOT / "data/lexicons/en.toml").read_text(encoding="utf-8"))
    found = {
        word
        for kind in ("groups", "colours", "shapes", "boxes", "states", "values", "times")
        for text in texts(lexicon[kind])
        for word in (text, *text.split())
        if len(word) > 1
    }
    for kind in ("statements", "questions"):
        for text in texts(lexicon[kind]):
            parts = [part.strip(" .?") for part in re.split(r"\{[^}]*\}", text)]
            found.update(word for part in parts for word in (part, *part.split()) if part)
    return {phrase for phrase in found if not set(phrase.split()) <= SAID_ANYWAY}


def worked_with(path: Path) -> Iterator[str]:
    """Yield the texts of a module that are no documentation."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    told = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in told:
            yield node.value.lower()


def reading_and_learning() -> list[Path]:
    rooms = (*LEARNING, "pipeline")
    paths = [path for room in rooms for path in (ROOT / room).rglob("*.py")]
    return [path for path in paths if path.relative_to(ROOT).as_posix() not in GRAMMAR]


def test_answers_verbs_and_templates_are_looked_for() -> None:
    phrases = task_phrases()
    assert {
        "journeyed",
        "travelled to",
        "discarded",
        "hungry",
        "maybe",
        "yellow",
        "yesterday",
    } < phrases
    assert {"are afraid of", "is bigger than the", "how many objects is", "north"} < phrases


@pytest.mark.parametrize(
    "path", reading_and_learning(), ids=lambda p: p.relative_to(ROOT).as_posix()
)
def test_a_module_works_with_no_answer_verb_or_template_of_the_tasks(path: Path) -> None:
    phrases = task_phrases()
    named = {
        phrase
        for text in worked_with(path)
        for phrase in phrases
        if re.search(rf"(?<![\w-]){re.escape(phrase)}(?![\w-])", text)
    }
    assert not named
