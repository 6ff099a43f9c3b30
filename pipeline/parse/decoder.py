"""The decoder of the parser: from the scores of arcs and labels to trees, in bounded time.

Stanza searches the best tree in Python, and once more for every way in which a second subject or object of
a word could be repaired: minutes for a long sentence that somebody made up. Here the search is compiled and
takes the square of the length, and there is a fixed number of repairs (see `decoder_kernels`). The trees are
those of Stanza wherever Stanza ends its own repairs.
"""

from __future__ import annotations

from collections.abc import Sequence
from types import MethodType
from typing import Any

import numpy as np
from stanza.models.common.vocab import VOCAB_PREFIX_SIZE
from stanza.models.depparse.head_constraints import SINGLETON_DEPREL_GROUPS
from stanza.models.depparse.model import EnsembleGraphParser, GraphParser

from babi_cascade.pipeline.parse.decoder_kernels import best_tree, decode

_BITS = {
    name: 1 << bit for bit, group in enumerate(SINGLETON_DEPREL_GROUPS.values()) for name in group
}


def use_decoder(pipeline: Any) -> None:
    """Let the parser of a Stanza pipeline decode with this module; other pipelines stay as they are."""
    model = pipeline.processors["depparse"].trainer.model
    if isinstance(model, GraphParser | EnsembleGraphParser):
        model.decode_graph_predictions = decode_predictions
        # An ensemble has a predict of its own that asks for the decoder by its full name.
        model.predict = MethodType(GraphParser.predict, model)


def decode_predictions(
    vocab: Any,
    batch_size: int,
    preds: Sequence[Any],
    sentlens: Sequence[int],
    resolve_head_constraints: bool = False,
) -> list[list[list[Any]]]:
    """Return head and relation of every word of a batch; the arguments are those of Stanza's own function.

    ``preds`` are the scores of arcs [sentence, word, head], the best label of each arc, and the scores of
    all labels [sentence, word, head, label]; ``sentlens`` count the root.
    """
    found = []
    groups = group_bits(vocab, preds[2].shape[-1]) if resolve_head_constraints else None
    for index, length in zip(range(batch_size), sentlens, strict=True):
        scores = np.asarray(preds[0][index][:length, :length], np.float32)
        if groups is None:
            heads = best_tree(scores)
            ids = [preds[1][index][word][heads[word]] for word in range(1, length)]
        else:
            labels = np.asarray(preds[2][index][:length, :length], np.float32)
            heads, chosen = decode(scores, labels, groups)
            ids = [int(label) + VOCAB_PREFIX_SIZE for label in chosen[1:]]
        relations = vocab.unmap(ids)
        found.append(
            [[head, relation] for head, relation in zip(heads[1:], relations, strict=True)]
        )
    return found


def group_bits(vocab: Any, count: int) -> Any:
    """Return for every label the bit of the group of which a head may have one, 0 for none."""
    names = vocab.unmap(range(VOCAB_PREFIX_SIZE, VOCAB_PREFIX_SIZE + count))
    return np.array([_BITS.get(name, 0) for name in names], np.uint8)
