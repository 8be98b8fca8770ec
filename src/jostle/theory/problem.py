"""A bandit of which everything is known: its arms, what they bring, and their kernel."""

from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from jostle.environments import Synthetic
from jostle.ntk.confidence import confidence_radius, perturbation_scale
from jostle.policies import Uniform
from jostle.simulation import begin
from jostle.theory.bounds import norm_bound, sweep_eigenvalue
from jostle.theory.tangent import limit_kernel


@dataclass(frozen=True)
class Problem:
    """The arms of one run of a synthetic bandit, as Section 4 sees them.

    ``kernel`` is the limit of G'G with the gradient of all weights (``limit_kernel``), which is
    what A_t is made of; Definition B.1's H is below it.
    """

    environment: Synthetic
    seed: int
    contexts: np.ndarray
    """(K, features)."""
    rewards: np.ndarray
    """(K,): h(x_i)."""
    depth: int
    lam: float
    """lambda of Eq. (2)."""
    delta: float
    kernel: np.ndarray = field(repr=False)

    @classmethod
    def draw(
        cls,
        environment: Synthetic,
        seed: int = 0,
        *,
        depth: int = 3,
        lam: float = 1.0,
        delta: float = 0.05,
    ) -> "Problem":
        """The problem that ``simulate`` draws from this seed."""
        if environment.pool is None:
            raise ValueError(
                "environment must have a fixed pool of arms, which Section 4 is about, and this "
                "one draws new arms each round"
            )
        nobody = Uniform(environment.features)
        world = begin(nobody, environment, rounds=1, seed=seed).environment_state
        contexts = np.asarray(world.contexts, np.float64)
        rewards = np.asarray(environment.expected(world, world.contexts), np.float64)
        kernel = limit_kernel(contexts, depth)
        return cls(environment, seed, contexts, rewards, depth, lam, delta, kernel)

    @property
    def arms(self) -> int:
        """K."""
        return len(self.contexts)

    @property
    def noise(self) -> float:
        """R, the deviation of the noise on the rewards."""
        return float(self.environment.noise)

    @cached_property
    def bound(self) -> float:
        """S = sqrt(2 h'H^-1 h), or more where Theorem 4.7 wants lambda >= S^-2."""
        return max(norm_bound(self.kernel, self.rewards), self.lam**-0.5)

    @cached_property
    def eigenvalue(self) -> float:
        """lambda_K(A) after the sweep."""
        return sweep_eigenvalue(self.kernel, self.lam)

    def radius(self, log_det: float) -> float:
        """alpha_t of Lemma 4.2, from log(det A_t / det lambda I)."""
        return float(
            confidence_radius(
                log_det, noise=self.noise, delta=self.delta, lam=self.lam, bound=self.bound
            )
        )

    def scale(self, log_det: float) -> float:
        """sigma of Lemma 4.4."""
        radius = self.radius(log_det)
        return float(perturbation_scale(radius, lam=self.lam, eigenvalue=self.eigenvalue))
