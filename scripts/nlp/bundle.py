"""Put the trained parts together as a Stanza model directory, in half precision on disk."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import torch

PACKAGE = "small"
PARTS = {"tokenize": "tokenizer", "pos": "tagger", "lemma": "lemmatizer", "depparse": "parser"}
# Settings that name files of the training machine, or would point a pipeline to absent files.
_LOCAL = ("_dir", "_file", "save_name", "load_name", "checkpoint_save_name")


def write_bundle(work: Path, models: Path) -> list[Path]:
    """Copy the parts of ``work`` to ``models``/en and write the small ``resources.json``."""
    written = []
    for processor, name in PARTS.items():
        target = models / "en" / processor / f"{PACKAGE}.pt"
        target.parent.mkdir(parents=True, exist_ok=True)
        checkpoint = torch.load(work / f"{name}.pt", map_location="cpu", weights_only=True)
        torch.save(_slim(checkpoint), target)
        written.append(target)
    chosen = dict.fromkeys(PARTS, PACKAGE)
    english: dict[str, Any] = {processor: {PACKAGE: {}} for processor in PARTS}
    english |= {
        "lang_name": "English",
        "default_processors": chosen,
        "default_dependencies": {},
        "packages": {"default": chosen, PACKAGE: chosen},
    }
    text = json.dumps({"en": english}, indent=2, allow_nan=False) + "\n"
    (models / "resources.json").write_text(text, encoding="utf-8")
    return written


def _slim(value: Any, key: str = "") -> Any:
    """The checkpoint with half-precision weights (Stanza's modules load them as float32) and
    without paths of the training machine."""
    if isinstance(value, torch.Tensor):
        return value.half() if value.is_floating_point() else value
    if isinstance(value, dict):
        return type(value)((k, _slim(v, str(k))) for k, v in value.items())
    if isinstance(value, list):
        return [_slim(each) for each in value]
    if isinstance(value, str) and key.endswith(_LOCAL):
        return ""
    # At most one subject and one object a word. Stanza's pipeline does so by default, but its
    # training code saves a "no"; and its ensembles give wrong relation names without it.
    return True if key == "resolve_head_constraints" else value
