"""Warm starts: how fast a log is learned, and how much regret that saves."""

import math
import tempfile
from pathlib import Path
from typing import NamedTuple

import numpy as np

from jostle.agent import Agent
from jostle.benchmarks.comparison import Row
from jostle.core.contexts import dense
from jostle.core.optional import require
from jostle.decisions.decider import Decider
from jostle.decisions.log_learning import warm_start
from jostle.environments import Environment
from jostle.factory import make_environment, make_policy
from jostle.peers.stream import chunks
from jostle.policies import LinUCB
from jostle.types import BanditSpec

FEATURES, CHUNK = 20, 50_000
SEEDS = (100, 101, 102)
STREAMS = ("clicks", "arrivals", "offers")
LOGGED, PLAYED = 3000, 1000
RULE_SEEDS = tuple(range(100, 106))
RULED = (*STREAMS, "wheel:delta=0.5")
LEARNERS = ("lin-ucb", "npr:network=none")
RULE_SHARPNESS, RULE_FLOOR = 2.0, 0.1
"""How much a rule prefers what it likes, per deviation, and how often it takes anything."""
MINUTES = 5.0
"""The most that a million rows may take."""


class Logged(NamedTuple):
    """Decisions that somebody else has made."""

    contexts: list[np.ndarray]
    rewards: list[float]
    probabilities: list[float]


def warm_start_speed(quick: bool = False) -> list[Row]:
    """Time to learn a million logged rows from Parquet with LinUCB, and records with a Decider."""
    rows, records = (50_000, 2_000) if quick else (1_000_000, 50_000)
    pl = require("polars", extra="data")
    rng = np.random.default_rng(0)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "log.parquet"
        x = rng.standard_normal((rows, FEATURES), dtype=np.float32)
        names = [f"x{i}" for i in range(FEATURES)]
        table = dict(zip(names, x.T, strict=True)) | {"reward": x[:, 0]}
        pl.DataFrame(table).write_parquet(path)
        plain = warm_start(Agent(LinUCB(FEATURES)), path, features=names, chunk=CHUNK)
    frame = pl.DataFrame(
        {
            "device": rng.choice(["phone", "desktop", "tv"], records),
            "country": rng.choice([f"c{i}" for i in range(30)], records),
            "hour": rng.integers(0, 24, records),
            "offer": rng.choice([f"o{i}" for i in range(10)], records),
            "reward": rng.random(records),
        }
    )
    read = warm_start(Decider(LinUCB(256)), frame, action="offer", chunk=CHUNK)
    return [
        Row(
            f"warm start, {size:,} {what}: minutes per million rows",
            f"{done.seconds / size * 1e6 / 60:.2f} min",
            f"{MINUTES:g} min",
            done.seconds / size * 1e6 / 60 / MINUTES,
            bound,
            details=f"{what}: {size / done.seconds:,.0f} rows/s",
        )
        for size, what, done, bound in (
            (rows, f"rows of {FEATURES} numbers (Agent, Parquet)", plain, 1.0),
            (records, "records of 3 names (Decider, 256 dimensions)", read, math.inf),
        )
    ]


def warm_start_regret(quick: bool = False) -> list[Row]:
    """Regret of LinUCB's first 1,000 rounds after 3,000 logged random choices, against none."""
    seeds = SEEDS[:1] if quick else SEEDS
    rows = []
    for name in STREAMS:
        pairs = [regrets(make_environment(name), LOGGED, PLAYED, seed) for seed in seeds]
        warm, cold = (np.array(each) for each in zip(*pairs, strict=True))
        rows.append(
            Row(
                f"{name}, regret of the first {PLAYED:,} rounds: warm against cold start",
                f"{warm.mean():.1f}",
                f"{cold.mean():.1f}",
                float(warm.mean() / cold.mean()),
                1.0,
                details=f"{name}, seeds {seeds}: warm {warm.round(1)}, cold {cold.round(1)}",
            )
        )
    return rows


def warm_start_weights(quick: bool = False) -> list[Row]:
    """Regret of the first 1,000 rounds after the log of a rule: with importance weights or not."""
    seeds = RULE_SEEDS[:2] if quick else RULE_SEEDS
    rows = []
    for name in RULED:
        environment = make_environment(name)
        for policy in LEARNERS:
            found = np.array(
                [regrets(environment, LOGGED, PLAYED, seed, policy, True) for seed in seeds]
            )
            plain, cold, weighted = found.mean(axis=0)
            error = (found[:, 2] - found[:, 0]).std(ddof=1) / math.sqrt(len(seeds))
            rows.append(
                Row(
                    f"{name}, {policy}: regret after a rule's log, weighted against unweighted",
                    f"{weighted:.1f}",
                    f"{plain:.1f}",
                    float(weighted / plain),
                    details=f"{name}, {policy}, {len(seeds)} seeds: cold start {cold:.1f}; "
                    f"weighted less unweighted {weighted - plain:+.1f} +- {error:.1f}",
                )
            )
    return rows


def regrets(
    environment: Environment,
    logged: int,
    played: int,
    seed: int,
    policy: str = "lin-ucb",
    by_rule: bool = False,
) -> tuple[float, ...]:
    """The regret of ``played`` rounds with a warm start from the ``logged`` before, and without.

    The log is one of random choices. ``by_rule`` it is one of a rule that prefers some actions by
    their contexts, and there is a third regret: after a warm start with importance weights.
    """
    pl = require("polars", extra="data")
    features, rng = environment.features, np.random.default_rng(seed)
    made = make_policy(policy, BanditSpec(features))
    agents = [Agent(made, seed) for _ in range(3 if by_rule else 2)]
    taste = rng.standard_normal(features) if by_rule else None
    names = [f"x{i}" for i in range(features)]
    log, regret, t = Logged([], [], []), np.zeros(len(agents)), 0
    for chunk in chunks(environment, rounds=logged + played, seed=seed):
        contexts = np.asarray(dense(chunk.round.contexts, features))
        for i, mask in enumerate(chunk.round.mask):
            if t < logged:
                present = np.flatnonzero(mask)
                chances = None if taste is None else preferences(contexts[i, present] @ taste)
                place = int(rng.choice(len(present), p=chances))
                log.contexts.append(contexts[i, present[place]])
                log.rewards.append(chunk.rewards[i, present[place]])
                log.probabilities.append(1 / len(present) if chances is None else chances[place])
            else:
                if t == logged:
                    table = dict(zip(names, np.array(log.contexts).T, strict=True))
                    frame = pl.DataFrame({**table, "reward": log.rewards, "p": log.probabilities})
                    warm_start(agents[0], frame, features=names, progress=False)
                    for weighted in agents[2:]:
                        warm_start(weighted, frame, features=names, probability="p", progress=False)
                for number, agent in enumerate(agents):
                    choice = agent.decide(contexts[i], mask=mask)
                    agent.learn(choice, chunk.rewards[i, choice.index])
                    regret[number] += float(chunk.regrets[i, choice.index])
            t += 1
    return tuple(regret.tolist())


def preferences(tastes: np.ndarray) -> np.ndarray:
    """The probabilities of a rule's choices: mostly what it likes, and now and then any."""
    spread = tastes.std()
    likes = np.exp(RULE_SHARPNESS * (tastes - tastes.max()) / (spread if spread > 0 else 1))
    chances: np.ndarray = (1 - RULE_FLOOR) * likes / likes.sum() + RULE_FLOOR / len(likes)
    return chances
