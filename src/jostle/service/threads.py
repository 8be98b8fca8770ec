"""One thread for linear algebra, quick turns between threads, and few searches for garbage.

Decisions multiply small matrices, which several threads only slow down: on a busy machine they
wait for each other. Their number would also decide the last digits of probabilities, which replay
computes again.
"""

import gc
import sys
from typing import Any

from jostle.core.optional import require

SWITCH = 0.0005
"""Seconds after which a Python thread that computes lets another one run. The writer waits for its
turn several times per transaction, and Python's default is 5 milliseconds each time."""

GARBAGE = 50_000
"""Objects that come before Python looks for garbage among them. Decisions make thousands at a time,
and hardly any garbage that is not freed at once; by default Python looks every 700."""


def rarer_collections() -> None:
    """Look for garbage rarely, and never among what is there already: the modules.

    To look through all of these takes a large part of a second, in which nobody is answered.
    """
    gc.collect()
    gc.freeze()
    gc.set_threshold(GARBAGE, 20, 20)


def one_blas_thread() -> Any:
    """Let NumPy use one thread in this process, as long as what is returned is not restored."""
    return require("threadpoolctl", extra="serve").threadpool_limits(1, user_api="blas")


class QuickTurns:
    """Short turns of Python's threads until it is closed."""

    def __init__(self) -> None:
        self._before = sys.getswitchinterval()
        sys.setswitchinterval(min(self._before, SWITCH))

    def close(self) -> None:
        """Turns as long as they were."""
        sys.setswitchinterval(self._before)
