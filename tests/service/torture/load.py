"""Load: how many durable decisions per second, how fast, and how far learning falls behind."""

import asyncio
import resource
import subprocess
import sys

import uvloop

from torture import bare_server
from torture.findings import Outcome, show
from torture.generator import Generator
from torture.shop import (
    Rewards,
    batch_requests,
    processor_seconds,
    served_shop,
    single_requests,
    statistics,
    wait_until_learning,
)

CLAIM = (
    "1,500 single durable decisions/s with p99 below 50 ms, the learner less than 10 s behind; "
    "10,000/s in batches of 64; a third of a bare handler's rate"
)
RATES = (100, 200, 300, 500, 750, 1000, 1500, 2000, 3000)
"""Offered, one after another, until one is not kept up with."""
SLOW, BEHIND = 50.0, 10.0
"""Milliseconds of p99 and seconds of lag up to which a rate is kept up with."""
CONNECTIONS, BATCH = 64, 64
SETTLE = 3.0
"""Seconds between loads."""


def run(folder, seconds, say, rates=RATES):
    """Measure, for so many seconds at each rate; what was found."""
    bare = {}
    for way in ("alone", "grouped"):
        bare[way] = uvloop.run(_bare(folder / way, way, seconds))
        say(f"bare handler, {way}: {_text(bare[way])}")
    with served_shop(folder / "shop") as server:
        steps, most, single, batch = uvloop.run(_shop(server, seconds, say, rates))
    kept = [step for step in steps if step["kept"]]
    best = max(kept, key=lambda step: step["rate"]) if kept else {"rate": 0.0}
    ratio = single["rate"] / bare["grouped"]["rate"]
    passed = best["rate"] >= 1450 and batch["rate"] >= 10_000 and ratio >= 1 / 3 and bool(kept)
    figures = {
        "highest rate kept up with": best["rate"],
        "p50 ms there": best.get("p50 ms"),
        "p99 ms there": best.get("p99 ms"),
        "lag s there": best.get("lag s"),
        "most, one at a time over 64 connections": single["rate"],
        "batches of 64": batch["rate"],
        "bare handler, grouped": bare["grouped"]["rate"],
        "bare handler, alone": bare["alone"]["rate"],
        "server us each, bare us each": (
            f"{single['server us each']}, {bare['grouped']['server us each']}"
        ),
        "ratio to grouped": ratio,
        "ratio to alone": single["rate"] / bare["alone"]["rate"],
        "steps": steps,
        "saturated": single,
        "batched": batch,
        "bare": bare,
    }
    errors = [f"failed answers: {most}"] if most else []
    return Outcome("load", CLAIM, passed and not errors, figures, errors)


async def _bare(folder, way, seconds):
    folder.mkdir()
    command = [sys.executable, bare_server.__file__, str(folder), way]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        try:
            address = process.stdout.readline().strip()
            await asyncio.sleep(1.0)
            generator = Generator(address, single_requests("key"))
            await generator.closed_loop(CONNECTIONS, 1.0)
            before = processor_seconds(process.pid)
            measured = await generator.closed_loop(CONNECTIONS, seconds)
            used = processor_seconds(process.pid) - before
            generator.close()
        finally:
            process.kill()
    return {**measured.figures(), "server us each": _each(used, measured)}


async def _shop(server, seconds, say, rates):
    key, bad = server.key, {}
    await wait_until_learning(server.address, key)
    steps = []
    generator = Generator(server.address, single_requests(key), Rewards(key))
    await generator.closed_loop(8, 2.0)
    for rate in rates:
        await asyncio.sleep(SETTLE)
        steps.append(await _step(server, generator, rate, seconds))
        say(_text(steps[-1]))
        if not steps[-1]["kept"]:
            break
    await asyncio.sleep(SETTLE)
    single = await _saturated(server, generator, CONNECTIONS, seconds, 1)
    say(f"{CONNECTIONS} connections: {_text(single)}")
    generator.close()
    batches = Generator(server.address, batch_requests(key, BATCH))
    await batches.closed_loop(4, 1.0)
    batch = await _saturated(server, batches, 4, seconds, BATCH)
    batches.close()
    batch["lag s"] = (await statistics(server.address, key))["lag_seconds"]
    say(f"batches of {BATCH}: {_text(batch)}")
    bad.update({k: v for k, v in generator.side_statuses.items() if k >= 300 and k != 503})
    return steps, bad, single, batch


async def _saturated(server, generator, connections, seconds, items):
    """As many as possible, and the processor time of each decision, which others' work hardly
    changes."""
    before = _processors(server)
    measured = await generator.closed_loop(connections, seconds, items)
    after = _processors(server)
    costs = {
        f"{name} us each": _each(used - before.get(name, 0.0), measured)
        for name, used in after.items()
    }
    return {**measured.figures(), **costs}


def _each(used, measured):
    """Microseconds of processor time per decision."""
    return round(used * 1e6 / max(1, len(measured.latencies) * measured.items))


async def _step(server, generator, rate, seconds):
    """One rate; how it went, and who used the processor."""
    before = _processors(server)
    measured = await generator.open_loop(rate, seconds)
    after = _processors(server)
    found = await statistics(server.address, server.key)
    figures = {**measured.figures(), "lag s": found["lag_seconds"]}
    for name, used in after.items():
        figures[f"{name} cores"] = round((used - before.get(name, 0.0)) / measured.seconds, 2)
    figures["kept"] = bool(
        figures["p99 ms"] < SLOW
        and figures["lag s"] < BEHIND
        and measured.rate > 0.95 * rate * min(1.0, seconds / measured.seconds)
        and set(measured.statuses) <= {200, 201}
    )
    return figures


def _processors(server):
    own = resource.getrusage(resource.RUSAGE_SELF)
    found = {
        "server": processor_seconds(server.process.pid),
        "generator": own.ru_utime + own.ru_stime,
    }
    for each in server.learners():
        found["learner"] = processor_seconds(each)
    return found


def _text(figures):
    return ", ".join(f"{name} {show(value)}" for name, value in figures.items())
