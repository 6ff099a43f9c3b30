"""Coreference: which words of a story mean the same person or thing, and putting one in place of the other.

One back end a file, all behind one protocol, `babi_cascade.pipeline.backends.Coreference`; the default is the
sieve, which needs nothing but trees.
"""

from babi_cascade.pipeline.coref.errors import CorefError
from babi_cascade.pipeline.coref.model import Clusters, Mention
from babi_cascade.pipeline.coref.replace import Replaced, replace_mentions

__all__ = ["Clusters", "CorefError", "Mention", "Replaced", "replace_mentions"]
