"""The plots of the page: boxes whose lengths are percents, so that they are readable at any width.

Colours are variables of the style sheet and follow light and dark. Learning curves are small drawings (SVG),
one a task.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from math import log

from babi_cascade.app.report.folders import (
    AblationRun,
    CurveLine,
    Delta,
    Point,
    Run,
    learning_curves,
    task_names,
)
from babi_cascade.app.report.markup import Html, joined, tag, text
from babi_cascade.app.results.paper import paper_table
from babi_cascade.app.results.records import PASS

COLOURS = 6
STAGES = {"annotate": 3, "fit": 1, "predict": 2}
"""Seconds that a run tells of, and their colours."""

KINDS = {
    "without": "Each feature group left out",
    "only": "Each feature group alone in its stage",
    "plus": "Each other feature group added",
}


def accuracy_chart(runs: Sequence[Run]) -> Html:
    """Return accuracy by task: bars of one run, dots of several; the paper's SVM as a diamond."""
    rows = []
    for number, name in task_names(runs).items():
        found = [(i, run.accuracy[number]) for i, run in enumerate(runs) if number in run.accuracy]
        marks = [_bar(100 * share) if len(runs) == 1 else _dot(100 * share, place, runs[place].name)
                 for place, share in found]  # fmt: skip
        paper = paper_table().accuracy(number)
        if paper is not None:
            marks.append(
                tag("span", class_="mark", style=f"--v:{paper:.1f}", title=f"paper {paper:.0f}")
            )
        rows.append(row(
            f"{number} {name}", [_rule(100 * PASS), *marks],
            f"{100 * max(share for _, share in found):.1f}",
        ))  # fmt: skip
    entries = [
        tag("span", text(run.name), style=f"--c:{colour(place)}") for place, run in enumerate(runs)
    ]
    entries.append(tag("span", "paper, structured SVM", class_="diamond"))
    entries.append(text(f"dashed: {100 * PASS:.0f} %, at which a task passes"))
    title = (
        "Accuracy by task" if len(runs) == 1 else "Accuracy by task (the number is the best run's)"
    )
    return plot(title, entries, rows)


def seconds_chart(run: Run) -> Html:
    """Return the seconds of every stage and task, one above the other."""
    totals = [sum(task.seconds.get(stage, 0.0) for stage in STAGES) for task in run.tasks]
    largest = max([*totals, 1e-9])
    rows = []
    for task, total in zip(run.tasks, totals, strict=True):
        parts, start = [], 0.0
        for stage, number in STAGES.items():
            seconds = task.seconds.get(stage, 0.0)
            parts.append(_bar(
                100 * seconds / largest, start=100 * start / largest, colour=colour(number - 1),
                title=f"{stage} {seconds:.1f} s",
            ))  # fmt: skip
            start += seconds
        rows.append(row(f"{task.task} {task.name}", parts, f"{total:.1f} s"))
    whole = {stage: sum(task.seconds.get(stage, 0.0) for task in run.tasks) for stage in STAGES}
    entries = [
        tag("span", text(f"{stage} {whole[stage]:.0f} s"), style=f"--c:{colour(number - 1)}")
        for stage, number in STAGES.items()
    ]
    return plot(f"Seconds by stage: {run.name}", entries, rows)


def ablation_charts(ablation: AblationRun) -> Iterable[Html]:
    """Yield what each group is worth, left out and alone: means as bars, tasks as ticks."""
    for kind, title in KINDS.items():
        deltas = [delta for delta in ablation.deltas if delta.kind == kind]
        if deltas:
            entries = [
                tag("span", "answers (mean)", style=f"--c:{colour(0)}"),
                tag("span", "facts (mean)", style=f"--c:{colour(1)}"),
                text("ticks: single tasks; points of accuracy against all groups"),
            ]
            yield plot(f"{title}: {ablation.name}", entries, _delta_rows(deltas))


def _delta_rows(deltas: Sequence[Delta]) -> list[Html]:
    values = [
        value for delta in deltas for value in (delta.mean, delta.support) if value is not None
    ]
    values += [value for delta in deltas for _, value in delta.tasks]
    low, high = min([*values, 0.0]), max([*values, 0.0])
    span = max(high - low, 1e-9)

    def place(value: float) -> float:
        return 3 + 94 * (value - low) / span

    rows = []
    for delta in deltas:
        marks = [tag("span", class_="rule zero", style=f"--v:{place(0):.2f}")]
        for value, kind, number in ((delta.mean, None, 0), (delta.support, "thin", 1)):
            if value is not None:
                start, end = sorted((place(0), place(value)))
                marks.append(_bar(end - start, start=start, colour=colour(number), kind=kind))
        marks += [
            tag("span", class_="tick", style=f"--v:{place(value):.2f}",
                title=f"task {task}: {100 * value:+.1f}")
            for task, value in delta.tasks
        ]  # fmt: skip
        shown = "–" if delta.mean is None else f"{100 * delta.mean:+.1f}".replace("-", "−")
        rows.append(row(delta.group, marks, shown))
    return rows


