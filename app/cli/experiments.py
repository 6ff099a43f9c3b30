"""Commands that train and test over whole tasks: run, ablate, compare, curve, resources."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from babi_cascade.app.cli.group import FILE, example_command
from babi_cascade.app.cli.measure import (
    SIZES,
    data_seeds_option,
    measured,
    measured_often,
    measuring,
    plot_option,
    seeds_of,
    seeds_option,
)
from babi_cascade.app.cli.options import SETTINGS, Names, back_ends_of, cache_of
from babi_cascade.app.cli.outlet import say
from babi_cascade.app.cli.terminal import (
    coloured,
    console,
    counted,
    imputation_line,
    notice,
    percent,
    points,
    print_table,
)
from babi_cascade.app.results.paper import paper_table
from babi_cascade.app.results.records import PASS, SECONDS, Imputed, StageResult, TaskResult, mean

if TYPE_CHECKING:
    from babi_cascade.app.experiments import (
        Ablation,
        Comparison,
        Curve,
        LongTable,
        Resources,
        RunTable,
    )
    from babi_cascade.app.experiments.seeds import Interval, SeveralSeeds
    from babi_cascade.app.experiments.systems import System

LIMIT = f"{100 * PASS:.0f} %"
_COLUMNS = (
    "task", "name", "accuracy", "paper", "", "support", "given\nsupport", "C\nsupport", "C\nanswer",
    "seconds\nannotate", "\nfit", "\npredict",
)  # fmt: skip

WIDE, NARROW = 112, 7
"""Columns of a terminal that hold the whole table, and the cells of a row that are shown on others."""


@example_command("babi-cascade run --tasks 1,6 --questions 200 --out out/run")
@measuring(
    "out/run", "Folder for results.json and predictions; a stopped run goes on from it.",
    *SETTINGS.values(),
)  # fmt: skip
@data_seeds_option
@click.option("--joint", is_flag=True, help="One model for all tasks, tested on each.")
@click.option("--background", type=click.Path(path_type=Path), metavar="PATH",
              help="Put sentences of this text (a file, a folder, or 'sample') between the facts of every "
              "second training question.")  # fmt: skip
@click.option(
    "--score-only", is_flag=True, help="Print the mean accuracy (0 to 1) and nothing else."
)
def run(joint: bool, score_only: bool, **chosen: Any) -> int:
    """Train and test the cascade on every task: the external-resources track.

    The table shows accuracy in percent beside the paper's structured SVM, the share of questions whose
    supporting facts are exactly right, and accuracy when the true facts are given. Every finished task is
    kept in the folder, and the same command goes on where it was stopped.
    """
    from babi_cascade.app.experiments import RunPlan

    if chosen["as_json"] and score_only:
        raise click.UsageError("--json and --score-only exclude each other")
    return measured_often(
        lambda settings: RunPlan(settings, joint),
        chosen,
        print_score if score_only else print_run,
        print_mean_score if score_only else print_runs,
    )


@example_command("babi-cascade ablate --tasks 1,6 --questions 200 --out out/ablation")
@measuring(
    "out/ablation", "Folder for the tables and the plot; a stopped run goes on from it.",
    *SETTINGS.values(),
)  # fmt: skip
@data_seeds_option
@click.option("--alone", is_flag=True,
              help="Also keep every group alone in its stage (the other stage keeps all).")  # fmt: skip
@click.option("--plus", is_flag=True,
              help="Add every group that is not chosen in turn instead of leaving out one.")  # fmt: skip
@plot_option
def ablate(alone: bool, plus: bool, **chosen: Any) -> int:
    """Leave out every feature group in turn (or, with --plus, add every other one) and show what it is worth.

    Figures are points of accuracy against the whole system. OUT gets ablation.csv, ablation.json and
    ablation.png; stories are read once for all variants.
    """
    from babi_cascade.app.experiments import AblationPlan
    from babi_cascade.app.report.folders import ablation_of
    from babi_cascade.app.report.plots import draw_ablation

    def draw(figure: Any, result: Ablation) -> None:
        draw_ablation(figure, ablation_of(result.to_json(), ""))

    return measured_often(
        lambda settings: AblationPlan(settings, alone, plus), chosen, print_ablation, print_ablations, draw
    )  # fmt: skip


@example_command("babi-cascade compare --systems ngram,memnn-am --tasks 1,4 --questions 200")
@measuring(
    "out/compare", "Folder for tables and heat map; a stopped run goes on from it.",
    click.option("--systems", default="all", show_default=True, metavar="LIST",
                 help="ngram, lstm, cascade-PRESET, memnn, memnn-am, … (`all` names them in an "
                 "error if one is wrong)."),
    click.option("--predictions", multiple=True, metavar="NAME=FILE",
                 help="Also a column of another system's answers to the test questions, JSONL or CSV as for "
                 "`score`; may be given several times."),
    seeds_option,
    click.option("--joint", is_flag=True,
                 help="Also train the system of --analyse on all tasks at once."),
    click.option("--curve", "with_curve", is_flag=True,
                 help="Also measure how many training questions the system of --analyse needs."),
    click.option("--analyse", default="memnn-am-ng-nl", show_default=True, metavar="SYSTEM",
                 help="The system of the columns that --joint and --curve add."),
    click.option("--sizes", default=SIZES, show_default=True, metavar="LIST",
                 help="Training questions for --curve."),
    SETTINGS["cost"],
    SETTINGS["supervision"],
)  # fmt: skip
@plot_option
def compare(
    systems: str, predictions: tuple[str, ...], joint: bool, with_curve: bool, analyse: str, sizes: str,
    **chosen: Any,
) -> int:  # fmt: skip
    """Train and test the paper's systems and the cascade on every task: Table 3.

    The paper's figures stand in brackets beside ours. OUT gets compare.md, compare.csv, compare.json and
    compare.png; every finished system and task is kept, and the same command goes on where it was stopped.
    """
    from babi_cascade.app.experiments import ComparisonPlan, CurvePlan
    from babi_cascade.app.experiments.others import given_predictions
    from babi_cascade.app.experiments.plans.curve import sizes_in
    from babi_cascade.app.experiments.systems import system_called, systems_called
    from babi_cascade.app.report.plots import draw_heat_map

    wanted: tuple[System, ...] = (
        *systems_called(systems, chosen["cost"], chosen["supervision"]),
        *given_predictions(predictions),
    )
    several = sizes_in(sizes)
    together, sizes_of, seeds = None, None, seeds_of(chosen)
    if joint or with_curve:
        analysed = system_called(analyse, chosen["cost"], chosen["supervision"])
        together = analysed if joint else None
        sizes_of = CurvePlan(analysed, several, seeds) if with_curve else None
    plan = ComparisonPlan(wanted, seeds, together, sizes_of)
    return measured(plan, chosen, print_comparison, draw_heat_map)


@example_command("babi-cascade curve --tasks 1,6 --questions 200 --sizes 25,50,100 --out out/curve")
@measuring(
    "out/curve", "Folder for tables and plot; a stopped run goes on from it.",
    click.option("--system", "name", help="cascade-PRESET, or a system of `compare`.  [default: the "
                 "cascade as `run` has it]"),
    click.option("--sizes", default=SIZES, show_default=True, metavar="LIST",
                 help="Training questions; whole stories, and a smaller set is part of a larger "
                 "one."),
    seeds_option,
    SETTINGS["cost"],
    SETTINGS["supervision"],
)  # fmt: skip
@plot_option
def curve(name: str | None, sizes: str, **chosen: Any) -> int:
    """Show accuracy by number of training questions, and how many are enough for 95 %.

    The test questions are the same for all sizes. The last column is the paper's, for its best memory
    network. OUT gets curve.json, curve.csv and curve.png; stories are read once for all sizes.
    """
    from babi_cascade.app.experiments import CurvePlan
    from babi_cascade.app.experiments.plans.curve import sizes_in
    from babi_cascade.app.experiments.systems import CascadeSystem, system_called
    from babi_cascade.app.report.folders import Point
    from babi_cascade.app.report.plots import draw_curves

    def draw(figure: Any, result: Curve) -> None:
        done = result.results.values()
        draw_curves(
            figure,
            [Point(result.system, each.task, each.n_train or 0, each.accuracy) for each in done],
        )

    system = system_called(
        name or CascadeSystem().name, chosen["cost"], supervision=chosen["supervision"]
    )
    plan = CurvePlan(system, sizes_in(sizes), seeds_of(chosen))
    return measured(plan, chosen, print_curve, draw)


@example_command(
    "babi-cascade resources --tasks 1,6 --questions 200 --corefs sieve,none --out out/resources"
)
@measuring(
    "out/resources", "Folder for tables and heat map; a stopped run goes on from it.",
    click.option("--presets", type=Names(), default="paper,extended", show_default=True,
                 help="Choices of feature groups."),
    click.option("--corefs", type=Names(), default="sieve,corenlp,none", show_default=True,
                 help="Coreference back ends, the one that others are compared with first."),
    click.option("--srls", type=Names(), default="stanza,clearnlp,senna,relations,none",
                 show_default=True, help="Semantic role back ends, likewise."),
    seeds_option, SETTINGS["roles"], SETTINGS["cost"], kinds=(),
)  # fmt: skip
@plot_option
def resources(
    presets: tuple[str, ...], corefs: tuple[str, ...], srls: tuple[str, ...], **chosen: Any
) -> int:
    """Show what each external resource buys: coreference by semantic roles by preset.

    With --conllu FILE, the trees of the file stand beside those of the parser that ships. What is not here is
    named and left out. OUT gets resources.md, .csv, .json and .png; the same command goes on where it was
    stopped.
    """
    from babi_cascade.app.experiments import ResourcesPlan, Settings
    from babi_cascade.app.experiments.plans.resources import readings_of
    from babi_cascade.app.report.plots import draw_heat_map

    readings = readings_of(
        corefs, srls, back_ends_of({**chosen, "coref": "none", "srl": "none"}, chosen["jobs"]),
        cache_of(chosen), notice,
    )  # fmt: skip
    if not readings:
        raise click.UsageError("none of the back ends is here")
    settings = Settings(roles=chosen["roles"], cost=chosen["cost"])
    plan = ResourcesPlan(settings, presets, readings, seeds_of(chosen))
    return measured(plan, chosen, print_resources, draw_heat_map)


@example_command(
    "babi-cascade long --tasks 1-5 --limit 200 --questions 5 --tokens 0,4k,128k --out out/long"
)
@measuring(
    "out/long", "Folder for the model, the table and the heat map; a stopped run goes on from it.",
    click.option("--background", type=click.Path(path_type=Path), metavar="PATH",
                 help="Text between the facts of the training: a file or a folder.  "
                 "[default: the first half of the sample that ships]"),
    click.option("--books", type=click.Path(path_type=Path), metavar="PATH",
                 help="Text to hide the test in.  [default: the second half of the sample]"),
    click.option("--tokens", default="0,4k,32k,128k", show_default=True, metavar="LIST",
                 help="How long the texts are, e.g. 4k,1M."),
    click.option("-m", "--model", type=FILE,
                 help="A model that was trained before.  [default: one is trained, and kept in the folder]"),
    SETTINGS["cost"],
    SETTINGS["supervision"],
)  # fmt: skip
@plot_option
def long(
    background: Path | None, books: Path | None, tokens: str, model: Path | None, **chosen: Any
) -> int:
    """Hide the facts of every question in a long text, and ask one joint model of all tasks.

    --questions is the number of test questions a task (20 unless said), --limit that of training questions.
    Published means of language models over tasks 1 to 5 stand beside ours. OUT gets long.json, long.csv and
    long.png; the model and every finished task and length are kept.
    """
    from babi_cascade.app.experiments import LongPlan, Settings
    from babi_cascade.app.long.generation import lengths_in
    from babi_cascade.app.report.plots import draw_heat_map
    from babi_cascade.pipeline.stories.background import background_in

    shipped = background_in(None)
    chosen["tested"], chosen["questions"] = chosen["questions"] or 20, None
    settings = Settings(cost=chosen["cost"], supervision=chosen["supervision"], seed=chosen["seed"])
    plan = LongPlan(
        settings,
        shipped.part(0, 0.5) if background is None else background_in(background),
        shipped.part(0.5, 1) if books is None else background_in(books),
        lengths_in(tokens),
        model,
    )
    return measured(plan, chosen, print_long, draw_heat_map)


def print_long(result: LongTable, out: Path) -> None:
    """Print tasks by lengths, means, what a question costs, and what was published."""
    from babi_cascade.app.experiments.plans.long import MEANS, PUBLISHED
    from babi_cascade.app.long.generation import lengths_in

    rows: list[tuple[object, ...]] = [
        (str(task), name, *(coloured(result.accuracy(each, task)) for each in result.columns))
        for task, name in result.tasks
    ]
    for first, last in MEANS:
        means = [result.mean_of(each, first, last) for each in result.columns]
        if any(each is not None for each in means):
            rows.append(("", f"mean of {first}-{last}", *map(percent, means)))
    costs = [result.cost(each) for each in result.columns]
    rows.append(("", "seconds a question", *("-" if s is None else f"{s:.2f}" for s, _ in costs)))
    rows.append(("", "sentences read", *("-" if n is None else f"{n:.0f}" for _, n in costs)))
    known = [lengths_in(each)[each] for each in result.columns]
    for name, figures in PUBLISHED.items():
        cells = [f"{figures[n]:g}" if n in figures else "" for n in known]
        if any(cells):
            rows.append(("", f"{name}, 1-5", *cells))
    print_table(
        ("task", "name", *result.columns), rows, left=("name",), repeated=2,
        title=f"accuracy by tokens of the text ({result.data})",
    )  # fmt: skip
    say(f"{out / result.file} has every figure and setting")


def print_score(result: RunTable, out: Path) -> None:
    """Print the mean and nothing else."""
    say("nan" if result.mean is None else f"{result.mean:.4f}")


def print_run(result: RunTable, out: Path) -> None:
    """Print one row a task, and what it comes to."""
    if not result.done:
        say("no task could be done")
        return
    shown = slice(None) if console().width >= WIDE else slice(NARROW)
    print_table(_COLUMNS[shown], [run_row(task)[shown] for task in result.done], left=("name", ""))
    if shown.stop is not None:
        say("(C and seconds are in results.json, and here on a wider terminal)")
    unsolved = [
        f"task {task.task}"
        for task in result.done
        if not all(stage.converged for stage in task.stages)
    ]
    if unsolved:
        say(f"stopped before the certified gap was reached: {', '.join(unsolved)}")
    say(f"{out / result.file} has every figure and setting")
    learned = Imputed.together([task.imputation for task in result.done])
    if learned is not None:
        say(imputation_line(learned))
    say(summary(result))


def run_row(task: TaskResult) -> tuple[str, ...]:
    """Return the cells of a task."""
    paper = paper_table().accuracy(task.task)
    return (
        str(task.task),
        task.name,
        percent(task.accuracy),
        "-" if paper is None else f"{paper:.0f}",
        "pass" if task.passed else "fail",
        percent(task.support_accuracy),
        percent(task.gold_support_accuracy),
        _cost(task.support_stage),
        _cost(task.answer_stage),
        *(f"{task.seconds.get(name, 0.0):.1f}" for name in SECONDS),
    )


def _cost(stage: StageResult | None) -> str:
    return "-" if stage is None else f"{stage.cost:g}"


def summary(result: RunTable) -> str:
    """Return mean, failures, and the paper's for the same tasks."""
    numbers = [task.task for task in result.done]
    failed = [task.task for task in result.done if not task.passed]
    said = f"mean {percent(result.mean)} %, {counted(len(failed), 'task')} under {LIMIT}"
    if failed:
        said += f" ({', '.join(map(str, failed))})"
    seconds = [sum(task.seconds.get(name, 0.0) for task in result.done) for name in SECONDS]
    paper = paper_table().mean(numbers)
    if paper is not None:
        said += (
            f"; paper: mean {paper:.0f} %, {len(paper_table().failed_tasks(numbers))} under {LIMIT}"
        )
    times = ", ".join(f"{name} {value:.0f}" for name, value in zip(SECONDS, seconds, strict=True))
    return f"{said}; seconds: {times}"


