"""``jostle serve`` whose clock shows what a file says, so that a machine's speed decides nothing.

    TORTURE_CLOCK=FILE python clocked_server.py serve ...

The file holds one float64, which its owner changes (``FileClock``).
"""

import mmap
import os
import struct
from pathlib import Path

CLOCK = "TORTURE_CLOCK"
_TIME = struct.Struct("d")


class FileClock:
    """A clock in a file that processes share.

    Arguments:
        path: of the file.
        now: what a new clock shows; None to read one that exists.
    """

    def __init__(self, path, now=None):
        if now is not None:
            Path(path).write_bytes(_TIME.pack(now))
        with open(path, "r+b") as file:
            self._shared = mmap.mmap(file.fileno(), _TIME.size)

    def __call__(self):
        """What it shows."""
        return _TIME.unpack_from(self._shared)[0]

    def set(self, now):
        """Let it show something else."""
        _TIME.pack_into(self._shared, 0, now)


if __name__ == "__main__":
    from jostle.__main__ import main
    from jostle.service.service import Service

    clock = FileClock(os.environ[CLOCK])
    Service.open = classmethod(lambda cls, data, settings: cls(data, settings, clock))
    main()
