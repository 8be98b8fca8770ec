"""``Rates``: probabilities as a random nonlinear function of the context, with known averages."""

from typing import NamedTuple

import jax
import jax.numpy as jnp

from jostle.core.arrays import Matrix, Vector

UNITS = 16
"""The hidden units of a rule."""
GAIN = 2.0
"""The deviation of what enters a hidden unit: tanh is far from linear there."""
SAMPLE = 2048
"""The number of contexts by which rules are standardised and averages are set."""
HALVINGS = 40
"""The steps of the bisection for the shift that gives a rule its average."""


class Rates(NamedTuple):
    """One rule per arm: p(x) = sigmoid(shift + scale v . tanh(W x + b)), a two-layer network.

    All weights are drawn from normal distributions. ``scale`` gives the network's output a standard
    deviation of ``strength`` over contexts from N(0, I), and ``shift`` gives p the average it
    should have.
    """

    hidden: jax.Array  # (rules, UNITS, features): W
    bias: jax.Array  # (rules, UNITS): b
    output: jax.Array  # (rules, UNITS): v, scaled
    shift: jax.Array  # (rules,)

    @classmethod
    def draw(cls, key: jax.Array, averages: Vector, features: int, strength: jax.Array) -> "Rates":
        """One rule for each of ``averages``, the average probabilities they should have."""
        keys = jax.random.split(key, 4)
        rules = averages.shape[0]
        hidden = jax.random.normal(keys[0], (rules, UNITS, features)) * GAIN / jnp.sqrt(features)
        bias = jax.random.normal(keys[1], (rules, UNITS))
        output = jax.random.normal(keys[2], (rules, UNITS))
        raw = cls(hidden, bias, output, jnp.zeros(rules))
        contexts = jax.random.normal(keys[3], (SAMPLE, features))
        logits = jax.lax.map(raw.logits, contexts)  # (SAMPLE, rules)
        scale = strength / jnp.std(logits, axis=0)
        shift = _shift(scale * logits, averages)
        return cls(hidden, bias, output * scale[:, None], shift)

    def logits(self, x: Vector) -> Vector:
        """(rules,): the log-odds of every rule at context ``x``."""
        active = jnp.tanh(self.hidden @ x + self.bias)
        return jnp.sum(self.output * active, axis=-1) + self.shift

    def at(self, x: Vector) -> Vector:
        """(rules,): the probability of every rule at context ``x``."""
        return jax.nn.sigmoid(self.logits(x))

    def of(self, rules: jax.Array) -> "Rates":
        """Only these rules."""
        return Rates(*(part[rules] for part in self))


def log_uniform(key: jax.Array, count: int, low: jax.Array, high: jax.Array) -> Vector:
    """``count`` numbers between ``low`` and ``high``, their logarithms uniform."""
    return low * (high / low) ** jax.random.uniform(key, (count,))


def _shift(logits: Matrix, averages: Vector) -> Vector:
    """What to add to each column of log-odds so that its probabilities have this average."""

    def halve(_: int, ends: tuple[Vector, Vector]) -> tuple[Vector, Vector]:
        below, above = ends
        middle = (below + above) / 2
        small = jax.nn.sigmoid(logits + middle).mean(axis=0) < averages
        return jnp.where(small, middle, below), jnp.where(small, above, middle)

    # If all log-odds were at most, or at least, those of the average, it would be too small, or
    # too large: between these ends lies the shift.
    odds = jnp.log(averages) - jnp.log1p(-averages)
    ends = (odds - logits.max(axis=0), odds - logits.min(axis=0))
    shift: Vector = jax.lax.fori_loop(0, HALVINGS, halve, ends)[0]
    return shift
