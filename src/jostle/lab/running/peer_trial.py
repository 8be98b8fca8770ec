"""Play a trial of another library's algorithm, and keep the result in the same form."""

import time
from collections.abc import Callable

import numpy as np

from jostle.environments import Environment
from jostle.lab.results.model import Run, thinned
from jostle.lab.running.provenance import commit
from jostle.lab.spec.plan import Trial
from jostle.peers.base import Peer, PeerResult


def play_peer(
    trial: Trial,
    peer: Peer,
    environment: Environment,
    behaviour: dict[str, int],
    report: Callable[[float], None] | None = None,
) -> tuple[Run, PeerResult]:
    """Play a trial with the settings as named; peers are not tuned."""
    started = time.perf_counter()
    result = peer.play(environment, rounds=trial.rounds, seed=trial.seed, report=report)
    points = thinned(trial.rounds) - 1
    run = Run(
        trial,
        regrets=result.regret[points],
        rewards=np.cumsum(result.rewards, dtype=np.float64)[points],
        seconds=time.perf_counter() - started,
        round_ms=result.choosing_ms + result.learning_ms,
        behaviour=behaviour,
        commit=commit(),
    )
    return run, result
