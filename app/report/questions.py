"""The questions of a run: its predictions beside the stories they are about.

Predictions name questions by id. The stories are those that the run was given: simulated ones lie in its
folder, others where the user says. A record also names the directory they were in, but whoever wrote it
could name any: it is told, not opened. Stories that are not those of the run, by their fingerprint, are not
shown: they would explain nothing.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from shlex import quote
from typing import Any

from babi_cascade.app.experiments.data import DataSource, TaskData, files_of
from babi_cascade.app.experiments.progress import Telling
from babi_cascade.app.report.explainer import Explainer, reader_for
from babi_cascade.app.report.folders import Found, Run
from babi_cascade.app.report.page_data import Record, RunQuestions
from babi_cascade.app.results.predictions import SavedPrediction, read_predictions
from babi_cascade.app.results.records import section
from babi_cascade.errors import EXPECTED, UserError, in_one_line
from babi_cascade.pipeline.stories.errors import escaped


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
        asked.unexplained = f"No explanations: {in_one_line(error)}"
    return asked


def predictions_of(run: Run) -> dict[int, list[SavedPrediction]]:
    """Return the predictions of every task that has some."""
    found = {}
    for task in run.tasks:
        path = run.folder / "predictions" / f"qa{task.task}.jsonl"
        if path.is_file():
            found[task.task] = read_predictions(path, str(path))
            if not all(each.id for each in found[task.task]):
                raise UserError(
                    f"{path}: found a prediction without id, expected one in every line"
                )
    return found


def stories_of(run: Run, directory: Path | None = None) -> dict[int, TaskData]:
    """Return the questions that a run was trained and tested on, by task.

    What stands in the way is a `UserError` that says what to do.
    """
    source = source_of(run, directory)
    try:
        tasks = source.load(run.folder / "stories")
    except UserError as error:
        raise UserError(f"no stories: {error} (--data says where they are now)") from error
    expected = section(run.settings, "data").get("files")
    found = files_of(tasks)
    if expected != found:
        raise UserError(
            f"{source.directory}: found stories other than those of the run (fingerprint {found} "
            f"instead of {expected}); --data says where its stories are"
        )
    return {task.task: task for task in tasks}


def source_of(run: Run, directory: Path | None = None) -> DataSource:
    """Return where the questions of a run came from, by its settings."""
    data = section(run.settings, "data")
    simulated = data.get("source") == "simulated"
    if directory is None and not simulated:
        raise UserError(
            f"the stories of the run are not in its folder, and no folder is opened because a record names "
            f"it; if you trust it: --data {quote(escaped(run.data))}"
        )
    own = run.folder / "stories"
    folder = own if directory is None or (simulated and own.is_dir()) else directory
    if not folder.is_dir():
        raise UserError(
            f"{folder}: found no such folder, in which the stories of the run were; --data says where "
            "they are now"
        )
    numbers = data.get("tasks")
    tasks = [n for n in numbers if type(n) is int] if isinstance(numbers, list) else []
    try:
        return DataSource.from_json(data, folder, tasks)
    except UserError as error:
        raise UserError(f"its settings do not say which questions it had: {error}") from error
