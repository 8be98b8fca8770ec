"""Play one trial: build its policy and environment by name, tune, simulate, and keep the result."""

import time
from collections.abc import Callable
from functools import lru_cache
from typing import NamedTuple

import jax
import numpy as np

from jostle import simulation
from jostle.environments import Environment
from jostle.factory import make_environment
from jostle.lab.results.manifest import Behaviour
from jostle.lab.results.model import Candidate, Run, thinned
from jostle.lab.running.peer_trial import play_peer
from jostle.lab.running.provenance import commit
from jostle.lab.running.tuning import BEHAVIOUR as TUNING_BEHAVIOUR
from jostle.lab.running.tuning import candidates, race, rungs
from jostle.lab.spec.experiment import Tuning
from jostle.lab.spec.plan import Trial
from jostle.peers.base import Peer
from jostle.peers.catalog import make_player
from jostle.policies import Policy
from jostle.simulation import Result


class Played(NamedTuple):
    """A finished run and the objects that played it."""

    run: Run
    policy: Policy | Peer
    environment: Environment
    result: Result


def play(
    trial: Trial, tuning: Tuning | None = None, report: Callable[[float], None] | None = None
) -> Played:
    """Play a trial, with tuning if any; ``report`` is called with the share done so far."""
    started = time.perf_counter()
    tuning = tuning or Tuning()
    environment = _environment(trial.environment)
    named = make_player(trial.policy, environment)
    numbers = Behaviour(
        simulation.BEHAVIOUR,
        TUNING_BEHAVIOUR,
        {trial.environment: environment.behaviour},
        {trial.policy: named.behaviour},
    ).of(trial, tuned=tuning.method != "none")
    if isinstance(named, Peer):
        peer_run, peer_result = play_peer(trial, named, environment, numbers, report)
        return Played(peer_run, named, environment, peer_result)
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
        diverged=raced.diverged,
        state_bytes=sum(leaf.nbytes for leaf in jax.tree.leaves(result.state)),
        behaviour=numbers,
        commit=commit(),
    )
    return Played(run, policies[raced.winner], environment, result)


@lru_cache(maxsize=2)
def _environment(text: str) -> Environment:
    """An environment, kept for the next trial: those made of data take seconds to load."""
    return make_environment(text)
