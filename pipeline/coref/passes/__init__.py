"""The passes of the sieve, from the most to the least precise: the list is the algorithm.

Raghunathan et al. (2010): "A Multi-Pass Sieve for Coreference Resolution". Each pass sees the entities
that the passes before it made.
"""

from babi_cascade.pipeline.coref.passes.base import Pass
from babi_cascade.pipeline.coref.passes.exact import ExactMatch
from babi_cascade.pipeline.coref.passes.heads import HeadMatch, ProperHeadMatch, RelaxedHeadMatch
from babi_cascade.pipeline.coref.passes.precise import PreciseConstructs
from babi_cascade.pipeline.coref.passes.pronouns import Pronouns
from babi_cascade.pipeline.coref.passes.speakers import Speakers

PASSES: tuple[Pass, ...] = (
    Speakers(),
    ExactMatch(),
    PreciseConstructs(),
    HeadMatch("strict head match"),
    HeadMatch("strict head match, modifiers free", modifiers=False),
    # The paper frees every phrase here; on GUM's training file that does harm (CoNLL F1 57.5) where
    # freeing "this" and "those" does not (58.1).
    HeadMatch("head match, this and those", inclusion=False, modifiers=False, demonstrative=True),
    ProperHeadMatch(),
    RelaxedHeadMatch(),
    Pronouns(),
    Pronouns("pronouns, animacy free", strict=False),
)

__all__ = ["PASSES", "Pass"]
