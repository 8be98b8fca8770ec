"""Power loss at random moments under load: what was not synced is dropped, torn or kept at random.

The disk of a server is recorded (``faulty_disk.py``) until the server is killed. The power is lost
at that moment, and, in other copies of the same disk, at random moments before it.
"""

import os
import random
import shutil
from pathlib import Path

from torture import faulty_disk
from torture.clients import Clients
from torture.evidence import Evidence, finish, prepare, replayed
from torture.findings import Outcome

from served_process import ServedProcess

CLAIM = "nothing acknowledged is lost; with synchronous=NORMAL losses are seen"
LAUNCHER = (str(Path(faulty_disk.__file__)),)
FILES = ("log.sqlite", "log.sqlite-wal")
LONGEST = 1.0
"""Seconds under load before a server is killed."""
MOMENTS = 10
"""Power losses in the life of one server, the last one included."""


def run(folder, times, say, seed=0):
    """Lose power so many times with FULL, and a tenth as often with NORMAL; what was found."""
    safe = Series(folder / "full", "full", seed)
    lives = -(-times // MOMENTS)
    for _ in range(lives):
        safe.live()
        say(f"{safe.losses} of {times} power losses")
    unsafe = Series(folder / "normal", "normal", seed)
    for _ in range(-(-lives // 10)):
        unsafe.live()
    say(f"{unsafe.losses} power losses with synchronous=NORMAL")
    errors = [*safe.errors, *safe.lost]
    finish(ServedProcess(safe.folder, "--no-keys"))
    errors += safe.evidence.read() + safe.evidence.lost(safe.clients)
    found, different = replayed(safe.data, safe.evidence)
    errors += different
    if not unsafe.lost:
        errors.append("the harness sees no loss with synchronous=NORMAL: it tests nothing")
    figures = {
        "power losses": safe.losses,
        "in lives of the server": lives,
        "acknowledged decisions": len(safe.clients.decided),
        "acknowledged rewards": len(safe.clients.rewarded),
        "writes dropped": safe.dropped,
        "lost": len(safe.lost),
        "decisions made again by replay": found.decisions,
        "power losses with NORMAL": unsafe.losses,
        "lost with NORMAL": len(unsafe.lost),
    }
    return Outcome("power loss", CLAIM, not errors, figures, errors)


class Series:
    """Power losses of one service."""

    def __init__(self, folder, synchronous, seed):
        folder.mkdir()
        self.folder, self.data, self.synchronous = folder, prepare(folder), synchronous
        self.journal = folder / "journal"
        self.clients, self.evidence = Clients(self._written), Evidence(self.data)
        self.errors, self.lost, self.losses, self.dropped = [], [], 0, 0
        self._rng = random.Random(seed)

    def live(self):
        """Run a server under load, kill it, and lose power at several moments of its life."""
        before = _contents(self.data)
        self.journal.unlink(missing_ok=True)
        known = len(self.clients.moments)
        server = ServedProcess(
            self.folder,
            "--no-keys",
            launcher=LAUNCHER,
            JOSTLE_SERVE_CORE_SYNCHRONOUS=self.synchronous,
            JOSTLE_SERVE_CORE_LEARNER="false",
            JOSTLE_SERVE_CORE_CLOSE_INTERVAL="0.02",
            **{faulty_disk.JOURNAL: str(self.journal)},
        )
        self.clients.run(server, 0.2 + self._rng.random() * LONGEST, server.kill)
        self.errors += self.clients.errors
        self.clients.errors = []
        notes, new = self.journal.read_bytes(), self.clients.moments[known:]
        # From the first acknowledgement on: before it there is little to lose.
        first = new[0][0] if new else 0
        for _ in range(MOMENTS - 1):
            end = self._rng.randint(first, len(notes))
            self._check_copy(before, notes[:end], [each for each in new if each[0] <= end])
        self._lose_power(before, notes)

    def _written(self):
        return os.stat(self.journal).st_size

    def _after(self, before, notes, data):
        after, dropped = faulty_disk.after_power_loss(
            before, notes, self._rng, self._rng.random() < 0.5
        )
        self.losses += 1
        self.dropped += dropped
        for path in data.glob("log.sqlite*"):
            path.unlink()
        for name, content in after.items():
            (data / name).write_bytes(content)

    def _check_copy(self, before, notes, acknowledged):
        copy = self.folder / "copy"
        copy.mkdir()
        self._after(before, notes, copy)
        evidence = Evidence(copy)
        self.errors += evidence.read()
        for _, kind, event in acknowledged:
            if event not in (evidence.decided if kind == "decide" else evidence.rewarded):
                self.lost.append(f"{kind} {event}")
        shutil.rmtree(copy)

    def _lose_power(self, before, notes):
        """Lose power at the end; the next server goes on with what is left."""
        self._after(before, notes, self.data)
        if self.synchronous == "full":
            self.errors += self.evidence.read()
            self.lost += self.evidence.lost(self.clients)
        else:  # what is lost is lost: begin again
            evidence = Evidence(self.data)
            evidence.read()
            self.lost += evidence.lost(self.clients)
            self.clients = Clients(self._written)


def _contents(data):
    return {name: (data / name).read_bytes() for name in FILES if (data / name).exists()}
