"""Other units: whether NPR's regret depends on the unit of rewards and contexts."""

import numpy as np

from jostle.benchmarks.comparison import Row
from jostle.factory import make_environment, make_policy
from jostle.simulation import simulate

POLICY = "npr"
ROUNDS, SEEDS, FEW = 2000, range(1000, 1020), range(1000, 1002)
DEVIATIONS = 10
"""The offset of rewards, in deviations of the rewards of uniform choices."""
FACTORS = (0.03, 30.0)
STREAMS = {"h1": 0.14, "h1:pool=none": 0.14, "magic": 0.5, "adult": 0.5, "clicks": 0.17}
"""Streams, and the deviation of their rewards under uniform choices."""
CLOSE = 1.05


def regret_in_other_units(quick: bool = False) -> list[Row]:
    """Regret of NPR with rewards offset or contexts rescaled, against the same stream as it is."""
    streams = ("clicks",) if quick else tuple(STREAMS)
    seeds = FEW if quick else SEEDS
    return [row for stream in streams for row in _changes(stream, seeds)]


def _changes(stream: str, seeds: range) -> list[Row]:
    offset = DEVIATIONS * STREAMS[stream]
    changes = {f"rewards + {offset:g}": f"reward_offset={offset:g}"}
    changes |= {f"contexts x {factor:g}": f"context_factor={factor:g}" for factor in FACTORS}
    plain = _regrets(stream, seeds)
    rows = []
    for what, setting in changes.items():
        changed = _regrets(f"units:of=({stream}),{setting}", seeds)
        difference = changed - plain
        error = difference.std(ddof=1) / len(seeds) ** 0.5
        errors = difference.mean() / error if error > 0 else 0.0
        rows.append(
            Row(
                f"{stream}, {what}: regret of {POLICY} against no change",
                f"{changed.mean():.1f}",
                f"{plain.mean():.1f}",
                float(changed.mean() / plain.mean()),
                CLOSE,
                details=f"{stream}, {what}, {len(seeds)} seeds from {seeds[0]}, {ROUNDS:,} rounds: "
                f"difference {difference.mean():+.2f} ± {error:.2f}, {errors:+.1f} standard errors",
            )
        )
    return rows


def _regrets(stream: str, seeds: range) -> np.ndarray:
    environment = make_environment(stream)
    policy = make_policy(POLICY, environment)
    runs = [simulate(policy, environment, rounds=ROUNDS, seed=seed) for seed in seeds]
    return np.array([float(run.regret[-1]) for run in runs])
