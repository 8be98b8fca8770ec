"""Fetching a data set from its publisher, so that it is either whole and verified or not there.

Everything happens in a temporary folder beside the data (the same file system); only verified
files are moved into place, each by one atomic rename. Whatever ends the work - an error, Ctrl-C -
removes the temporary folder.
"""

import contextlib
import os
import shutil
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit, urlunsplit

from jostle.datasets import catalog
from jostle.datasets import paths as store
from jostle.datasets.acquire import verify as integrity
from jostle.datasets.acquire.download import FetchError, Progress, download
from jostle.datasets.acquire.unpack import ArchiveError, unpack
from jostle.datasets.acquire.verify import GOOD, Report
from jostle.datasets.catalog.entry import Dataset

_PREFIX = ".fetch-"
_STALE = 24 * 3600.0  # a temporary folder this old was left by a killed process


def fetch(
    name: str,
    *,
    force: bool = False,
    progress: Progress | None = None,
    base: str | None = None,
    pause: float = 1.0,
) -> Path:
    """Download, verify and install a data set; return its folder.

    A set that is already here and right is left alone unless ``force``. ``progress`` is called
    with the bytes so far and the bytes in all (``None`` if the server does not say). ``base``
    names a mirror (such as ``http://localhost:8000``) that keeps the publisher's paths.
    """
    entry = catalog.get(name)
    folder = store.path(name)
    if not force and integrity.verify(name).original:
        return folder
    url = _mirrored(entry.url, base)
    try:
        with _workplace(store.data_folder(), name) as work:
            archive = download(url, work / "archive.zip", progress=progress, pause=pause)
            fresh = work / entry.folder
            fresh.mkdir()
            try:
                unpack(archive, fresh, [file.name for file in entry.files])
            except ArchiveError as error:
                raise FetchError(f"{url}: {error}") from error
            _accept(integrity.verify_folder(entry, fresh), entry, url)
            _install(fresh, folder)
    except PermissionError as error:
        raise FetchError(
            f"cannot write the data set {name!r} to {store.data_folder()}: {error.strerror}; set "
            f"{store.DATA} to a folder that you may write to"
        ) from error
    return folder


def _accept(report: Report, entry: Dataset, url: str) -> None:
    """Refuse a download whose required files are not right; drop optional ones that are not."""
    for finding in report.findings:
        if finding.status in GOOD:
            continue
        if finding.file.role == "required":
            raise FetchError(
                f"{url} does not hold the published {finding.file.name} of {entry.name!r}: "
                f"{finding.note or finding.status}. Nothing was installed; see {entry.page}"
            )
        if finding.place is not None:
            finding.place.unlink()


def _install(fresh: Path, folder: Path) -> None:
    """Move the verified files into place: the folder at once, or file by file into an old one."""
    try:
        os.replace(fresh, folder)
    except OSError:
        if not folder.is_dir():
            raise
    else:
        return
    for file in sorted(fresh.iterdir()):
        os.replace(file, folder / file.name)
        # The old form of the same file; the plain one would be found first, so it is dead weight.
        (folder / f"{file.name}.gz").unlink(missing_ok=True)


def _mirrored(url: str, base: str | None) -> str:
    if base is None:
        return url
    mirror, origin = urlsplit(base), urlsplit(url)
    if not mirror.netloc:
        raise ValueError(f"base must be an address such as http://localhost:8000, not {base!r}")
    path = mirror.path.rstrip("/") + origin.path
    return urlunsplit((mirror.scheme, mirror.netloc, path, origin.query, ""))


@contextlib.contextmanager
def _workplace(root: Path, name: str) -> Iterator[Path]:
    """A temporary folder under ``root`` that is gone afterwards, whatever happens."""
    made = [folder for folder in (root, *root.parents) if not folder.exists()]
    root.mkdir(parents=True, exist_ok=True)
    for old in root.glob(f"{_PREFIX}*"):
        with contextlib.suppress(OSError):
            if time.time() - old.stat().st_mtime > _STALE:
                shutil.rmtree(old, ignore_errors=True)
    try:
        with tempfile.TemporaryDirectory(prefix=f"{_PREFIX}{name}-", dir=root) as work:
            yield Path(work)
    finally:
        for folder in made:  # innermost first; those that now hold data stay
            with contextlib.suppress(OSError):
                folder.rmdir()
