"""NPR: neural bandit with perturbed rewards (Jia et al., ICLR 2022, Algorithm 1)."""

from typing import Any, Self

import jax
import numpy as np

from jostle.core.record import leaf
from jostle.ntk.confidence import confidence_radius, perturbation_scale
from jostle.ntk.kernel import wide_kernel
from jostle.policies._neural import NeuralPolicy, NeuralState
from jostle.policies.selection import pick_best, preferring_untried
from jostle.types import Choice, Feedback, Round


class NPR(NeuralPolicy):
    """Explore by fitting the network to rewards that are perturbed anew in every round.

    Algorithm 1 of the paper. Each arm (by its id) is pulled once; from then on, in round t:

        a_t     = argmax_i f(x_i; theta_{t-1})                                  (line 5)
        gamma_s ~ N(0, nu^2), fresh for every observation s = 1 ... t           (line 6)
        theta_t = descent on sum_s (f(x_s; theta) - (r_s + gamma_s))^2 / 2
                             + m lambda |theta - theta_0|^2 / 2                 (line 7, Eq. 2)

    Choosing costs one forward pass: all exploration comes from the perturbed rewards. By default
    the pass is taken at an average of the last rounds' parameters, and the descent also draws them
    back to theta_0 (``average`` and ``decay``): our additions, which ``NPR.paper`` goes without.

    Arguments:
        noise: nu, the standard deviation of the perturbations. The default is for rewards within
            about one of each other that say much each. Where one says little, as a click or none,
            an arm that had bad luck at first may be left alone for long; 0.5 to 1 makes that rarer,
            and costs a little everywhere else.
        others: see ``NeuralPolicy``. The defaults are for practice; ``NPR.paper(features=...)`` is
            the algorithm to the letter.
    """

    noise: Any = leaf(default=0.1)

    @classmethod
    def theory(
        cls,
        contexts: Any,
        *,
        rounds: int,
        bound: float,
        reward_noise: float = 0.1,
        delta: float = 0.05,
        regularisation: float = 1.0,
        width: int = 64,
        depth: int = 3,
        **settings: Any,
    ) -> Self:
        """``NPR.paper`` on a pool, perturbed by the sigma that Lemma 4.4 asks for.

        Lemma 4.4's sigma grows with log det A_t; this is its value with the largest determinant
        that ``rounds`` pulls can reach, (1 + sum_s |g_s|^2 / (m lambda K))^K by the inequality of
        the means, so the lemma's optimism holds in every round. The kernel is that of infinite
        width. Far more noise than anyone would choose: see docs/theory.md.

        Arguments:
            contexts: (K, features), the pool of arms.
            rounds: T, for which sigma must suffice.
            bound: S, at least sqrt(2 h'H^-1 h).
            reward_noise: R, the deviation of the noise on the rewards.
            delta: the probability with which estimates may leave their confidence radius.
            regularisation: lambda; Theorem 4.7 wants at least 1 and S^-2.
            width, depth: of the paper's network.
            settings: others of ``NeuralPolicy``.
        """
        pool = np.asarray(contexts, np.float64)
        if pool.ndim != 2:
            raise ValueError(f"contexts must be of shape (K, features), not {pool.shape}")
        kernel = wide_kernel(pool, pool, depth)
        least = float(np.linalg.eigvalsh(kernel)[0])
        if least < 1e-12 * kernel.trace():
            raise ValueError("contexts must not be parallel: their kernel has no inverse")
        arms = len(pool)
        largest = arms * np.log1p(rounds * kernel.diagonal().max() / (regularisation * arms))
        alpha = confidence_radius(
            largest, noise=reward_noise, delta=delta, lam=regularisation, bound=bound
        )
        sigma = perturbation_scale(alpha, lam=regularisation, eigenvalue=regularisation + least)
        defaults = {
            "pool": arms,
            "noise": float(sigma),
            "regularisation": regularisation,
            # The theorem's 1 / (m lambda + m L T), for a loss that is divided by t.
            "step_size": 1 / (width * (regularisation + depth)),
        }
        return cls.paper(pool.shape[1], width=width, depth=depth, **{**defaults, **settings})

    def choose(self, state: NeuralState, key: Any, round: Round) -> Choice:
        """An arm never pulled if there is one, else the arm of the highest estimate."""
        scores = self.estimates(state, round.contexts)
        allowed = preferring_untried(state.tried, round)
        return Choice(pick_best(key, scores, allowed), scores)

    def learn(self, state: NeuralState, key: jax.Array, feedback: Feedback) -> NeuralState:
        """Perturb the whole history afresh and descend."""
        remember_key, fit_key = jax.random.split(key)
        state = self.remember(state, remember_key, feedback)
        return self.refit(state, fit_key, self.noise)
