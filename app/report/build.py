"""From folders to a page: read the records, find the stories, explain some questions."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from babi_cascade.app.experiments.progress import Telling
from babi_cascade.app.report.explainer import Explainer, reader_for
from babi_cascade.app.report.folders import Found, Run
from babi_cascade.app.report.page_data import Record, RunQuestions
from babi_cascade.app.report.questions import predictions_of, stories_of
from babi_cascade.errors import EXPECTED, UserError


@dataclass(frozen=True, slots=True)
class ReportOptions:
    """What a user asks of a report.

    Parameters
    ----------
    explain : at most so many questions of each task are explained
    data : where the stories of the runs are, None for simulated ones in the folder of the run
    places : options of back ends, by name
    cache : where annotations are kept, None for nowhere
    """

    explain: int = 15
    data: Path | None = None
    places: Mapping[str, Any] = field(default_factory=dict)
    cache: Path | None = None


def questions_of(found: Found, options: ReportOptions, telling: Telling) -> list[RunQuestions]:
    """Return the questions of all runs; what is not to be had is said in its place."""
    return [_questions(run, options, telling) for run in found.runs]


def _questions(run: Run, options: ReportOptions, telling: Telling) -> RunQuestions:
    predictions = predictions_of(run)
    asked = RunQuestions(run, predictions)
    if not predictions:
        return asked
    telling.progress("reading stories", 0, 0)
    try:
        stories = stories_of(run, options.data)
    except UserError as error:
        asked.missing = str(error)
        return asked
    asked.questions = {
        task: {each.id or "": each for each in data.test} for task, data in stories.items()
    }
    if not options.explain:
        asked.unexplained = "Explanations were left out (--explain 0)."
        return asked
    try:
        reader = reader_for(run, options.places, options.cache, telling.notice)
        tasks = [task for task in run.tasks if task.task in predictions]
        number = iter(range(len(tasks) + 1))
        explainer = Explainer(
            run, stories, reader, lambda what: telling.progress(what, next(number, 0), len(tasks))
        )
        explained: dict[int, Mapping[str, Record]] = {}
        asked.explained = explained
        for task in tasks:
            explained[task.task] = explainer.explain(task, predictions[task.task], options.explain)
    except EXPECTED as error:
        asked.unexplained = f"No explanations: {error}"
    return asked
