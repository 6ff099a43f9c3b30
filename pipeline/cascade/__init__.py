"""The cascade: read the story, select the supporting facts, rank the answers."""

from pipeline.cascade.estimator import Cascade, CascadeError
from pipeline.cascade.prediction import (
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
