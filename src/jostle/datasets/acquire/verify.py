"""Whether the files of a data set are the published ones, told by their content."""

import hashlib
import zlib
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from jostle.datasets import catalog
from jostle.datasets import paths as store
from jostle.datasets.catalog.entry import Dataset, File

_CHUNK = 1 << 20


class Status(StrEnum):
    """What the check of one file found."""

    OK = "ok"
    MISSING = "missing"
    WRONG = "wrong checksum"
    MALFORMED = "wrong content"  # no checksum to compare, but rows or header differ; or unreadable
    UNVERIFIED = "unverified"  # no checksum known; rows and header are right


GOOD = frozenset({Status.OK, Status.UNVERIFIED})


class WrongDataError(ValueError):
    """A file is there but does not hold the published content."""


@dataclass(frozen=True)
class Finding:
    """The state of one file, and in ``note`` what a person should know of it."""

    file: File
    status: Status
    place: Path | None = None
    note: str = ""


@dataclass(frozen=True)
class Report:
    """The state of all files of a data set."""

    name: str
    folder: Path
    findings: tuple[Finding, ...]

    def status(self, file: str) -> Status:
        """The status of one file by its name."""
        return next(finding.status for finding in self.findings if finding.file.name == file)

    @property
    def original(self) -> bool:
        """Every file that the publisher's archive must hold is here and right."""
        return all(f.status in GOOD for f in self.findings if f.file.role == "required")

    @property
    def lacking(self) -> tuple[str, ...]:
        """Required files that are absent and have no partial files in their place."""
        return tuple(
            finding.file.name
            for finding in self.findings
            if finding.file.role == "required"
            and finding.status is Status.MISSING
            and not self._replaced(finding.file)
        )

    @property
    def wrong(self) -> tuple[Finding, ...]:
        """Files that are here but not what they should be."""
        return tuple(f for f in self.findings if f.status in (Status.WRONG, Status.MALFORMED))

    @property
    def ok(self) -> bool:
        """The set can be used: nothing required is lacking and nothing present is wrong."""
        return not self.lacking and not self.wrong

    def _replaced(self, file: File) -> bool:
        return bool(file.stand_ins) and all(self.status(name) in GOOD for name in file.stand_ins)


def verify(name: str) -> Report:
    """Check every file of a data set where it is stored; absent files are reported, not raised."""
    entry = catalog.get(name)
    return verify_folder(entry, store.path(name))


def verify_folder(entry: Dataset, folder: Path) -> Report:
    """The same in a given folder, so that a download is checked before it is moved into place."""
    findings = tuple(inspect(file, store.find_in(folder, file.name)) for file in entry.files)
    return Report(entry.name, folder, findings)


def require(name: str, *files: str) -> list[Path]:
    """The stored files after a check of their content; an error for any absent or wrong one."""
    entry = catalog.get(name)
    places = store.locate(name, *files)
    for file, place in zip(files, places, strict=True):
        finding = inspect(entry.file(file), place)
        if finding.status not in GOOD:
            raise WrongDataError(
                f"{place} is not the published {file} of {name!r}: {finding.note}. Remove it and "
                f"run: jostle data fetch {name}"
            )
    return places


def inspect(file: File, place: Path | None) -> Finding:
    """Check one file."""
    if place is None:
        role = {"optional": "optional", "partial": "not needed when the original is here"}
        return Finding(file, Status.MISSING, note=role.get(file.role, ""))
    try:
        content = _digest(place, file.text)
    except (OSError, EOFError, zlib.error) as error:
        return Finding(file, Status.MALFORMED, place, f"cannot be read: {error}")
    if file.sha256 is not None:
        if file.sha256 in content.sums:
            return Finding(file, Status.OK, place)
        note = f"sha256 of the content is {content.sums[0]}, wanted {file.sha256}"
        return Finding(file, Status.WRONG, place, note)
    if content.lines != file.lines:
        note = f"found {content.lines} lines, wanted {file.lines}"
        return Finding(file, Status.MALFORMED, place, note)
    if file.header is not None and content.header != file.header:
        note = f"found the header {content.header[:80]!r}, wanted {file.header!r}"
        return Finding(file, Status.MALFORMED, place, note)
    return Finding(file, Status.UNVERIFIED, place, "no checksum known; rows and header are right")


@dataclass(frozen=True)
class _Content:
    sums: tuple[str, ...]
    lines: int
    header: str


def _digest(place: Path, text: bool) -> _Content:
    """Checksums (as stored; for text also with LF line ends), lines and header, in one pass."""
    raw, unix = hashlib.sha256(), hashlib.sha256()
    lines, first, last, held = 0, b"", b"\n", b""
    with store.open_bytes(place) as stream:
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
