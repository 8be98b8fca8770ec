"""``Checkpoints``: what is committed is moved from the WAL to the main file while others commit.

By default the connection that commits does this every so many pages. Here that takes some 70 ms,
in which nobody is answered, and at 1,500 decisions per second it would happen every second. So a
thread with a connection of its own moves most of it. What was committed meanwhile is little: the
connection that commits moves that itself, after which the WAL starts from its beginning again.
"""

import contextlib
import threading
from pathlib import Path

import apsw

PAGES = 4000
"""Pages in the WAL from which they are moved."""
MOST_PAGES = 8 * PAGES
"""Pages from which the connection that commits does it all itself: the thread cannot keep up."""


class Checkpoints:
    """Keeps the WAL of a connection short.

    Arguments:
        connection: which commits. Its own checkpoints are switched off.
        path: of its file.
        synchronous: as for that.
    """

    def __init__(self, connection: apsw.Connection, path: Path, synchronous: str):
        self._own = apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READWRITE)
        self._own.execute(f"PRAGMA synchronous = {synchronous}")
        self._due, self._moved, self._closing = threading.Event(), False, False
        self._connection = connection
        connection.set_wal_hook(self._committed)  # instead of SQLite's own checkpoints
        self._thread = threading.Thread(target=self._work, name="jostle-checkpoints", daemon=True)
        self._thread.start()

    def close(self) -> None:
        """Stop, after what is being moved."""
        self._closing = True
        self._due.set()
        self._thread.join()
        self._connection.set_wal_hook(None)
        self._own.close()

    def _committed(self, connection: apsw.Connection, name: str, pages: int) -> int:
        """Look at the WAL after a commit, in the thread that commits."""
        if self._moved or pages >= MOST_PAGES:
            self._moved = False
            _move(connection)
        elif pages >= PAGES:
            self._due.set()
        return apsw.SQLITE_OK

    def _work(self) -> None:
        while True:
            self._due.wait()
            if self._closing:
                return
            _move(self._own)
            self._moved = True
            # Not again before the rest was moved, too.
            self._due.clear()


def _move(connection: apsw.Connection) -> None:
    """Move what nobody reads any more, as far as there is space; nothing is lost otherwise."""
    with contextlib.suppress(apsw.Error):
        connection.wal_checkpoint(mode=apsw.SQLITE_CHECKPOINT_PASSIVE)