SEEN = 0.005
"""A change of accuracy that a row of `resources` tells."""

KINDS = {"without": "left out", "only": "alone in its stage", "plus": "added"}
"""What an ablation does with a group."""


def print_ablation(result: Ablation, out: Path) -> None:
    """Print tasks by groups: what is left out, what is kept alone, what is added."""
    whole = result.columns[0]
    for kind, title in KINDS.items():
        chosen = result.of_kind(kind)
        if not chosen:
            continue
        names = [variant.name for variant in chosen]
        rows: list[Sequence[str]] = [
            (str(task), name, percent(result.accuracy(whole, task)),
             *(points(result.delta(task, variant)) for variant in names))
            for task, name in result.tasks
        ]  # fmt: skip
        rows.append(("", "mean", percent(result.mean_accuracy(whole)),
                     *(points(result.mean_delta(variant)) for variant in names)))  # fmt: skip
        found = [result.mean_support_delta(variant) for variant in names]
        if mean(each for each in found if each is not None) is not None:
            rows.append(("", "mean, support", "", *(points(each) for each in found)))
        print_table(
            ("task", "name", "all", *(variant.group.replace("-", "-\n") for variant in chosen)),
            rows, left=("name",), repeated=2,
            title=f"{title}: points of accuracy against all groups",
        )  # fmt: skip
    say(f"{out / result.file} has every figure and setting")


