"""Tuning: which settings are tried, and the race in which the best of them goes on.

Candidates play the first rounds of the same stream and are compared by their regret; the winner
continues from where it is. Regret never decreases, so a candidate stops as soon as it has more than
those that are to go on had at the end: it cannot overtake them any more, and the winner is the same
as if all had played on. ``BEHAVIOUR`` is raised whenever the same grid would give other results.
"""

import itertools
import math
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import jax
import numpy as np

from jostle.core.grammar import parse
from jostle.environments import Environment
from jostle.lab.spec.experiment import Tuning
from jostle.policies import Policy
from jostle.simulation import Progress, Result, advance, begin

BEHAVIOUR = 1
"""The behaviour number of tuning, recorded with each tuned run."""
EXPLORES_BY = ("exploration", "noise", "complexity", "epsilon")
"""What "exploration" stands for in a grid: the first of these settings that a policy has."""
HELD = 2**31
"""The most bytes of paused simulations that a race keeps. One that does not fit is played again
from the start when it is needed, with the same result, since a seed decides everything."""
PIECES = 100  # of a simulation; progress is reported after each
PROBE = 8  # all candidates play this part of the first rounds; the most promising then go on first


def candidates(tuning: Tuning, text: str, policy: Policy) -> list[dict[str, float]]:
    """The settings to try for the policy named ``text``; an empty one is the policy as named.

    Settings that the name fixes are not tuned.
    """
    if tuning.method == "none":
        return [{}]
    numbers = policy.numeric_settings()
    fixed = set(parse(text).settings)
    axes: dict[str, tuple[float, ...]] = {}
    for name, values in tuning.grid.items():
        setting = name
        if name == "exploration":
            setting = next((each for each in EXPLORES_BY if each in numbers), name)
        if setting in numbers and setting not in fixed:
            axes[setting] = tuple(values)
    if not axes:
        return [{}]
    grid = [dict(zip(axes, values, strict=True)) for values in itertools.product(*axes.values())]
    return [{}, *grid] if tuning.defaults else grid


def rungs(tuning: Tuning, count: int) -> list[tuple[int, int]]:
    """When ``count`` candidates are compared: (after how many rounds, how many then go on).

    Halving keeps a third after an eighth of the rounds: many are far behind by then, yet each arm
    of a pool of 100 has been pulled once. Then it keeps a fifteenth, a fiftieth, and one.
    """
    if count == 1:
        return []
    if tuning.method == "grid":
        return [(max(1, tuning.rounds // PROBE), count), (tuning.rounds, 1)]
    stops = [max(1, tuning.rounds // part) for part in (8, 4, 2)]
    survivors = [-(-count // part) for part in (3, 15, 50)]
    return [*zip(stops, survivors, strict=True), (tuning.rounds, 1)]


@dataclass
class Racer:
    """A candidate and its simulation, paused after some round."""

    policy: Policy
    environment: Environment
    rounds: int
    seed: int
    at: int = 0
    progress: Progress | None = None
    regret: float = 0.0
    diverged: bool = False

    def play(self, stop: int, tick: Callable[[int], None], limit: float = math.inf) -> None:
        """Play up to round ``stop``, or until the regret exceeds ``limit``.

        ``tick`` is called with the number of rounds just played.
        """
        if self.progress is None:
            self.at = 0
            self.progress = begin(self.policy, self.environment, rounds=self.rounds, seed=self.seed)
        piece = max(1, self.rounds // PIECES)
        while self.at < stop:
            until = min(self.at + piece, stop)
            self.progress = advance(self.policy, self.environment, self.progress, self.at, until)
            self.progress.trace.rewards.block_until_ready()
            self.at, played = until, until - self.at
            tick(played)
            regrets = np.asarray(self.progress.trace.regrets)[:until]
            self.regret = float(regrets.sum(dtype=np.float64))
            # Only an environment of the user's own could have regrets below 0.
            if self.regret > limit and regrets.min() >= 0:
                break
        self.diverged = self.policy.diverged(self.progress.policy_state)

    @property
    def bytes(self) -> int:
        """The memory of the paused simulation."""
        return sum(leaf.nbytes for leaf in jax.tree.leaves(self.progress))


@dataclass
class Race:
    """The result of a race."""

    winner: int
    """The index of the winning candidate."""
    result: Result
    """Its finished simulation."""
    reached: list[tuple[int, float, bool]]
    """For each candidate, the round at which it stopped, its regret then, and whether it had
    diverged; for the winner, the round at which it was chosen."""
    diverged: bool
    """Whether the winner has diverged at the end."""
    round_ms: float | None
    """Wall time per round of the winner, after the last comparison."""


def race(
    policies: list[Policy],
    environment: Environment,
    *,
    rungs: list[tuple[int, int]],
    rounds: int,
    seed: int,
    report: Callable[[float], None] | None = None,
) -> Race:
    """Race ``policies``: after each of ``rungs`` (rounds, how many go on) the worst stop.

    The last one plays to the end. ``report`` is called with the share of the work done so far.
    """
    racers = [Racer(policy, environment, rounds, seed) for policy in policies]
    reached = [(0, 0.0, False)] * len(racers)
    total, done = _work(len(racers), rungs, rounds), 0

    def tick(played: int) -> None:
        nonlocal done
        done += played
        if report is not None:
            report(min(done / total, 1.0))

    running = list(range(len(racers)))
    for stop, survivors in rungs:
        ahead: list[int] = []
        for number in _ranked(racers, running):
            racer = racers[number]
            full = len(ahead) >= survivors
            racer.play(stop, tick, racers[ahead[-1]].regret if full else math.inf)
            reached[number] = (racer.at, racer.regret, racer.diverged)
            tick(stop - racer.at)  # rounds that it did not need to play
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
    return Race(running[0], Result(progress), reached, winner.diverged, _round_ms(clock))


def _ranked(racers: list[Racer], numbers: list[int]) -> list[int]:
    return sorted(numbers, key=lambda number: (racers[number].regret, number))


def _make_room(racers: list[Racer]) -> None:
    """Drop the simulations that exceed the memory a race may keep, those of most regret first."""
    kept = 0
    for racer in sorted(racers, key=lambda racer: racer.regret):
        if racer.progress is not None:
            kept += racer.bytes
            if kept > HELD:
                racer.progress = None


def _work(count: int, rungs: list[tuple[int, int]], rounds: int) -> int:
    """The number of rounds that all candidates play together."""
    total, before = 0, 0
    for stop, survivors in rungs:
        total += count * (stop - before)
        count, before = survivors, stop
    return total + rounds - before


def _round_ms(clock: list[tuple[int, float]]) -> float | None:
    """Milliseconds per round, from the first report on, as the first piece includes compilation."""
    (first, start), (last, stop) = clock[0], clock[-1]
    return 1000 * (stop - start) / (last - first) if last > first else None
