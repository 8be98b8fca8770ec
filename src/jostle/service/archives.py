"""Retention: old records are archived to Parquet and removed, as far as a snapshot covers them."""

import asyncio
import functools
from pathlib import Path

from jostle.service.app_records import drop_before, read_facts
from jostle.service.apps import App
from jostle.service.exports import Selection, export
from jostle.service.log.base import State
from jostle.service.log.records import Closed, Kind, decode
from jostle.service.log.sqlite import SqliteLog
from jostle.service.writer import Writer

DAY = 86_400.0
CHUNK = 5_000
"""Positions that are removed in one transaction."""


async def retain(data: Path, app: App, writer: Writer, now: float) -> int:
    """Archive and remove what is older than the app keeps; the number of records removed."""
    retention = app.config.retention
    if retention.days is None:
        return 0
    end = await asyncio.to_thread(boundary, data, app, now - retention.days * DAY)
    start = await writer.call(lambda log: read_facts(log, app.number).dropped)
    if end <= start:
        return 0
    if retention.archive:
        target = app.folder.archive / f"{start:012d}-{end:012d}.parquet"
        try:
            await asyncio.to_thread(export, data, app.name, target, Selection(before=end))
        except RuntimeError as error:
            if "no closed decisions" not in str(error):
                raise
    removed = 0
    for position in [*range(start + CHUNK, end, CHUNK), end]:
        removed += await writer.call(
            functools.partial(drop_before, number=app.number, position=position)
        )
    return removed


def boundary(data: Path, app: App, oldest: float) -> int:
    """The position before which an app's records are not needed any more.

    They are older than ``oldest``; a snapshot has learned from them; no open decision is among
    them, and no decision that was closed after the snapshot.
    """
    log = SqliteLog(data)
    try:
        latest = next(app.snapshots.whole(), None)
        if latest is None:
            return 0
        covered: int = latest[0]["position"]
        limits = [covered + 1]
        recent = log.run(
            "SELECT position FROM log WHERE app = ? AND time >= ? ORDER BY position LIMIT 1",
            (app.number, oldest),
        )
        limits += [position for (position,) in recent]
        waiting = log.run(
            f"SELECT min(position) FROM events WHERE app = ? AND state < {State.CLOSED.value} "
            "AND position > 0",
            (app.number,),
        )
        limits += [position for (position,) in waiting if position is not None]
        after = covered
        while records := log.scan(after, app=app.number, least_kind=Kind.CLOSED):
            after = records[-1].position
            for record in records:
                if isinstance(body := decode(record), Closed):
                    limits.append(body.decided)
        return min(limits)
    finally:
        log.close()
