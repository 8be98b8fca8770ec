"""NPR against an implementation like that of the paper's authors: eager PyTorch, full history.

Needs PyTorch: ``pip install 'jostle[torch]'``. Both sides take 100 full steps of gradient descent
per round (step size 0.01, warm start) on the h1 bandit; ours pools the history, which is exact.
"""

import math
import time
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import optax

from jostle.benchmarks.comparison import Row
from jostle.environments import Synthetic
from jostle.models.networks import width_of
from jostle.models.training import Training
from jostle.policies import NPR, Policy
from jostle.policies.npr_paper import PaperNPR
from jostle.simulation import Progress, advance, begin, simulate

STEPS, STEP_SIZE, FEATURES, POOL, WIDTH = 100, 0.01, 50, 100, 64
ROUNDS = 5
CHANCE = 1.15
"""Tolerance for a ratio of regrets, since the two sides draw different perturbations."""


def available() -> bool:
    """Return whether PyTorch is installed."""
    try:
        import torch  # noqa: F401
    except ImportError:
        return False
    return True


def learning_against_pytorch(quick: bool = False) -> list[Row]:
    """A round of learning, eager PyTorch with the whole history against ours."""
    return [_learning_row(seen) for seen in ((1_000,) if quick else (1_000, 5_000))]


def _learning_row(seen: int) -> Row:
    rng = np.random.default_rng(0)
    pool = rng.normal(size=(POOL, FEATURES)).astype(np.float32)
    arms = rng.integers(0, POOL, seen)
    theirs = _eager_round(pool[arms], rng.normal(size=seen).astype(np.float32))
    ours = _our_round(seen)
    return Row(
        f"{STEPS} full steps at t={seen:,}: eager PyTorch against ours",
        f"{1e3 * ours:.2f} ms",
        f"{1e3 * theirs:.1f} ms",
        theirs / ours,
        10.0,
        at_least=True,
    )


def regret_against_pytorch(quick: bool = False) -> list[Row]:
    """Regret of NPR.paper and of NPR with its defaults, against eager PyTorch.

    All play the same streams. NPR.paper has the settings and the initial weights of the PyTorch
    side but its own perturbations, so the two differ only by chance.
    """
    rounds, seeds = (200, 2) if quick else (500, 4)
    environment = Synthetic("h1")
    paper = NPR.paper(FEATURES, pool=POOL, width=WIDTH, steps=STEPS, step_size=STEP_SIZE)
    theirs = [_eager_regret(paper, environment, rounds, seed) for seed in range(seeds)]

    def row(name: str, policy: Policy) -> Row:
        ours = [
            simulate(policy, environment, rounds=rounds, seed=seed).regret[-1]
            for seed in range(seeds)
        ]
        return Row(
            f"regret of {name} after {rounds} rounds of h1, against eager PyTorch",
            _mean_and_error(ours),
            _mean_and_error(theirs),
            float(np.mean(ours) / np.mean(theirs)),
            CHANCE,
        )

    return [
        row("NPR.paper, same settings", paper),
        row("NPR, its defaults", NPR(FEATURES, pool=POOL)),
    ]


def _mean_and_error(regrets: list[float]) -> str:
    return f"{np.mean(regrets):.1f} ± {np.std(regrets, ddof=1) / math.sqrt(len(regrets)):.1f}"


def _eager_regret(policy: PaperNPR, environment: Synthetic, rounds: int, seed: int) -> float:
    """Regret of Algorithm 1 in eager PyTorch, with the settings of ``policy``."""
    import torch

    start = begin(policy, environment, rounds=rounds, seed=seed)
    world, stream = start.environment_state, start.environment_key
    weights = [torch.tensor(np.array(w)) for w in start.policy_state.fit.initial]
    learn, score = _eager_network(weights, policy)
    torch.manual_seed(seed)

    @jax.jit
    def shown(t: jax.Array) -> Any:  # with the keys that ``simulate`` uses
        observe_key, reward_key = jax.random.split(jax.random.fold_in(stream, t))
        round = environment.observe(world, observe_key, t)
        every = jnp.arange(environment.shown)
        outcomes = jax.vmap(lambda i: environment.reward(world, reward_key, t, round, i))(every)
        return round.contexts, round.arms, outcomes

    tried = np.zeros(POOL, bool)
    contexts, rewards, regret = [], [], 0.0
    for t in range(rounds):
        x, arms, outcomes = jax.device_get(shown(jnp.int32(t)))
        untried = ~tried[arms]
        allowed = untried if untried.any() else np.ones(len(arms), bool)
        choice = int(np.where(allowed, score(torch.tensor(x)), -np.inf).argmax())
        tried[arms[choice]] = True
        contexts.append(x[choice])
        rewards.append(outcomes.reward[choice])
        regret += float(outcomes.regret[choice])
        learn(torch.tensor(np.array(contexts)), torch.tensor(np.array(rewards)))
    return regret


def _eager_network(
    initial: list[Any], policy: PaperNPR
) -> tuple[Callable[[Any, Any], None], Callable[[Any], np.ndarray]]:
    """Return functions that learn (descent on Eq. (2), all history in every step) and estimate."""
    import torch

    width = width_of(policy.network)
    weights = [w.clone().requires_grad_() for w in initial]
    optimiser = torch.optim.SGD(weights, lr=policy.training.step_size)

    def estimate(x: Any) -> Any:
        hidden = torch.cat([x, x], dim=1) / math.sqrt(2)
        for weight in weights[:-1]:
            hidden = torch.relu(hidden @ weight)
        return math.sqrt(width) * (hidden @ weights[-1])[:, 0]

    def learn(x: Any, rewards: Any) -> None:
        targets = rewards + policy.noise * torch.randn(len(rewards))
        penalty = width * policy.regularisation / len(rewards)
        for _ in range(policy.effective_training.steps or 0):
            optimiser.zero_grad()
            moved = sum(((w - w0) ** 2).sum() for w, w0 in zip(weights, initial, strict=True))
            loss = ((estimate(x) - targets) ** 2).mean() / 2 + penalty * moved / 2
            loss.backward()
            optimiser.step()

    def score(x: Any) -> np.ndarray:
        with torch.no_grad():
            return np.asarray(estimate(x).numpy())

    return learn, score


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
    training = Training(steps=STEPS, step_size=STEP_SIZE, optimiser=optax.sgd)
    policy = NPR.descent(FEATURES, pool=POOL, training=training)
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
