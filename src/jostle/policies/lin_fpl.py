"""LinFPL: follow the perturbed leader with a linear model (Kveton et al., 2019)."""

from typing import Any, ClassVar, NamedTuple, Self

import jax
import jax.numpy as jnp

from jostle.core.arrays import Scores
from jostle.core.backend import normals
from jostle.core.record import leaf, static
from jostle.core.validation import unknown
from jostle.models.centred_ridge import CentredRidge
from jostle.models.ridge import FIXED, RESIDUALS, SMALLEST_REGULARISATION, Ridge, weighted
from jostle.policies._probabilities import SamplingPolicy
from jostle.types import Feedback, Round


class LinFPLState(NamedTuple):
    """The ridge regression of the rewards as they are, and how perturbing them moves it."""

    ridge: Ridge | CentredRidge
    response: Any  # (d, 2 d): B, with B z for z ~ N(0, I) distributed as V^-1 sum_s z_s x_s


class LinFPL(SamplingPolicy):
    """The best arm of a model fitted to rewards that are perturbed afresh for every decision.

    Kveton, Szepesvari, Ghavamzadeh and Boutilier, "Perturbed-History Exploration in Stochastic
    Linear Bandits", UAI 2019, with Gaussian perturbations (Kveton et al., AISTATS 2020): what
    NPR's Eq. (2) is when f is linear and the network's starting point 0,

        gamma_s ~ N(0, nu^2), fresh for every observation s = 1 ... t
        theta~  = argmin sum_s (x_s . theta - (r_s + gamma_s))^2 + lambda |theta|^2
                = theta_t + V_t^-1 sum_s gamma_s x_s,   V_t = lambda I + sum_s x_s x_s'
        score_i = x_i . theta~

    The last sum has the distribution of nu B z with z ~ N(0, I) for any B such that
    B B' = V^-1 (sum_s x_s x_s') V^-1 = V^-1 - lambda V^-2. So t perturbations become 2 d: d for the
    past, and one for each of the latest observations, of which every d are folded into the past. A
    round costs O(d^2) whatever t is. Like Eq. (2), and unlike ``LinTS``, the regulariser is not
    perturbed: where nothing was observed, theta~ = 0.

    Arguments:
        features: length of a context vector.
        noise: nu, the standard deviation of the perturbations, in units of the deviation of errors
            or, if ``scale`` is "fixed", of rewards.
        regularisation: lambda.
        scale: "residuals", or "fixed" as in the papers. With "residuals" the model is fitted to
            rewards less their running mean, and perturbed in units of the deviation of its errors,
            each made before learning from the reward: neither the unit of rewards nor a constant
            added to them matters. Until two different rewards have been seen, choices are uniform.
        others: see ``SamplingPolicy``.
    """

    noise: Any = leaf(default=1.0)
    regularisation: Any = leaf(default=0.1, least=SMALLEST_REGULARISATION)
    scale: str = static(default=RESIDUALS)

    PAPER_NOISE: ClassVar[float] = 0.1

    @classmethod
    def paper(cls, features: int, **settings: Any) -> Self:
        """As in the papers: rewards as they are, and perturbations in their unit."""
        return cls(features, scale=FIXED, noise=cls.PAPER_NOISE).with_settings(**settings)

    def check(self) -> None:
        """Reject bad arguments."""
        super().check()
        if self.scale not in (RESIDUALS, FIXED):
            raise ValueError(unknown("scale", self.scale, (RESIDUALS, FIXED)))

    def init(self, key: jax.Array) -> LinFPLState:
        """No observation."""
        kind = CentredRidge if self.scale == RESIDUALS else Ridge
        ridge = kind.empty(self.features, self.regularisation)
        return LinFPLState(ridge, jnp.zeros((self.features, 2 * self.features)))

    def draws(self, state: LinFPLState, key: Any, round: Round, shape: tuple[int, ...]) -> Scores:
        """The estimates after perturbing the whole history."""
        ridge = state.ridge
        noise = self.noise * ridge.unit * normals(key, (*shape, 2 * self.features))
        theta = ridge.theta + (state.response @ noise.T).T
        return ridge.level + (round.contexts @ theta.T).T

    def learn(self, state: LinFPLState, key: jax.Array, feedback: Feedback) -> LinFPLState:
        """A rank-one update of both."""
        x = feedback.context
        ridge = state.ridge.observe(x, feedback.reward, feedback.weight)
        if feedback.weight is not None:
            (x,) = weighted(feedback.weight, x)
        # The latest perturbation moves the estimate by gain, and past ones by that much less.
        gain = ridge.root @ (x @ ridge.root)
        response = state.response - jnp.outer(gain, x @ state.response)
        latest = state.ridge.seen % self.features
        response = response.at[:, self.features + latest].set(gain)
        full = latest == self.features - 1
        response = jax.lax.cond(full, self._fold, lambda _, kept: kept, ridge, response)
        return LinFPLState(ridge, response)

    def deciding(self, state: LinFPLState) -> LinFPLState:
        """Both without the parts that only learning needs."""
        return state._replace(ridge=state.ridge.deciding())

    @property
    def takes_weights(self) -> bool:
        """A weighted observation is another context and reward, perturbed by the same noise."""
        return True

    @property
    def on_host(self) -> bool:
        """A decision is one draw and two matrix products."""
        return True

    def _fold(self, ridge: Ridge | CentredRidge, response: jax.Array) -> jax.Array:
        """B from scratch, so that rounding errors do not add up.

        V^-1 - lambda V^-2 = S (I - lambda S'S) S'.
        """
        root = ridge.root
        past = jnp.eye(self.features) - self.regularisation * (root.T @ root)
        values, vectors = jnp.linalg.eigh(past)  # not Cholesky: it may be singular
        factor = root @ (vectors * jnp.sqrt(jnp.maximum(values, 0)))
        return jnp.concatenate([factor, jnp.zeros_like(response[:, self.features :])], axis=1)
