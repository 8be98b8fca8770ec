"""The cost of a round of ``NPR.online`` beside NPR without a network, and the size of its state."""

import time

import jax
import numpy as np

from jostle.benchmarks.comparison import Row
from jostle.environments import Classification, Environment, Wheel
from jostle.factory import make_policy
from jostle.simulation import advance, begin

PIECE = 500
"""Rounds that are timed at once. The fastest of many pieces counts: the machine has other work."""
ROWS, FEATURES, CLASSES = 22_000, 54, 7
"""A table of noise in the shape of covertype."""


def online_against_no_network(quick: bool = False) -> list[Row]:
    """A round of NPR.online against one of NPR without a network, and the size of its state."""
    random = np.random.default_rng(0)
    x, y = random.normal(size=(ROWS, FEATURES)), random.integers(CLASSES, size=ROWS)
    table = Classification.from_arrays(x, y, rounds=ROWS)
    pieces = 5 if quick else 40
    return [
        *_compared("wheel, 5 arms of 2 features", Wheel(delta=0.9), pieces),
        *_compared(f"{CLASSES} classes, {FEATURES} features", table, pieces),
    ]


def _compared(name: str, environment: Environment, pieces: int) -> list[Row]:
    names = ("npr.online", "npr:network=none")
    policies = [make_policy(each, environment) for each in names]
    runs = [begin(each, environment, rounds=PIECE * (pieces + 2), seed=0) for each in policies]
    times: list[list[float]] = [[], []]
    for piece in range(pieces + 2):  # the first two, of compilation and of warming up, do not count
        for i, policy in enumerate(policies):
            start = time.process_time()
            runs[i] = advance(policy, environment, runs[i], PIECE * piece, PIECE * (piece + 1))
            jax.block_until_ready(runs[i].trace.rewards)
            times[i].append(time.process_time() - start)
    ours, reference = (1e6 * min(each[2:]) / PIECE for each in times)
    sizes = [sum(leaf.nbytes for leaf in jax.tree.leaves(each.policy_state)) for each in runs]
    return [
        Row(
            f"{name}: round of NPR.online against NPR without a network",
            f"{ours:.0f} us",
            f"{reference:.0f} us",
            ours / reference,
            1.5,
        ),
        Row(
            f"{name}: bytes of the state of NPR.online against 1 MB",
            f"{sizes[0]:,}",
            "1,000,000",
            sizes[0] / 1e6,
            1.0,
        ),
    ]
