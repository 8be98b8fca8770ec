"""A log from rounds as environments show them, many at once."""

from typing import Any

import numpy as np

from jostle.core.contexts import Blocks, dense
from jostle.logs.log import Log
from jostle.types import NOBODY, BanditSpec, Round


def log_of_rounds(
    rounds: Round,
    actions: Any,
    rewards: Any,
    probabilities: Any,
    spec: BanditSpec,
    *,
    adaptive: bool,
    first_row: int = 0,
) -> Log:
    """A log of decisions on rounds whose arrays have one row per decision.

    Contexts of the disjoint model, where each arm shows the same vector in the block of its id, are
    kept once per row.
    """
    arms, mask, users = (np.asarray(part) for part in (rounds.arms, rounds.mask, rounds.user))
    contexts = rounds.contexts
    if isinstance(contexts, Blocks):
        x, block = np.asarray(contexts.x), np.asarray(contexts.block)
        if np.array_equal(block, arms) and np.array_equal(x, np.broadcast_to(x[:, :1], x.shape)):
            contexts = np.ascontiguousarray(x[:, 0])
        else:
            contexts = dense(Blocks(x, block), spec.features)
    contexts = np.asarray(contexts)
    # Arms that are the same in every row need no ids beside their index.
    same = contexts.ndim == 2 and arms.shape[1] == spec.arms
    own = same and np.array_equal(arms, np.broadcast_to(np.arange(arms.shape[1]), arms.shape))
    known = bool((arms != NOBODY).all())
    return Log.from_arrays(
        actions,
        rewards,
        np.asarray(probabilities, np.float64),
        contexts,
        mask=mask,
        arms=arms if known and not own else None,
        users=None if (users == NOBODY).all() else users,
        times=np.arange(first_row, first_row + len(arms)),
        arm_total=spec.arms,
        user_total=spec.users,
        adaptive=adaptive,
        first_row=first_row,
    )
