"""NPR: neural bandit with perturbed rewards (Jia et al., ICLR 2022, Algorithm 1)."""

from typing import Any, Self

import jax
import optax

from jostle.networks import PaperNetwork
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

    Choosing costs one forward pass: all exploration comes from the perturbed rewards. By default
    the pass is taken at an average of the last rounds' parameters, and the descent also draws them
    back to theta_0 (``average`` and ``decay``): our additions, which ``NPR.paper`` goes without.

    Arguments:
        noise: nu, the standard deviation of the perturbations.
        others: see ``NeuralPolicy``. The defaults are for practice; ``NPR.paper`` is the paper's.
    """

    noise: Any = leaf(default=0.1)

    @classmethod
    def paper(cls, features: int, *, width: int = 64, depth: int = 3, **settings: Any) -> Self:
        """The algorithm to the letter: its network and initialisation, descent on all history.

        With ``pool=`` the history is pooled, which is exact. Noise, regularisation and step size
        are what the paper tunes on its first 1,000 rounds.
        """
        pooled = settings.get("pool") is not None
        defaults = {
            "network": PaperNetwork(width, depth),
            "noise": 0.03,
            "optimiser": optax.sgd,
            "step_size": 0.01,
            "regularisation": 0.001,
            "decay": 0.0,
            "average": 0.0,
            "steps": 100,
            "fitting": "pooled" if pooled else "full",
        }
        return cls(features, **{**defaults, **settings})

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
