"""``Wheel``: a reward worth exploring for, in a thin rim that is seldom visited."""

import jax
import jax.numpy as jnp

from jostle.core.arrays import Vector
from jostle.core.record import leaf
from jostle.environments.field.base import Stream, disjoint_round, shared_context
from jostle.environments.synthetic import unit_ball
from jostle.types import BanditSpec, Round

PLAIN, SAFE, RICH = 1.0, 1.2, 50.0
"""The average rewards of the first four arms, of the last, and of the right arm in the rim."""
SAFE_ARM = 4


class Wheel(Stream):
    """The wheel bandit of Riquelme, Tucker and Snoek, "Deep Bayesian Bandits Showdown" (2018).

    A context is a point of the unit disc. Arms 0 to 3 bring 1 on average and arm 4 brings 1.2, but
    beyond radius ``delta`` the arm of the point's quadrant brings 50: arm 0 in (+, +), 1 in (+, -),
    2 in (-, +) and 3 in (-, -). The disjoint model: the point in the block of each of five arms.

    Arguments:
        delta: the radius at which the rim begins; a share 1 - delta^2 of the points is beyond it.
        noise: the standard deviation of rewards.
    """

    delta: float = leaf(default=0.95, most=1.0)
    noise: float = leaf(default=0.01)

    @property
    def spec(self) -> BanditSpec:
        """Five arms, a block of two coordinates for each."""
        return BanditSpec(features=10, blocks=5, arms=5)

    def init(self, key: jax.Array) -> tuple[()]:
        """Nothing to draw."""
        return ()

    def observe(self, state: tuple[()], key: jax.Array, t: jax.Array) -> Round:
        """A point, once for each arm."""
        return disjoint_round(unit_ball(key, (2,)), jnp.arange(5))

    def expected(self, state: tuple[()], t: jax.Array, round: Round) -> Vector:
        """1 or 1.2, but 50 for the arm of the quadrant if the point is in the rim."""
        x = shared_context(round, 2)
        quadrant = 2 * (x[0] < 0) + (x[1] < 0)
        means = jnp.full(5, PLAIN).at[SAFE_ARM].set(SAFE)
        return jnp.where(jnp.sum(x**2) > self.delta**2, means.at[quadrant].set(RICH), means)

    def sample(
        self,
        state: tuple[()],
        key: jax.Array,
        round: Round,
        index: jax.Array,
        mean: jax.Array,
    ) -> jax.Array:
        """The expected reward and normal noise."""
        return mean + self.noise * jax.random.normal(key)
