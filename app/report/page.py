"""The report as one self-contained page: tables and plots in the markup, questions as data beside a script.

Nothing is loaded from anywhere; a content security policy that names the one script sees to it that nothing
else runs, whatever a story says.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from babi_cascade.app.report.charts import (
    ablation_charts,
    accuracy_chart,
    curve_chart,
    seconds_chart,
)
from babi_cascade.app.report.folders import AblationRun, Found, Run
from babi_cascade.app.report.markup import (
    Html,
    embedded,
    filled,
    joined,
    script_hash,
    static,
    tag,
    text,
)
from babi_cascade.app.report.page_data import RunQuestions, packed
from babi_cascade.app.report.tables import comparison_table, percent, results_table, signature
from babi_cascade.app.results.paper import paper_table
from babi_cascade.app.results.signature import version
from babi_cascade.pipeline.stories.saving import replacing

SCRIPTS = ("theme.js", "view.js", "explorer.js")
HINT = (
    "<kbd>j</kbd> <kbd>k</kbd> or <kbd>↓</kbd> <kbd>↑</kbd> next and previous, <kbd>/</kbd> search, "
    "<kbd>Enter</kbd> into the question, <kbd>Esc</kbd> back to the list. ◆ explained. Badges 1, 2, 3: "
    "chosen facts in their order; red: chosen, but no true fact; <b>!</b>: a true fact that was not chosen. "
    "Words of one colour are one entity."
)


def save_page(path: Path, found: Found, asked: Sequence[RunQuestions], title: str) -> None:
    """Write the page, all of it or nothing."""
    page = report_page(found, asked, title)
    path.parent.mkdir(parents=True, exist_ok=True)
    with replacing(path) as stream:
        stream.write(page)


def report_page(found: Found, asked: Sequence[RunQuestions], title: str) -> Html:
    """Return the page of some folders; ``asked`` are the questions of those runs that have some."""
    script = joined(static(name) for name in SCRIPTS)
    with_questions = [each for each in asked if each.predictions]
    sections: list[tuple[str, str, Html]] = []
    if found.runs:
        sections.append(("results", "Results", results(found.runs, with_questions)))
    drawn = plots(found)
    if drawn:
        sections.append(("plots", "Plots", tag("div", drawn, class_="plots")))
    if with_questions:
        sections.append(("questions", "Questions", explorer(with_questions)))
    sections.append(("settings", "Settings", settings(found)))
    return filled(static("report.html"), {
        "policy": script_hash(script),
        "title": text(title),
        "style": static("style.css"),
        "navigation": joined(tag("a", text(name), href=f"#{anchor}") for anchor, name, _ in sections),
        "body": joined(
            tag("section", tag("h2", text(name)), inner, id=anchor) for anchor, name, inner in sections
        ),
        "version": text(version()),
        "data": embedded(packed(with_questions)),
        "script": script,
    })  # fmt: skip


def results(runs: Sequence[Run], asked: Sequence[RunQuestions]) -> Html:
    """Return headline figures and the tables."""
    explorable = {id(each.run) for each in asked}
    if len(runs) == 1:
        (run,) = runs
        beside = tag("summary", "All systems of the paper beside")
        return joined([
            headline(run), *_not_done(run),
            _card(results_table(run, explorable=id(run) in explorable)),
            _card(tag("details", beside, comparison_table(runs))),
        ])  # fmt: skip
    return joined([
        _card(comparison_table(runs)),
        *(
            _card(tag(
                "details", tag("summary", text(f"{run.name}, task by task")), headline(run),
                *_not_done(run), results_table(run, explorable=id(run) in explorable),
            ))
            for run in runs
        ),
    ])  # fmt: skip


def _card(inner: Html) -> Html:
    return tag("div", inner, class_="card", style="margin-top:.8rem")


def _not_done(run: Run) -> list[Html]:
    missing = ", ".join(run.not_done)
    return [tag("p", text(f"Not done: {missing}."), class_="note")] if missing else []


def headline(run: Run) -> Html:
    """Return the figures that one looks for first."""
    numbers = [task.task for task in run.tasks]
    passed = sum(task.passed for task in run.tasks)
    paper = paper_table().mean(numbers)
    in_paper = [n for n in numbers if paper_table().accuracy(n) is not None]
    seconds = sum(sum(task.seconds.values()) for task in run.tasks)
    figures = [
        (f"{percent(run.mean_accuracy)} %", "mean accuracy"),
        (f"{passed} of {len(numbers)}", "tasks passed"),
    ]
    if paper is not None:
        theirs = len(in_paper) - len(paper_table().failed_tasks(numbers))
        figures.append((f"{paper:.0f} %", f"paper's SVM, {theirs} of {len(in_paper)} passed"))
    questions = sum(task.n_test for task in run.tasks)
    if questions:
        figures.append((f"{questions:,}".replace(",", "\u202f"), "questions"))
    if seconds:
        figures.append((f"{seconds:.0f} s", "annotate, fit, predict"))
    return tag(
        "div",
        *(tag("div", tag("b", text(figure)), text(said), class_="card figure") for figure, said in figures),
        class_="cards",
    )  # fmt: skip


def plots(found: Found) -> Html:
    """Return every plot there is something for."""
    drawn = []
    if found.runs:
        drawn.append(accuracy_chart(found.runs))
    drawn += map(seconds_chart, found.timed)
    for ablation in found.ablations:
        drawn += ablation_charts(ablation)
    if found.points:
        drawn.append(curve_chart(found.points))
    return joined(drawn)


def explorer(asked: Sequence[RunQuestions]) -> Html:
    """Return the fields and boxes that the script fills."""
    tasks = {
        task.task: task.name
        for each in asked
        for task in each.run.tasks
        if task.task in each.predictions
    }
    runs = [(str(place), each.run.name) for place, each in enumerate(asked)]
    fields = [
        choice("task", "task", [(str(n), f"{n} {name}") for n, name in sorted(tasks.items())]),
        choice("verdict", "answer", [("wrong", "wrong"), ("right", "right")]),
        choice("facts", "facts", [("wrong", "wrong"), ("right", "right")]),
        choice("explained", "explained", [("yes", "only explained ◆")]),
        tag("label", "words of question, answer or id",
            '<input type="search" id="by-words" autocomplete="off" placeholder="/">', class_="grow"),
    ]  # fmt: skip
    if len(runs) > 1:
        fields.insert(0, choice("run", "run", runs))
    notes = [
        tag("p", text(f"{each.run.name}: {said}"), class_="note")
        for each in asked
        for said in (each.missing, "" if each.missing else each.unexplained)
        if said
    ]
    return joined([
        *notes,
        tag("div", *fields, class_="filters", role="search"),
        tag("p", id="count", class_="small soft", aria_live="polite"),
        tag("div",
            tag("div", tag("div", class_="space"), id="list", class_="list", role="listbox", tabindex="0",
                aria_label="questions"),
            tag("div", id="detail", class_="detail", role="region", aria_live="polite",
                aria_label="the question"),
            class_="explorer"),
        tag("p", HINT, class_="hint"),
        tag("noscript", tag("p", "The questions need JavaScript.", class_="note")),
    ])  # fmt: skip


def choice(name: str, label: str, options: Sequence[tuple[str, str]]) -> Html:
    """Return a field that chooses among some, all of them to begin with."""
    every = tag("option", "all", value="")
    shown = (tag("option", text(said), value=value) for value, said in options)
    return tag("label", text(label), tag("select", every, *shown, id=f"by-{name}"))


def settings(found: Found) -> Html:
    """Return the signature of everything that was measured."""
    parts = []
    every: tuple[Run | AblationRun, ...] = (*found.runs, *found.ablations)
    for each in every:
        parts.append(tag(
            "div", tag("h3", text(each.name)),
            tag("p", text(f"Data: {each.data or 'not said'}"), class_="small"),
            signature(each.settings), class_="card", style="margin-bottom:.8rem",
        ))  # fmt: skip
    return joined(parts)
