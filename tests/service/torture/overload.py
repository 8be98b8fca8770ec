"""Overload and a full disk: what is answered, what that does to memory, and how soon it is over."""

import asyncio
import contextlib
import time

import uvloop

from torture import faulty_disk
from torture.findings import Outcome
from torture.generator import Generator
from torture.shop import Rewards, resident, served_shop, single_requests, wait_until_learning
from torture.wire import Connection

CLAIM = "only 2xx, 429 and 503; memory flat; recovered within 5 s"
FACTOR = 5
ALLOWED = {200, 201, 202, 429, 503}
QUEUE = "512"
"""Requests that may be under way, so that the overload fills it: the default is 4096."""
GROWTH = 64 * 2**20
"""Bytes by which memory may be larger after everything than before."""
PROBES, QUICK = 10, 0.25
"""So many probes in a row that succeed within so many seconds: recovered."""
MOST_RECOVERY = 5.0
LOW = 50
"""Decisions per second while the disk is full."""


def run(folder, seconds, say):
    """Overload for so many seconds, then fill the disk for as long; what was found."""
    full = folder / "full"
    with served_shop(
        folder / "shop",
        launcher=(faulty_disk.__file__,),
        JOSTLE_SERVE_IN_FLIGHT=QUEUE,
        JOSTLE_SERVE_CORE_QUEUE=QUEUE,
        **{faulty_disk.FULL: str(full)},
    ) as server:
        figures, statuses = uvloop.run(_run(server, full, seconds, say))
    errors = [f"{count} answers with {s}" for s, count in statuses.items() if s not in ALLOWED]
    if figures["unanswered"]:
        errors.append(f"{figures['unanswered']} requests were not answered")
    if figures["memory after less before, MiB"] * 2**20 > GROWTH:
        errors.append("memory has grown")
    if not figures["full disk: 503"]:
        errors.append("the disk was never full")
    recoveries = ("recovery from overload s", "recovery from full disk s")
    errors += [f"{each}: {figures[each]}" for each in recoveries if figures[each] > MOST_RECOVERY]
    return Outcome("overload, full disk", CLAIM, not errors, figures, errors)


async def _run(server, full, seconds, say):
    key, pid = server.key, server.process.pid
    await wait_until_learning(server.address, key)
    generator = Generator(server.address, single_requests(key), Rewards(key))
    capacity = (await generator.closed_loop(32, max(2.0, seconds / 4))).rate
    await generator.open_loop(FACTOR * capacity, 1.0)  # buffers and connections are made
    await asyncio.sleep(2.0)
    before = resident(pid)
    with _watching(pid) as memory:
        generator.sent.clear()
        recovered = asyncio.create_task(_recovery(server.address, key, generator.sent))
        over = await generator.open_loop(FACTOR * capacity, seconds)
        calm = await recovered
    say(f"offered {FACTOR} x {capacity:.0f}/s: {dict(over.statuses)}, recovered in {calm:.2f} s")
    await asyncio.sleep(2.0)
    full.touch()
    filled = await generator.open_loop(LOW, seconds)
    full.unlink()
    emptied = await _recovery(server.address, key)
    say(f"full disk: {dict(filled.statuses)}, recovered in {emptied:.2f} s")
    generator.close()
    await asyncio.sleep(1.0)
    statuses = over.statuses + filled.statuses + generator.side_statuses
    statuses.pop(0, None)
    for reason, count in generator.reasons.items():
        say(f"not answered: {count} times {reason}")
    return {
        "capacity": capacity,
        "offered": FACTOR * capacity,
        "overload: 2xx": _successes(over.statuses),
        "overload: 503": over.statuses[503],
        "p99 ms of 2xx": over.quantile(0.99),
        "not sent": generator.unsent,
        "unanswered": over.unanswered + filled.unanswered,
        "recovery from overload s": calm,
        "memory before, MiB": before / 2**20,
        "at most, MiB": max(memory) / 2**20,
        "memory after less before, MiB": (resident(pid) - before) / 2**20,
        "full disk: 2xx": _successes(filled.statuses),
        "full disk: 503": filled.statuses[503],
        "recovery from full disk s": emptied,
    }, statuses


def _successes(statuses):
    return sum(count for status, count in statuses.items() if status < 300)


async def _recovery(address, key, ended=None):
    """Seconds until probes succeed quickly again, once the trouble has ended."""
    if ended is not None:
        await ended.wait()
    connection = await Connection.open(address)
    try:
        return await _until_quick(connection, key)
    finally:
        connection.close()


async def _until_quick(connection, key):
    start, good, requests = time.perf_counter(), 0, single_requests(key)
    while True:
        sent = time.perf_counter()
        reply = await connection.send(next(requests))
        good = good + 1 if reply.status < 300 and time.perf_counter() - sent < QUICK else 0
        if good == 1:
            first = sent - start
        if good == PROBES:
            return first
        if time.perf_counter() - start > 60:
            return float("inf")
        await asyncio.sleep(0.05)


@contextlib.contextmanager
def _watching(pid):
    """The memory of a process, twice a second."""
    found = [resident(pid)]

    async def watch():
        while True:
            found.append(resident(pid))
            await asyncio.sleep(0.5)

    task = asyncio.get_running_loop().create_task(watch())
    yield found
    task.cancel()
