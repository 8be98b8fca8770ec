"""The same descent done as the paper's authors did: eager PyTorch, the whole history each step.

Needs PyTorch: ``pip install 'jostle[torch]'``. Both sides take 100 full steps of gradient descent
a round (step size 0.01, warm start) on the h1 bandit; ours pools the history, which is exact.
"""

import time
from typing import Any

import numpy as np
import optax

from jostle.benchmarks.measure import Row
from jostle.environments import Synthetic
from jostle.policies import NPR
from jostle.simulation import Progress, advance, begin

STEPS, STEP_SIZE, FEATURES, POOL, WIDTH = 100, 0.01, 50, 100, 64
ROUNDS = 5


def available() -> bool:
    """Whether PyTorch is installed."""
    try:
        import torch  # noqa: F401
    except ImportError:
        return False
    return True


def ours_against_authors(seen: int) -> Row:
    """Milliseconds a round of learning at t = ``seen``, ours against theirs."""
    rng = np.random.default_rng(0)
    pool = rng.normal(size=(POOL, FEATURES)).astype(np.float32)
    arms = rng.integers(0, POOL, seen)
    theirs = _eager_round(pool[arms], rng.normal(size=seen).astype(np.float32))
    ours = _our_round(seen)
    return Row(
        f"{STEPS} full steps at t={seen:,}: eager PyTorch on all history against ours",
        f"{1e3 * ours:.2f} ms",
        f"{1e3 * theirs:.1f} ms",
        theirs / ours,
        10.0,
        at_least=True,
    )


def _eager_round(contexts: np.ndarray, rewards: np.ndarray) -> float:
    import torch
    from torch import nn

    x, y = torch.from_numpy(contexts), torch.from_numpy(rewards)
    network: Any = nn.Sequential(
        nn.Linear(FEATURES, WIDTH), nn.ReLU(), nn.Linear(WIDTH, WIDTH), nn.ReLU(),
        nn.Linear(WIDTH, 1),
    )  # fmt: skip
    optimiser = torch.optim.SGD(network.parameters(), lr=STEP_SIZE)
    times = []
    for _ in range(ROUNDS):
        start = time.perf_counter()
        targets = y + 0.1 * torch.randn(len(y))
        for _ in range(STEPS):
            optimiser.zero_grad()
            loss = ((network(x).squeeze(1) - targets) ** 2).mean() / 2
            loss.backward()
            optimiser.step()
        times.append(time.perf_counter() - start)
    return min(times)


def _our_round(seen: int) -> float:
    policy = NPR(FEATURES, pool=POOL, steps=STEPS, step_size=STEP_SIZE, optimiser=optax.sgd)
    environment = Synthetic("h1")
    progress: Progress = begin(policy, environment, rounds=seen + 50 * ROUNDS, seed=0)
    progress = advance(policy, environment, progress, 0, 10)
    times = []
    for block in range(ROUNDS):
        start = time.perf_counter()
        first = seen + 50 * block
        progress = advance(policy, environment, progress, first, first + 50)
        np.asarray(progress.trace.rewards)
        times.append((time.perf_counter() - start) / 50)
    return min(times)
