"""The tables of a report: figures of all runs beside the paper's."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from babi_cascade.app.report.folders import Run, task_names
from babi_cascade.app.report.markup import Html, joined, tag, text
from babi_cascade.app.results.paper import SVM, paper_table
from babi_cascade.app.results.records import PASS, TaskResult, mean
from babi_cascade.app.results.signature import SettingsRecord, flat, shown

PAPER_NAMES = {
    "ngram": "N-grams", "lstm": "LSTM", "svm": "structured SVM", "memnn": "MemNN",
    "am": "AM", "am_ng": "AM+NG", "am_nl": "AM+NL", "am_ng_nl": "AM+NG+NL", "joint": "joint",
}  # fmt: skip
"""How the columns of the paper's Table 3 are called; the last one is trained on all tasks at once."""


def results_table(run: Run, *, explorable: bool) -> Html:
    """Return the table of one run: every task with its verdict, the paper's SVM beside it."""
    columns = (
        ("task", "left"), ("", "left"), ("accuracy", ""), ("", "wide"), ("paper", ""), ("", "left"),
        ("support", ""), ("given support", "wide"), ("questions", "wide"),
    )  # fmt: skip
    rows = [_row(task, explorable=explorable) for task in run.tasks]
    paper = paper_table().mean(task.task for task in run.tasks)
    foot = (
        ("mean", "left"), ("", ""), (percent(run.mean_accuracy), ""), ("", "wide"),
        ("–" if paper is None else f"{paper:.0f}", ""), ("", ""),
        (percent(_mean(task.support_accuracy for task in run.tasks)), ""),
        (percent(_mean(task.gold_support_accuracy for task in run.tasks)), "wide"),
        (str(sum(task.n_test for task in run.tasks) or "–"), "wide"),
    )  # fmt: skip
    caption = (
        f"Accuracy in percent; a task passes at {100 * PASS:.0f}. Paper: the structured SVM of Table 3. "
        "Support: the chosen facts are exactly the true ones. Given support: accuracy with the true facts."
    )
    return table(caption, columns, rows, foot)


def _row(task: TaskResult, *, explorable: bool) -> Html:
    paper = paper_table().accuracy(task.task)
    name: Html = text(task.name)
    if explorable:
        name = tag("a", name, href="#questions", data_task=task.task, title="its questions")
    verdict = tag(
        "span", "pass" if task.passed else "fail", class_="pass" if task.passed else "fail"
    )
    meter = tag(
        "span", tag("i", style=f"--v:{100 * task.accuracy:.1f}"),
        class_="meter" if task.passed else "meter low",
    )  # fmt: skip
    return cells((
        (f"{task.task}", "left"), (name, "left"), (percent(task.accuracy), ""), (meter, "wide"),
        ("–" if paper is None else f"{paper:.0f}", ""), (verdict, "left"),
        (percent(task.support_accuracy), ""), (percent(task.gold_support_accuracy), "wide"),
        (str(task.n_test or "–"), "wide"),
    ))  # fmt: skip


def comparison_table(runs: Sequence[Run]) -> Html:
    """Return all runs and all systems of the paper, task by task."""
    names = task_names(runs)
    numbers = list(names)
    systems = [name for name in PAPER_NAMES if name in paper_table().columns]
    columns = [("task", "left"), ("", "left wide")]
    columns += [(run.name, "") for run in runs]
    columns += [(PAPER_NAMES[name], "") for name in systems]
    rows = []
    for number in numbers:
        own = [percent(run.accuracy.get(number)) for run in runs]
        paper = [_paper(paper_table().accuracy(number, name)) for name in systems]
        rows.append(cells([
            (str(number), "left"), (text(names[number]), "left wide"),
            *((_verdict(value, 100 * PASS), "") for value in own),
            *((value, "soft" if name != SVM else "") for name, value in zip(systems, paper, strict=True)),
        ]))  # fmt: skip
    told = [len(run.accuracy) for run in runs]
    told += [len([n for n in numbers if n in paper_table().columns[name]]) for name in systems]
    means = [percent(run.mean_accuracy) for run in runs]
    means += [_paper(paper_table().mean(numbers, name)) for name in systems]
    differ = set(told) != {len(numbers)}
    foot = [("mean", "left"), ("", "wide")]
    foot += [
        (value + _of_tasks(count) if differ else value, "")
        for value, count in zip(means, told, strict=True)
    ]
    caption = (
        "Accuracy in percent: the runs of this report, then the systems of the paper (Table 3)."
    )
    if differ:
        caption += " Means over different tasks do not compare: the last row says over how many each one is."
    return table(caption, columns, rows, foot)


def table(
    caption: str, columns: Iterable[tuple[str, str]], rows: Iterable[Html],
    foot: Iterable[tuple[Html, str]],
) -> Html:  # fmt: skip
    """Return a table; columns are plain texts with their classes, rows and the foot markup."""
    head = joined(tag("th", text(name), class_=kind or None, scope="col") for name, kind in columns)
    return tag(
        "div", tag("p", text(caption), class_="caption"),
        tag("div", tag("table", tag("thead", tag("tr", head)), tag("tbody", joined(rows)),
                       tag("tfoot", cells(foot))), class_="scroll"),
    )  # fmt: skip


def cells(values: Iterable[tuple[Html, str]]) -> Html:
    """Return a row of a table; values are markup."""
    return tag("tr", *(tag("td", value, class_=kind or None) for value, kind in values))


def signature(settings: SettingsRecord) -> Html:
    """Return a signature with the names of its settings set off."""
    named = flat(settings).items()
    parts = (tag("b", text(str(name))) + text(f":{shown(value)}") for name, value in named)
    return tag("div", " | ".join(parts), class_="signature")


def percent(share: float | None) -> str:
    """Return a share in percent without the sign."""
    return "–" if share is None else f"{100 * share:.1f}"


def _paper(value: float | None) -> str:
    return "–" if value is None else f"{value:.0f}"


def _of_tasks(count: int) -> Html:
    """Return over how many tasks a mean is, to stand below it."""
    return tag("div", f"of {count} task{'' if count == 1 else 's'}", class_="soft small")


def _verdict(value: str, limit: float) -> Html:
    if value == "–":
        return value
    return tag("span", text(value), class_="pass" if float(value) >= limit else "fail")


def _mean(values: Iterable[float | None]) -> float | None:
    return mean(value for value in values if value is not None)
