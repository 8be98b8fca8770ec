"""One thread for linear algebra, and quick turns between threads.

Decisions multiply small matrices, which several threads only slow down: on a busy machine they
wait for each other. Their number would also decide the last digits of probabilities, which replay
computes again.
"""

import sys
from typing import Any

from jostle.core.optional import require

SWITCH = 0.0005
"""Seconds after which a Python thread that computes lets another one run. The writer waits for its
turn several times per transaction, and Python's default is 5 milliseconds each time."""


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
