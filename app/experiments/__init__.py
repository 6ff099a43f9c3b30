"""Many tasks in one go: their data, the plans that are measured on them, and what is kept to go on."""

from babi_cascade.app.experiments.backends import BackEnds
from babi_cascade.app.experiments.data import DataSource, TaskData
from babi_cascade.app.experiments.grid import Grid, run_plan
from babi_cascade.app.experiments.plans.ablate import Ablation, AblationPlan
from babi_cascade.app.experiments.plans.compare import Comparison, ComparisonPlan
from babi_cascade.app.experiments.plans.curve import Curve, CurvePlan
from babi_cascade.app.experiments.plans.long import LongPlan, LongTable
from babi_cascade.app.experiments.plans.resources import Resources, ResourcesPlan
from babi_cascade.app.experiments.plans.run import RunPlan, RunTable
from babi_cascade.app.experiments.pool import Engine
from babi_cascade.cascade.settings import Settings

__all__ = [
    "Ablation",
    "AblationPlan",
    "BackEnds",
    "Comparison",
    "ComparisonPlan",
    "Curve",
    "CurvePlan",
    "DataSource",
    "Engine",
    "Grid",
    "LongPlan",
    "LongTable",
    "Resources",
    "ResourcesPlan",
    "RunPlan",
    "RunTable",
    "Settings",
    "TaskData",
    "run_plan",
]
