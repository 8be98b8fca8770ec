"""Caching arrays on disk between runs.

Arrays are stored as ``.npz`` without pickle. The name of a file contains a checksum of what it was
made from, so that other raw data or another parser make another file. Files appear whole or not at
all, and one that cannot be read (damaged, truncated, of another layout) is built again.
"""

import contextlib
import hashlib
import warnings
import zipfile
import zlib
from collections.abc import Callable, Iterable
from pathlib import Path

import numpy as np

from jostle.core.atomic import atomic
from jostle.datasets import paths

Arrays = dict[str, np.ndarray]


def cached(name: str, key: str, build: Callable[[], Arrays]) -> Arrays:
    """Return the arrays stored under ``name`` and ``key``; otherwise build and store them.

    Storing arrays deletes those of the same name under another key. If the cache folder cannot be
    written to, there is a warning.
    """
    place = paths.cache_folder() / "parsed" / f"{name}-{key[:20]}.npz"
    arrays = _read(place, key)
    if arrays is None:
        arrays = build()
        try:
            _write(place, name, arrays | {"_key": np.array(key)})
        except OSError as error:
            warnings.warn(
                f"{name!r} could not be cached in {place.parent} ({error}); set {paths.CACHE} to "
                "a folder that you can write to",
                stacklevel=2,
            )
    return arrays


def fingerprint(places: Iterable[Path], *parts: object) -> str:
    """A checksum of the stored bytes of files, still compressed, and of the ``repr`` of parts."""
    total = hashlib.sha256(repr(parts).encode())
    for place in places:
        with place.open("rb") as file:
            total.update(hashlib.file_digest(file, "sha256").digest())
    return total.hexdigest()


def _read(place: Path, key: str) -> Arrays | None:
    try:
        # Opened here, because np.load leaves a damaged file open.
        with place.open("rb") as file, np.load(file, allow_pickle=False) as stored:
            arrays = {name: stored[name] for name in stored.files}
    except (OSError, ValueError, EOFError, KeyError, zipfile.BadZipFile, zlib.error):
        return None
    return arrays if str(arrays.pop("_key", "")) == key else None


def _write(place: Path, name: str, arrays: Arrays) -> None:
    place.parent.mkdir(parents=True, exist_ok=True)
    with atomic(place) as file:
        np.savez(file, **arrays)  # type: ignore[arg-type]
    for old in place.parent.glob(f"{name}-*.npz"):
        if old != place:
            with contextlib.suppress(OSError):  # another process may have it open
                old.unlink()