def print_mean_score(result: SeveralSeeds[RunTable]) -> None:
    """Print the mean over tasks and seeds and nothing else."""
    found = result.accuracy(result.first.columns[0])
    say("nan" if found is None else f"{found.mean:.4f}")


def print_runs(result: SeveralSeeds[RunTable]) -> None:
    """Print the mean of every task over the seeds, with its interval."""
    from babi_cascade.app.experiments.seeds import failed

    (column,) = result.first.columns
    rows = []
    for task, name in result.first.tasks:
        figure = result.accuracy(column, task)
        paper = paper_table().accuracy(task)
        passed = "" if figure is None else ("pass" if figure.mean >= PASS else "fail")
        rows.append((
            str(task), name, percent(None if figure is None else figure.mean), within(figure),
            "-" if paper is None else f"{paper:.0f}", passed,
        ))  # fmt: skip
    print_table(("task", "name", "accuracy", "95 %", "paper", ""), rows, left=("name", ""))
    whole = result.accuracy(column)
    said = "-" if whole is None else f"{percent(whole.mean)} % {within(whole)}"
    under = failed(result)
    named = f" ({', '.join(map(str, under))})" if under else ""
    say(
        f"mean {said} over {len(result.seeds)} seeds, {counted(len(under), 'task')} under {LIMIT}{named}"
    )


