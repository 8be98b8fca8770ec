"""Fetching a data set from its publisher: download, unpack, verify, install.

A data set is installed complete and verified, or not at all. All work is done in a temporary folder
beside the data, on the same file system. Only verified files are moved into place, each by an
atomic rename. The temporary folder is removed however the work ends, also by Ctrl-C.
"""

import contextlib
import os
import shutil
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit, urlunsplit

from jostle.datasets import catalog, paths
from jostle.datasets.acquire.download import FetchError, Progress, download
from jostle.datasets.acquire.unpack import ArchiveError, unpack
from jostle.datasets.acquire.verify import GOOD, Report, verify, verify_folder
from jostle.datasets.catalog.entry import Dataset

_PREFIX = ".fetch-"
_STALE = 24 * 3600.0  # seconds; an older temporary folder was left by a process that was killed


def fetch(
    name: str,
    *,
    force: bool = False,
    progress: Progress | None = None,
    base: str | None = None,
    pause: float = 1.0,
) -> Path:
    """Download, verify and install a data set.

    Arguments:
        name: of the data set; see ``jostle.datasets.catalog``.
        force: download it even if it is already installed and verified.
        progress: called with the number of bytes received so far and the total number (``None`` if
            the server does not say).
        base: the address of a mirror that keeps the publisher's paths, such as
            ``http://localhost:8000``.
        pause: seconds to wait before the first retry; see ``download``.

    Returns:
        The folder of the data set.

    Raises:
        FetchError: the download failed or is not what was published; nothing was installed.
    """
    entry = catalog.get(name)
    folder = paths.path(name)
    if not force and verify(name).original:
        return folder
    url = _mirrored(entry.url, base)
    try:
        with _temporary_folder(paths.data_folder(), name) as work:
            archive = download(url, work / "archive.zip", progress=progress, pause=pause)
            fresh = work / entry.folder
            fresh.mkdir()
            try:
                unpack(archive, fresh, [file.name for file in entry.files])
            except ArchiveError as error:
                raise FetchError(f"{url}: {error}") from error
            _accept(verify_folder(entry, fresh), entry, url)
            _install(fresh, folder)
    except PermissionError as error:
        raise FetchError(
            f"cannot write the data set {name!r} to {paths.data_folder()}: {error.strerror}; set "
            f"{paths.DATA} to a folder that you can write to"
        ) from error
    return folder


def _accept(report: Report, entry: Dataset, url: str) -> None:
    """Raise an error for a required file that is wrong or missing; delete wrong optional files."""
    for finding in report.findings:
        if finding.status in GOOD:
            continue
        if finding.file.role == "required":
            raise FetchError(
                f"{url} does not contain the published {finding.file.name} of {entry.name!r}: "
                f"{finding.note or finding.status}. Nothing was installed; see {entry.page}"
            )
        if finding.place is not None:
            finding.place.unlink()


def _install(fresh: Path, folder: Path) -> None:
    """Move the verified files into place: the whole folder, or each file if the folder exists."""
    try:
        os.replace(fresh, folder)
    except OSError:
        if not folder.is_dir():
            raise
    else:
        return
    for file in sorted(fresh.iterdir()):
        os.replace(file, folder / file.name)
        # An older, gzipped copy of the same file would never be read again.
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
def _temporary_folder(root: Path, name: str) -> Iterator[Path]:
    """A temporary folder under ``root`` that is removed when the block ends, however it ends."""
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
        for folder in made:  # innermost first; those that now contain data stay
            with contextlib.suppress(OSError):
                folder.rmdir()
