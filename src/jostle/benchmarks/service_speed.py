"""The decision service in process: what durable decisions cost beside encoding and choosing."""

import asyncio
import importlib.util
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np

from jostle.benchmarks.comparison import Row

ACTIONS, FEATURES = 10, 20
WAITING = 32
"""Decisions that wait for the disk at the same time."""
MOST = 2.0
"""The most processor time of a durable decision, in that of encoding and choosing alone."""


def available() -> bool:
    """Whether the packages of the service are installed."""
    return all(importlib.util.find_spec(name) for name in ("apsw", "msgspec"))


def durable_decisions(quick: bool = False) -> Row:
    """Processor time of durable decisions, against encoding and choosing alone."""
    with tempfile.TemporaryDirectory() as folder:
        return asyncio.run(_measure(Path(folder), 5 if quick else 40))


async def _measure(folder: Path, rounds: int) -> Row:
    from jostle.service.messages import Config
    from jostle.service.service import Service
    from jostle.service.service_settings import ServiceSettings

    requests = _requests()
    service = Service.open(folder, ServiceSettings(learner=False))
    await service.create_app("bench", Config(policy="npr:network=none"))
    model = service.model("bench")
    generator = np.random.default_rng(0)
    records = [[{"id": each.id, **each.features} for each in one.actions] for one in requests]
    whole, alone = [], []
    for _ in range(rounds):
        start, wall = time.process_time(), time.perf_counter()
        await asyncio.gather(*(service.decide("bench", each) for each in requests))
        whole.append((time.process_time() - start, time.perf_counter() - wall))
        start = time.process_time()
        for request, actions in zip(requests, records, strict=True):
            rows = model.encoder.encode(request.context, actions)
            model.deciding.decide(rows, generator)
        alone.append(time.process_time() - start)
    service.close()
    ours, reference = min(whole)[0] / WAITING, min(alone) / WAITING
    return Row(
        f"Service.decide, {ACTIONS} actions of {FEATURES} features, {WAITING} at a time: "
        "processor time against encoding and choosing alone",
        f"{ours * 1e6:,.0f} us",
        f"{reference * 1e6:,.0f} us",
        ours / reference,
        MOST,
        details=f"durable decisions: {WAITING / min(wall for _, wall in whole):,.0f}/s",
    )


def _requests() -> list[Any]:
    from jostle.service.messages import ActionItem, DecisionRequest

    rng = np.random.default_rng(0)
    names = [f"f{place}" for place in range(FEATURES)]
    return [
        DecisionRequest(
            context={
                "hour": float(rng.integers(24)),
                "device": "phone",
                "age": float(rng.normal()),
            },
            actions=[
                ActionItem(
                    id=f"a{k}",
                    features=dict(zip(names, rng.normal(size=FEATURES).tolist(), strict=True)),
                )
                for k in range(ACTIONS)
            ],
        )
        for _ in range(WAITING)
    ]