def print_ablations(result: SeveralSeeds[Ablation]) -> None:
    """Print what every group is worth over the seeds, and whether that is more than noise."""
    from babi_cascade.app.experiments.seeds import delta

    for kind, title in KINDS.items():
        rows = []
        for variant in result.first.of_kind(kind):
            found = delta(result, variant.name)
            tasks = ((task, delta(result, variant.name, task)) for task in result.first.numbers)
            beyond = [f"{n} {points(each.mean)}" for n, each in tasks if each and each.beyond_noise]
            told = ("yes" if found and found.beyond_noise else "no", ", ".join(beyond) or "none")
            rows.append((
                variant.stage, variant.group, points(None if found is None else found.mean),
                within(found, sign=True), *(("?", "?") if result.same_questions else told),
            ))  # fmt: skip
        if rows:
            print_table(
                ("stage", "group", "mean", "95 %", "beyond\nnoise", "tasks beyond noise"), rows,
                left=("stage", "group", "tasks beyond noise"), repeated=2,
                title=f"{title}: points of accuracy against all groups, {len(result.seeds)} seeds",
            )  # fmt: skip
    whole = result.accuracy(result.first.columns[0])
    if result.same_questions:
        say("?: the seeds have the same test questions; what others would say is not known")
    else:
        n = (len(result.first.columns) - 1) * len(result.first.numbers)
        say(
            f"of {n} groups by tasks about {max(1, round(n / 20))} would be beyond noise by chance alone"
        )
    if whole is not None:
        say(f"all groups: mean {percent(whole.mean)} % {within(whole)}")


