"""The cascade: read the story, select the supporting facts, rank the answers, say why and how sure."""

from babi_cascade.cascade.doubt import Verdict
from babi_cascade.cascade.estimator import Cascade, CascadeError
from babi_cascade.cascade.explanation import Candidate, Contribution, Explanation, RunnerUp
from babi_cascade.cascade.prediction import Prediction

__all__ = [
    "Candidate",
    "Cascade",
    "CascadeError",
    "Contribution",
    "Explanation",
    "Prediction",
    "RunnerUp",
    "Verdict",
]
