"""A service without a log, whose statistics are simulated, and its dashboard."""

import asyncio
import re

import httpx
import numpy as np
from starlette.applications import Starlette
from starlette.routing import Mount

from jostle.service import dashboard
from jostle.service.messages import (
    DELAY_EDGES,
    LATENCY_EDGES,
    ActionStatistics,
    Bucket,
    Config,
    Contribution,
    Health,
    Latency,
    ModelInfo,
    ModelRef,
    Statistics,
)
from jostle.service.problems import NotFound

NOW = 1_790_000_000.0
HOSTILE = "</script><img src=x onerror=alert(1)>"
ACTIONS = ("news", "sport", "science", HOSTILE)
RATES = (0.1, 0.2, 0.4, 0.1)


def bucket(rng, start, seconds, decisions, sureness):
    """Decisions that favour the best action by ``sureness``, all closed, with clicks as rewards."""
    chances = np.full(4, (1 - sureness) / 4)
    chances[2] += sureness
    chosen = rng.choice(4, size=decisions, p=chances)
    rewards = (rng.random(decisions) < np.take(RATES, chosen)).astype(float)
    baseline = rng.integers(4, size=decisions)
    made = Bucket(start, seconds, decisions=decisions, closed=decisions)
    made.reward_sum, made.reward_squares = rewards.sum(), (rewards**2).sum()
    made.exploration = float(decisions * (1 - chances.max()))
    made.defaulted = int((rewards == 0).sum())
    made.rewards, made.late, made.duplicates = int(rewards.sum()), decisions // 40, decisions // 20
    made.actions = {
        name: int((chosen == place).sum())
        for place, name in enumerate(ACTIONS)
        if (chosen == place).any()
    }
    for arm, rule, reward in zip(chosen, baseline, rewards, strict=True):
        made.uniform.add(0.25 / chances[arm], reward)
        made.baseline.add(float(arm == rule) / chances[arm], reward)
    times = rng.gamma(4, 0.001, size=decisions)
    made.latencies = np.bincount(
        np.searchsorted(LATENCY_EDGES, times), minlength=len(LATENCY_EDGES) + 1
    ).tolist()
    delays = rng.exponential(20, size=made.rewards)
    made.delays = np.bincount(
        np.searchsorted(DELAY_EDGES, delays), minlength=len(DELAY_EDGES) + 1
    ).tolist()
    return made


def statistics(count=60, seconds=60.0, decisions=120, gap=(20, 23), mode="online", seed=0):
    """Of a policy that becomes surer from bucket to bucket; nothing happened in the gap."""
    rng = np.random.default_rng(seed)
    start = NOW - count * seconds
    buckets = [
        bucket(
            rng,
            start + at * seconds,
            seconds,
            0 if gap[0] <= at < gap[1] else int(rng.poisson(decisions)) if decisions else 0,
            0.9 * at / count,
        )
        for at in range(count)
    ]
    whole = Bucket(start, count * seconds)
    for name in ("decisions", "closed", "rewards", "late", "duplicates", "defaulted"):
        setattr(whole, name, sum(getattr(each, name) for each in buckets))
    return Statistics(
        since=start,
        until=NOW,
        totals=whole,
        buckets=buckets,
        actions=[
            ActionStatistics(name, 300, 300, 300 * rate, 300 * rate)
            for name, rate in zip(ACTIONS, RATES, strict=True)
        ],
        features=[
            Contribution("constant", 0.21),
            Contribution("device=phone x id=science", 0.11),
            Contribution(f"hour x id={HOSTILE}", -0.04),
        ]
        if decisions
        else [],
        latency=Latency(0.003, 0.006, 0.009),
        open=42 if decisions else 0,
        learned=whole.closed,
        lag_records=3 if decisions else 0,
        lag_seconds=0.2 if decisions else 0.0,
        model=ModelRef(3 if decisions else 0, 4000),
        mode=mode,
        policy="npr",
    )


class FakeService:
    """What the dashboard calls; ``done`` has what it was asked to do."""

    def __init__(self, **apps):
        self.found = apps or {"shop": statistics()}
        self.done = []
        self.problems = []

    def apps(self):
        return list(self.found)

    def statistics(self, app, since=None, buckets=60):
        return self.found[app]

    def models(self, app):
        if not self.found[app].totals.decisions:
            return []
        return [
            ModelInfo(
                version=version,
                position=1000 * version,
                created=NOW - 600 * (4 - version),
                observations=900 * version,
                policy="npr",
                sha256="ab" * 32,
                size=123_456,
                source="learned",
                active=version == 3,
                pinned=version == self.found[app].pinned,
            )
            for version in (3, 2, 1)
        ]

    def config(self, app):
        return Config(), '"1"'

    def health(self):
        return Health(
            ready=not self.problems,
            learner="running",
            learner_restarts=0,
            lag_records=3,
            lag_seconds=0.2,
            queue=0,
            queue_limit=4096,
            writable=True,
            disk_free=10**10,
            log_position=4000,
            apps=len(self.found),
            problems=self.problems,
        )

    def decision(self, app, event_id):
        if event_id != "order-17":
            raise NotFound(f"{app} has no decision {event_id!r}")
        return {"request": {"context": {"note": HOSTILE}}, "rewards": []}

    async def roll_back(self, app, version):
        self.done.append(("roll_back", app, version))

    async def pin(self, app, version):
        self.done.append(("pin", app, version))


def application(service, keys):
    """The dashboard where the server mounts it."""
    return Starlette(routes=[Mount("/dashboard", routes=dashboard.routes(service, keys))])


class Browser:
    """Keeps cookies and follows no redirection by itself; without a real browser."""

    def __init__(self, service, keys=None, origin="http://localhost"):
        transport = httpx.ASGITransport(application(service, keys))
        self.client = httpx.AsyncClient(transport=transport, base_url=origin)

    def get(self, path, **options):
        return asyncio.run(self.client.get(f"/dashboard{path}", **options))

    def post(self, path, data=None, **options):
        return asyncio.run(self.client.post(f"/dashboard{path}", data=data, **options))

    def sign_in(self, key, **fields):
        return self.post("/sign-in", {"key": key, **fields})

    def csrf(self, path):
        """The token of the form of a page."""
        return re.search(r'name="csrf" value="([^"]+)"', self.get(path).text)[1]
