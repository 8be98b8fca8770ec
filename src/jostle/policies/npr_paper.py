"""Neural bandit with Perturbed Rewards, to the letter (Jia et al., ICLR 2022, Algorithm 1)."""

from typing import Any, Self

import jax
import numpy as np

from jostle.core.arrays import Contexts, Mask, Scores
from jostle.core.record import leaf
from jostle.ntk.perturbation import sufficient_perturbation
from jostle.policies._neural import NeuralPolicy, NeuralState
from jostle.policies._probabilities import ScoringPolicy
from jostle.policies.selection import preferring_untried
from jostle.types import Feedback, Round


class PaperNPR(ScoringPolicy, NeuralPolicy):
    """Explore by fitting the network to rewards that are perturbed afresh in every round.

    Algorithm 1 of the paper. Each arm (by its id) is pulled once; from then on, in round t:

        a_t     = argmax_i f(x_i; theta_{t-1})                                  (line 5)
        gamma_s ~ N(0, nu^2), fresh for every observation s = 1 ... t           (line 6)
        theta_t = descent on sum_s (f(x_s; theta) - (r_s + gamma_s))^2 / 2
                             + m lambda |theta - theta_0|^2 / 2                 (line 7, Eq. 2)

    Choosing costs one forward pass: all exploration comes from the perturbed rewards. Build it by
    ``NPR.paper(features=...)``, which has the network and the training of the paper, or as
    ``npr.paper`` by name; ``NPR.descent(...)`` is the same with jostle's network and training.
    ``NPR`` itself solves for the response to perturbations instead of descending it.

    Arguments:
        noise: nu, the standard deviation of the perturbations, in the unit of the rewards.
        others: see ``NeuralPolicy`` and ``KnowsProbabilities``.
    """

    noise: Any = leaf(default=0.1)

    def scores(self, state: NeuralState, round: Round) -> Scores:
        """f(x_i; theta) of each arm (line 5)."""
        return self.estimates(state, round.contexts)

    def allowed(self, state: NeuralState, round: Round) -> Mask:
        """Arms never pulled if there are any, else all that are present."""
        return preferring_untried(state.tried, round)

    def learn(self, state: NeuralState, key: jax.Array, feedback: Feedback) -> NeuralState:
        """Perturb the whole history afresh and descend (lines 6 and 7)."""
        remember_key, fit_key = jax.random.split(key)
        state = self.remember(state, remember_key, feedback)
        return self.refit(state, fit_key, self.noise)

    @classmethod
    def theory(
        cls,
        contexts: Contexts,
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
        """``NPR.paper`` on a pool, with the perturbations that Lemma 4.4 asks for.

        The noise is enough for the optimism of the lemma in every one of ``rounds`` rounds (see
        ``jostle.ntk.perturbation``), and far more than is useful in practice: see
        docs/theory.md.

        Arguments:
            contexts: (K, features), the pool of arms.
            rounds: T, for which the noise must suffice.
            bound: S, at least sqrt(2 h'H^-1 h).
            reward_noise: R, the standard deviation of the noise on the rewards.
            delta: the probability with which estimates may leave their confidence radius.
            regularisation: lambda; Theorem 4.7 requires at least 1 and S^-2.
            width, depth: of the paper's network.
            settings: any others, as in ``paper``.
        """
        noise = sufficient_perturbation(
            contexts,
            rounds=rounds,
            depth=depth,
            noise=reward_noise,
            delta=delta,
            lam=regularisation,
            bound=bound,
        )
        arms, features = np.shape(contexts)
        defaults = {
            "pool": arms,
            "noise": noise,
            "regularisation": regularisation,
            # The theorem's 1 / (m lambda + m L T), for a loss that is divided by t.
            "step_size": 1 / (width * (regularisation + depth)),
        }
        return cls.paper(features, width=width, depth=depth, **{**defaults, **settings})
