"""Exponential forgetting for ``Responses``: old observations count less, and uncertainty returns.

With an observation's weight halved every ``half_life`` observations, the responses are those of the
weighted ridge regression

    V_t = lambda I + sum_s u_s phi_s phi_s',   u_s = 2^(-(t - s) / half_life)
    w   = V_t^-1 sum_s u_s target_s phi_s                   rewards, and the constant
    N_j = V_t^-1 sum_s sqrt(u_s) z_js phi_s                 perturbations
    P_j = lambda V_t^-1 P_j(0)                              priors

An observation of weight u is one with noise of variance 1 / u, so its perturbation is z / sqrt(u):
then N_j has the covariance V^-1 (V - lambda I) V^-1 of a posterior, and grows where nothing is
observed any more. In one step of factor f, V <- f V + (1 - f) lambda I. The first term leaves w and
P_j as they are and divides N_j by sqrt(f). The second has rank p, which would cost O(p^3): instead,
each step adds p (1 - f) lambda to one entry of the diagonal, each in its turn, as an observation of
that feature alone whose target is 0, or for priors P_j(0). After p steps all have had their share.

The half life may change over time, as when a drift is noticed: f = 2^(-h), with h the half lives,
commonly small parts of one, that have passed since. In the disjoint model time is the same for all
blocks: a block is brought up to date when it is observed, and one further block in its turn with
every observation. Where nothing is due, nothing is computed.
"""

from typing import Any, NamedTuple

import jax
import jax.numpy as jnp

from jostle.models.responses import Responses


class Clock(NamedTuple):
    """How much each block has still to forget, and which of its features is next."""

    due: Any  # (blocks,), half lives that have passed since the block was brought up to date
    turn: Any  # (blocks,) int32

    @classmethod
    def start(cls, blocks: int) -> "Clock":
        """Nothing observed."""
        return cls(jnp.zeros(blocks), jnp.zeros(blocks, jnp.int32))

    def after(self, half_lives: Any) -> "Clock":
        """So many half lives later."""
        return self._replace(due=self.due + half_lives)

    def brought_up(self, block: Any) -> "Clock":
        """After ``block`` has been brought up to date."""
        return Clock(self.due.at[block].set(0), self.turn.at[block].add(1))


def up_to_date(
    responses: Responses,
    clock: Clock,
    block: Any,
    number: Any,
    *,
    regularisation: Any,
    prior: Any = None,
) -> tuple[Responses, Clock]:
    """Bring ``block``, and the one whose turn it is at observation ``number``, up to date.

    See ``forget`` for the other arguments.
    """

    def bring(_: Any, held: Any) -> Any:
        responses, clock, each = held
        after = forget(responses, clock, each, regularisation=regularisation, prior=prior)
        return after, clock.brought_up(each), each

    for each in (block, number % len(clock.due)):
        # A loop of one pass or none: a conditional would copy the tables.
        passes = (clock.due[each] > 0).astype(jnp.int32)
        responses, clock, _ = jax.lax.fori_loop(0, passes, bring, (responses, clock, each))
    return responses, clock


def forget(
    responses: Responses,
    clock: Clock,
    block: Any,
    *,
    regularisation: Any,
    prior: Any = None,
) -> Responses:
    """Let ``block`` forget what is due by the ``clock``.

    Arguments:
        regularisation: lambda.
        prior: (blocks, members, p), P_j(0), if there are members. Their perturbations, and then
            their priors, are the last of the targets.
    """
    weights, root, count = responses
    size = weights.shape[-1]
    members = 0 if prior is None else prior.shape[1]
    factor = jnp.exp2(-clock.due[block])
    plain = weights.shape[1] - 2 * members
    grown = jnp.concatenate(
        [jnp.ones(plain), jnp.full(members, 1 / jnp.sqrt(factor)), jnp.ones(members)]
    )
    faded = Responses(
        jax.lax.dynamic_update_index_in_dim(weights, weights[block] * grown[:, None], block, 0),
        jax.lax.dynamic_update_index_in_dim(root, root[block] / jnp.sqrt(factor), block, 0),
        count.at[block].multiply(factor),
    )
    feature = clock.turn[block] % size
    weight = jnp.sqrt(size * (1 - factor) * regularisation)
    phi = weight * (jnp.arange(size) == feature)
    targets = jnp.zeros(plain + members)
    if prior is not None:
        targets = jnp.concatenate([targets, weight * prior[block, :, feature]])
    after, _ = faded.observe(block, phi, targets)
    return after._replace(count=faded.count)
