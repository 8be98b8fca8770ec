"""``SqliteLog``: the log in one SQLite file, in WAL mode, synced at every commit.

Statements take a whole group of rows as one JSON text and one blob. Each call of SQLite lets other
Python threads run, and has to wait for them afterwards; row by row, a busy server would make the
writer wait thousands of times a second.
"""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import apsw
import msgspec

from jostle.service.log.base import Entry, Event, LogFullError, State, Trail
from jostle.service.log.records import SCHEMA, Kind, Record

FILE = "log.sqlite"
WRITER_CACHE, READER_CACHE = 65_536, 8192
"""KiB of the file that a connection keeps in memory."""
FORMAT = 1
"""``user_version`` of the file: the version of its tables."""
APPLICATION = 0x6A6F7374
"""``application_id`` of the file: "jost"."""
TABLES = f"""
CREATE TABLE log (
    position INTEGER PRIMARY KEY,
    app INTEGER NOT NULL,
    kind INTEGER NOT NULL,
    version INTEGER NOT NULL,
    time REAL NOT NULL,
    event TEXT,
    body BLOB NOT NULL
);
CREATE INDEX log_folded ON log (position) WHERE kind >= {Kind.CLOSED.value};
CREATE TABLE events (
    app INTEGER NOT NULL,
    event TEXT NOT NULL,
    position INTEGER NOT NULL,
    digest TEXT NOT NULL,
    state INTEGER NOT NULL,
    expires REAL NOT NULL,
    trail TEXT NOT NULL,
    PRIMARY KEY (app, event)
) WITHOUT ROWID;
CREATE INDEX events_due ON events (app, expires) WHERE state < {State.CLOSED.value};
CREATE TABLE apps (number INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE);
CREATE TABLE facts (name TEXT PRIMARY KEY, value BLOB NOT NULL) WITHOUT ROWID;
"""
APPEND = """
INSERT INTO log
SELECT ?1 + key, value->>0, value->>1, value->>2, value->>3, value->>4,
    substr(?2, value->>5, value->>6)
FROM json_each(?3)
"""
PUT = """
INSERT INTO events
SELECT value->>0, value->>1, value->>2, value->>3, value->>4, value->>5, value->>6
FROM json_each(?1) WHERE true
ON CONFLICT (app, event) DO UPDATE SET position = excluded.position, digest = excluded.digest,
    state = excluded.state, expires = excluded.expires, trail = excluded.trail
"""
COLUMNS = "json_array(e.app, e.event, e.position, e.digest, e.state, e.expires, e.trail)"
FIND = f"""
SELECT json_group_array({COLUMNS}) FROM json_each(?1) AS wanted
CROSS JOIN events AS e ON e.app = wanted.value->>0 AND e.event = wanted.value->>1
"""
DUE = f"""
SELECT json_group_array({COLUMNS}) FROM (
    SELECT * FROM events WHERE app = ?1 AND state < {State.CLOSED.value} AND expires <= ?2
    ORDER BY expires LIMIT ?3
) AS e
"""

_encode = msgspec.json.Encoder().encode
_rows = msgspec.json.Decoder(list[tuple[int, str, int, str, int, float, str]])
_trail = msgspec.json.Decoder(Trail)


