"""The learner: a process that folds over closed decisions and publishes what it has learned.

    python -m jostle.service.learner DATA

It reads commands (JSON lines) from its standard input, where end of file means that the server has
gone, and writes what it did to its standard output.
"""

import contextlib
import json
import os
import select
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from jostle.service.folders import AppFolder
from jostle.service.log.records import Closed, Kind, Record, decode
from jostle.service.log.sqlite import SqliteLog
from jostle.service.memory import EVERY, give_back

CHUNK = 1024
"""Records that are folded before looking around."""
IDLE = 0.05
"""Seconds between looks for new records."""
HEARTBEAT = 1.0

Announce = Callable[[dict[str, Any]], None]


class AppLearner:
    """Learns for one app, from the newest snapshot and the log after it."""

    def __init__(self, data: Path, name: str, number: int, log: SqliteLog, announce: Announce):
        from jostle.service.fold import Fold
        from jostle.service.snapshots import Snapshots

        self.name, self.number, self._log, self._announce = name, number, log, announce
        self.folder = AppFolder(data, name)
        self.snapshots = Snapshots(self.folder.models, self._complain)
        self.fold = self.snapshots.latest() or Fold()
        self._published = -1
        self._kept = self._seen()
        self._saved_at = self._published_at = time.monotonic()

    def step(self, limit: int = CHUNK) -> int:
        """Fold over the next records; how many there were."""
        records = self._log.scan(
            self.fold.position, app=self.number, least_kind=Kind.CLOSED, limit=limit
        )
        if records:
            self.fold.apply(records, decided_bodies(self._log, records), self.snapshots.load)
            if any(record.kind == Kind.ERASED for record in records):
                self._kept = (0, -1)  # replay can only start after what was erased
                self.snapshot()
        return len(records)

    def publish(self, interval: float = 0.0) -> bool:
        """Write a view, if anything has changed and the last one is old enough."""
        from jostle.service.views import save_view

        fresh = self.fold.position != self._published and self.fold.config is not None
        if not fresh or time.monotonic() - self._published_at < interval:
            return False
        save_view(self.fold, self.folder.view)
        self._published, self._published_at = self.fold.position, time.monotonic()
        self._announce(
            {"did": "view", "app": self.name, "position": self.fold.position, **self.lag()}
        )
        return True

    def snapshot(self, interval: float = 0.0) -> bool:
        """Write a snapshot, if anything was learned and the last one is old enough."""
        if self.fold.config is None or self._seen() == self._kept:
            return False
        if time.monotonic() - self._saved_at < interval:
            return False
        newest = max((each.version for each in self.snapshots.list()), default=0)
        version = max(newest, self.fold.newest) + 1
        sha256 = self.snapshots.save(self.fold, version)
        self._kept, self._saved_at = self._seen(), time.monotonic()
        self._announce(
            {
                "did": "snapshot",
                "app": self.name,
                "version": version,
                "position": self.fold.position,
                "sha256": sha256,
            }
        )
        return True

    def lag(self) -> dict[str, Any]:
        """How far learning is behind."""
        count, first = self._log.lag(self.number, self.fold.position)
        return {
            "lag_records": count,
            "lag_seconds": max(0.0, time.time() - first) if first else 0.0,
        }

    def _seen(self) -> tuple[int, int]:
        fold = self.fold
        return fold.barrier, 0 if fold.config is None else fold.agent.observations

    def _complain(self, sentence: str) -> None:
        self._announce({"did": "complain", "app": self.name, "detail": sentence})


class Learner:
    """Learns for all apps of a service, in turns.

    Arguments:
        data: the folder of the service.
        announce: called with what was done.
        publish: seconds between views.
        snapshot: seconds between snapshots.
    """

    def __init__(
        self, data: Path, announce: Announce, *, publish: float = 0.5, snapshot: float = 300.0
    ):
        self._data, self._announce = data, announce
        self._publish, self._snapshot = publish, snapshot
        self._log = SqliteLog(data)
        self.apps: dict[str, AppLearner] = {}

    def step(self) -> int:
        """Learn from a chunk of each app's records; how many records there were."""
        for name, number in self._log.apps().items():
            if name not in self.apps:
                self.apps[name] = AppLearner(self._data, name, number, self._log, self._announce)
        count = 0
        for app in self.apps.values():
            count += app.step()
            app.publish(self._publish)
            app.snapshot(self._snapshot)
        return count

    def finish(self) -> None:
        """Learn what is left, publish it, and keep a last snapshot."""
        while self.step():
            pass
        for app in self.apps.values():
            app.publish()
            app.snapshot()

    def heartbeat(self) -> None:
        """Say how far learning is behind."""
        for app in self.apps.values():
            self._announce(
                {"did": "lag", "app": app.name, "position": app.fold.position, **app.lag()}
            )

    def close(self) -> None:
        """Close the log."""
        self._log.close()


def decided_bodies(log: SqliteLog, records: list[Record]) -> dict[int, bytes]:
    """The bodies of the decisions that records close, by position."""
    closed = [decode(record) for record in records if record.kind == Kind.CLOSED]
    positions = [body.decided for body in closed if isinstance(body, Closed)]
    return {record.position: record.body for record in log.read(positions)}


def keep_compiled_programs(data: Path) -> None:
    """Keep them in the folder of the data, unless ``JAX_COMPILATION_CACHE_DIR`` says where."""
    import jax

    if "JAX_COMPILATION_CACHE_DIR" not in os.environ:
        jax.config.update("jax_compilation_cache_dir", str(data / "compiled"))
        jax.config.update("jax_persistent_cache_min_compile_time_secs", 0.5)


def main(data: Path, publish: float, snapshot: float) -> None:
    """Learn until the server closes our standard input or says stop."""
    keep_compiled_programs(data)
    output = os.fdopen(os.dup(1), "w", buffering=1)
    os.dup2(2, 1)  # whatever prints must not disturb what we announce

    def announce(what: dict[str, Any]) -> None:
        print(json.dumps(what), file=output, flush=True)

    learner = Learner(data, announce, publish=publish, snapshot=snapshot)
    announce({"did": "start"})
    beat, tidied, compiled = 0.0, time.monotonic(), False
    while True:
        busy = learner.step()
        if (busy and not compiled) or time.monotonic() - tidied >= EVERY:
            give_back()  # at first what the compiler has needed: hundreds of megabytes
            tidied, compiled = time.monotonic(), True
        if time.monotonic() - beat >= HEARTBEAT:
            learner.heartbeat()
            beat = time.monotonic()
        ready, _, _ = select.select([0], [], [], 0 if busy else IDLE)
        if ready:
            if os.read(0, 4096):
                learner.finish()
                announce({"did": "stop"})
            return


if __name__ == "__main__":
    with contextlib.suppress(BrokenPipeError):  # the server has gone: nobody listens any more
        main(Path(sys.argv[1]), float(sys.argv[2]), float(sys.argv[3]))
