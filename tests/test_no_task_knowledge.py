"""The rooms that learn know nothing of the tasks: no name, place or thing of the released data.

The words come from the lexicon of the simulator, which speaks as the released tasks do. Words that every
English text has ("letter", "white" space) prove nothing and are left out; the commands and the comparison
with released files may name what they are about.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

ROOT = Path(__file__).parents[1]
ABOUT_THE_TASKS = ("app/cli/", "app/fidelity/", "app/fetch/")
KINDS = ("people", "rooms", "things", "animals", "species", "shapes")
EVERYDAY = {
    "library",
    "letter",
    "book",
    "lamp",
    "hammer",
    "cat",
    "bear",
    "garage",
    "white",
    "mouse",
    "mice",
}
IRREGULAR = {"goose", "geese", "wolf", "wolves", "sheep"}  # English inflection is no task knowledge


def task_words() -> set[str]:
    lexicon = tomllib.loads((ROOT / "data/lexicons/en.toml").read_text(encoding="utf-8"))
    found: set[str] = set()
    for kind in KINDS:
        for entry in lexicon[kind].values():
            forms = [entry] if isinstance(entry, str) else [entry["word"], entry.get("plural", "")]
            found |= {form.lower() for form in forms if len(form) > 2}
    return found - EVERYDAY - IRREGULAR


def sources() -> list[Path]:
    paths = [
        p
        for room in ("pipeline", "features", "svm", "cascade", "app")
        for p in (ROOT / room).rglob("*.py")
    ]
    return [p for p in paths if not p.relative_to(ROOT).as_posix().startswith(ABOUT_THE_TASKS)]


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
