"""Refuse to work in a process that was forked from one in which JAX was at work."""

import os
from typing import NoReturn

_process: int | None = None
"""The process that made the first agent, and so set JAX to work."""


def note_process() -> int:
    """Note that JAX is at work in this process, whose id is returned."""
    global _process
    current = os.getpid()
    if _process is None:
        _process = current
    elif _process != current:
        refuse_after_fork(_process)
    return current


def refuse_after_fork(parent: int) -> NoReturn:
    """Raise an error that says what to do."""
    raise RuntimeError(
        f"this process was forked from process {parent}, which uses JAX, and JAX's threads do not "
        "survive os.fork(): create or load the agent in a process that was not forked from one "
        "with an agent (gunicorn: without --preload; multiprocessing: the 'spawn' start method)"
    )
