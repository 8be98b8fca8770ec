"""Make the state of a policy as long as it is after many more rounds, to time it there.

The cost of a round grows with the rounds before it where a policy keeps something of each of them:
observations to sweep (``History``), or rows of a full covariance (``Dual``). To play 10,000 rounds
with a full covariance takes half an hour, and the time of the last one depends only on how many
rows there are, not on what is in them. So the rows of a shorter run are repeated.
"""

from typing import Any

import jax
import jax.numpy as jnp

from jostle.models.covariance import Dual, Rows
from jostle.models.gram import Gram
from jostle.models.history import History
from jostle.policies import Policy


def lengthen(policy: Policy, state: Any, observations: int, arms: int | None) -> Any:
    """``state`` with room for ``observations`` observations, all of it in use.

    The covariance S = I - U'F stays the same: copies of a row share its weight.
    """
    roomy = policy.reserve(state, observations=observations, arms=arms)

    def filled(part: Any) -> Any:
        if isinstance(part, Dual):
            return _filled_covariance(part, observations)
        if isinstance(part, Gram):
            # Rows of zeros, which change no width, and take as long as others.
            return part._replace(seen=jnp.int32(observations))
        return _filled_history(part) if isinstance(part, History) else part

    kinds = Dual | Gram | History
    return jax.tree.map(filled, roomy, is_leaf=lambda part: isinstance(part, kinds))


def _filled_covariance(covariance: Dual, observations: int) -> Dual:
    used = int(covariance.seen)
    rows = jax.tree.map(lambda *blocks: jnp.concatenate(blocks)[:used], *covariance.blocks)
    places = jnp.arange(observations) % used
    copies = jnp.bincount(places, length=used)
    blocks: list[Rows] = []
    start = 0
    for block in covariance.blocks:
        held = places[start : start + len(block.f)]
        spare = ((0, len(block.f) - len(held)), (0, 0))
        f, u = rows.f[held], rows.u[held] / copies[held][:, None]
        blocks.append(Rows(jnp.pad(f, spare), jnp.pad(u, spare)))
        start += len(block.f)
    return Dual(tuple(blocks), jnp.int32(observations))


def _filled_history(history: History) -> History:
    """All of its capacity; a history that forgets has less than there are observations."""
    places = jnp.arange(history.capacity) % int(history.size)
    contexts, rewards = jax.tree.map(lambda part: part[places], (history.contexts, history.rewards))
    return History(contexts, rewards, jnp.int32(history.capacity))
