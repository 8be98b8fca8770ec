"""A disk that forgets what was not synced, and that can be full: a VFS around SQLite's own.

    python faulty_disk.py serve ...

runs the ``jostle`` command with it. Every write, truncation and sync of SQLite's files is noted in
the file that ``TORTURE_JOURNAL`` names; ``after_power_loss`` computes from it what a disk would
hold. While the file that ``TORTURE_FULL`` names exists, writing fails as on a full disk.
"""

import os
import struct
import time

import apsw

JOURNAL, FULL = "TORTURE_JOURNAL", "TORTURE_FULL"
WRITE, TRUNCATE, SYNC = range(3)
HEAD = struct.Struct("<BHQQ")
"""What was done, the length of the file's name, the offset or size, the length of the data."""
SYNC_SECONDS = 0.003
SECTOR = 512
KEPT, TORN = 0.5, 0.2
"""Chances that a write that was not synced is on the disk all the same; and then only in part."""


class FaultyDisk(apsw.VFS):
    """The default VFS from now on."""

    def __init__(self):
        path = os.environ.get(JOURNAL)
        flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND
        self._journal = os.open(path, flags) if path else None
        self._full = os.environ.get(FULL)
        self.real = apsw.vfs_names()[0]
        super().__init__("faulty", self.real, makedefault=True)

    def xOpen(self, name, flags):  # noqa: N802
        return FaultyFile(self, name, flags)

    def note(self, kind, name, place, data=b""):
        """Note what was done; the notes survive the death of this process."""
        if self._journal is not None and name:  # temporary files have none
            head = HEAD.pack(kind, len(name), place, len(data))
            os.writev(self._journal, [head, name, data])

    def check_space(self):
        """Fail if the disk is said to be full."""
        if self._full and os.path.exists(self._full):
            raise apsw.FullError("the disk is full")


class FaultyFile(apsw.VFSFile):
    """A file of SQLite."""

    def __init__(self, disk, name, flags):
        path = name.filename() if isinstance(name, apsw.URIFilename) else name or ""
        self._disk, self._name = disk, os.path.basename(path).encode()
        super().__init__(disk.real, name, flags)

    def xWrite(self, data, offset):  # noqa: N802
        self._disk.check_space()
        self._disk.note(WRITE, self._name, offset, bytes(data))
        super().xWrite(data, offset)

    def xTruncate(self, size):  # noqa: N802
        self._disk.note(TRUNCATE, self._name, size)
        super().xTruncate(size)

    def xSync(self, flags):  # noqa: N802
        # The notes say what is synced; it takes a while, as on a real disk.
        time.sleep(SYNC_SECONDS)
        self._disk.note(SYNC, self._name, 0)


def after_power_loss(files, journal, rng, keep):
    """What is on the disk after a power loss.

    Arguments:
        files: the contents of the files before, by name.
        journal: the notes since, up to the power loss.
        rng: decides about writes that were not synced.
        keep: whether some of these have reached the disk, whole or in part, in any order.

    Returns the contents of the files, and how many writes were dropped.
    """
    synced = {name: bytearray(content) for name, content in files.items()}
    waiting: dict[str, list] = {}
    for kind, name, place, data in _notes(journal):
        if kind == SYNC:
            for each in waiting.pop(name, []):
                _apply(synced.setdefault(name, bytearray()), *each)
        else:
            waiting.setdefault(name, []).append((kind, place, data))
    dropped = 0
    for name, writes in waiting.items():
        for kind, place, data in writes:
            if not keep or rng.random() >= KEPT:
                dropped += 1
            else:
                if data and rng.random() < TORN:
                    data = data[: SECTOR * rng.randrange(len(data) // SECTOR + 1)]
                _apply(synced.setdefault(name, bytearray()), kind, place, data)
    return {name: bytes(content) for name, content in synced.items()}, dropped


def _apply(content, kind, place, data):
    size = place if kind == TRUNCATE else place + len(data)
    if len(content) < size:
        content.extend(bytes(size - len(content)))
    if kind == TRUNCATE:
        del content[place:]
    else:
        content[place:size] = data


def _notes(journal):
    """The notes, except one that was cut off."""
    content, start = memoryview(journal), 0
    while start + HEAD.size <= len(content):
        kind, name_length, place, length = HEAD.unpack_from(content, start)
        middle = start + HEAD.size + name_length
        if middle + length > len(content):
            return
        name = bytes(content[start + HEAD.size : middle]).decode()
        yield kind, name, place, bytes(content[middle : middle + length])
        start = middle + length


if __name__ == "__main__":
    from jostle.__main__ import main

    DISK = FaultyDisk()
    main()
