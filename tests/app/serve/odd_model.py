"""A process like the one that holds a model, whose answers hang, fail or end it: the text says which."""

from __future__ import annotations

import os
import signal
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[3]))

from babi_cascade.app.serve.model_process import hold_model
from babi_cascade.errors import UserError
from babi_cascade.pipeline.stories.strict_json import json_text


def answer(text: str) -> str:
    if "Hang" in text:
        sum(
            range(10**15)
        )  # never lets go of the interpreter: no thread, no signal handler gets to run
    if "Fail" in text:
        raise ValueError("what was asked is \x1b[31mred\x1b[0m")
    if "Crash" in text:
        os.kill(os.getpid(), signal.SIGSEGV)
    if "Refuse" in text:
        raise UserError("such \x1b texts are refused")
    if "Nan" in text:
        return json_text({"questions": [float("nan")]})
    if "Long" in text:
        return json_text({"questions": ["x" * 20_000_000]})
    return json_text({"questions": [{"pid": os.getpid(), "parent": os.getppid()}]})


def load(kind: str):
    if kind == "broken":
        sys.exit(2)
    if kind == "slow":
        time.sleep(60)
    return answer


hold_model(lambda: load(sys.argv[1] if len(sys.argv) > 1 else ""))
