"""What a user chooses about the system that learns: features, learner, seed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from babi_cascade.app.experiments.errors import TrackError
from babi_cascade.features.presets import DEFAULT_PRESET
from babi_cascade.features.registry import Chosen, choose

if TYPE_CHECKING:
    from babi_cascade.cascade import Cascade

SYSTEM = "cascade"
OWN = "bcfw"
"""The learner that is ours."""


@dataclass(frozen=True, slots=True)
class Settings:
    """The parameters of `Cascade` that a run sets; the others keep their defaults."""

    preset: str = DEFAULT_PRESET
    features: tuple[str, ...] | None = None
    without: tuple[str, ...] = ()
    role_labels: bool = True
    learner: str = OWN
    cost: float | None = None
    max_facts: int | None = None
    seed: int = 0

    @property
    def groups(self) -> Chosen:
        """The feature groups that are in use."""
        return choose(self.preset, self.features, self.without)

    def check(self) -> None:
        """Say now rather than after an hour of other work that something chosen does not exist."""
        _ = self.groups
        if self.learner != OWN:
            from babi_cascade.svm.errors import SvmError
            from babi_cascade.svm.external import external_learner

            try:
                external_learner(self.learner).check()
            except SvmError as error:
                raise TrackError(f"--learner: {error}; our own is {OWN}") from error

    def estimator(self) -> Cascade:
        """Return the untrained system."""
        from babi_cascade.cascade import Cascade

        return Cascade(
            preset=self.preset, features=self.features, without=self.without,
            role_labels=self.role_labels, learner=self.learner, cost=self.cost,
            max_facts=self.max_facts, seed=self.seed,
        )  # fmt: skip

    def signature_parts(self) -> dict[str, object]:
        """Return every setting of the system that can change a score."""
        params = self.estimator().get_params()
        return {
            "system": SYSTEM,
            "preset": self.preset,
            "groups": ",".join(self.groups.names),
            "roles": "yes" if self.role_labels else "no",
            "facts": "learned" if self.max_facts is None else self.max_facts,
            "learner": self.learner,
            "cost": "chosen" if self.cost is None else f"{self.cost:g}",
            "gap": f"{params['gap']:g}",
            "seed": self.seed,
        }
