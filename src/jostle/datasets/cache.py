"""Arrays kept on disk between runs, as ``.npz`` without pickle, and rebuilt whenever in doubt.

A file is named by what it was made from, so a change of the raw data or of the parser makes a new
one; it is written under another name and moved, so no half file is ever found; and one that cannot
be read (damaged, cut, of another layout) is made again.
"""

import contextlib
import hashlib
import os
import tempfile
import warnings
import zipfile
import zlib
from collections.abc import Callable, Iterable
from pathlib import Path

import numpy as np

from jostle.datasets import paths as store

Arrays = dict[str, np.ndarray]


def cached(name: str, key: str, build: Callable[[], Arrays]) -> Arrays:
    """The arrays stored for ``name`` and ``key``, else those that ``build`` makes, then stored."""
    place = store.cache_folder() / "parsed" / f"{name}-{key[:20]}.npz"
    arrays = _read(place, key)
    if arrays is None:
        arrays = build()
        try:
            _write(place, name, arrays | {"_key": np.array(key)})
        except OSError as error:
            warnings.warn(
                f"the parsed data set {name!r} could not be cached in {place.parent} ({error}); "
                f"set {store.CACHE} to a folder that you may write to",
                stacklevel=2,
            )
    return arrays


def fingerprint(places: Iterable[Path], *parts: object) -> str:
    """One checksum of the stored bytes of files (cheap even when they are gzipped) and of parts."""
    total = hashlib.sha256(repr(parts).encode())
    for place in places:
        with place.open("rb") as file:
            total.update(hashlib.file_digest(file, "sha256").digest())
    return total.hexdigest()


def _read(place: Path, key: str) -> Arrays | None:
    try:
        # Opened here, as np.load leaves a damaged file open.
        with place.open("rb") as file, np.load(file, allow_pickle=False) as stored:
            arrays = {name: stored[name] for name in stored.files}
    except (OSError, ValueError, EOFError, KeyError, zipfile.BadZipFile, zlib.error):
        return None
    return arrays if str(arrays.pop("_key", "")) == key else None


def _write(place: Path, name: str, arrays: Arrays) -> None:
    place.parent.mkdir(parents=True, exist_ok=True)
    handle, temporary = tempfile.mkstemp(prefix=f".{name}-", suffix=".npz", dir=place.parent)
    try:
        with os.fdopen(handle, "wb") as file:
            np.savez(file, **arrays)  # type: ignore[arg-type]
        os.replace(temporary, place)
    except BaseException:  # Ctrl-C as well: the half file must go
        with contextlib.suppress(OSError):
            os.unlink(temporary)
        raise
    for old in place.parent.glob(f"{name}-*.npz"):
        if old != place:
            with contextlib.suppress(OSError):  # another process may hold it open
                old.unlink()