def within(figure: Interval | None, *, sign: bool = False) -> str:
    """Return an interval in percent."""
    if figure is None:
        return "-"
    said = points if sign else percent
    return f"[{said(figure.low)}, {said(figure.high)}]"


def print_comparison(result: Comparison, out: Path) -> None:
    """Print tasks by systems."""
    from babi_cascade.app.experiments.plans.compare import LEGEND, cell, size_cell, summary_rows

    rows: list[tuple[object, ...]] = []
    for task, name in result.tasks:
        cells = [
            coloured(result.accuracy(each, task), cell(result, each, task))
            for each in result.columns
        ]
        rows.append((str(task), name, *cells, *size_cell(result, task)))
    extra = [] if result.curve is None else [f"for 95 %\n{result.curve.system}"]
    rows += [("", title, *cells, *("" for _ in extra)) for title, cells in summary_rows(result)]
    names = [column.replace("-", "-\n").replace(" ", "\n") for column in result.columns]
    title = f"accuracy of the systems ({result.data})"
    print_table(("task", "name", *names, *extra), rows, left=("name",), repeated=2, title=title)
    say(f"{LEGEND}; {out / 'compare.md'} has the table, compare.csv and compare.json every score")
    say(f"{out / result.file} has every figure and setting")


def print_resources(result: Resources, out: Path) -> None:
    """Print one row a preset and reading: the mean, what fails, which tasks lose or win."""
    rows = []
    for column in result.columns:
        preset, reading = column.split(" ", 1)
        changes = [(task, result.lost(column, task)) for task in result.numbers]
        told = [
            f"{task} {points(by)}" for task, by in changes if by is not None and abs(by) >= SEEN
        ]
        failed = result.failed(column)
        rows.append(
            (preset, reading, coloured(result.mean_accuracy(column)), str(len(failed)),
             " ".join(map(str, failed)), ", ".join(told))
        )  # fmt: skip
    print_table(
        ("preset", "coreference+roles", "mean", "fails", "which", "points against the first row"), rows,
        left=("preset", "coreference+roles", "which", "points against the first row"),
        title=f"what the external resources buy ({result.data})",
    )  # fmt: skip
    say(f"{out / result.file} has every figure and setting")


