"""Supporting facts learned from answers, for questions whose facts nobody told.

Which facts a question rests on is hidden; what is known is that they hang together with the question and
that the answer follows from them. A log-linear model of both (`svm.latent`) is learned by the likelihood of
the answers, and the facts that it finds most probable, given the answer, take the place of labels. It
always looks at the groups of the extended preset: which facts a question has does not depend on who learns
from them.

How many facts a kind of question needs, one, two, all that name something of the question (a chain) or three,
is chosen by how many answers are found on folds of the training stories.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from babi_cascade.cascade.latent_examples import LatentExamples, with_facts
from babi_cascade.cascade.settings import AUTO, FACTS
from babi_cascade.cascade.stages import AnswerStage, SupportStage, story_numbers
from babi_cascade.cascade.training import folds
from babi_cascade.features.group import Rule
from babi_cascade.features.presets import EXTENDED, RELATIONS
from babi_cascade.features.registry import ANSWER, choose, made
from babi_cascade.features.support_encoder import CHAIN
from babi_cascade.pipeline.read import ReadQuestion
from babi_cascade.svm.arrays import Floats, Longs

MODES: tuple[int | str, ...] = (1, 2, CHAIN, 3)
"""How many facts, in the order in which they are tried."""

GOOD_ENOUGH = 0.99
"""Once so many held-out answers are found, nothing larger is tried."""

HOPELESS, NEAR = 0.75, 0.05
"""One fold decides where fewer answers are found, or so many fewer or more than with other sizes."""

N_FOLDS = 3
TRIAL_PASSES = 10
"""Passes of the fits that are compared, not kept."""

NO_EXAMPLES: Longs = np.zeros(0, np.int64)


@dataclass(frozen=True, slots=True)
class Imputation:
    """What was learned about facts that nobody told, and its certificate.

    Attributes
    ----------
    n_told, n_imputed : questions with facts of their own, and those that got some
    likelihood : mean log-likelihood of the answers of the latter; chains have none, None if all are chains
    explained : share of the training questions that the answer stage, once trained, answers right from
        these facts, which were chosen knowing the answers
    held_out : share of the answers that are found of questions whose stories were left out while facts were
        learned; None if there were no other stories
    modes : by kind of question, how many facts were looked for and the share of held-out answers it finds
    """

    n_told: int
    n_imputed: int
    likelihood: float | None
    explained: float
    held_out: float | None
    modes: Mapping[str, tuple[str, float]]

    def to_json(self) -> dict[str, Any]:
        """Return the JSON form."""
        return {
            "n_told": self.n_told,
            "n_imputed": self.n_imputed,
            "likelihood": self.likelihood,
            "explained": self.explained,
            "held_out": self.held_out,
            "modes": {kind: [mode, share] for kind, (mode, share) in self.modes.items()},
        }


class Imputer:
    """Finds the facts that answers rest on.

    Parameters
    ----------
    max_facts : at most so many, and no chains; None for as many as do best
    seed : of the folds and of the order of the examples
    progress : gets short texts about what is being done
    """

    def __init__(
        self, max_facts: int | None = None, seed: int = 0,
        progress: Callable[[str], None] | None = None,
    ) -> None:  # fmt: skip
        self.max_facts = max_facts
        self.seed = seed
        self.progress = progress

    def supervise(
        self, read: Sequence[ReadQuestion], supervision: str
    ) -> tuple[Sequence[ReadQuestion], Imputation | None]:
        """Return training questions with the facts to learn from, and what was learned of those untold.

        A question that names no fact at all has none told: its answer must come from somewhere.
        """
        if supervision == FACTS:
            return read, None
        known = [supervision == AUTO and bool(asked.source.support) for asked in read]
        if all(known):
            return read, None
        supports, imputation = self.impute(read, known)
        return [with_facts(a, s) for a, s in zip(read, supports, strict=True)], imputation

    def impute(
        self, read: Sequence[ReadQuestion], known: Sequence[bool]
    ) -> tuple[list[tuple[int, ...]], Imputation]:
        """Return the facts of every question, as positions, where ``known`` says whose facts are told."""
        examples = LatentExamples(read, known)
        modes, shares = self._choose_modes(examples)
        return self._settle(examples, modes, shares)

    @property
    def _modes(self) -> tuple[int | str, ...]:
        """The numbers of facts that may be tried."""
        if self.max_facts is None:
            return MODES
        return tuple(mode for mode in MODES if isinstance(mode, int) and mode <= self.max_facts)

    def _choose_modes(
        self, examples: LatentExamples
    ) -> tuple[dict[str, int | str], dict[str, float]]:
        """Return for every kind how many facts do best on held-out answers, and how well."""
        stories = story_numbers(examples.read)
        parts = folds(stories, self.seed, N_FOLDS)
        modes: dict[str, int | str] = {}
        shares: dict[str, float] = {}
        for mode in self._modes:
            open_kinds = [
                kind for kind in examples.members
                if shares.get(kind, 0.0) < GOOD_ENOUGH
                and (mode == CHAIN or examples.allows(kind, int(mode)))
            ]  # fmt: skip
            if not open_kinds or not parts:
                continue
            right = (
                self._chain_right(examples, open_kinds, parts, shares) if mode == CHAIN
                else self._tuple_right(examples, open_kinds, int(mode), parts, shares)
            )  # fmt: skip
            for kind in open_kinds:
                share = float(np.mean(right[examples.members[kind]]))
                if self.progress is not None:
                    self.progress(
                        f"facts from answers: trying {mode_words(mode)} for “{kind}”: "
                        f"{100 * share:.1f} % of the held-out answers found"
                    )
                if kind not in shares or share > shares[kind] + _noise(
                    shares[kind], len(examples.members[kind])
                ):
                    modes[kind], shares[kind] = mode, share
        for kind in examples.members:
            modes.setdefault(kind, 1)
        return modes, shares

    def _tuple_right(
        self, examples: LatentExamples, kinds: Sequence[str], most: int, parts: Sequence[Longs],
        best: Mapping[str, float],
    ) -> Floats:  # fmt: skip
        """Say which answers of some kinds are found when their stories are held out.

        A kind whose matter is decided on the first part is not tried on the others; ``best`` is what fewer
        facts found of it.
        """
        from babi_cascade.svm.latent import LatentChoice

        arrays, _ = examples.arrays(dict.fromkeys(kinds, most))
        right = np.zeros(len(examples.read))
        left = list(kinds)
        for part in parts:
            own = np.concatenate([NO_EXAMPLES, *(examples.members[kind] for kind in left)])
            train, test = np.setdiff1d(own, part), np.intersect1d(own, part)
            if not len(train) or not len(test):
                continue
            model = LatentChoice(TRIAL_PASSES, seed=self.seed).fit(arrays, train)
            right[test] = model.right(arrays, test)
            for kind in list(left):
                members = examples.members[kind]
                tried = np.intersect1d(members, test)
                if not len(tried):
                    continue
                share = float(right[tried].mean())
                before = best.get(kind, 0.0)
                decided = most == MODES[-1] and share > before + NEAR
                if decided or share < _least(before):
                    right[members] = share
                    left.remove(kind)
        return right

    def _chain_right(
        self, examples: LatentExamples, kinds: Sequence[str], parts: Sequence[Longs],
        best: Mapping[str, float],
    ) -> Floats:  # fmt: skip
        """Say the same for chains, whose facts are given: only the answer is left to learn."""
        right = np.zeros(len(examples.read))
        for kind in kinds:
            own = examples.members[kind]
            supports = [examples.chain(i) for i in own]
            read = [with_facts(examples.read[i], s) for i, s in zip(own, supports, strict=True)]
            # All that is needed of the support stage is which questions want a chain.
            chains = {n: g for n, g in examples.groups.items() if g.rule == Rule.CHAINS}
            stage = SupportStage(chains, None, RELATIONS)
            stage.encoder.fit(read)
            answers = AnswerStage(made(choose(EXTENDED).answer, ANSWER, roles=RELATIONS), stage)
            held_out = [np.flatnonzero(np.isin(own, part)) for part in parts]
            held_out = [part for part in held_out if 0 < len(part) < len(own)]
            least = _least(best.get(kind, 0.0))
            right[own] = answers.held_out_right(read, supports, held_out, self.seed, least)
        return right

    def _settle(
        self, examples: LatentExamples, modes: Mapping[str, int | str], shares: Mapping[str, float]
    ) -> tuple[list[tuple[int, ...]], Imputation]:
        """Learn from everything with the chosen numbers of facts, and take the most probable ones."""
        from babi_cascade.svm.latent import LatentChoice

        supports = [examples.chain(i) for i in range(len(examples.read))]
        sizes = {kind: mode for kind, mode in modes.items() if isinstance(mode, int)}
        likelihood, n_imputed = None, examples.known.count(False)
        own = [i for kind in sizes for i in examples.members[kind]]
        if own:
            arrays, choices = examples.arrays(sizes)
            every = np.array(sorted(own), np.int64)
            model = LatentChoice(seed=self.seed).fit(arrays, every)
            found = model.explain(arrays, every)
            for i, choice in zip(every, choices[found.choices], strict=True):
                supports[i] = tuple(int(p) for p in choice if p >= 0)
            hidden = ~np.array(examples.known)[every]
            if hidden.any():
                likelihood = float(np.mean(found.likelihood[hidden]))
        for i, told in enumerate(examples.known):
            if told:
                supports[i] = examples.read[i].support or ()
        told_modes = {
            kind: (str(modes[name]), shares.get(name, 0.0)) for kind, name in examples.names.items()
        }
        n_told = len(examples.read) - n_imputed
        right = sum(share * len(examples.members[name]) for name, share in shares.items())
        held_out = right / len(examples.read) if shares else None
        return supports, Imputation(n_told, n_imputed, likelihood, 0.0, held_out, told_modes)


def mode_words(mode: int | str) -> str:
    """Return a number of facts in words."""
    if mode == CHAIN:
        return "all facts that name something of it"
    return "1 fact" if str(mode) == "1" else f"up to {mode} facts"


def _least(best: float) -> float:
    """Return the share of one fold below which it is known that other numbers of facts do better."""
    return max(HOPELESS, best - NEAR)


def _noise(share: float, n: int) -> float:
    """Half a standard error of a share: facts that are no better by that are not worth more of them."""
    return 0.5 * float(np.sqrt(share * (1.0 - share) / n))
