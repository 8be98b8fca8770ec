"""Where results come from: the commit of the code, the machine, and the versions in use."""

import os
import platform
import subprocess
import sys
import time
from functools import lru_cache
from importlib.metadata import version
from pathlib import Path
from typing import Any

import jostle

CHANGED = "+changes"
"""Follows a commit if the files under ``src`` differ from it."""


@lru_cache(maxsize=1)
def commit() -> str:
    """The commit of the code in use, or jostle's version if it is not run from a clone."""
    package = Path(jostle.__file__).parent
    root = _git(package, "rev-parse", "--show-toplevel")
    # An installed package may lie inside somebody's repository, which is then not ours.
    if root is None or Path(root) / "src" / "jostle" != package.resolve():
        return jostle.__version__
    found = _git(package, "rev-parse", "HEAD")
    if found is None:  # a repository without commits
        return jostle.__version__
    return found + (CHANGED if _git(package, "status", "--porcelain", "--", str(package)) else "")


def session(command: str, engine: str, jobs: int, reused: int = 0) -> dict[str, Any]:
    """A record of how the present process runs an experiment, for ``sessions.json``."""
    names = ("jax", "jaxlib", "numpy", "optax")
    return {
        "command": command,
        "engine": engine,
        "jobs": jobs,
        "started": time.strftime("%Y-%m-%d %H:%M:%S %z"),
        "seconds": 0.0,
        "trials": 0,
        "taken": reused,
        "machine": {"platform": platform.platform(), "cores": os.cpu_count()},
        "versions": {
            "python": sys.version.split()[0],
            "jostle": jostle.__version__,
            "commit": commit(),
            **{name: version(name) for name in names},
        },
    }


def _git(folder: Path, *arguments: str) -> str | None:
    """What a git command prints, or None if it fails or git is not installed."""
    try:
        done = subprocess.run(
            ["git", "-C", str(folder), *arguments],
            capture_output=True,
            text=True,
            check=True,
            timeout=10,
        )
    except (OSError, subprocess.SubprocessError):
        return None
    return done.stdout.strip()
