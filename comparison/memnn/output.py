"""O of appendix A: find the supporting memories, one hop after the other.

**Order.** Released files name supporting facts now in the order of reasoning, now against it, and R adds them
up in any case. Any true fact not found yet is therefore right at a hop, and the one with the smallest loss is
taken: the order is found together with the weights.

**Stop.** With adaptive memories the stop fact is one more candidate. It was written at no time: it meets the
winner of the memories, and the larger score decides. A memory that was found is then out of the search.
Without them the number of hops is fixed, and a question with fewer facts stays with those it found.
"""

from __future__ import annotations

import torch
from torch import Tensor, nn

from babi_cascade.comparison.memnn.arrays import NONE, STOP, Batch, QuestionArrays, Ranked, marked
from babi_cascade.comparison.memnn.encoder import Encoder
from babi_cascade.comparison.memnn.pairs import Hop, preference, tournament

QUESTION, MEMORY, CANDIDATE = range(3)
"""The three dictionaries of s_O."""


class OutputModule(nn.Module):
    """Chooses memories for a question.

    Parameters
    ----------
    size : how many features there are
    dimension, form, positions, scale, generator : see Encoder
    hops : how many memories are found; with ``adaptive`` at most so many
    adaptive : whether the stop fact may end the search
    margin : by how much a true fact should win
    """

    def __init__(
        self, size: int, *, dimension: int, form: str, positions: int, hops: int, adaptive: bool,
        margin: float, scale: float, generator: torch.Generator,
    ) -> None:  # fmt: skip
        super().__init__()
        self.hops = hops
        self.adaptive = adaptive
        self.margin = margin
        self.encoder = Encoder((size,) * 3, dimension, form, positions, scale, generator)
        self.times = nn.Parameter(scale * torch.randn(3, dimension, generator=generator))

    def loss(self, batch: Batch) -> Tensor:
        """Return the sum of all hinges max(0, margin - preference of the true one to a wrong one)."""
        return self._follow(batch)[0]

    @torch.no_grad()
    def order(self, batch: Batch) -> Tensor:
        """Return the true facts in the order in which they are found (B, hops); NONE after the last."""
        return self._follow(batch)[1]

    @torch.no_grad()
    def find(self, batch: Batch) -> Ranked:
        """Return the memories that are found greedily, hop by hop."""
        search = _Search(self, batch)
        going = batch.known.any(dim=1)
        scores = search.total.new_zeros(len(batch))
        margins = torch.full_like(scores, torch.inf)
        chosen = []
        for _ in range(self.hops):
            hop = search.hop()
            free = batch.known & ~search.found if self.adaptive else batch.known
            winner = tournament(hop, free)
            own = _pick(hop.memories, winner)
            others = free & (torch.arange(free.shape[1]) != winner[:, None])
            ahead = preference(hop, winner[:, None])[:, 0]
            lead = ahead.masked_fill(~others, torch.inf).amin(dim=1)
            searching = going
            if self.adaptive:
                going = going & free.any(dim=1) & (own > hop.stop)
                stopped = hop.stop - hop.memories.masked_fill(~free, -torch.inf).amax(dim=1)
                lead = torch.where(going, torch.minimum(lead, own - hop.stop), stopped)
            margins = torch.where(searching, torch.minimum(margins, lead), margins)
            if not bool(going.any()):
                break
            scores = scores + own * going
            chosen.append(torch.where(going, winner, NONE))
            search.take(winner, going)
        positions = torch.stack(chosen, dim=1) if chosen else torch.full((len(batch), 0), NONE)
        return Ranked(positions, scores, margins)

    def _follow(self, batch: Batch) -> tuple[Tensor, Tensor]:
        """Find the true facts in the order of smallest loss; return the loss and that order."""
        search = _Search(self, batch)
        true, gold = batch.gold != NONE, batch.gold.clamp(min=0)
        remaining = true
        going = batch.known.any(dim=1) & (true.any(dim=1) | self.adaptive)
        loss = search.total.new_zeros(())
        order = []
        for _ in range(self.hops):
            hop = search.hop()
            if self.adaptive:
                rivals = batch.known & ~search.found
                over = going & ~remaining.any(dim=1)
                going = going & ~over
                above = torch.relu(self.margin - hop.stop[:, None] + hop.memories)
                loss = loss + (above * (rivals & over[:, None])).sum()
            else:
                rivals = batch.known
                remaining = torch.where(remaining.any(dim=1, keepdim=True), remaining, true)
            if not bool(going.any()):
                break
            # one true fact is no rival of another
            rivals = rivals & ~marked(gold, remaining, batch.known.shape[1])
            hinges = torch.relu(self.margin - preference(hop, gold)) * rivals[:, None]
            losses = hinges.sum(dim=2)
            if self.adaptive:
                own = hop.memories.gather(1, gold)
                losses = losses + torch.relu(self.margin - own + hop.stop[:, None])
            best = losses.detach().masked_fill(~remaining, torch.inf).argmin(dim=1)
            loss = loss + (_pick(losses, best) * going).sum()
            winner = _pick(gold, best)
            order.append(torch.where(going, winner, NONE))
            search.take(winner, going)
            remaining = remaining & (torch.arange(gold.shape[1]) != best[:, None])
        return loss, torch.stack(order, dim=1) if order else torch.full((len(batch), 0), NONE)


