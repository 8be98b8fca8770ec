"""Verifying the files of a data set against the published checksums."""

import hashlib
import zlib
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from jostle.datasets import catalog, paths
from jostle.datasets.catalog.entry import Dataset, File

_CHUNK = 1 << 20


class Status(StrEnum):
    """The result of checking one file."""

    OK = "ok"
    MISSING = "missing"
    WRONG = "wrong checksum"
    MALFORMED = "wrong content"  # unreadable; or no checksum is known and lines or header differ
    UNVERIFIED = "unverified"  # no checksum is known; lines and header are right


GOOD = frozenset({Status.OK, Status.UNVERIFIED})


class WrongDataError(ValueError):
    """A file exists but does not have the published content."""


@dataclass(frozen=True)
class Finding:
    """The status of one file, where it was found, and a note for the user."""

    file: File
    status: Status
    place: Path | None = None
    note: str = ""


@dataclass(frozen=True)
class Report:
    """The status of all files of a data set."""

    name: str
    folder: Path
    findings: tuple[Finding, ...]

    def status(self, file: str) -> Status:
        """The status of one file by its name."""
        return next(finding.status for finding in self.findings if finding.file.name == file)

    @property
    def original(self) -> bool:
        """Whether every required file of the publisher's archive is present and right."""
        return all(f.status in GOOD for f in self.findings if f.file.role == "required")

    @property
    def missing(self) -> tuple[str, ...]:
        """Required files that are missing and not replaced by partial files."""
        return tuple(
            finding.file.name
            for finding in self.findings
            if finding.file.role == "required"
            and finding.status is Status.MISSING
            and not self._replaced(finding.file)
        )

    @property
    def wrong(self) -> tuple[Finding, ...]:
        """Files that are present but do not have the published content."""
        return tuple(f for f in self.findings if f.status in (Status.WRONG, Status.MALFORMED))

    @property
    def ok(self) -> bool:
        """Whether the set can be used: no required file is missing and no present one is wrong."""
        return not self.missing and not self.wrong

    def _replaced(self, file: File) -> bool:
        return bool(file.stand_ins) and all(self.status(name) in GOOD for name in file.stand_ins)


def verify(name: str) -> Report:
    """Check every file of a data set where it is stored.

    Missing and wrong files are reported, not raised.
    """
    entry = catalog.get(name)
    return verify_folder(entry, paths.path(name))


def verify_folder(entry: Dataset, folder: Path) -> Report:
    """Check every file of a data set in the given folder, such as that of a download."""
    findings = tuple(inspect(file, paths.find_in(folder, file.name)) for file in entry.files)
    return Report(entry.name, folder, findings)


def require(name: str, *files: str) -> list[Path]:
    """Find and verify files of a data set; raise an error for any that is missing or wrong."""
    entry = catalog.get(name)
    places = paths.locate(name, *files)
    for file, place in zip(files, places, strict=True):
        finding = inspect(entry.file(file), place)
        if finding.status not in GOOD:
            raise WrongDataError(
                f"{place} is not the published {file} of {name!r}: {finding.note}. Delete it and "
                f"run: jostle data fetch {name}"
            )
    return places


def inspect(file: File, place: Path | None) -> Finding:
    """Check one file, where ``place`` is its path or ``None`` if it is missing."""
    if place is None:
        role = {"optional": "optional", "partial": "not needed with the original"}
        return Finding(file, Status.MISSING, note=role.get(file.role, ""))
    try:
        content = _digest(place, file.text)
    except (OSError, EOFError, zlib.error) as error:
        return Finding(file, Status.MALFORMED, place, f"it cannot be read: {error}")
    if file.sha256 is not None:
        if file.sha256 in content.sums:
            return Finding(file, Status.OK, place)
        note = f"the sha256 of its content is {content.sums[0]}, expected {file.sha256}"
        return Finding(file, Status.WRONG, place, note)
    if content.lines != file.lines:
        note = f"it has {content.lines} lines, expected {file.lines}"
        return Finding(file, Status.MALFORMED, place, note)
    if file.header is not None and content.header != file.header:
        note = f"it has the header {content.header[:80]!r}, expected {file.header!r}"
        return Finding(file, Status.MALFORMED, place, note)
    return Finding(file, Status.UNVERIFIED, place, "no checksum known; lines and header are right")


@dataclass(frozen=True)
class _Content:
    sums: tuple[str, ...]
    lines: int
    header: str


def _digest(place: Path, text: bool) -> _Content:
    """Checksums (for text also with LF line endings), number of lines and header, in one pass."""
    raw, unix = hashlib.sha256(), hashlib.sha256()
    lines, first, last, held = 0, b"", b"\n", b""
    with paths.open_bytes(place) as stream:
        while chunk := stream.read(_CHUNK):
            first = first or chunk
            last = chunk[-1:]
            lines += chunk.count(b"\n")
            raw.update(chunk)
            if text:
                chunk = held + chunk
                held = b"\r" if chunk.endswith(b"\r") else b""  # its LF may be in the next chunk
                unix.update(chunk[: len(chunk) - len(held)].replace(b"\r\n", b"\n"))
    unix.update(held)
    sums = (raw.hexdigest(), unix.hexdigest()) if text else (raw.hexdigest(),)
    header = first.partition(b"\n")[0].rstrip(b"\r").decode("utf-8", "replace")
    return _Content(sums, lines + (last != b"\n"), header)
