"""A model file that reads words only, made by the command itself."""

from __future__ import annotations

from pathlib import Path

import pytest

from babi_cascade.app.cli import cli
from babi_cascade.pipeline.stories.saving import save_questions


@pytest.fixture(scope="session")
def words_model(small_questions, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("ask")
    save_questions(folder / "train.jsonl", small_questions)
    arguments = ["train", str(folder / "train.jsonl"), "-m", str(folder / "words.model"), "--coref", "none",
                 "--srl", "none", "--cost", "0.1"]  # fmt: skip
    cli.main(arguments, standalone_mode=False)
    return folder / "words.model"