def curve_chart(points: Sequence[Point]) -> Html:
    """Return accuracy over the number of training questions, one small drawing a task."""
    systems = sorted({point.system for point in points})
    entries = [
        tag("span", text(system), style=f"--c:{colour(place)}")
        for place, system in enumerate(systems)
    ]
    entries.append(text(f"dashed: {100 * PASS:.0f} %; training questions on a logarithmic scale"))
    panels = [_panel(task, own, systems) for task, own in learning_curves(points).items()]
    return tag(
        "section", tag("h3", "Learning curves"), tag("div", joined(entries), class_="legend"),
        tag("div", joined(panels), class_="panels"), class_="card plot",
    )  # fmt: skip


_WIDTH, _HEIGHT, _LEFT, _BOTTOM, _TOP = 190, 120, 26, 18, 16


def _panel(task: int, lines: Mapping[str, CurveLine], systems: Sequence[str]) -> Html:
    sizes = sorted({n for line in lines.values() for n, _ in line})
    span = log(sizes[-1] / sizes[0]) or 1.0

    def x(n: int) -> float:
        return _LEFT + (_WIDTH - _LEFT - 8) * (log(n / sizes[0]) / span)

    def y(share: float) -> float:
        return _TOP + (_HEIGHT - _TOP - _BOTTOM) * (1 - share)

    drawn = [
        tag("text", text(f"task {task}"), x=_LEFT, y=11),
        *(tag("text", text(label), x=_LEFT - 3, y=f"{y(share) + 3:.1f}", text_anchor="end")
          for share, label in ((0.0, "0"), (0.5, "50"), (1.0, "100"))),
        tag("text", text(sizes[0]), x=_LEFT, y=_HEIGHT - 5),
        tag("text", text(sizes[-1]), x=_WIDTH - 8, y=_HEIGHT - 5, text_anchor="end"),
        *(tag("line", x1=_LEFT, x2=_WIDTH - 8, y1=f"{y(s):.1f}", y2=f"{y(s):.1f}",
              style="stroke:var(--line)") for s in (0.0, 0.5, 1.0)),
        tag("line", x1=_LEFT, x2=_WIDTH - 8, y1=f"{y(PASS):.1f}", y2=f"{y(PASS):.1f}",
            style="stroke:var(--soft);stroke-dasharray:3 3"),
    ]  # fmt: skip
    for system, line in lines.items():
        place = systems.index(system)
        path = " ".join(f"{x(n):.1f},{y(share):.1f}" for n, share in line)
        drawn.append(
            tag("polyline", points=path, style=f"fill:none;stroke:{colour(place)};stroke-width:2")
        )
        drawn += [
            tag("circle", tag("title", text(f"{system}: {100 * share:.1f} % after {n}")),
                cx=f"{x(n):.1f}", cy=f"{y(share):.1f}", r=2.6, style=f"fill:{colour(place)}")
            for n, share in line
        ]  # fmt: skip
    label = f"learning curve of task {task}"
    return tag("svg", *drawn, viewBox=f"0 0 {_WIDTH} {_HEIGHT}", role="img", aria_label=label)


def plot(title: str, legend: Iterable[Html], rows: Iterable[Html]) -> Html:
    """Return a plot of rows with a title and a legend."""
    return tag(
        "section", tag("h3", text(title)), tag("div", joined(legend), class_="legend"), joined(rows),
        class_="card plot",
    )  # fmt: skip


def row(label: str, marks: Iterable[Html], value: str) -> Html:
    """Return one row: what it is, what is drawn, the figure."""
    return tag(
        "div", tag("span", text(label), class_="label", title=label),
        tag("span", *marks, class_="track"), tag("span", text(value), class_="value"), class_="row",
    )  # fmt: skip


def colour(place: int) -> str:
    """Return the colour of a series."""
    return f"var(--series-{place % COLOURS + 1})"


def _bar(
    length: float, *, start: float = 0.0, colour: str | None = None, kind: str | None = None,
    title: str | None = None,
) -> Html:  # fmt: skip
    style = f"--v:{length:.2f};--from:{start:.2f}" + (f";--c:{colour}" if colour else "")
    return tag("i", style=style, class_=kind, title=title)


def _dot(value: float, place: int, name: str) -> Html:
    style = f"--v:{value:.2f};--c:{colour(place)}"
    return tag("span", class_="dot", style=style, title=f"{name} {value:.1f}")


def _rule(value: float) -> Html:
    return tag("span", class_="rule", style=f"--v:{value:.1f}")
