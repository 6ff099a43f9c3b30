"""The live page: the look of the report, filled by what is typed."""

from __future__ import annotations

from functools import cache

from babi_cascade.app.report.markup import Html, filled, joined, script_hash, static

SCRIPTS = ("theme.js", "view.js", "live.js")


@cache
def live_page() -> Html:
    """Return the page."""
    return filled(static("live.html"), {"style": static("style.css"), "script": _script()})


@cache
def policy() -> str:
    """Return what the page may do: run its own script, and ask its own server."""
    return (
        f"default-src 'none'; img-src data:; style-src 'unsafe-inline'; script-src {script_hash(_script())}; "
        "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    )


def _script() -> str:
    return joined(static(name) for name in SCRIPTS)
