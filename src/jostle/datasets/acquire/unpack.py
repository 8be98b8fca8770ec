"""Taking the wanted files out of a publisher's zip, trusting nothing in it.

An archive with any member that would land outside the folder (absolute, ``..``, a link) is
refused whole. Only the wanted files are written, under their own plain names, so the archive
never chooses a path; ``.gz`` and ``.Z`` members are unpacked, and what is written is counted
against a limit, whatever sizes the archive declares.
"""

import gzip
import stat
import zipfile
import zlib
from collections.abc import Iterable
from pathlib import Path, PurePosixPath
from typing import IO, cast

from jostle.datasets.acquire import lzw

LIMIT = 1 << 29  # bytes in all; the largest set unpacks to 75 MB
_CHUNK = 1 << 20


class ArchiveError(ValueError):
    """The archive is damaged, hostile or too large."""


def unpack(archive: Path, folder: Path, wanted: Iterable[str], *, limit: int = LIMIT) -> list[str]:
    """Write those of the ``wanted`` files that the archive holds; return their names."""
    written = []
    try:
        with zipfile.ZipFile(archive) as source:
            members = _members(source)
            for name in wanted:
                member = next((members[f] for f in _forms(name) if f in members), None)
                if member is not None:
                    limit -= _write(source, member, folder / name, limit)
                    written.append(name)
    except (zipfile.BadZipFile, gzip.BadGzipFile, zlib.error, EOFError) as error:
        raise ArchiveError(f"a damaged archive: {error}") from error
    except (NotImplementedError, RuntimeError) as error:  # a method we lack, or a password
        raise ArchiveError(f"an archive we cannot read: {error}") from error
    return written


def _forms(name: str) -> tuple[str, str, str]:
    return name, f"{name}.gz", f"{name}.Z"


def _members(source: zipfile.ZipFile) -> dict[str, zipfile.ZipInfo]:
    """The files by bare name, after a look at every member."""
    members: dict[str, zipfile.ZipInfo] = {}
    for member in source.infolist():
        place = PurePosixPath(member.filename.replace("\\", "/"))
        if place.is_absolute() or ".." in place.parts or ":" in member.filename:
            raise ArchiveError(f"refused: the member {member.filename!r} leaves the folder")
        kind = stat.S_IFMT(member.external_attr >> 16)
        if kind not in (0, stat.S_IFREG, stat.S_IFDIR):
            raise ArchiveError(f"refused: the member {member.filename!r} is a link or a device")
        if not member.is_dir():
            members.setdefault(place.name, member)
    return members


def _write(source: zipfile.ZipFile, member: zipfile.ZipInfo, target: Path, limit: int) -> int:
    """Write one member unpacked; return the number of bytes."""
    with source.open(member) as stream, target.open("wb") as file:
        if member.filename.endswith(".Z"):
            packed = stream.read(limit + 1)
            try:
                return file.write(lzw.decompress(packed, limit))
            except ValueError as error:
                raise ArchiveError(f"{member.filename}: {error}") from error
        if member.filename.endswith(".gz"):
            with gzip.open(stream) as unpacked:
                return _copy(cast(IO[bytes], unpacked), file, member.filename, limit)
        return _copy(stream, file, member.filename, limit)


def _copy(stream: IO[bytes], file: IO[bytes], name: str, limit: int) -> int:
    size = 0
    while chunk := stream.read(_CHUNK):
        size += len(chunk)
        if size > limit:
            raise ArchiveError(f"{name} unpacks to more than the {limit:,} bytes allowed")
        file.write(chunk)
    return size
