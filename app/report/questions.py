"""The questions of a run: its predictions beside the stories they are about.

Predictions name questions by id. The stories are those that the run was given: simulated ones lie in its
folder, others where the user says. A record also names the directory they were in, but whoever wrote it
could name any: it is told, not opened. Stories that are not those of the run, by their fingerprint, are not
shown: they would explain nothing.
"""

from __future__ import annotations

from pathlib import Path

from babi_cascade.app.experiments.data import DataSource, TaskData, files_of
from babi_cascade.app.report.folders import Run
from babi_cascade.app.results.predictions import SavedPrediction, read_predictions
from babi_cascade.app.results.records import section
from babi_cascade.errors import UserError
from babi_cascade.pipeline.stories.errors import shown


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
            f"the stories of the run are not in its folder; --data DIR says where they are (they were in "
            f"{shown(run.data)})"
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
