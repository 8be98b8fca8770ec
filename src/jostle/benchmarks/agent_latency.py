"""The latency of single calls of ``Agent.learn`` and ``Agent.choose``: median, tail and maximum.

An application learns from one observation at a time, and a single slow call is a slow request. So
every call is timed and none is left out, except the first, which compiles and is reported apart.
A busy machine interrupts any program, so a fixed computation is timed in turns with ``learn``: its
tail is what the machine alone accounts for.
"""

import time
from typing import NamedTuple

import jax
import numpy as np

from jostle.agent import Agent
from jostle.benchmarks.comparison import Row
from jostle.environments import Synthetic
from jostle.factory import make_policy, suitable
from jostle.policies import NPR

FEATURES, ARMS = 20, 10
OBSERVATIONS, QUICK_OBSERVATIONS = 100_000, 5_000
DECISIONS, QUICK_DECISIONS = 10_000, 1_000
TAIL = 20.0
"""The most that the 99.9th percentile of ``learn`` may be, in medians."""


class Latencies(NamedTuple):
    """Milliseconds per call, over all calls but the first."""

    first: float
    """The first call, which compiles."""
    p50: float
    p99: float
    p999: float
    maximum: float
    slowest: int
    """Which call took the maximum, counted from 0 (the first call is number 0)."""

    @property
    def tail(self) -> float:
        """p99.9 / p50."""
        return self.p999 / self.p50

    @property
    def summary(self) -> str:
        """All but the first call, in words."""
        return (
            f"p50 {self.p50:.3f} ms, p99 {self.p99:.3f} ms, p99.9 {self.p999:.3f} ms, maximum "
            f"{self.maximum:.3f} ms (call {self.slowest:,}), p99.9 / p50 {self.tail:.1f}"
        )

    def __str__(self) -> str:
        return f"{self.summary}, first call (compiles) {self.first:.0f} ms"


def latencies(nanoseconds: np.ndarray) -> Latencies:
    """Summarise the durations of consecutive calls."""
    milliseconds = np.asarray(nanoseconds, float) / 1e6
    first, rest = float(milliseconds[0]), milliseconds[1:]
    p50, p99, p999 = (float(p) for p in np.percentile(rest, [50, 99, 99.9]))
    return Latencies(first, p50, p99, p999, float(rest.max()), int(rest.argmax()) + 1)


def agent_latency(quick: bool = False) -> list[Row]:
    """Latency of Agent.learn and Agent.choose, call by call (p50, p99, p99.9, maximum)."""
    observations = QUICK_OBSERVATIONS if quick else OBSERVATIONS
    decisions = QUICK_DECISIONS if quick else DECISIONS
    agent = Agent(NPR(features=FEATURES))
    learning, machine, mean = time_learning(agent, observations)
    choosing, relearning = time_choosing(agent, decisions)
    return [
        Row(
            f"Agent.learn, {observations:,} single observations: p99.9 against p50",
            f"{learning.p999:.3f} ms",
            f"{learning.p50:.3f} ms",
            learning.tail,
            TAIL,
            details=f"learn: {learning}; mean {mean:.3f} ms (with work after the calls return)\n"
            f"machine (a fixed computation after each learn): {machine.summary}",
        ),
        Row(
            f"Agent.choose, {ARMS} arms, each after one learn: p99 against p50",
            f"{choosing.p99:.3f} ms",
            f"{choosing.p50:.3f} ms",
            choosing.p99 / choosing.p50,
            details=f"choose ({decisions:,} calls): {choosing}\nlearn in between: {relearning}",
        ),
    ]


def policy_latency(quick: bool = False) -> list[Row]:
    """Latency of choose and learn of every policy, called through an Agent on h1 (p50, p99)."""
    bandit = Synthetic("h1")
    rows = []
    for name in suitable(bandit):
        agent = Agent(make_policy(name, bandit))
        choosing, learning = time_rounds(agent, bandit, 300 if quick else 2000)
        rows.append(
            Row(
                f"Agent({name}) on h1, choose: p99 against p50",
                f"{choosing.p99:.3f} ms",
                f"{choosing.p50:.3f} ms",
                choosing.p99 / choosing.p50,
                details=f"{name}: choose p50 {choosing.p50:.3f}, p99 {choosing.p99:.3f} ms; "
                f"learn p50 {learning.p50:.3f}, p99 {learning.p99:.3f} ms",
            )
        )
    return rows


def time_rounds(agent: Agent, bandit: Synthetic, rounds: int) -> tuple[Latencies, Latencies]:
    """Time ``decide`` and ``learn`` on the rounds of a bandit, as an application calls them."""
    rng = np.random.default_rng(0)
    state = bandit.init(jax.random.key(0))
    pool = np.array(state.contexts)
    means = np.array(bandit.expected(state, state.contexts))
    choosing, learning = np.empty(rounds, np.int64), np.empty(rounds, np.int64)
    for i in range(rounds):
        arms = rng.permutation(len(pool))[: bandit.shown]
        contexts = pool[arms]
        start = time.perf_counter_ns()
        decision = agent.decide(contexts, arms=arms)
        chosen = time.perf_counter_ns()
        agent.learn(decision, means[decision.arm] + 0.1 * rng.standard_normal())
        choosing[i], learning[i] = chosen - start, time.perf_counter_ns() - chosen
    return latencies(choosing), latencies(learning)


def time_learning(agent: Agent, observations: int) -> tuple[Latencies, Latencies, float]:
    """Time ``learn`` with one observation per call, in turns with a fixed computation.

    Returns the latencies of both, and the mean of ``learn`` in milliseconds. JAX may return before
    the work is done, so the mean includes waiting for the last result.
    """
    contexts, rewards = _stream(observations)
    unsorted = np.random.default_rng(1).random(10_000)  # about 0.1 ms to sort, on one thread
    learning, machine = np.empty(observations, np.int64), np.empty(observations, np.int64)
    start = time.perf_counter_ns()
    for i in range(observations):
        before = time.perf_counter_ns()
        agent.learn(contexts[i], rewards[i])
        learnt = time.perf_counter_ns()
        np.sort(unsorted)
        learning[i], machine[i] = learnt - before, time.perf_counter_ns() - learnt
    jax.block_until_ready(agent.state)
    total = time.perf_counter_ns() - start - int(machine.sum()) - int(learning[0])
    return latencies(learning), latencies(machine), total / 1e6 / max(observations - 1, 1)


def time_choosing(agent: Agent, decisions: int) -> tuple[Latencies, Latencies]:
    """Time ``choose`` and ``learn`` in alternation, as an application calls them."""
    contexts, rewards = _stream(decisions * ARMS)
    choosing, learning = np.empty(decisions, np.int64), np.empty(decisions, np.int64)
    for i in range(decisions):
        arms = slice(i * ARMS, (i + 1) * ARMS)
        shown, outcomes = contexts[arms], rewards[arms]
        start = time.perf_counter_ns()
        index = agent.choose(shown)
        chosen = time.perf_counter_ns()
        agent.learn(shown[index], outcomes[index])
        choosing[i], learning[i] = chosen - start, time.perf_counter_ns() - chosen
    return latencies(choosing), latencies(learning)


def _stream(rows: int) -> tuple[np.ndarray, np.ndarray]:
    """Contexts, (rows, features), and noisy rewards that are linear in them."""
    rng = np.random.default_rng(0)
    contexts = rng.standard_normal((rows, FEATURES), dtype=np.float32)
    noise = rng.standard_normal(rows, dtype=np.float32)
    return contexts, (contexts[:, 0] + 0.1 * noise).astype(np.float32)
