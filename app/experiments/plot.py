"""The bar plot of an ablation; matplotlib is imported here and nowhere else."""

from __future__ import annotations

import importlib.util
from pathlib import Path

from babi_cascade.app.experiments.ablation import Ablation
from babi_cascade.app.experiments.errors import TrackError
from babi_cascade.pipeline.stories.errors import escaped
from babi_cascade.pipeline.stories.saving import drafted

TITLES = {"without": "each group left out", "only": "each group alone in its stage"}
_COLOURS = {"answers": "#3b6fb6", "supporting facts": "#e2a03f"}
_BAR = 0.38


GET_PLOTS = "pip install -c constraints.txt '.[plots]'"


def label(text: str) -> str:
    """Return a name as it can stand in a picture: nothing hidden, and no formula begins at a dollar."""
    return escaped(text).replace("$", r"\$")


def check_plots() -> None:
    """Say now rather than after hours of training that no plot can be drawn."""
    if importlib.util.find_spec("matplotlib") is None:
        raise TrackError(
            f"the plot needs matplotlib; get it with: {GET_PLOTS}, or leave the plot out with --no-plot"
        )


def save_plot(ablation: Ablation, path: Path) -> None:
    """Draw the mean difference that each group makes as bars, every task as a dot."""
    from matplotlib.figure import Figure

    kinds = [kind for kind in TITLES if ablation.of_kind(kind)]
    longest = max((len(ablation.of_kind(kind)) for kind in kinds), default=1)
    figure = Figure(figsize=(6.5 * max(len(kinds), 1), 1.2 + 0.55 * longest), layout="constrained")
    panels = figure.subplots(1, max(len(kinds), 1), squeeze=False)[0]
    for panel, kind in zip(panels, kinds, strict=False):
        chosen = ablation.of_kind(kind)
        for place, variant in enumerate(chosen):
            figures = {
                "answers": ablation.mean_delta(variant.name),
                "supporting facts": ablation.mean_support_delta(variant.name),
            }
            for shift, (what, value) in zip((-_BAR / 2, _BAR / 2), figures.items(), strict=True):
                panel.barh(
                    place + shift, 100 * (value or 0.0), _BAR, color=_COLOURS[what],
                    label=what if place == 0 else None,
                )  # fmt: skip
            found = [ablation.delta(task, variant.name) for task, _ in ablation.tasks]
            dots = [100 * each for each in found if each is not None]
            panel.plot(dots, [place - _BAR / 2] * len(dots), "|", color="black", alpha=0.5)
        panel.set_yticks(range(len(chosen)), [label(variant.group) for variant in chosen])
        panel.invert_yaxis()
        panel.margins(x=0.08)
        panel.axvline(0, color="black", linewidth=0.8)
        panel.set_xlabel("points of accuracy (bars: mean of the tasks, ticks: single tasks)")
        panel.set_title(TITLES[kind])
        panel.legend(frameon=False, loc="best")
    # Beside the target first, so that an interruption leaves no half picture. Without the name of the
    # program and its version in the file the same results give the same bytes.
    with drafted(path) as draft:
        figure.savefig(draft, format="png", dpi=150, metadata={"Software": None})
