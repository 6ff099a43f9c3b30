"""R of appendix A: rank the words of the dictionary, given the question and the memories that were found.

With adaptive memories several words can be said: each is ranked given the words before it, until the special
word that ends the answer comes first (A.2.1).

**Time.** A bag of several memories does not say which of them holds now: "Ann went to the park. Then she went
to the school." is the same bag whichever place came first. The memory that was written last therefore has a
dictionary of its own, as the memories that O compares have their features of write time.
"""

from __future__ import annotations

import torch
from torch import Tensor, nn

from babi_cascade.comparison.memnn.arrays import NONE, NOTHING, Batch, QuestionArrays, Ranked
from babi_cascade.comparison.memnn.encoder import Encoder

QUESTION, MEMORY, WORD, SAID, NEWEST = range(5)
"""The three dictionaries of s_R, one for words that were said before, one for the newest memory."""

END = 0
"""The number of the word that ends an answer."""


class ResponseModule(nn.Module):
    """Chooses the words of an answer.

    Parameters
    ----------
    size : how many features there are
    answers : how many words can be said, END among them
    dimension, form, positions, scale, generator : see Encoder
    longest : at most so many words are said; 1 says exactly one, without END
    margin : by how much a true word should win
    """

    def __init__(
        self, size: int, answers: int, *, dimension: int, form: str, positions: int, longest: int,
        margin: float, scale: float, generator: torch.Generator,
    ) -> None:  # fmt: skip
        super().__init__()
        self.longest = longest
        self.margin = margin
        sizes = (size, size, answers, answers, size)
        self.encoder = Encoder(sizes, dimension, form, positions, scale, generator)

    def loss(self, batch: Batch, facts: Tensor) -> Tensor:
        """Return the sum of the hinges max(0, margin - score of the true word + score of another)."""
        words = batch.words[:, : self.longest]
        total = self._read(batch, facts)[:, None, :]
        if self.longest > 1:
            # each step knows the words before it; after the last word comes END
            before = self.encoder.words(SAID)[words.clamp(min=0)] * (words != NONE)[:, :, None]
            total = torch.cat([total, total + before.cumsum(dim=1)], dim=1)[:, : self.longest]
            words = nn.functional.pad(words, (0, 1), value=NONE)[:, : self.longest]
            lengths = (words != NONE).sum(dim=1, keepdim=True)
            steps = torch.arange(words.shape[1])
            words = torch.where((steps == lengths) & (lengths > 0), END, words)
        scores = self._scores(total)
        own = scores.gather(2, words.clamp(min=0)[:, :, None])
        hinges = torch.relu(self.margin - own + scores)
        hinges = hinges.scatter(2, words.clamp(min=0)[:, :, None], 0.0)
        return (hinges * (words != NONE)[:, :, None]).sum()

    @torch.no_grad()
    def say(self, batch: Batch, facts: Tensor) -> Ranked:
        """Return the words that are ranked first, one after the other."""
        total = self._read(batch, facts)
        going = torch.ones(len(batch), dtype=torch.bool)
        sums = total.new_zeros(len(batch))
        margins = torch.full_like(sums, torch.inf)
        said = []
        for step in range(self.longest):
            scores = self._scores(total)
            if step == 0:  # an answer has at least one word
                scores[:, END] = -torch.inf
            best, word = scores.max(dim=1)
            second = scores.scatter(1, word[:, None], -torch.inf).amax(dim=1)
            margins = torch.where(going, torch.minimum(margins, best - second), margins)
            going = going & (word != END)
            if not bool(going.any()):
                break
            sums = sums + best * going
            said.append(torch.where(going, word, NONE))
            total = total + self.encoder.words(SAID)[word] * going[:, None]
        return Ranked(torch.stack(said, dim=1), sums, margins)

    def _read(self, batch: Batch, facts: Tensor) -> Tensor:
        """Add up the question and the memories at positions ``facts`` (B, hops)."""
        encoder = self.encoder
        asked = encoder.bags(QUESTION, batch.features[batch.asked], batch.bins[batch.asked])
        if not facts.shape[1]:
            return asked
        last = facts.amax(dim=1, keepdim=True)
        newest = (facts == last) & (facts != NONE)
        # an empty sentence adds nothing, neither for a hop that was not made nor for the newest memory
        rows = batch.memories.gather(1, facts.clamp(min=0))
        rows = torch.where((facts == NONE) | newest, NOTHING, rows).reshape(-1)
        others = encoder.bags(MEMORY, batch.features[rows], batch.bins[rows])
        row = torch.where(last == NONE, NOTHING, batch.memories.gather(1, last.clamp(min=0)))[:, 0]
        own = encoder.bags(NEWEST, batch.features[row], batch.bins[row])
        # a fixed number of hops may stay with one memory, which then counts twice
        times = newest.sum(dim=1, keepdim=True)
        return asked + others.reshape(*facts.shape, -1).sum(dim=1) + own * times

    def _scores(self, total: Tensor) -> Tensor:
        encoder = self.encoder
        return encoder.squash(total) @ encoder.squash(encoder.words(WORD)).T


class ResponseLearner:
    """Learns to say the answer, given the true facts in the order in which O finds them."""

    def __init__(self, module: ResponseModule, data: QuestionArrays, facts: Tensor) -> None:
        self.module = module
        self._data = data
        self._facts = facts

    @property
    def sizes(self) -> Tensor:
        """Return nothing that matters: only the facts are read, not the stories."""
        return torch.zeros_like(self._data.counts)

    def loss(self, rows: Tensor) -> Tensor:
        """Return the sum of the ranking losses of all words."""
        return self.module.loss(self._data.batch(rows), self._facts[rows])

    def right(self, rows: Tensor) -> Tensor:
        """Return whether every word of the answer is right."""
        batch = self._data.batch(rows)
        said = self.module.say(batch, self._facts[rows]).numbers
        width = max(said.shape[1], batch.words.shape[1])
        padded = [nn.functional.pad(w, (0, width - w.shape[1]), value=NONE)
                  for w in (said, batch.words)]  # fmt: skip
        return (padded[0] == padded[1]).all(dim=1)
