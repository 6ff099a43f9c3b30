"""The paper's other systems on the same questions: N-grams, LSTM, memory networks with their extensions.

All have the surface of the cascade: fit, predict, score, get_params, set_params, save, load.
"""

from babi_cascade.comparison.registry import SYSTEMS, load_system, make_system

__all__ = ["SYSTEMS", "load_system", "make_system"]
