"""Shared by the tests of data sets: archives in memory, and the script of a web server."""

import hashlib
import io
import zipfile
from collections.abc import Callable
from pathlib import Path

CONTENT = b"1,2,a\n3,4,b\n"


def sha(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def zipped(members: dict[str, bytes]) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members.items():
            member = zipfile.ZipInfo(name)  # of a fixed date, so the bytes are always the same
            archive.writestr(member, content, zipfile.ZIP_DEFLATED)
    return buffer.getvalue()


class Site:
    """What the server serves, how it fails, and which requests it received."""

    def __init__(self) -> None:
        self.files: dict[str, bytes] = {}
        self.cuts: list[int] = []  # bytes sent before the connection breaks, one per request
        self.failures: list[int] = []  # statuses to answer first, one per request
        self.tag: str | None = '"v1"'
        self.on_request: Callable[[], None] = lambda: None
        self.ranges: list[str | None] = []  # the Range of each request
        self.base = ""


def everything_under(folder: Path) -> list[str]:
    return sorted(str(place.relative_to(folder)) for place in folder.rglob("*"))
