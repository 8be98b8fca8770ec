"""What the catalogue says of a data set: who made it, where it lies, how its files are recognised.

Checksums are of a file's *content*, so they hold whether it is stored plain or gzipped and
whatever archive it came in. Where a publisher's archive has CR LF line ends, the checksum is that
of the LF form and both are accepted (``File.text``).
"""

from dataclasses import dataclass
from typing import Literal, cast

from jostle.core import validation as checks

Role = Literal["required", "optional", "partial"]


@dataclass(frozen=True)
class File:
    """One file of a data set, and how its content is recognised.

    ``lines`` counts all text lines, header and empty ones included. With no known ``sha256`` the
    line count and the ``header`` are the check, and the file is reported as unverified.
    """

    name: str
    lines: int
    sha256: str | None = None
    header: str | None = None
    role: Role = "required"
    text: bool = False  # CR LF and LF line ends are the same content
    stand_ins: tuple[str, ...] = ()  # partial files that together serve when this one is absent
    origin: str = ""  # where it comes from, if not in the publisher's archive


@dataclass(frozen=True, kw_only=True)
class Dataset:
    """What is common to all data sets."""

    name: str
    title: str
    citation: str
    licence: str
    page: str
    url: str
    folder: str
    files: tuple[File, ...]

    @property
    def size(self) -> str:
        """The size in words."""
        raise NotImplementedError

    def file(self, name: str) -> File:
        """The file of that name."""
        return cast(File, checks.lookup(f"file of {self.name}", name, self._by_name()))

    def _by_name(self) -> dict[str, File]:
        return {file.name: file for file in self.files}


@dataclass(frozen=True, kw_only=True)
class TableSet(Dataset):
    """Rows of features with a class: played as one arm per class."""

    rows: int
    features: int
    classes: int

    @property
    def size(self) -> str:
        """The size in words."""
        return f"{self.rows:,} rows, {self.features} features, {self.classes} classes"


@dataclass(frozen=True, kw_only=True)
class HetRecSet(Dataset):
    """Users, items, tags and a social graph: played as recommendation."""

    users: int
    items: int

    @property
    def size(self) -> str:
        """The size in words."""
        return f"{self.users:,} users, {self.items:,} items"