class SqliteLog:
    """A ``Log`` in the folder ``data``.

    Arguments:
        data: the folder.
        write: whether to append; a log that is only read must exist.
        synchronous: "full", or "normal" for tests of what that loses.
        most_bytes: that the file may have; None for as many as fit.
    """

    def __init__(
        self,
        data: Path,
        *,
        write: bool = False,
        synchronous: str = "full",
        most_bytes: int | None = None,
    ):
        self.path = data / FILE
        flags = apsw.SQLITE_OPEN_READWRITE | (apsw.SQLITE_OPEN_CREATE if write else 0)
        if not write and not self.path.exists():
            raise FileNotFoundError(f"{self.path} does not exist: expected the log of a service")
        self._connection = apsw.Connection(str(self.path), flags=flags)
        self._connection.set_busy_timeout(20_000)
        if write:
            self._run("PRAGMA page_size = 8192")
            self._run("PRAGMA journal_mode = wal")
            self._run("PRAGMA secure_delete = on")  # what is erased must not survive in the file
        else:
            self._run("PRAGMA query_only = true")
        self._run(f"PRAGMA synchronous = {synchronous}")
        self._run(f"PRAGMA cache_size = {-WRITER_CACHE if write else -READER_CACHE}")
        self._run("PRAGMA wal_autocheckpoint = 4000")
        if most_bytes is not None:
            self._run(f"PRAGMA max_page_count = {max(1, most_bytes // 8192)}")
        self._last = 0
        self._check_format(write)
        self._last = self._value("SELECT max(position) FROM log") or 0

    def close(self) -> None:
        """Close the file."""
        self._connection.close()

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """All that is written in the block is on the disk after it, or nothing is."""
        last = self._last
        try:
            self._run("BEGIN IMMEDIATE")
            yield
            self._run("COMMIT")
        except BaseException as error:
            self._last = last
            if self._connection.in_transaction:
                self._run("ROLLBACK")
            if isinstance(
                error, apsw.FullError | apsw.IOError | apsw.BusyError | apsw.CantOpenError
            ):
                raise LogFullError(f"the log cannot be written: {error}") from error
            raise

    def append(self, entries: list[Entry]) -> int:
        """Append records at consecutive positions, the first of which is returned."""
        first, offset, rows = self._last + 1, 1, []
        for app, kind, time, event, body in entries:
            rows.append((app, kind, SCHEMA, time, event, offset, len(body)))
            offset += len(body)
        bodies = b"".join([entry.body for entry in entries])
        self._run(APPEND, (first, bodies, _encode(rows).decode()))
        self._last += len(entries)
        return first

    def put_events(self, events: Iterable[Event]) -> None:
        """Insert or replace what is known of events."""
        rows = [
            (e.app, e.id, e.position, e.digest, e.state, e.expires, _encode(e.trail).decode())
            for e in events
        ]
        if rows:
            self._run(PUT, (_encode(rows).decode(),))

    def find_events(self, keys: Iterable[tuple[int, str]]) -> dict[tuple[int, str], Event]:
        """What is known of the events with these apps and ids."""
        wanted = list(keys)
        if not wanted:
            return {}
        found = _events(self._value(FIND, (_encode(wanted).decode(),)))
        return {(event.app, event.id): event for event in found}

    def due_events(self, app: int, until: float, limit: int) -> list[Event]:
        """Events that are not closed and expire by ``until``, the earliest first."""
        return _events(self._value(DUE, (app, until, limit)))

    def remove_events(self, keys: Iterable[tuple[int, str]]) -> None:
        """Forget events."""
        for key in keys:
            self._run("DELETE FROM events WHERE app = ? AND event = ?", key)

    def count_open(self) -> dict[int, int]:
        """How many events of each app are not closed."""
        query = f"SELECT app, count(*) FROM events WHERE state < {State.CLOSED.value} GROUP BY app"
        return dict(self._run(query))

    def read(self, positions: list[int]) -> list[Record]:
        """The records at these positions, as far as they exist, by position."""
        query = "SELECT * FROM log WHERE position IN (SELECT value FROM json_each(?1)) ORDER BY 1"
        return [Record(*row) for row in self._run(query, (_encode(positions).decode(),))]

    def scan(
        self, after: int, *, app: int | None = None, least_kind: int = 0, limit: int = 1000
    ) -> list[Record]:
        """The next records after a position, of kinds from ``least_kind`` on."""
        query = "SELECT * FROM log WHERE position > ?1"
        if least_kind:  # a constant, so that the partial index serves
            query += f" AND kind >= {int(least_kind)}"
        if app is not None:
            query += " AND app = ?3"
        query += " ORDER BY position LIMIT ?2"
        bindings = (after, limit) if app is None else (after, limit, app)
        return [Record(*row) for row in self._run(query, bindings)]

    def records(self, after: int = 0, *, app: int | None = None) -> Iterator[Record]:
        """All records after a position."""
        while found := self.scan(after, app=app):
            yield from found
            after = found[-1].position

    @property
    def next_position(self) -> int:
        """Where this writer's next record will be."""
        return self._last + 1

    def last_position(self) -> int:
        """The position of the newest record; 0 if there is none."""
        return int(self._value("SELECT max(position) FROM log") or 0)

    def first_position(self) -> int:
        """The position of the oldest record that is kept; 0 if there is none."""
        return int(self._value("SELECT min(position) FROM log") or 0)

    def checkpoint(self) -> None:
        """Move all that is committed from the WAL to the main file, and empty the WAL."""
        self._run("PRAGMA wal_checkpoint(truncate)")

    def apps(self) -> dict[str, int]:
        """The numbers of all apps, by their names."""
        return dict(self._run("SELECT name, number FROM apps ORDER BY number"))

    def add_app(self, name: str) -> int:
        """Number a new app."""
        self._run("INSERT INTO apps (name) VALUES (?)", (name,))
        return self.apps()[name]

    def lag(self, app: int, after: int) -> tuple[int, float | None]:
        """How many records learning has yet to read, and the time of the first of them."""
        query = f"SELECT count(*), min(time) FROM log WHERE kind >= {Kind.CLOSED.value} AND "
        count, first = self._run(query + "position > ? AND app = ?", (after, app)).fetchone()
        return count, first

    def fact(self, name: str) -> bytes | None:
        """What ``put_fact`` stored."""
        value: bytes | None = self._value("SELECT value FROM facts WHERE name = ?", (name,))
        return value

    def put_fact(self, name: str, value: bytes) -> None:
        """Store a value by name, in the same transaction as the records that it sums up."""
        self._run("INSERT OR REPLACE INTO facts VALUES (?, ?)", (name, value))

    def run(self, statement: str, bindings: Any = ()) -> Any:
        """Run another statement; its rows."""
        return self._run(statement, bindings).fetchall()

    def changes(self) -> int:
        """How many rows the last statement changed."""
        return self._connection.changes()

    def _run(self, statement: str, bindings: Any = ()) -> Any:
        return self._connection.execute(statement, bindings)

    def _value(self, statement: str, bindings: Any = ()) -> Any:
        row = self._run(statement, bindings).fetchone()
        return None if row is None else row[0]

    def _check_format(self, write: bool) -> None:
        found, owner = (self._value(f"PRAGMA {n}") for n in ("user_version", "application_id"))
        if found == 0 and write and not self._value("SELECT count(*) FROM sqlite_schema"):
            with self.transaction():
                self._run(TABLES)
                self._run(f"PRAGMA user_version = {FORMAT}")
                self._run(f"PRAGMA application_id = {APPLICATION}")
        elif owner != APPLICATION or not 1 <= found <= FORMAT:
            raise ValueError(
                f"{self.path} is not a log that this jostle reads: its format is {found} and its "
                f"application {owner:#x}, expected at most {FORMAT} and {APPLICATION:#x}"
            )


def _events(text: str) -> list[Event]:
    return [
        Event(app, id, position, digest, state, expires, _trail.decode(trail))
        for app, id, position, digest, state, expires, trail in _rows.decode(text)
    ]