class OutputLearner:
    """Learns to find the supporting facts."""

    def __init__(self, module: OutputModule, data: QuestionArrays) -> None:
        self.module = module
        self._data = data

    @property
    def sizes(self) -> Tensor:
        """Return how many memories each question has."""
        return self._data.counts

    def loss(self, rows: Tensor) -> Tensor:
        """Return the sum of the ranking losses of all hops."""
        return self.module.loss(self._data.batch(rows))

    def right(self, rows: Tensor) -> Tensor:
        """Return whether the true facts were found, all or as many as there are hops, and no other."""
        batch = self._data.batch(rows)
        found, true = (
            marked(places, places != NONE, batch.known.shape[1])
            for places in (self.module.find(batch).numbers, batch.gold)
        )
        wanted = true.sum(dim=1).clamp(max=self.module.hops)
        return ((found & true).sum(dim=1) == wanted) & ~(found & ~true).any(dim=1)


class _Search:
    """Where the search for the memories of a batch stands: the list [x, m_o1, ...] and what was found."""

    def __init__(self, module: OutputModule, batch: Batch) -> None:
        encoder = module.encoder
        self._module = module
        self._memories = batch.memories
        self._as_memory = encoder.bags(MEMORY, batch.features, batch.bins)
        self._as_candidate = encoder.squash(encoder.bags(CANDIDATE, batch.features, batch.bins))
        asked = encoder.bags(QUESTION, batch.features[batch.asked], batch.bins[batch.asked])
        self.total = asked
        self.last = torch.full((len(batch),), batch.memories.shape[1])
        self.found = torch.zeros_like(batch.known)

    def hop(self) -> Hop:
        """Score every memory against the list so far."""
        query = self._module.encoder.squash(self.total)
        scores = query @ self._as_candidate.T
        return Hop(
            scores.gather(1, self._memories),
            scores[:, STOP],
            query @ self._module.times.T,
            self.last,
        )

    def take(self, winner: Tensor, going: Tensor) -> None:
        """Add a memory to the list of each question that is still going on."""
        rows = _pick(self._memories, winner)
        self.total = self.total + self._as_memory[rows] * going[:, None]
        self.last = torch.where(going, winner, self.last)
        self.found = self.found | marked(winner[:, None], going[:, None], self.found.shape[1])


def _pick(table: Tensor, column: Tensor) -> Tensor:
    """Return one entry of each row."""
    return table.gather(1, column[:, None])[:, 0]
