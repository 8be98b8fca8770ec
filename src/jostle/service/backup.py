"""Copying the data of a service while it runs."""

import os
import shutil
from collections.abc import Iterable
from pathlib import Path

import apsw

from jostle.service.auth import KEY_FILE
from jostle.service.log.sqlite import FILE

KEPT = ("models", "archive")
"""Folders of an app that cannot be made again from the log."""
TRIES = 5


def back_up(data: Path, target: Path) -> int:
    """Copy a service's folder to a new one, which ``jostle serve --data`` can serve.

    The log is copied as it is at one moment, with everything acknowledged before; the service goes
    on meanwhile. Views and compiled programs are left out, since the service makes them again.

    Arguments:
        data: the folder of the service.
        target: the copy; must not exist, or be empty.

    Returns the number of bytes.
    """
    if not (data / FILE).exists():
        raise FileNotFoundError(f"{data / FILE} does not exist: expected the folder of a service")
    if target.exists() and (not target.is_dir() or any(target.iterdir())):
        raise FileExistsError(f"{target} must be new or an empty folder")
    target.mkdir(mode=0o700, parents=True, exist_ok=True)
    for _ in range(TRIES):
        # A model that is copied must not know more than the log: list models first. If another one
        # was saved meanwhile, the log may have been cut before it: take that one, too.
        kept = set(_kept(data))
        _copy_log(data / FILE, target / FILE)
        if _saved(_kept(data)) <= _saved(kept):
            break
    else:
        raise RuntimeError(f"models are saved faster than {data} can be copied: try again")
    for path in [*kept, data / KEY_FILE]:
        if path.exists():  # the oldest models may be removed meanwhile
            copy = target / path.relative_to(data)
            copy.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(path, copy)
    copies = [path for path in target.rglob("*") if path.is_file()]
    for path in copies:
        _sync(path)
    return sum(path.stat().st_size for path in copies)


def _kept(data: Path) -> Iterable[Path]:
    for folder in KEPT:
        yield from (path for path in data.glob(f"apps/*/{folder}/*") if path.is_file())


def _saved(paths: Iterable[Path]) -> set[Path]:
    """Without files that are still being written, whose names end otherwise."""
    return {path for path in paths if path.suffix in (".npz", ".parquet")}


def _copy_log(source: Path, target: Path) -> None:
    target.unlink(missing_ok=True)
    connection = apsw.Connection(str(source), flags=apsw.SQLITE_OPEN_READWRITE)
    try:
        connection.set_busy_timeout(20_000)
        connection.execute("VACUUM INTO ?", (str(target),))
    finally:
        connection.close()


def _sync(path: Path) -> None:
    with path.open("rb") as file:
        os.fsync(file.fileno())
