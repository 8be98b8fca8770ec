"""Where data lie: finding and opening the raw files, plain or gzipped.

Raw data are under ``$JOSTLE_DATA`` if that is set, which may be read-only and shared; else in the
user's cache folder. What jostle makes from them (parsed tables) goes to ``$JOSTLE_CACHE`` or the
user's cache folder, never beside the raw data.
"""

import gzip
import os
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import BinaryIO, cast

from jostle.datasets import catalog

DATA = "JOSTLE_DATA"
CACHE = "JOSTLE_CACHE"


class MissingDataError(FileNotFoundError):
    """Files of a data set are not there; the message says where we looked and how to get them."""

    def __init__(self, name: str, files: Iterable[str]) -> None:
        folder = path(name)
        setting = f"${DATA}" if os.environ.get(DATA) else f"the default, as ${DATA} is not set"
        files = list(files)
        origins = dict.fromkeys(catalog.get(name).file(file).origin for file in files)
        routes = [f"from {origin}" if origin else f"jostle data fetch {name}" for origin in origins]
        super().__init__(
            f"the data set {name!r} lacks {', '.join(files)} (plain or .gz)\n"
            f"  looked in      {folder} ({setting})\n"
            f"  to download    {'; '.join(routes)}\n"
            f"  if elsewhere   set {DATA} to the folder that holds {folder.name}/"
        )


def cache_folder() -> Path:
    """Where jostle keeps what it can make again."""
    chosen = os.environ.get(CACHE)
    return Path(chosen).expanduser() if chosen else _user_cache() / "jostle"


def data_folder() -> Path:
    """The folder that holds one folder per data set."""
    chosen = os.environ.get(DATA)
    return Path(chosen).expanduser() if chosen else cache_folder() / "data"


def path(name: str) -> Path:
    """The folder of one data set, whether or not it exists yet."""
    return data_folder() / catalog.get(name).folder


def find(name: str, file: str) -> Path | None:
    """The file as it is stored, plain before gzipped; ``None`` when it is not there."""
    return find_in(path(name), file)


def find_in(folder: Path, file: str) -> Path | None:
    """The same in a given folder."""
    for candidate in (folder / file, folder / f"{file}.gz"):
        if candidate.is_file():
            return candidate
    return None


def locate(name: str, *files: str) -> list[Path]:
    """The stored files, or a ``MissingDataError`` naming every one that is not there."""
    found = [find(name, file) for file in files]
    missing = [file for file, place in zip(files, found, strict=True) if place is None]
    if missing:
        raise MissingDataError(name, missing)
    return [place for place in found if place is not None]


def open_bytes(place: Path) -> BinaryIO:
    """The content of a stored file, unpacked when it is gzipped."""
    if place.suffix == ".gz":
        return cast(BinaryIO, gzip.open(place, "rb"))
    return place.open("rb")


def _user_cache() -> Path:
    home = Path.home()
    if sys.platform == "darwin":
        return home / "Library" / "Caches"
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA") or home / "AppData" / "Local")
    chosen = os.environ.get("XDG_CACHE_HOME", "")
    # The XDG standard says that a relative path there is to be ignored.
    return Path(chosen) if os.path.isabs(chosen) else home / ".cache"
