"""Memory of processes that run for months: few searches for garbage, and what is free goes back.

Python's allocator and the C library keep what was needed once, above all by a compiler or in a
moment in which many requests waited. Each such moment that is worse than all before would make the
process larger for good.
"""

import ctypes
import gc
import sys
import threading
from typing import Any

GARBAGE = 50_000
"""Objects that come before Python looks for garbage among them. Decisions make thousands at a time,
and hardly any garbage that is not freed at once; by default Python looks every 700."""
EVERY = 30.0
"""Seconds between calls of ``give_back``."""


def rarer_collections() -> None:
    """Look for garbage rarely, and never among what is there already: the modules.

    To look through all of these takes a large part of a second, in which nobody is answered.
    """
    gc.collect()
    gc.freeze()
    gc.set_threshold(GARBAGE, 20, 20)


def give_back() -> None:
    """Free all garbage, and give the system what is free; it takes some ten milliseconds.

    Garbage that was in use at two rare looks for it would otherwise stay for hours.
    """
    gc.collect()
    if _trim is not None:
        _trim(0)


class Housekeeper:
    """A thread that calls ``give_back`` now and then, until it is closed."""

    def __init__(self, every: float = EVERY):
        self._every, self._closing = every, threading.Event()
        self._thread = threading.Thread(target=self._work, name="jostle-memory", daemon=True)
        self._thread.start()

    def close(self) -> None:
        """Stop."""
        self._closing.set()
        self._thread.join()

    def _work(self) -> None:
        while not self._closing.wait(self._every):
            give_back()


def _malloc_trim() -> Any:
    """The function of the GNU C library that gives back free memory; None in other libraries."""
    if not sys.platform.startswith("linux"):
        return None
    return getattr(ctypes.CDLL(None), "malloc_trim", None)


_trim = _malloc_trim()
