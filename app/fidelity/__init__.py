"""How true the simulated stories are to real ones: what is said, asked, answered and supported."""

from babi_cascade.app.fidelity.comparison import compare

__all__ = ["compare"]
