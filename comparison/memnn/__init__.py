"""Memory networks and their extensions (appendix A)."""

from comparison.memnn.estimator import MemoryNetwork

__all__ = ["MemoryNetwork"]
