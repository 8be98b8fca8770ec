"""Erasing a user's data: records become tombstones, and nothing of them is left in the file."""

from pathlib import Path

import msgspec

from jostle.service.log.base import Entry, State, Trail
from jostle.service.log.records import TOMBSTONE, Erased, Kind, encode
from jostle.service.log.sqlite import SqliteLog


class _Owner(msgspec.Struct):
    """The part of a decision that says whose it is."""

    user: str | None = None


def find(data: Path, app: int, user: str) -> list[str]:
    """The events of a user's decisions; reads the whole log."""
    owner = msgspec.msgpack.Decoder(_Owner)
    log = SqliteLog(data)
    try:
        return [
            record.event
            for record in log.records(app=app)
            if record.kind == Kind.DECIDED
            and record.event is not None
            and record.body != TOMBSTONE
            and owner.decode(record.body).user == user
        ]
    finally:
        log.close()


def erase(log: SqliteLog, app: int, events: list[str], now: float) -> int:
    """Replace all records of events by tombstones; the position of the record that says so."""
    found = log.find_events([(app, event) for event in events])
    positions = []
    for event in found.values():
        positions += [event.position, *event.trail.positions]
        event.state, event.digest = State.ERASED, ""
        event.trail = Trail(positions=event.trail.positions)
    log.run(
        "UPDATE log SET body = ?1, event = NULL "
        "WHERE position IN (SELECT value FROM json_each(?2))",
        (TOMBSTONE, msgspec.json.encode(positions).decode()),
    )
    log.put_events(found.values())
    last = max(positions, default=0)
    return log.append([Entry(app, Kind.ERASED, now, None, encode(Erased(len(found), last)))])
