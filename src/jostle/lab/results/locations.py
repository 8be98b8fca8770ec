"""Names and places for results that nobody named."""

import os
import re
import time
from pathlib import Path


def slug(text: str) -> str:
    """``text`` as part of a file name."""
    return re.sub(r"[^a-zA-Z0-9.]+", "-", text).strip("-.")[:40] or "run"


def stamped(name: str) -> Path:
    """A folder under ``runs/`` that is not there yet, with the time in its name."""
    folder = Path("runs") / f"{slug(name)}-{time.strftime('%Y%m%d-%H%M%S')}"
    return folder.with_name(f"{folder.name}-{os.getpid()}") if folder.exists() else folder


def make_empty(output: Path | None, name: str) -> Path:
    """A new or empty folder: ``output``, or one under ``runs/`` named after what is in it.

    Raises a ``ValueError`` rather than overwrite anything.
    """
    folder = output or stamped(name)
    if folder.exists() and not folder.is_dir():
        raise ValueError(f"output {str(folder)!r} is a file; a folder is wanted")
    if folder.is_dir() and any(folder.iterdir()):
        raise ValueError(
            f"output {str(folder)!r} is not empty, and nothing is overwritten: name another"
        )
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise ValueError(f"output {str(folder)!r} cannot be made: {error.strerror}") from None
    return folder
