"""The cascade: read the story, select the supporting facts, rank the answers."""

from pipeline.cascade.estimator import Cascade, CascadeError
from pipeline.cascade.prediction import Contribution, Explanation, Prediction

__all__ = ["Cascade", "CascadeError", "Contribution", "Explanation", "Prediction"]
