"""Default folders for results: ``runs/NAME-TIME``, and names that are safe in a path."""

import os
import re
import time
from pathlib import Path

from jostle.lab.results.folder import FolderError, make_folder


def slug(text: str) -> str:
    """``text`` as part of a file name."""
    return re.sub(r"[^a-zA-Z0-9.]+", "-", text).strip("-.")[:40] or "run"


def stamped(name: str) -> Path:
    """A new folder under ``runs/`` with the time in its name."""
    folder = Path("runs") / f"{slug(name)}-{time.strftime('%Y%m%d-%H%M%S')}"
    return folder.with_name(f"{folder.name}-{os.getpid()}") if folder.exists() else folder


def stamped_before(name: str) -> list[Path]:
    """The folders that ``stamped(name)`` has given before, newest first."""
    pattern = re.compile(re.escape(slug(name)) + r"-\d{8}-\d{6}(-\d+)?")
    folders = [path for path in Path("runs").glob("*") if pattern.fullmatch(path.name)]
    return sorted(folders, reverse=True)


def make_empty(output: Path | None, name: str) -> Path:
    """A new or empty folder: ``output``, or one under ``runs/`` named after its content.

    Raises a ``ValueError`` rather than overwrite anything.
    """
    folder = output or stamped(name)
    make_folder(folder)
    if any(folder.iterdir()):
        raise FolderError(f"output {str(folder)!r} is not empty; choose another folder")
    return folder
