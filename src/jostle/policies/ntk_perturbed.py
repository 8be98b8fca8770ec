"""NTKPerturbed: NPR with the network replaced by its linearisation (Section 4 of the paper)."""

from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
from jax.scipy.linalg import cho_factor, cho_solve

from jostle.core.arrays import Mask, Scores, Vector
from jostle.core.record import leaf, static
from jostle.core.validation import unknown, whole
from jostle.models.history import PooledHistory, Tried
from jostle.models.networks import PaperNetwork
from jostle.ntk.confidence import confidence_radius, perturbation_scale
from jostle.ntk.kernel import gradient_kernel, wide_kernel
from jostle.policies._probabilities import ScoringPolicy
from jostle.policies.selection import preferring_untried
from jostle.types import Feedback, Round

FIXED, THEORY = "fixed", "theory"
LEAST_RIDGE = 1e-6
"""Of an arm's own kernel: below it float32 would not factor the matrix of near-parallel arms."""


class NTKState(NamedTuple):
    """The observations, and the solution of perturbed least squares, one number per arm."""

    weights: Any  # theta_0 of the network, or () for an infinitely wide one
    history: PooledHistory
    tried: Tried
    kernel: Any  # (pool, pool): g_i'g_j / m, zero for arms never pulled
    least: Any  # the least eigenvalue of the kernel of the pulled arms
    dual: Any  # (pool,): estimates are kernel(x, pool) @ dual


