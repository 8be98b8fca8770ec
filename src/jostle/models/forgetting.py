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
it is shared out among a few entries of the diagonal, in turn, and each gets p (1 - f) lambda over
their number, as an observation of that feature alone whose target is 0, or for priors P_j(0). They
are p (1 - f) entries, rounded up, so that all have had their share when V has changed as a whole.

The half life may change over time, as when a drift is noticed: f = 2^(-h), with h the half lives,
commonly small parts of one, that have passed since. A step is made when it pays, 1 - f >= 1 / p, or
1 / 32 if p is smaller: until then weights are those of the last step. In the disjoint model time is
the same for all blocks: a block is brought up to date when it is observed, and one further block in
its turn with every observation. With hundreds of blocks much may be due by then. A step has 16
entries at the most, so that it does not cost more than others, and the rest remains due; a block to
which three half lives are due starts again.
"""

import math
from functools import partial
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp

from jostle.models.responses import Growth, OneBlock, Responses

FEW = 32
"""Blocks of fewer features wait no longer than one of so many would."""
MOST_ENTRIES = 16
"""Entries of the diagonal that one step is shared out among."""
FORGOTTEN = 3.0
"""Half lives after which a block starts again."""


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

    def step(self, block: Any, size: int) -> Any:
        """The half lives that a block of ``size`` features has to forget now; 0 if it may wait."""
        due = self.due[block]
        enough = 1 - jnp.exp2(-due) >= 1 / max(size, FEW)
        most = -math.log2(1 - MOST_ENTRIES / size) if size > MOST_ENTRIES else FORGOTTEN
        return jnp.where(due < FORGOTTEN, jnp.where(enough, jnp.minimum(due, most), 0), due)

    def after_step(self, block: Any, step: Any, size: int) -> "Clock":
        """After a ``step`` of a block of ``size`` features."""
        return Clock(self.due.at[block].add(-step), self.turn.at[block].add(_entries(step, size)))


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
) -> tuple[Responses, Clock, Any]:
    """Learn an observation after ``block``, and the one whose ``turn`` it is, have forgotten.

    Returns the responses, the clock, and the observation's leverage.

    Arguments:
        responses, clock: what was learned, and how much of it is to be forgotten.
        block, turn: the block that is observed, and another one, or the same.
        phi, targets: the observation.
        regularisation: lambda.
        prior: (blocks, members, p), P_j(0), if there are members. Their perturbations, and then
            their priors, are the last of the targets.
    """
    size = responses.weights.shape[-1]
    # A block that is both forgets as the one that is observed.
    places, steps = [block], [clock.step(block, size)]
    if len(clock.due) > 1:
        places.append(turn)
        steps.append(jnp.where(turn == block, 0, clock.step(turn, size)))
    both = jnp.stack(places)
    # All is read before anything is written, and written at once: the compiler would keep copies
    # of whole tables otherwise.
    held = jax.lax.optimization_barrier(tuple(part[both] for part in responses))
    topped_up = [
        _top_up(
            OneBlock(*(part[i] for part in held)),
            step,
            clock.turn[place],
            None if prior is None else prior[place],
            regularisation,
        )
        for i, (place, step) in enumerate(zip(places, steps, strict=True))
    ]
    members = 0 if prior is None else prior.shape[1]
    plain = responses.weights.shape[1] - 2 * members
    growths = [_growth(step, plain, members) for step in steps]
    observed, leverage = topped_up[0].observe(phi, targets, growth=growths[0])
    fresh = [observed]
    if len(places) > 1:
        other = topped_up[1].grown(growths[1])
        fresh.append(jax.tree.map(partial(jnp.where, turn == block), observed, other))
    new = jax.lax.optimization_barrier(jax.tree.map(lambda *parts: jnp.stack(parts), *fresh))
    after = Responses(*(old.at[both].set(part) for old, part in zip(responses, new, strict=True)))
    for place, step in zip(places, steps, strict=True):
        clock = clock.after_step(place, step, size)
    return after, clock, leverage


def _top_up(own: OneBlock, step: Any, turn: Any, prior: Any, regularisation: Any) -> OneBlock:
    """A block, whose ``prior`` is (members, p), with the second term of a ``step`` of half lives.

    The first term is to follow: that is less work than the other way round, and the same. A block
    that starts again has no terms.
    """
    targets, size = own.weights.shape
    entries, factor = _entries(step, size), _factor(step)
    share = size * (1 - factor) * regularisation / jnp.maximum(entries, 1)
    weight = jnp.sqrt(share / factor)

    def one(i: Any, own: OneBlock) -> OneBlock:
        feature = (turn + i) % size
        values = _with_priors(targets, prior, lambda prior: weight * prior[:, feature])
        return own.observe(weight * (jnp.arange(size) == feature), values)[0]

    start = OneBlock(
        _with_priors((targets, size), prior, lambda prior: prior),
        jnp.eye(size) / jnp.sqrt(regularisation),
        jnp.zeros_like(own.count),
    )
    own = jax.tree.map(partial(jnp.where, step < FORGOTTEN), own, start)
    after: OneBlock = jax.lax.fori_loop(0, entries, one, own)
    return after._replace(count=own.count)


def _with_priors(shape: Any, prior: Any, values: Any) -> Any:
    """Zeros for all targets but the last ones, which are those of the members' priors."""
    zeros = jnp.zeros(shape)
    return zeros if prior is None else zeros.at[-len(prior) :].set(values(prior))


def _growth(step: Any, plain: int, members: int) -> Growth:
    """The first term: V is multiplied by f, and the noise of observations has grown."""
    factor = _factor(step)
    root = 1 / jnp.sqrt(factor)
    ones = jnp.ones(plain), jnp.full(members, root), jnp.ones(members)
    return Growth(jnp.concatenate(ones), root, factor)


def _factor(step: Any) -> Any:
    """f."""
    return jnp.where(step < FORGOTTEN, jnp.exp2(-step), 1)


def _entries(step: Any, size: int) -> Any:
    """Among how many entries of the diagonal a step is shared out; none if it is 0."""
    share = jnp.ceil(size * (1 - _factor(step)) - 1e-3)  # not one more for a rounding error
    return jnp.minimum(share, min(MOST_ENTRIES, size)).astype(jnp.int32)
