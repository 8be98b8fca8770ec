"""Soak: a steady load for long; whether memory or latency grow."""

import asyncio
import time

import numpy as np
import uvloop

from torture.findings import Outcome
from torture.generator import Generator
from torture.shop import Rewards, resident, served_shop, single_requests, wait_until_learning

CLAIM = "memory grows by less than 1 MB an hour after warm-up; latency does not grow"
RATE = 300
WARM_UP = 1 / 3
"""Share of the time whose memory does not count."""
MOST_SLOPE = 1e6
"""Bytes per hour."""
MOST_SLOWER = 1.5
"""Median latency at the end, in that after warm-up."""
WINDOWS = 60
MEGABYTE = 1e6
HOUR = 3600.0


def run(folder, seconds, say, rate=RATE):
    """Load for so long; what was found."""
    with served_shop(folder / "shop", JOSTLE_SERVE_CORE_SNAPSHOT="60") as server:
        rows, statuses = uvloop.run(_soak(server, seconds, rate, say))
    after = [row for row in rows if row["at"] > WARM_UP * seconds]
    at = np.array([row["at"] for row in after])
    slopes = {
        who: float(np.polyfit(at, [row[who] for row in after], 1)[0] * HOUR)
        for who in ("server", "learner")
    }
    third = max(1, len(after) // 3)
    early, late = (
        float(np.median([row["p50 ms"] for row in part]))
        for part in (after[:third], after[-third:])
    )
    errors = [
        f"{who} grows by {s / MEGABYTE:.1f} MB/h" for who, s in slopes.items() if s > MOST_SLOPE
    ]
    if late > MOST_SLOWER * early:
        errors.append(f"the median latency has grown from {early:.1f} to {late:.1f} ms")
    if set(statuses) - {200, 201}:
        errors.append(f"answers: {dict(statuses)}")
    figures = {
        "seconds": seconds,
        "rate": rate,
        "answers": dict(statuses),
        "server MB at end": rows[-1]["server"] / MEGABYTE,
        "server MB per hour": slopes["server"] / MEGABYTE,
        "learner MB at end": rows[-1]["learner"] / MEGABYTE,
        "learner MB per hour": slopes["learner"] / MEGABYTE,
        "p50 ms, early and late": f"{early:.1f} and {late:.1f}",
        "p99 ms, worst window": max(row["p99 ms"] for row in after),
        "windows": rows,
    }
    return Outcome("soak", CLAIM, not errors, figures, errors)


async def _soak(server, seconds, rate, say):
    """Memory and latency by window."""
    await wait_until_learning(server.address, server.key)
    generator = Generator(server.address, single_requests(server.key), Rewards(server.key))
    rows, statuses, start = [], {}, time.monotonic()
    for number in range(WINDOWS):
        measured = await generator.open_loop(rate, seconds / WINDOWS, seed=number)
        for status, count in measured.statuses.items():
            statuses[status] = statuses.get(status, 0) + count
        rows.append(
            {
                "at": time.monotonic() - start,
                "server": resident(server.process.pid),
                "learner": sum(map(resident, server.learners())),
                **measured.figures(),
            }
        )
        if number % 10 == 9:
            say(f"{number + 1} of {WINDOWS} windows, server {rows[-1]['server'] / MEGABYTE:.1f} MB")
        await asyncio.sleep(0)
    generator.close()
    return rows, statuses
