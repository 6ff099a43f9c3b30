"""What a role model says of itself, read without its weights: enough to know whether it fits a cache."""

from __future__ import annotations

import hashlib
import json
import zipfile
from importlib.resources import files
from pathlib import Path
from typing import Any

from babi_cascade.pipeline.errors import ReadingError

FORMAT = 2
FILE = "roles.npz"


class LabellerError(ReadingError):
    """A role model that cannot be used: which file, what is wrong, what to do."""


def shipped_model() -> Path:
    """Return where the labeller that comes with the package lies."""
    return Path(str(files("babi_cascade.data"))) / "models" / "en" / "srl" / FILE


def read_header(path: Path) -> dict[str, Any]:
    """Return the header of a model file; a file that is none is refused with the reason."""
    try:
        with zipfile.ZipFile(path) as archive:
            header = json.loads(archive.read("header.json"))
    except FileNotFoundError as error:
        raise LabellerError(
            f"{path}: there is no role model; get it with: scripts/train_srl.py CORPORA_DIR --out {path}"
        ) from error
    except Exception as error:  # a file that is no archive fails in many ways
        raise LabellerError(f"{path}: not a role model, or a damaged one: {error}") from error
    if not isinstance(header, dict) or header.get("format") != FORMAT:
        found = header.get("format") if isinstance(header, dict) else type(header).__name__
        raise LabellerError(f"{path}: found format {found}, expected {FORMAT}")
    return header


def fingerprint_of(header: dict[str, Any]) -> str:
    """Return a short name of exactly the weights that a header describes."""
    return hashlib.sha256(str(header.get("sha256", "")).encode()).hexdigest()[:12]
