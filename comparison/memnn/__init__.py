"""Memory networks and their extensions (appendix A)."""

from babi_cascade.comparison.memnn.estimator import MemoryNetwork

__all__ = ["MemoryNetwork"]
