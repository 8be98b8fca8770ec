"""Reading decisions back: everything about one of them, and lists of the latest."""

from typing import Any

import msgspec

from jostle.service.log.base import State
from jostle.service.log.records import Decided, Kind, Record, decode
from jostle.service.log.sqlite import SqliteLog
from jostle.service.problems import NotFound

STATES = {
    State.EARLY: "expected",
    State.OPEN: "open",
    State.DEFERRED: "deferred",
    State.CLOSED: "closed",
    State.ERASED: "erased",
}


def decision(log: SqliteLog, app: int, event_id: str) -> dict[str, object]:
    """Everything about a decision."""
    event = log.find_events([(app, event_id)]).get((app, event_id))
    if event is None:
        raise NotFound(f"there is no decision with the event_id {event_id!r:.60}")
    found: dict[str, Any] = {
        "event_id": event_id,
        "state": STATES[State(event.state)],
        "position": event.position or None,
        "decided_at": None,
        "request": None,
        "answer": None,
        "activated_at": None,
        "rewards": [],
        "closed": None,
    }
    for record in log.read([event.position, *event.trail.positions]):
        body = decode(record)
        if body is None:
            continue
        if record.kind == Kind.DECIDED:
            found.update(_decided(record, body))
        elif record.kind == Kind.ACTIVATED:
            found["activated_at"] = record.time
        elif record.kind == Kind.REWARDED:
            found["rewards"].append({**msgspec.to_builtins(body), "time": record.time})
        elif record.kind == Kind.CLOSED:
            found["closed"] = {
                "time": record.time,
                "position": record.position,
                "reason": body.reason,
                "reward": body.reward,
                "rewards": body.rewards,
            }
    return found


def decisions(log: SqliteLog, app: int, before: int | None, limit: int) -> list[dict[str, object]]:
    """The latest decisions, newest first."""
    end = before if before is not None else log.last_position() + 1
    rows = log.run(
        f"SELECT * FROM log WHERE position < ? AND app = ? AND kind = {Kind.DECIDED.value} "
        "ORDER BY position DESC LIMIT ?",
        (end, app, limit),
    )
    found = []
    for record in map(Record._make, rows):
        body = decode(record)
        if body is not None:
            found.append(
                {"event_id": record.event, "position": record.position, **_decided(record, body)}
            )
    return found


def _decided(record: Record, body: Decided) -> dict[str, object]:
    return {
        "decided_at": record.time,
        "request": msgspec.msgpack.decode(body.request),
        "answer": msgspec.json.decode(body.answer),
    }
