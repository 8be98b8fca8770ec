"""Entries of the catalogue: whom to cite, where to download, how to recognise the files.

Checksums are of a file's *content*. They hold whether it is stored plain or gzipped, and whatever
archive it came in. Where a publisher's archive has CR LF line endings, the checksum is that of the
file with LF line endings, and both are accepted (``File.text``).
"""

from dataclasses import dataclass
from typing import Literal, cast

from jostle.core import validation as checks

Role = Literal["required", "optional", "partial"]


@dataclass(frozen=True)
class File:
    """A file of a data set and how its content is verified.

    Without a known ``sha256``, the number of lines and the header are checked instead, and the file
    is reported as unverified.

    Attributes:
        name: the file's name, without ".gz".
        lines: the number of all lines of text, including header and blank lines.
        sha256: checksum of the content, if one is known.
        header: the first line, if there is no checksum.
        role: "required", "optional", or "partial" if it can replace part of a required file.
        text: whether CR LF and LF line endings are the same content.
        stand_ins: partial files that together replace this one when it is missing.
        origin: where the file comes from, if it is not in the publisher's archive.
    """

    name: str
    lines: int
    sha256: str | None = None
    header: str | None = None
    role: Role = "required"
    text: bool = False
    stand_ins: tuple[str, ...] = ()
    origin: str = ""


@dataclass(frozen=True, kw_only=True)
class Dataset:
    """What all data sets have: names, citation, licence, addresses and files.

    ``page`` is the address of a description for people, ``url`` that of the archive to download,
    ``partial_caveat`` what a reader of results on its partial files has to know, in a sentence.
    """

    name: str
    title: str
    citation: str
    licence: str
    page: str
    url: str
    folder: str
    files: tuple[File, ...]
    partial_caveat: str = ""

    def file(self, name: str) -> File:
        """The file of that name."""
        files = {file.name: file for file in self.files}
        return cast(File, checks.lookup(f"file of {self.name}", name, files))


@dataclass(frozen=True, kw_only=True)
class TableSet(Dataset):
    """A classification set: rows of features with a class, played with one arm per class."""

    rows: int
    features: int
    classes: int


@dataclass(frozen=True, kw_only=True)
class HetRecSet(Dataset):
    """A recommendation set: users, items, tags and a friendship graph."""

    users: int
    items: int
