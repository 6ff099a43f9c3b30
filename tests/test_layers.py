"""Data flows one way: a room imports only from the rooms before it, and by the one import name."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
BEFORE: dict[str, set[str]] = {
    "data": set(),
    "simulation": {"data"},
    "pipeline": {"data"},
    "features": {"data", "pipeline", "svm"},
    "svm": set(),
    "cascade": {"data", "pipeline", "features", "svm"},
    "comparison": {"data", "pipeline", "features", "svm", "cascade"},
    "app": {"data", "simulation", "pipeline", "features", "svm", "cascade", "comparison"},
}
"""What each room may import; `babi_cascade.errors` is everybody's."""


def imported(tree: ast.AST) -> Iterator[str]:
    """Yield the full name of every module that is imported, also inside functions."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.level == 0 and node.module:
            if node.module == "babi_cascade":
                yield from (f"babi_cascade.{alias.name}" for alias in node.names)
            else:
                yield node.module


def modules(room: str) -> list[Path]:
    return sorted((ROOT / room).rglob("*.py"))


def test_every_room_is_reached_by_the_one_import_name() -> None:
    rooms = {link.name for link in (ROOT / "babi_cascade").iterdir() if link.is_symlink()}
    assert rooms == set(BEFORE)
    assert all((ROOT / "babi_cascade" / room).resolve() == ROOT / room for room in rooms)


@pytest.mark.parametrize("room", BEFORE)
def test_a_room_imports_only_from_rooms_before_it(room: str) -> None:
    allowed = BEFORE[room] | {room, "errors"}
    assert modules(room)
    wrong = [
        f"{path.relative_to(ROOT)}: {name}"
        for path in modules(room)
        for name in imported(ast.parse(path.read_text(encoding="utf-8")))
        if name.startswith("babi_cascade.") and name.split(".")[1] not in allowed
    ]
    assert not wrong


def test_nothing_is_imported_by_the_name_of_a_folder() -> None:
    folders = (*BEFORE, "scripts", "tests", "babi_cascade")
    wrong = [
        f"{path.relative_to(ROOT)}: {name}"
        for folder in folders
        for path in modules(folder)
        for name in imported(ast.parse(path.read_text(encoding="utf-8")))
        if name.split(".")[0] in BEFORE
    ]
    assert not wrong


@pytest.mark.parametrize("path", modules("svm"), ids=lambda path: path.name)
def test_the_learner_has_no_word_of_stories(path: Path) -> None:
    words = {name.lower() for name in names(ast.parse(path.read_text(encoding="utf-8")))}
    parts = {part for word in words for part in word.split("_")}
    assert not parts & {"story", "stories", "fact", "facts", "question", "questions", "answer"}


def names(tree: ast.AST) -> Iterator[str]:
    """Yield everything that is given a name: functions, classes, arguments, variables, attributes."""
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            yield node.name
        elif isinstance(node, ast.arg):
            yield node.arg
        elif isinstance(node, ast.Name):
            yield node.id
        elif isinstance(node, ast.Attribute):
            yield node.attr