def print_curve(result: Curve, out: Path) -> None:
    """Print one row a task, the mean, and how many tasks reach 95 %."""
    rows: list[tuple[object, ...]] = []
    for task, name in result.tasks:
        cells = [coloured(result.accuracy(size, task)) for size in result.columns]
        rows.append((str(task), name, *cells, needed(result.needed(task)), paper_size(task)))
    means = [percent(result.mean_accuracy(size)) for size in result.columns]
    rows.append(("", "mean", *means, "", ""))
    rows.append(
        ("", "tasks with 95 %", *(str(result.passed(size)) for size in result.sizes), "", "")
    )
    columns = ("task", "name", *result.columns, "for 95 %", "paper")
    title = f"{result.system}: accuracy by training questions"
    print_table(columns, rows, left=("name",), repeated=2, title=title)
    say(f"{out / result.file} has every figure and setting")
    fewer = [count for count in result.available.values() if count < max(result.sizes)]
    if fewer:
        say(
            f"{counted(len(fewer), 'task has', 'tasks have')} fewer training questions than the largest "
            f"size (from {min(fewer)}); all of them are taken"
        )


def needed(size: int | None) -> str:
    """Return a number of training questions, as the paper writes it."""
    return "FAIL" if size is None else str(size)


def paper_size(task: int) -> str:
    """Return the paper's number for a task."""
    sizes = paper_table().sizes
    return needed(sizes[task]) if task in sizes else "-"
