"""NPR: neural bandit with perturbed rewards (Jia et al., ICLR 2022, Algorithm 1)."""

from typing import Any

import jax

from jostle.policies.base import pick_best, preferring_untried
from jostle.policies.neural import NeuralPolicy, NeuralState
from jostle.records import leaf
from jostle.types import Choice, Feedback, Round


class NPR(NeuralPolicy):
    """Explore by fitting the network to rewards that are perturbed anew in every round.

    Algorithm 1 of the paper. Each arm (by its id) is pulled once; from then on, in round t:

        a_t     = argmax_i f(x_i; theta_{t-1})                                  (line 5)
        gamma_s ~ N(0, nu^2), fresh for every observation s = 1 ... t           (line 6)
        theta_t = descent on sum_s (f(x_s; theta) - (r_s + gamma_s))^2 / 2
                             + m lambda |theta - theta_0|^2 / 2                 (line 7, Eq. 2)

    Choosing costs one forward pass: all exploration comes from the perturbed rewards.

    Arguments:
        noise: nu, the standard deviation of the perturbations.
        others: see ``NeuralPolicy``. The defaults are for practice; ``NPR.paper(features=...)`` is
            the algorithm to the letter.
    """

    noise: Any = leaf(default=0.03)

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
