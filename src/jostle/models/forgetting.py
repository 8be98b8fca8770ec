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
every observation.
"""

from functools import partial
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp

from jostle.models.responses import OneBlock, Responses


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

    def brought_up(self, *blocks: Any) -> "Clock":
        """After ``blocks`` have been brought up to date."""
        clock = self
        for block in blocks:
            forgot = clock.due[block] > 0
            clock = Clock(clock.due.at[block].set(0), clock.turn.at[block].add(forgot))
        return clock


def observe_forgetting(
    responses: Responses,
    clock: Clock,
    block: Any,
    turn: Any,
    phi: Any,
    targets: Any,
    *,
    regularisation: Any,
    prior: Any = None,
) -> tuple[Responses, Any]:
    """Learn an observation after ``block``, and the one whose ``turn`` it is, are up to date.

    The clock still says what is due to them. Returns the responses, and the observation's leverage.

    Arguments:
        responses, clock: what was learned, and how much of it is to be forgotten.
        block, turn: the block that is observed, and another one, or the same.
        phi, targets: the observation.
        regularisation: lambda.
        prior: (blocks, members, p), P_j(0), if there are members. Their perturbations, and then
            their priors, are the last of the targets.
    """
    places = jnp.stack([block] if len(clock.due) == 1 else [turn, block])
    # Everything is read before anything is written, and written at once: the compiler would keep a
    # copy of whole tables otherwise.
    held = jax.lax.optimization_barrier(jax.tree.map(lambda part: part[places], responses))
    rows = OneBlock(*held), clock.due[places], clock.turn[places]
    forget = partial(_forget, regularisation=regularisation)
    fresh = jax.vmap(forget)(*rows, None if prior is None else prior[places])
    after, leverage = jax.tree.map(lambda part: part[-1], fresh).observe(phi, targets)
    # The block in turn may be the one that is observed.
    new = jax.tree.map(
        lambda old, own: jnp.where((places == block).reshape(-1, *[1] * own.ndim), own, old),
        fresh,
        after,
    )
    new = jax.lax.optimization_barrier(new)
    return Responses(
        *(old.at[places].set(part) for old, part in zip(responses, new, strict=True))
    ), leverage


def _forget(own: OneBlock, due: Any, turn: Any, prior: Any, *, regularisation: Any) -> OneBlock:
    """The responses of a block, whose ``prior`` is (members, p), after ``due`` half lives.

    If none are due, nothing changes, to the last bit.
    """
    size = own.weights.shape[-1]
    members = 0 if prior is None else len(prior)
    plain = len(own.weights) - 2 * members
    factor = jnp.exp2(-due)
    root = jnp.sqrt(factor)
    grown = jnp.concatenate([jnp.ones(plain), jnp.full(members, 1 / root), jnp.ones(members)])
    faded = OneBlock(own.weights * grown[:, None], own.root / root, own.count * factor)
    feature = turn % size
    weight = jnp.sqrt(size * (1 - factor) * regularisation)
    targets = jnp.zeros(plain + members)
    if prior is not None:
        targets = jnp.concatenate([targets, weight * prior[:, feature]])
    after, _ = faded.observe(weight * (jnp.arange(size) == feature), targets)
    return after._replace(count=faded.count)
