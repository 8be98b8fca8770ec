"""Warm starts: how fast a log is learned, and how much regret that saves."""

import math
import tempfile
from pathlib import Path

import numpy as np

from jostle.agent import Agent
from jostle.benchmarks.comparison import Row
from jostle.core.contexts import dense
from jostle.core.optional import require
from jostle.decisions.decider import Decider
from jostle.decisions.log_learning import warm_start
from jostle.environments import Environment
from jostle.factory import make_environment
from jostle.peers.stream import chunks
from jostle.policies import LinUCB

FEATURES, CHUNK = 20, 50_000
SEEDS = (100, 101, 102)
STREAMS = ("clicks", "arrivals", "offers")
LOGGED, PLAYED = 3000, 1000
MINUTES = 5.0
"""The most that a million rows may take."""


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


def regrets(environment: Environment, logged: int, played: int, seed: int) -> tuple[float, float]:
    """The regret of ``played`` rounds with a warm start from the ``logged`` before, and without."""
    require("polars", extra="data")
    import polars as pl

    features, rng = environment.features, np.random.default_rng(seed)
    warm, cold = Agent(LinUCB(features), seed), Agent(LinUCB(features), seed)
    log, rewards, regret = [], [], {warm: 0.0, cold: 0.0}
    names = [f"x{i}" for i in range(features)]
    t = 0
    for chunk in chunks(environment, rounds=logged + played, seed=seed):
        contexts = np.asarray(dense(chunk.round.contexts, features))
        for i, mask in enumerate(chunk.round.mask):
            if t < logged:
                arm = int(rng.choice(np.flatnonzero(mask)))
                log.append(contexts[i, arm])
                rewards.append(chunk.rewards[i, arm])
            else:
                if t == logged:
                    table = dict(zip(names, np.array(log).T, strict=True))
                    frame = pl.DataFrame({**table, "reward": np.array(rewards)})
                    warm_start(warm, frame, features=names, progress=False)
                for agent in regret:
                    choice = agent.decide(contexts[i], mask=mask)
                    agent.learn(choice, chunk.rewards[i, choice.index])
                    regret[agent] += float(chunk.regrets[i, choice.index])
            t += 1
    return regret[warm], regret[cold]
