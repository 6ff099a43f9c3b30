"""The cascade: read the story, select the supporting facts, rank the answers."""

from babi_cascade.cascade.estimator import Cascade, CascadeError
from babi_cascade.cascade.prediction import (
    Candidate,
    Contribution,
    Explanation,
    OtherFacts,
    Prediction,
)

__all__ = [
    "Candidate",
    "Cascade",
    "CascadeError",
    "Contribution",
    "Explanation",
    "OtherFacts",
    "Prediction",
]
