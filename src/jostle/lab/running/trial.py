"""One trial, from its names to its result."""

import time
from collections.abc import Callable
from functools import lru_cache
from typing import NamedTuple

import jax
import numpy as np

from jostle.environments import Environment
from jostle.factory import make_environment, make_policy
from jostle.lab.results.model import Candidate, Run, thinned
from jostle.lab.running.candidates import candidates, rungs
from jostle.lab.running.tuning import race
from jostle.lab.spec.experiment import Tuning
from jostle.lab.spec.plan import Trial
from jostle.policies import Policy
from jostle.simulation import Result


class Played(NamedTuple):
    """A run and the objects it was made of."""

    run: Run
    policy: Policy
    environment: Environment
    result: Result


def play(
    trial: Trial, tuning: Tuning | None = None, report: Callable[[float], None] | None = None
) -> Played:
    """Play a trial, tuned if asked to; ``report`` is told now and then the share that is done."""
    started = time.perf_counter()
    tuning = tuning or Tuning()
    environment = _environment(trial.environment)
    named = make_policy(trial.policy, environment)
    tried = candidates(tuning, trial.policy, named)
    policies = [named.with_settings(**settings) if settings else named for settings in tried]
    raced = race(
        policies,
        environment,
        rungs=rungs(tuning, len(tried)),
        rounds=trial.rounds,
        seed=trial.seed,
        report=report,
    )
    result, points = raced.result, thinned(trial.rounds) - 1
    run = Run(
        trial,
        regrets=result.regret[points],
        rewards=np.cumsum(result.rewards, dtype=np.float64)[points],
        settings=tried[raced.winner],
        candidates=tuple(
            Candidate(settings, *reached)
            for settings, reached in zip(tried, raced.reached, strict=True)
            if len(tried) > 1
        ),
        seconds=time.perf_counter() - started,
        round_ms=raced.round_ms,
        state_bytes=sum(leaf.nbytes for leaf in jax.tree.leaves(result.state)),
    )
    return Played(run, policies[raced.winner], environment, result)


@lru_cache(maxsize=2)
def _environment(text: str) -> Environment:
    """Environments of data take seconds to read, and trials of the same one follow each other."""
    return make_environment(text)
