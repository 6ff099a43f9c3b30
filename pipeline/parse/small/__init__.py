"""Small Stanza models computed with NumPy: the same networks and weights, without their start-up.

Of each kind of model there is a file that knows one shape of it, the shape of the models that ship. Whatever
is of another shape is left to Stanza: `load` returns None.
"""

from __future__ import annotations

from babi_cascade.pipeline.parse.small.models import SmallModels, load
from babi_cascade.pipeline.parse.small.tokenizer import Word, given

__all__ = ["SmallModels", "Word", "given", "load"]
