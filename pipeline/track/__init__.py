"""Many tasks in one go: their data, the runs over them, and what is kept so that a run can go on."""

from pipeline.track.ablate import ablate
from pipeline.track.ablation import Ablation
from pipeline.track.backends import BackEnds
from pipeline.track.data import DataSource, TaskData
from pipeline.track.engine import Engine
from pipeline.track.errors import TrackError
from pipeline.track.run import run
from pipeline.track.settings import Settings

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
