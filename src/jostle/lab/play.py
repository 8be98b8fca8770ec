"""One trial, from its names to its result."""

import time
from collections.abc import Callable
from typing import NamedTuple

from jostle.environments import Environment
from jostle.lab.naming import make_environment, make_policy
from jostle.lab.plan import Run, Trial, thinned
from jostle.policies import Policy
from jostle.simulation import Result, simulate


class Played(NamedTuple):
    """A run and the objects it was made of."""

    run: Run
    policy: Policy
    environment: Environment
    result: Result


def play(trial: Trial, report: Callable[[int], None] | None = None) -> Played:
    """Play a trial; ``report`` is told now and then how many rounds are done."""
    environment = make_environment(trial.environment)
    policy = make_policy(trial.policy, environment)
    clock: list[tuple[int, float]] = []

    def tick(rounds: int) -> None:
        clock.append((rounds, time.perf_counter()))
        if report is not None:
            report(rounds)

    result = simulate(policy, environment, rounds=trial.rounds, seed=trial.seed, report=tick)
    run = Run(
        trial,
        curve=result.regret[thinned(trial.rounds) - 1],
        reward=float(result.rewards.sum(dtype=float)),
        round_ms=_round_ms(clock),
    )
    return Played(run, policy, environment, result)


def _round_ms(clock: list[tuple[int, float]]) -> float | None:
    """Milliseconds a round, from the first report on: what came before it was compiled too."""
    (first, start), (last, stop) = clock[0], clock[-1]
    return 1000 * (stop - start) / (last - first) if last > first else None
