"""Tuning as a race: candidates play the same stream, the best go on from where they are."""

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import jax
import numpy as np

from jostle.environments import Environment
from jostle.policies import Policy
from jostle.simulation import Progress, Result, advance, begin

HELD = 2**31
"""Bytes of simulations under way that a race keeps; what does not fit is played again when it is
needed, which gives the same, since a seed decides everything."""
PIECES = 100  # a simulation is reported on after each


@dataclass
class Racer:
    """A candidate and its simulation."""

    policy: Policy
    environment: Environment
    rounds: int
    seed: int
    at: int = 0
    progress: Progress | None = None
    regret: float = 0.0

    def play(self, stop: int, tick: Callable[[int], None]) -> None:
        """Play on to round ``stop``; ``tick`` is told how many rounds were played since."""
        if self.progress is None:
            self.at = 0
            self.progress = begin(self.policy, self.environment, rounds=self.rounds, seed=self.seed)
        piece = max(1, self.rounds // PIECES)
        while self.at < stop:
            until = min(self.at + piece, stop)
            self.progress = advance(self.policy, self.environment, self.progress, self.at, until)
            jax.block_until_ready(self.progress.trace.rewards)
            self.at, played = until, until - self.at
            tick(played)
        self.regret = float(np.asarray(self.progress.trace.regrets)[:stop].sum(dtype=np.float64))

    @property
    def bytes(self) -> int:
        """What keeping the simulation costs."""
        return sum(leaf.nbytes for leaf in jax.tree.leaves(self.progress))


@dataclass
class Race:
    """What a race came to."""

    winner: int
    result: Result
    reached: list[tuple[int, float]]
    """For each candidate, the rounds it was compared at last and its regret then."""
    round_ms: float | None
    """Wall time of a round of the winner, after the last comparison."""


def race(
    policies: list[Policy],
    environment: Environment,
    *,
    rungs: list[tuple[int, int]],
    rounds: int,
    seed: int,
    report: Callable[[float], None] | None = None,
) -> Race:
    """Let ``policies`` play; after each of ``rungs`` (rounds, how many go on) the worst stop.

    The one that is left plays to the end. ``report`` is told now and then the share that is done.
    """
    racers = [Racer(policy, environment, rounds, seed) for policy in policies]
    reached = [(0, 0.0)] * len(racers)
    total, done = _work(len(racers), rungs, rounds), 0

    def tick(played: int) -> None:
        nonlocal done
        done += played
        if report is not None:
            report(min(done / total, 1.0))

    running = list(range(len(racers)))
    for stop, survivors in rungs:
        ahead: list[int] = []
        for number in running:
            racers[number].play(stop, tick)
            reached[number] = (stop, racers[number].regret)
            ahead = _ranked(racers, [*ahead, number])
            for behind in ahead[survivors:]:
                racers[behind].progress = None
            ahead = ahead[:survivors]
            _make_room(racers)
        running = ahead
    winner = racers[running[0]]
    clock: list[tuple[int, float]] = []

    def timed(played: int) -> None:
        clock.append((winner.at, time.perf_counter()))
        tick(played)

    winner.play(rounds, timed)
    progress: Any = winner.progress
    return Race(running[0], Result(progress), reached, _round_ms(clock))


def _ranked(racers: list[Racer], numbers: list[int]) -> list[int]:
    return sorted(numbers, key=lambda number: (racers[number].regret, number))


def _make_room(racers: list[Racer]) -> None:
    """Let go of the simulations that are too much to keep, the largest number first."""
    kept = 0
    for racer in racers:
        if racer.progress is not None:
            kept += racer.bytes
            if kept > HELD:
                racer.progress = None


def _work(count: int, rungs: list[tuple[int, int]], rounds: int) -> int:
    """Rounds of all candidates together."""
    total, before = 0, 0
    for stop, survivors in rungs:
        total += count * (stop - before)
        count, before = survivors, stop
    return total + rounds - before


def _round_ms(clock: list[tuple[int, float]]) -> float | None:
    """Milliseconds a round, from the first report on: what came before it was compiled too."""
    (first, start), (last, stop) = clock[0], clock[-1]
    return 1000 * (stop - start) / (last - first) if last > first else None
