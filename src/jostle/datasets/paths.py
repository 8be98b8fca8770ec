"""Where data sets are stored: the data and cache folders, and opening files plain or gzipped.

Raw data are in the folder that ``$JOSTLE_DATA`` names, which may be read-only and shared; without
it, in the user's cache folder. Whatever jostle derives from them (parsed tables, vectors) goes to
``$JOSTLE_CACHE`` or the user's cache folder, never beside the raw data.
"""

import gzip
import os
from collections.abc import Iterable
from pathlib import Path
from typing import BinaryIO, cast

from jostle.core.optional import require
from jostle.datasets import catalog

DATA = "JOSTLE_DATA"
CACHE = "JOSTLE_CACHE"


class MissingDataError(FileNotFoundError):
    """Files of a data set are missing; the message says where we looked and how to get them."""

    def __init__(self, name: str, files: Iterable[str]) -> None:
        folder = path(name)
        setting = f"${DATA}" if os.environ.get(DATA) else f"the default, since ${DATA} is not set"
        files = list(files)
        origins = dict.fromkeys(catalog.get(name).file(file).origin for file in files)
        sources = [
            f"from {origin}" if origin else f"run: jostle data fetch {name}" for origin in origins
        ]
        super().__init__(
            f"files of the data set {name!r} are missing: {', '.join(files)} (plain or .gz)\n"
            f"  looked in      {folder} ({setting})\n"
            f"  to get them    {'; '.join(sources)}\n"
            f"  if elsewhere   set {DATA} to the folder that contains {folder.name}/"
        )


def cache_folder() -> Path:
    """The folder for whatever jostle can compute again."""
    chosen = os.environ.get(CACHE)
    if chosen:
        return Path(chosen).expanduser()
    require("platformdirs", extra="data")
    import platformdirs

    # Without an author and a further "Cache" folder, so that Windows is like the other systems.
    return platformdirs.user_cache_path("jostle", appauthor=False, opinion=False)


def data_folder() -> Path:
    """The folder that contains one folder per data set."""
    chosen = os.environ.get(DATA)
    return Path(chosen).expanduser() if chosen else cache_folder() / "data"


def path(name: str) -> Path:
    """The folder of a data set, whether or not it exists yet."""
    return data_folder() / catalog.get(name).folder


def find(name: str, file: str) -> Path | None:
    """A file of a data set as it is stored, plain or else gzipped; ``None`` if it is missing."""
    return find_in(path(name), file)


def find_in(folder: Path, file: str) -> Path | None:
    """Find a file in the given folder, plain or else gzipped; ``None`` if it is missing."""
    for candidate in (folder / file, folder / f"{file}.gz"):
        if candidate.is_file():
            return candidate
    return None


def locate(name: str, *files: str) -> list[Path]:
    """Find files of a data set, or raise a ``MissingDataError`` that names all missing ones."""
    found = [find(name, file) for file in files]
    missing = [file for file, place in zip(files, found, strict=True) if place is None]
    if missing:
        raise MissingDataError(name, missing)
    return [place for place in found if place is not None]


def open_bytes(place: Path) -> BinaryIO:
    """Open a stored file for reading, uncompressed if it is gzipped."""
    if place.suffix == ".gz":
        return cast(BinaryIO, gzip.open(place, "rb"))
    return place.open("rb")
