"""Many tasks in one go: their data, the runs over them, and what is kept so that a run can go on."""

from babi_cascade.app.experiments.ablate import ablate
from babi_cascade.app.experiments.ablation import Ablation
from babi_cascade.app.experiments.backends import BackEnds
from babi_cascade.app.experiments.data import DataSource, TaskData
from babi_cascade.app.experiments.engine import Engine
from babi_cascade.app.experiments.errors import TrackError
from babi_cascade.app.experiments.run import run
from babi_cascade.app.experiments.settings import Settings

__all__ = [
    "Ablation",
    "BackEnds",
    "DataSource",
    "Engine",
    "Settings",
    "TaskData",
    "TrackError",
    "ablate",
    "run",
]
