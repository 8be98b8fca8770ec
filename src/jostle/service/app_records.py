"""Records about apps and their models, and what a start needs to know of them.

Each function runs inside a transaction of the writer, and returns positions in the log.
"""

from typing import Any

import msgspec

from jostle.service.apps import App
from jostle.service.log.base import Entry
from jostle.service.log.records import ConfigSet, Kind, ModelChange, encode
from jostle.service.log.sqlite import SqliteLog
from jostle.service.messages import Config
from jostle.service.views import View


class AppFacts(msgspec.Struct):
    """An app as of its latest records, so that a start does not have to look for them."""

    config: Config
    config_position: int
    epoch: int
    barrier: int
    restored: int = 0
    """The version that was gone back to, or imported, at ``barrier``; 0 if none was."""
    pinned: int | None = None
    newest: int = 0
    """The highest number of any version."""
    dropped: int = 0
    """Decisions, rewards and closings before this position are not kept any more."""


def read_facts(log: SqliteLog, number: int) -> AppFacts:
    """The facts of an app."""
    content = log.fact(_fact(number))
    if content is None:
        raise ValueError(f"{log.path} has an app {number} without a configuration")
    return msgspec.msgpack.decode(content, type=AppFacts)


def create(log: SqliteLog, name: str, config: Config, now: float) -> tuple[int, int]:
    """A new app: its number, and the position of its configuration."""
    number = log.add_app(name)
    position = _append_config(log, number, name, config, 0, now)
    _write_facts(log, number, AppFacts(config, position, position, position))
    return number, position


def configure(log: SqliteLog, app: App, config: Config, epoch: int, now: float) -> int:
    """Another configuration; ``epoch`` is 0 if the model begins again."""
    facts = read_facts(log, app.number)
    position = _append_config(log, app.number, app.name, config, epoch, now)
    facts.config, facts.config_position = config, position
    if not epoch:
        facts.epoch = facts.barrier = position
        facts.restored, facts.pinned = 0, None
    _write_facts(log, app.number, facts)
    return position


def log_snapshot(log: SqliteLog, app: App, what: dict[str, Any], now: float) -> int:
    """The learner has kept a version."""
    facts = read_facts(log, app.number)
    facts.newest = max(facts.newest, what["version"])
    _write_facts(log, app.number, facts)
    change = ModelChange("learned", what["version"], what["position"], what["sha256"])
    return _append(log, app.number, Kind.MODEL, change, now)


def log_import(log: SqliteLog, app: App, content: bytes, now: float) -> tuple[int, int]:
    """A model from a file: its version, and the position of the record."""
    facts = read_facts(log, app.number)
    on_disk = max((each.version for each in app.snapshots.list()), default=0)
    facts.newest = facts.restored = max(facts.newest, on_disk) + 1
    change = ModelChange("imported", facts.newest, content=content)
    facts.barrier, facts.pinned = _append(log, app.number, Kind.MODEL, change, now), None
    _write_facts(log, app.number, facts)
    return facts.newest, facts.barrier


def log_pin(log: SqliteLog, app: App, version: int | None, now: float) -> int:
    """Decisions are made with this version, or (None) with the latest again."""
    facts = read_facts(log, app.number)
    facts.pinned = version
    _write_facts(log, app.number, facts)
    change = ModelChange("unpinned" if version is None else "pinned", version or 0)
    return _append(log, app.number, Kind.MODEL, change, now)


def log_roll_back(log: SqliteLog, app: App, version: int, view: View, now: float) -> int:
    """What was learned after a version is forgotten."""
    facts = read_facts(log, app.number)
    change = ModelChange("rolled_back", version, view.position)
    facts.barrier = _append(log, app.number, Kind.MODEL, change, now)
    facts.restored, facts.pinned = version, None
    _write_facts(log, app.number, facts)
    return facts.barrier


def drop_before(log: SqliteLog, number: int, position: int) -> int:
    """Remove decisions, rewards and closings before a position; how many records these were."""
    facts = read_facts(log, number)
    facts.dropped = position
    _write_facts(log, number, facts)
    old = f"FROM log WHERE app = ?1 AND position < ?2 AND kind <= {Kind.CLOSED.value}"
    log.run(
        "DELETE FROM events WHERE app = ?1 AND event IN "
        f"(SELECT event {old} AND kind = {Kind.DECIDED.value} AND event IS NOT NULL)",
        (number, position),
    )
    log.run(f"DELETE {old}", (number, position))
    return log.changes()


def _append_config(
    log: SqliteLog, number: int, name: str, config: Config, epoch: int, now: float
) -> int:
    return _append(
        log, number, Kind.CONFIG, ConfigSet(name, msgspec.json.encode(config), epoch), now
    )


def _append(log: SqliteLog, app: int, kind: int, body: msgspec.Struct, now: float) -> int:
    return log.append([Entry(app, int(kind), now, None, encode(body))])


def _write_facts(log: SqliteLog, number: int, facts: AppFacts) -> None:
    log.put_fact(_fact(number), msgspec.msgpack.encode(facts))


def _fact(number: int) -> str:
    return f"app {number}"
