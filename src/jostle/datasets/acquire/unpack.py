"""Extracting files from a zip archive that is not trusted.

An archive with any member that would be written outside the folder (an absolute path, ``..``, a
link) is rejected. Only requested files are written, under the requested names, so that the archive
never chooses a path. Members compressed as ``.gz`` or ``.Z`` are uncompressed. The bytes written
are counted against a limit, whatever sizes the archive declares. ``ZipFile.extractall`` and pooch's
``Unzip`` do none of this.
"""

import gzip
import stat
import zipfile
import zlib
from collections.abc import Iterable
from pathlib import Path, PurePosixPath
from typing import IO, cast

from jostle.datasets.acquire import lzw

LIMIT = 1 << 29  # bytes in total; the largest set has 75 MB
_CHUNK = 1 << 20


class ArchiveError(ValueError):
    """The archive is damaged, unsafe or too large."""


def unpack(archive: Path, folder: Path, files: Iterable[str], *, limit: int = LIMIT) -> list[str]:
    """Extract those of ``files`` that the archive contains, and return their names.

    Directories inside the archive are ignored; at most ``limit`` bytes are written.
    """
    written = []
    try:
        with zipfile.ZipFile(archive) as source:
            members = _members(source)
            for name in files:
                member = next((members[f] for f in _forms(name) if f in members), None)
                if member is not None:
                    limit -= _write(source, member, folder / name, limit)
                    written.append(name)
    except (zipfile.BadZipFile, gzip.BadGzipFile, zlib.error, EOFError) as error:
        raise ArchiveError(f"the archive is damaged: {error}") from error
    except (NotImplementedError, RuntimeError) as error:  # unknown compression, a password
        raise ArchiveError(f"the archive cannot be read: {error}") from error
    return written


def _forms(name: str) -> tuple[str, str, str]:
    return name, f"{name}.gz", f"{name}.Z"


def _members(source: zipfile.ZipFile) -> dict[str, zipfile.ZipInfo]:
    """The files by name without directories, after checking every member."""
    members: dict[str, zipfile.ZipInfo] = {}
    for member in source.infolist():
        place = PurePosixPath(member.filename.replace("\\", "/"))
        if place.is_absolute() or ".." in place.parts or ":" in member.filename:
            raise ArchiveError(f"unsafe: the member {member.filename!r} leaves the folder")
        kind = stat.S_IFMT(member.external_attr >> 16)
        if kind not in (0, stat.S_IFREG, stat.S_IFDIR):
            raise ArchiveError(f"unsafe: the member {member.filename!r} is a link or a device")
        if not member.is_dir():
            members.setdefault(place.name, member)
    return members


def _write(source: zipfile.ZipFile, member: zipfile.ZipInfo, target: Path, limit: int) -> int:
    """Write one member, uncompressed, and return the number of bytes."""
    with source.open(member) as stream, target.open("wb") as file:
        if member.filename.endswith(".Z"):
            compressed = stream.read(limit + 1)
            try:
                return file.write(lzw.decompress(compressed, limit))
            except ValueError as error:
                raise ArchiveError(f"{member.filename}: {error}") from error
        if member.filename.endswith(".gz"):
            with gzip.open(stream) as content:
                return _copy(cast(IO[bytes], content), file, member.filename, limit)
        return _copy(stream, file, member.filename, limit)


def _copy(stream: IO[bytes], file: IO[bytes], name: str, limit: int) -> int:
    size = 0
    while chunk := stream.read(_CHUNK):
        size += len(chunk)
        if size > limit:
            raise ArchiveError(f"{name} exceeds the limit of {limit:,} uncompressed bytes")
        file.write(chunk)
    return size
