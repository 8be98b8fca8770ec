"""``Turns``: how long requests wait for their turn when a server has more of them than it can do.

Decisions are made in the event loop. Under overload they queue up there, before anything could
count them as under way: thousands of requests would all be answered, each many seconds late.
"""

import asyncio
import time


class Turns:
    """The turn of the event loop in which requests start, one after the other."""

    def __init__(self) -> None:
        self._began: float | None = None

    def waited(self) -> float:
        """Seconds for which requests of the present turn have been worked on."""
        now = time.perf_counter()
        if self._began is None:
            self._began = now
            # What is scheduled now comes after all requests that wait already.
            asyncio.get_running_loop().call_soon(self._end)
        return now - self._began

    def _end(self) -> None:
        self._began = None
