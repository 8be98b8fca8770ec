"""LinFPL: follow the perturbed leader with a linear model (Kveton et al., 2019)."""

from typing import Any, NamedTuple

import jax
import jax.numpy as jnp

from jostle.linear import SMALLEST_REGULARISATION, Ridge, normals
from jostle.policies.base import Policy, pick_best, split
from jostle.records import leaf
from jostle.types import Choice, Feedback, Round


class Design(NamedTuple):
    """Rows Q with Q'Q = sum_s x_s x_s' exactly, but never more than 2 d of them.

    The first d are a triangular factor, the others the latest contexts as they came; whenever
    those are d, one QR folds them into the factor. So a round costs O(d^2), and the sum may be
    singular, as it is before d observations.
    """

    rows: Any  # (2 d, d)

    @classmethod
    def empty(cls, features: int) -> "Design":
        """No context yet."""
        return cls(jnp.zeros((2 * features, features)))

    def add(self, x: jax.Array, seen: jax.Array) -> "Design":
        """Add a context after ``seen`` others."""
        d = self.rows.shape[1]
        slot = seen % d
        rows = self.rows.at[d + slot].set(x)
        return Design(jax.lax.cond(slot == d - 1, _fold, lambda rows: rows, rows))


def _fold(rows: jax.Array) -> jax.Array:
    factor = jnp.linalg.qr(rows, mode="r")
    return jnp.concatenate([factor, jnp.zeros_like(factor)])


class LinFPLState(NamedTuple):
    """The ridge regression of the rewards as they are, and the contexts they came with."""

    ridge: Ridge
    design: Design


class LinFPL(Policy):
    """The best arm of a model fitted to rewards that are all perturbed anew for every decision.

    Kveton, Szepesvari, Ghavamzadeh and Boutilier, "Perturbed-History Exploration in Stochastic
    Linear Bandits", UAI 2019, with Gaussian perturbations (Kveton et al., AISTATS 2020): what
    NPR's Eq. (2) is when f is linear and the network's starting point 0,

        gamma_s ~ N(0, nu^2), fresh for every observation s = 1 ... t
        theta~  = argmin sum_s (x_s . theta - (r_s + gamma_s))^2 + lambda |theta|^2
                = theta_t + V_t^-1 sum_s gamma_s x_s,   V_t = lambda I + sum_s x_s x_s'
        score_i = x_i . theta~

    The sum has the distribution of nu Q'z with z ~ N(0, I) for any Q with Q'Q = sum_s x_s x_s', so
    that t perturbations become at most 2 d, and a round costs O(d^2) whatever t is. Like Eq. (2),
    and unlike ``LinTS``, the regulariser is not perturbed: where nothing was observed, theta~ = 0.

    Arguments:
        features: dimension of a context.
        noise: nu, the standard deviation of the perturbations.
        regularisation: lambda.
    """

    noise: Any = leaf(0.1)
    regularisation: Any = leaf(1.0, least=SMALLEST_REGULARISATION)

    def init(self, key: jax.Array) -> LinFPLState:
        """No observation."""
        ridge = Ridge.empty(self.features, self.regularisation)
        return LinFPLState(ridge, Design.empty(self.features))

    def choose(self, state: LinFPLState, key: Any, round: Round) -> Choice:
        """The best arm after perturbing the whole history."""
        draw_key, pick_key = split(key)
        root, rows = state.ridge.now.root, state.design.rows
        perturbation = self.noise * (normals(draw_key, rows.shape[:1]) @ rows)
        theta = state.ridge.now.theta + root @ (perturbation @ root)
        scores = round.contexts @ theta
        return Choice(pick_best(pick_key, scores, round.mask), scores)

    def learn(self, state: LinFPLState, key: jax.Array, feedback: Feedback) -> LinFPLState:
        """A rank-one update of both."""
        x, reward = feedback.context, feedback.reward
        design = state.design.add(x, state.ridge.seen)
        return LinFPLState(state.ridge.observe(x, reward), design)

    def deciding(self, state: LinFPLState) -> LinFPLState:
        """Both without what only learning needs."""
        return state._replace(ridge=state.ridge.deciding())

    @property
    def on_host(self) -> bool:
        """A draw and four products."""
        return True
