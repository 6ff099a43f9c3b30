"""What the tests of ask, report and serve share: a model that reads, the command, a real browser."""

from __future__ import annotations

import io
import shutil
import sys
from collections.abc import Iterator
from importlib.util import find_spec
from types import SimpleNamespace
from typing import Any

import pytest

from babi_cascade.app.cli import main
from babi_cascade.app.experiments import BackEnds
from babi_cascade.cascade import Cascade
from babi_cascade.pipeline.stories import Question, Sentence

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
PEOPLE, PLACES = ("Ana", "Tom", "Ida", "Max"), ("harbour", "mill", "barn", "forest")


@pytest.fixture
def command(capsys, monkeypatch, tmp_path):
    """Run the command in an empty directory and return its exit code, output and errors."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))

    def call(*args: object, stdin: str = "") -> SimpleNamespace:
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(stdin.encode())))
        with pytest.raises(SystemExit) as stopped:
            main([str(arg) for arg in args])
        shown = capsys.readouterr()
        return SimpleNamespace(code=stopped.value.code, out=shown.out, err=shown.err)

    return call


@pytest.fixture(scope="session")
def small_questions() -> list[Question]:
    """Somebody goes somewhere, somebody else elsewhere, and one is asked about."""
    made = []
    for person in PEOPLE:
        for place in PLACES:
            other = PEOPLE[(PEOPLE.index(person) + 1) % 4]
            elsewhere = PLACES[(PLACES.index(place) + 1) % 4]
            facts = (
                Sentence(1, f"{person} went to the {place}."),
                Sentence(2, f"{other} moved to the {elsewhere}."),
            )
            made.append(Question(3, f"Where is {person}?", place, (1,), facts))
            made.append(Question(3, f"Where is {other}?", elsewhere, (2,), facts))
    return made


@pytest.fixture(scope="session")
def reading_cascade(small_questions: list[Question]) -> Cascade:
    """A small model with the shipped parser, coreference and roles."""
    if find_spec("stanza") is None:
        pytest.skip("needs the extra nlp")
    reader = BackEnds(jobs=1).reader()
    return Cascade(cost=0.1, reader=reader).fit(small_questions)


@pytest.fixture(scope="session")
def browser() -> Iterator[Any]:
    """A real headless Chromium."""
    if find_spec("playwright") is None:
        pytest.skip("needs playwright (extra test)")
    path = next((found for name in NAMES if (found := shutil.which(name))), None)
    if path is None:
        pytest.skip("needs Chromium (on Debian: apt-get install chromium)")
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        opened = playwright.chromium.launch(executable_path=path, args=["--no-sandbox"])
        yield opened
        opened.close()


@pytest.fixture
def open_page(browser: Any) -> Iterator[Any]:
    """Open pages; whatever one complains about in its console fails the test."""
    contexts, complaints = [], []

    def opened(url: str, *, width: int = 1280, height: int = 900, dark: bool = False) -> Any:
        context = browser.new_context(
            viewport={"width": width, "height": height},
            color_scheme="dark" if dark else "light",
            offline=url.startswith("file:"),
        )
        contexts.append(context)
        page = context.new_page()
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.on(
            "console", lambda said: complaints.append(said.text) if said.type == "error" else None
        )
        page.goto(url)
        return page

    yield opened
    for context in contexts:
        context.close()
    assert complaints == []
