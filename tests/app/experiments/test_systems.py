"""Systems by name; the clock starts when the machine code is there."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
COUNT = """
import sys
from pathlib import Path
from numba.core.dispatcher import Dispatcher
from babi_cascade.app.experiments import DataSource, Settings
from babi_cascade.app.experiments.unit import read_tasks
from babi_cascade.app.experiments.systems import CascadeSystem
from babi_cascade.app.experiments.unit import Unit, do_unit
from babi_cascade.pipeline.read import StoryReader

def compiled():
    modules = [m for name, m in sys.modules.items() if name.startswith("babi_cascade")]
    found = {id(each): each for m in modules for each in vars(m).values() if isinstance(each, Dispatcher)}
    return {each.py_func.__name__: len(each.signatures) for each in found.values() if each.signatures}

system = CascadeSystem(Settings(preset=sys.argv[2], cost=0.1))
(task,) = read_tasks(DataSource(tasks=[1], questions=20).load(Path(sys.argv[1])), StoryReader())
made = []
class Timed(CascadeSystem):
    def train(self, asked, hear=None):
        made.append(compiled())
        trained = CascadeSystem.train(self, asked, hear)
        made.append(compiled())
        return trained

do_unit(Unit(Timed(system.settings), (task,), ("qa1",)))
before, after = made
assert before, "no kernel was found"
print({name: after[name] for name in after if after[name] != before.get(name)})
"""


@pytest.mark.parametrize("preset", ["paper", "extended"])
def test_no_kernel_is_made_or_loaded_while_the_clock_of_training_runs(tmp_path, preset):
    shown = subprocess.run(
        [sys.executable, "-c", COUNT, str(tmp_path), preset], text=True, capture_output=True,
        env={**os.environ, "PYTHONPATH": str(ROOT)}, timeout=300,
    )  # fmt: skip
    assert shown.returncode == 0, shown.stderr
    assert shown.stdout.strip() == "{}"
