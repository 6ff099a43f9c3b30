"""Figures as cells of tables for people."""

from __future__ import annotations

from rich.text import Text

from babi_cascade.app.results.records import PASS, Figure


def percent(share: float | Figure | None) -> str:
    """Return a share as percent without the sign."""
    if isinstance(share, Figure):
        return str(share)
    return "-" if share is None else f"{100 * share:.1f}"


def points(difference: float | None) -> str:
    """Return a difference in points, with its sign."""
    return "-" if difference is None else f"{100 * difference:+.1f}"


def coloured(figure: Figure | None, text: str | None = None) -> Text:
    """Return a figure, green where the task is passed; in a pipe nothing is coloured."""
    passed = figure is not None and figure.mean >= PASS
    return Text(percent(figure) if text is None else text, style="green" if passed else "")
