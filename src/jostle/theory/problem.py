"""A bandit problem of which the theory knows everything: arms, expected rewards, kernel."""

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Self

import jax
import numpy as np

from jostle.environments import Synthetic
from jostle.ntk.confidence import confidence_radius, perturbation_scale
from jostle.policies import Uniform
from jostle.simulation import begin
from jostle.theory.array_types import Contexts, Kernel, PerArm
from jostle.theory.definition_b_1_tangent_kernel import limit_kernel
from jostle.theory.theorem_4_7_regret_bound import norm_bound, sweep_eigenvalue


@dataclass(frozen=True)
class Problem:
    """The fixed pool of arms of one run of a synthetic bandit, as Section 4 describes it.

    ``kernel`` is the limit of G'G with the gradient of all weights (``limit_kernel``), which A_t
    consists of; the H of Definition B.1 is smaller.
    """

    environment: Synthetic
    seed: int
    contexts: Contexts
    rewards: PerArm
    """h(x_i), the expected reward of each arm."""
    depth: int
    """L."""
    lam: float
    """lambda of Eq. (2)."""
    delta: float
    """The probability with which the confidence bounds may fail."""
    kernel: Kernel = field(repr=False)

    @classmethod
    def draw(
        cls,
        environment: Synthetic,
        seed: int = 0,
        *,
        depth: int = 3,
        lam: float = 1.0,
        delta: float = 0.05,
    ) -> Self:
        """Return the problem that ``simulate`` plays with this seed."""
        if environment.pool is None:
            raise ValueError(
                "environment must have a fixed pool of arms, as Section 4 assumes, but this one "
                "draws new arms in each round"
            )
        nobody = Uniform(environment.features)
        world = begin(nobody, environment, rounds=1, seed=seed).environment_state
        contexts = np.asarray(world.contexts, np.float64)
        rewards = np.asarray(_expected_rewards(environment, world), np.float64)
        kernel = limit_kernel(contexts, depth)
        return cls(environment, seed, contexts, rewards, depth, lam, delta, kernel)

    @property
    def arms(self) -> int:
        """K."""
        return len(self.contexts)

    @property
    def features(self) -> int:
        """The length of a context."""
        return int(self.contexts.shape[1])

    @property
    def noise(self) -> float:
        """R, the standard deviation of the reward noise."""
        return float(self.environment.noise)

    @cached_property
    def bound(self) -> float:
        """S = sqrt(2 h'H^-1 h), or 1 / sqrt(lambda) if that is more: Theorem 4.7 needs both."""
        return float(max(norm_bound(self.kernel, self.rewards), self.lam**-0.5))

    @cached_property
    def eigenvalue(self) -> float:
        """lambda_K(A) after the sweep."""
        return sweep_eigenvalue(self.kernel, self.lam)

    def radius(self, log_det: float) -> float:
        """Return alpha_t of Lemma 4.2, from log(det A_t / det lambda I)."""
        return float(
            confidence_radius(
                log_det, noise=self.noise, delta=self.delta, lam=self.lam, bound=self.bound
            )
        )

    def scale(self, log_det: float) -> float:
        """Return sigma of Lemma 4.4, from log(det A_t / det lambda I)."""
        radius = self.radius(log_det)
        return float(perturbation_scale(radius, lam=self.lam, eigenvalue=self.eigenvalue))


@jax.jit
def _expected_rewards(environment: Synthetic, world: Any) -> Any:
    return environment.expected(world, world.contexts)
