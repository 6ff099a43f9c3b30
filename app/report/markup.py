"""HTML from Python without a template engine: everything that is not markup is escaped."""

from __future__ import annotations

import hashlib
import json
from base64 import b64encode
from collections.abc import Iterable, Mapping
from html import escape
from importlib import resources
from typing import Any

from babi_cascade.pipeline.stories.errors import escaped
from babi_cascade.pipeline.stories.strict_json import HIDDEN

Html = str
"""Text in which markup means markup."""


def tag(name: str, *inner: Html, **attributes: object) -> Html:
    """Return an element; ``inner`` is markup, attribute values are plain text.

    ``class_`` stands for class, ``data_task`` for data-task; None leaves an attribute out.
    """
    written = "".join(
        f' {key.rstrip("_").replace("_", "-")}="{escape(_shown(str(value)))}"'
        for key, value in attributes.items()
        if value is not None
    )
    return f"<{name}{written}>{''.join(inner)}</{name}>"


def text(value: object) -> Html:
    """Return plain text as markup; what could hide or reorder the text around it is shown as an escape."""
    return escape(_shown(str(value)), quote=False)


def joined(parts: Iterable[Html]) -> Html:
    """Return parts one after the other."""
    return "\n".join(parts)


def static(name: str) -> str:
    """Return a file that ships with the page."""
    return (resources.files("babi_cascade.app.report") / "static" / name).read_text(
        encoding="utf-8"
    )


def embedded(value: Any) -> Html:
    """Return JSON that can stand in a script element: nothing in it can end the element.

    ``<``, ``>`` and ``&`` are written as escapes, which JSON reads as the same characters; so are the two
    line separators that older readers of scripts stumble over. Hidden characters are shown as escapes.
    """
    raw = json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    raw = HIDDEN.sub(lambda found: "\\" + escaped(found[0]), raw)
    for character in "<>&":
        raw = raw.replace(character, f"\\u{ord(character):04x}")
    return raw


def _shown(value: str) -> str:
    return HIDDEN.sub(lambda found: found[0] if found[0] in "\n\t" else escaped(found[0]), value)


def filled(template: str, parts: Mapping[str, Html]) -> Html:
    """Put parts into the places of a template that are called ``{{name}}``."""
    pieces = template.split("{{")
    made = [pieces[0]]
    for piece in pieces[1:]:
        name, _, rest = piece.partition("}}")
        made.append(parts[name.strip()] + rest)
    return "".join(made)


def script_hash(script: str) -> str:
    """Return how a content security policy names a script."""
    return "'sha256-" + b64encode(hashlib.sha256(script.encode()).digest()).decode() + "'"
