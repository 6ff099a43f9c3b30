"""Comparing the stories of a folder with simulated ones, task by task."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from io import BytesIO
from pathlib import Path

import numpy as np

from babi_cascade.app.fidelity.distances import (
    Floats,
    chance_of_absence,
    interval,
    matched_size,
    noise_limit,
    resampled_distances,
    shares,
    total_variation,
)
from babi_cascade.app.fidelity.forms import FormReader
from babi_cascade.app.fidelity.measures import MEASURES, Measure, Tally
from babi_cascade.app.fidelity.report import (
    CLOSE,
    DIFFERENT,
    INTERVAL_LEVEL,
    NOISE,
    SAME,
    Difference,
    FidelityReport,
    FidelitySettings,
    FormDifference,
    Row,
    TaskFidelity,
)
from babi_cascade.errors import UserError
from babi_cascade.pipeline.stories import TaskFile, find_tasks, read_stories
from babi_cascade.pipeline.stories.tasks import SPLITS
from babi_cascade.simulation.tasks import TASKS
from babi_cascade.simulation.telling import LANGUAGES, Storyteller, babi_lines

SAMPLE = "fidelity"
"""The split of the simulated sample: neither train nor test, so that files which were simulated
with the same seed are compared with other stories than their own."""

SMALLEST_CHANCE = 0.001
"""A form that a sample lacks with a smaller probability than this is lacking for a reason."""

SHOWN_DIFFERENCES = 6


def compare(
    real_dir: Path,
    *,
    tasks: Collection[int] | None = None,
    split: str = "train",
    questions: int = 10_000,
    seed: int = 0,
    threshold: float = 0.05,
    confidence: float = 0.999,
    language: str = "en",
    resamples: int = 2000,
    progress: Callable[[str], None] | None = None,
) -> FidelityReport:
    """Compare the task files of a folder with as many stories as `questions` questions make.

    A task that has no file of the `split` is compared by another one. A measure passes when its
    total-variation distance is at most the `threshold`, or when chance explains it: `confidence` of
    the resamples of the simulated stories, of the size of the real file, are as far from the whole.
    All tasks together have some 300 measures, so that at 99 % three would fail by chance alone;
    hence 99.9 %.

    Raises `StoryError` for files that cannot be read, `UserError` for settings without meaning.
    """
    settings = FidelitySettings(language, questions, seed, threshold, confidence, resamples)
    check_settings(settings)
    files, notes = choose_files(real_dir, tasks, split)
    compared = []
    for file in files:
        if progress is not None:
            progress(f"task {file.number} {file.name}")
        compared.append(compare_task(file, settings, notes))
    return FidelityReport(settings, tuple(compared), tuple(notes))


def check_settings(settings: FidelitySettings) -> None:
    """Refuse settings that mean nothing."""
    languages = [name for name in LANGUAGES if name != "shuffled"]
    if settings.language not in languages:
        # Shuffled letters are the same stories, by a permutation that only their maker knows.
        expected = ", ".join(languages)
        raise UserError(f"language {settings.language!r}, expected one of {expected}")
    for name in ("questions", "resamples"):
        if getattr(settings, name) < 1:
            raise UserError(f"{getattr(settings, name)} {name}, expected at least 1")
    if settings.seed < 0:
        raise UserError(f"seed {settings.seed}, expected a number from 0")
    if not 0 <= settings.threshold <= 1:
        raise UserError(f"threshold {settings.threshold}, expected a number from 0 to 1")
    if not 0 < settings.confidence < 1:
        raise UserError(f"confidence {settings.confidence}, expected a number between 0 and 1")
    least = round(1 / (1 - settings.confidence))
    if settings.resamples < least:
        raise UserError(
            f"{settings.resamples} resamples, expected at least {least} "
            f"to know a limit with confidence {settings.confidence}"
        )


def choose_files(
    folder: Path, tasks: Collection[int] | None, split: str
) -> tuple[list[TaskFile], list[str]]:
    """Choose one file for each task, and note where it is not the one that was asked for."""
    if split not in SPLITS:
        raise UserError(f"split {split!r}, expected one of {', '.join(SPLITS)}")
    unknown = sorted(set(tasks or ()) - set(TASKS))
    if unknown:
        expected = f"tasks from {min(TASKS)} to {max(TASKS)}"
        raise UserError(f"task {unknown[0]} cannot be simulated, expected {expected}")
    chosen: dict[int, TaskFile] = {}
    notes = []
    preferred = (split, *(name for name in SPLITS if name != split))
    found = find_tasks(folder, tasks)
    for file in sorted(found, key=lambda file: (file.number, preferred.index(file.split))):
        if file.number in chosen:
            continue
        if file.number not in TASKS:
            notes.append(f"task {file.number}: left out, there is no such task to simulate")
            continue
        chosen[file.number] = file
        if file.split != split:
            notes.append(f"task {file.number}: no {split} file, the {file.split} file is compared")
    if not chosen:
        raise UserError(f"{folder}: none of its tasks can be simulated")
    return list(chosen.values()), notes


def compare_task(file: TaskFile, settings: FidelitySettings, notes: list[str]) -> TaskFidelity:
    """Simulate one task and compare all measures; what must be left out goes to the notes."""
    teller = Storyteller(TASKS[file.number], language=settings.language, seed=settings.seed)
    reader = FormReader(teller.lexicon)
    real = Tally(list(read_stories(file.path)), reader)
    told = "".join(map(babi_lines, teller.stories(SAMPLE, settings.questions)))
    simulated = Tally(list(read_stories(BytesIO(told.encode()))), reader)
    measures = list(MEASURES)
    if not real.supported:
        measures = [measure for measure in measures if not measure.support]
        notes.append(f"task {file.number}: {file.path.name} gives no supporting facts to compare")
    forms = tuple(
        difference
        for measure in measures
        if measure.forms
        for difference in form_differences(file.number, measure, real, simulated)
    )
    return TaskFidelity(
        number=file.number,
        name=file.name,
        file=str(file.path),
        split=file.split,
        real_stories=real.size,
        real_questions=real.questions,
        simulated_stories=simulated.size,
        simulated_questions=simulated.questions,
        rows=tuple(measure_rows(file.number, measures, real, simulated, forms, settings)),
        forms=forms,
    )


def measure_rows(
    task: int,
    measures: Sequence[Measure],
    real: Tally,
    simulated: Tally,
    forms: Sequence[FormDifference],
    settings: FidelitySettings,
) -> Iterator[Row]:
    """Give the rows of all measures that found anything on either side."""
    categories = {m: sorted(real.categories(m) | simulated.categories(m)) for m in measures}
    measures = [measure for measure in measures if categories[measure]]
    real_counts = [real.matrix(measure, categories[measure]) for measure in measures]
    simulated_counts = [simulated.matrix(measure, categories[measure]) for measure in measures]
    simulated_shares = [shares(counts.sum(axis=0)) for counts in simulated_counts]
    dice = np.random.default_rng((settings.seed, task))
    noise = resampled_distances(
        simulated_counts,
        simulated_shares,
        drawn=matched_size(real.size, simulated.size),
        resamples=settings.resamples,
        dice=dice,
    )
    spread = resampled_distances(
        real_counts,
        simulated_shares,
        drawn=real.size,
        resamples=settings.resamples,
        dice=dice,
    )
    for number, measure in enumerate(measures):
        real_shares = shares(real_counts[number].sum(axis=0))
        distance = float(total_variation(real_shares, simulated_shares[number]))
        limit = noise_limit(noise[number], settings.confidence)
        one_sided = any(form.failed for form in forms if form.measure == measure.name)
        if one_sided or distance > max(settings.threshold, limit):
            verdict = DIFFERENT
        elif distance > settings.threshold:
            verdict = NOISE
        else:
            verdict = CLOSE if distance > limit else SAME
        yield Row(
            task=task,
            measure=measure.name,
            distance=distance,
            interval=interval(distance, spread[number], INTERVAL_LEVEL),
            noise_limit=limit,
            verdict=verdict,
            differences=differences(categories[measure], real_shares, simulated_shares[number]),
        )


def differences(
    categories: Sequence[str], real: Floats, simulated: Floats
) -> tuple[Difference, ...]:
    """Return the categories that differ most, the largest difference first."""
    order = np.argsort(-np.abs(real - simulated), kind="stable")[:SHOWN_DIFFERENCES]
    return tuple(
        Difference(categories[place], float(real[place]), float(simulated[place]))
        for place in order.tolist()
        if real[place] != simulated[place]
    )


def form_differences(
    task: int, measure: Measure, real: Tally, simulated: Tally
) -> Iterator[FormDifference]:
    """Give the forms that only one side has, the missing ones first."""
    for missing, here, there in ((True, real, simulated), (False, simulated, real)):
        forms = sorted(here.categories(measure))
        for form, count in zip(forms, here.matrix(measure, forms).T, strict=True):
            if form in there.categories(measure):
                continue
            stories = int((count > 0).sum())
            chance = chance_of_absence(stories, here.size, there.size)
            yield FormDifference(
                task=task,
                measure=measure.name,
                form=form,
                missing=missing,
                count=int(count.sum()),
                stories=stories,
                chance=chance,
                failed=chance < SMALLEST_CHANCE,
                example=here.example(form),
            )