class NTKPerturbed(ScoringPolicy):
    """Perturbed least squares on the fixed gradients g(x; theta_0): the algorithm of the proofs.

    What Algorithm 1 of NPR (Jia et al., ICLR 2022) is when f(x; theta) is replaced by
    <g(x; theta_0), theta - theta_0> and Eq. (2) is solved exactly. In round t, after each arm of
    the pool has been pulled once:

        a_t   = argmax_i <g(x_i), A_t^-1 b_t> / sqrt(m)
        A_t   = lambda I + sum_s g(x_s) g(x_s)' / m,   b_t = sum_s (r_s + gamma_s) g(x_s) / sqrt(m)
        gamma_s ~ N(0, sigma^2), fresh for every observation in every round

    A_t has a row for each weight; here it is solved in the dual, with one number for each of the K
    arms: the estimates are kernel @ (kernel + lambda N^-1)^-1 y, where N holds the pulls of each
    arm and y its mean reward plus N(0, sigma^2 / n). A round costs K^3 / 3 multiplications,
    whatever t is: a third of a million with 100 arms.

    Arguments:
        features: length of a context vector.
        pool: K, the size of the fixed pool of arms.
        width: m of the network whose gradients at initialisation are used, or None for the limit
            of infinite width.
        depth: L of that network.
        noise: sigma, if ``scale`` is "fixed".
        regularisation: lambda.
        scale: "fixed", or "theory" for the sigma of Lemma 4.4 in each round, which uses the next
            three.
        reward_noise: R, the standard deviation of the noise on the rewards.
        delta: the probability with which the estimates may leave their confidence radius.
        bound: S, at least sqrt(2 h'H^-1 h).
        others: see ``KnowsProbabilities``. Given what was learnt, the choice is not random.
    """

    pool: int = static()
    width: int | None = static(default=None)
    depth: int = static(default=3)
    noise: Any = leaf(default=0.03)
    regularisation: Any = leaf(default=0.03, least=1e-6)
    scale: str = static(default=FIXED)
    reward_noise: Any = leaf(default=0.1)
    delta: Any = leaf(default=0.05, least=1e-12, most=1.0)
    bound: Any = leaf(default=1.0)

    def check(self) -> None:
        """Reject bad arguments."""
        super().check()
        whole("pool", self.pool)
        whole("depth", self.depth, least=2)
        if self.width is not None:
            PaperNetwork(self.width, self.depth)  # rejects a bad width
        if self.scale not in (FIXED, THEORY):
            raise ValueError(unknown("scale", self.scale, (FIXED, THEORY)))

    def init(self, key: jax.Array) -> NTKState:
        """theta_0, and nothing observed."""
        weights: Any = ()
        if self.width is not None:
            example = jnp.zeros((1, self.features))
            weights = PaperNetwork(self.width, self.depth).init(key, example)
        return NTKState(
            weights,
            PooledHistory.empty(self.pool, self.features),
            Tried.none(),
            jnp.zeros((self.pool, self.pool)),
            jnp.float32(0),
            jnp.zeros(self.pool),
        )

    def reserve(self, state: NTKState, *, observations: int, arms: int | None) -> NTKState:
        """Room for the ids of the pool."""
        return state._replace(tried=state.tried.reserve(self.pool))

    def scores(self, state: NTKState, round: Round) -> Scores:
        """The estimates."""
        return self.inner(state, round.contexts, state.history.contexts) @ state.dual

    def allowed(self, state: NTKState, round: Round) -> Mask:
        """Arms never pulled if there are any, else all that are present."""
        return preferring_untried(state.tried, round)

    def learn(self, state: NTKState, key: jax.Array, feedback: Feedback) -> NTKState:
        """Perturb the whole history afresh and solve."""
        fresh = state.history.counts[feedback.arm] == 0
        history = state.history.append(feedback)
        row = self.inner(state, feedback.context[None], history.contexts)[0]
        kernel = state.kernel.at[feedback.arm].set(row).at[:, feedback.arm].set(row)
        least = state.least
        if self.scale == THEORY:  # the eigenvalue changes only with a new arm
            least = jax.lax.cond(
                fresh, lambda k: _least_eigenvalue(k, history.counts), lambda k: state.least, kernel
            )
        state = NTKState(
            state.weights, history, state.tried.add(feedback.arm), kernel, least, state.dual
        )
        return state._replace(dual=self._solve(state, key))

    def deciding(self, state: NTKState) -> NTKState:
        """The pool's contexts and the solution, without the kernel."""
        return state._replace(kernel=None, least=None)

    def inner(self, state: NTKState, x: Any, y: Any) -> Any:
        """g(x)'g(y) / m between contexts."""
        if self.width is None:
            return wide_kernel(x, y, self.depth)
        return gradient_kernel(state.weights, x, y)

    @property
    def needs_arms(self) -> bool:
        """Observations are pooled by arm id."""
        return True

    @property
    def on_host(self) -> bool:
        """The kernel also runs on NumPy."""
        return True

    def _solve(self, state: NTKState, key: jax.Array) -> Vector:
        """(kernel + lambda N^-1)^-1 y over the arms that were pulled; 0 for the others."""
        counts, kernel = state.history.counts, state.kernel
        pulled, pulls = counts > 0, jnp.maximum(counts, 1)
        ridge = jnp.maximum(self.regularisation / pulls, LEAST_RIDGE * jnp.diag(kernel))
        factor = cho_factor(kernel + jnp.diag(jnp.where(pulled, ridge, 1.0)), lower=True)
        sigma = self.noise
        if self.scale == THEORY:
            sigma = self._lemma_scale(state, jnp.diag(factor[0]))
        y = state.history.means + sigma * jax.random.normal(key, counts.shape) / jnp.sqrt(pulls)
        return cho_solve(factor, jnp.where(pulled, y, 0.0))

    def _lemma_scale(self, state: NTKState, pivots: jax.Array) -> jax.Array:
        """sigma of Lemma 4.4, from det A_t / det lambda I = det(N / lambda) det(kernel + ridge)."""
        pulled, pulls = state.history.counts > 0, jnp.maximum(state.history.counts, 1)
        each = 2 * jnp.log(pivots) + jnp.log(pulls / self.regularisation)
        log_det = jnp.maximum(jnp.sum(jnp.where(pulled, each, 0.0)), 0.0)
        lam = self.regularisation
        alpha = confidence_radius(
            log_det, noise=self.reward_noise, delta=self.delta, lam=lam, bound=self.bound
        )
        least = jnp.maximum(state.least, LEAST_RIDGE * jnp.max(jnp.diag(state.kernel)))
        sigma: jax.Array = perturbation_scale(alpha, lam=lam, eigenvalue=lam + least)
        return sigma


def _least_eigenvalue(kernel: jax.Array, counts: jax.Array) -> jax.Array:
    """The smallest eigenvalue among the arms that were pulled; others are moved out of the way."""
    away = jnp.where(counts > 0, 0.0, 1 + jnp.trace(kernel))
    eigenvalues: Vector = jnp.linalg.eigvalsh(kernel + jnp.diag(away))
    return eigenvalues[0]
