"""``Maintenance``: a thread that keeps to the retention of each app."""

import asyncio
import threading
from collections.abc import Awaitable, Callable

HOUR = 3600.0


class Maintenance:
    """Calls a coroutine once per hour and app, in an event loop of its own.

    Arguments:
        apps: gives the names of the apps.
        retain: archives and removes what an app does not keep.
        complain: called with a sentence about whatever fails.
    """

    def __init__(
        self,
        apps: Callable[[], list[str]],
        retain: Callable[[str], Awaitable[int]],
        complain: Callable[[str], None],
    ):
        self._apps, self._retain, self._complain = apps, retain, complain
        self._closing = threading.Event()
        self._thread = threading.Thread(target=self._work, name="jostle-retention", daemon=True)
        self._thread.start()

    def close(self) -> None:
        """Stop, after what is being done."""
        self._closing.set()
        self._thread.join()

    def _work(self) -> None:
        while not self._closing.wait(HOUR):
            for app in self._apps():
                try:
                    asyncio.run(self._once(app))
                except Exception as error:  # it will be tried again in an hour
                    self._complain(f"{app}: the log could not be archived: {error}")

    async def _once(self, app: str) -> int:
        return await self._retain(app)
