"""``Together``: requests that come at about the same time are decided together.

Deciding many times at once costs a third of deciding one by one, and committing them at once a
tenth; the decisions are the same. So single requests wait for the end of the turn of the event loop
in which they came, and then, for a moment, for the commit that is under way: theirs comes after it
whatever they do.
"""

import asyncio
import time
from collections import deque
from collections.abc import Callable
from typing import Any, Generic, NamedTuple, TypeVar

from jostle.service.problems import Busy

Key = TypeVar("Key")
Asked = TypeVar("Asked")
Decide = Callable[[Key, list[Asked], list[float]], list[Any]]

MOST = 32
"""Requests that are decided at a time. Then others have their turn, above all the answers to these,
and their commit."""

HOLD = 0.005
"""Seconds for which a request waits for a commit that is under way, at most."""
LOOK = 0.001
"""Seconds between looks at whether it is."""


class _Waiting(NamedTuple):
    request: Any
    future: asyncio.Future[Any]
    since: float


class Together(Generic[Key, Asked]):
    """Decides requests in groups.

    Arguments:
        decide: what is done with a key (an app), its requests, and the times at which they came
            (by ``time.perf_counter``); an outcome for each.
        busy: whether a commit is under way.
        patience: seconds that a request may wait. While one has waited longer, no other is taken.
    """

    def __init__(
        self,
        decide: Decide[Key, Asked],
        patience: float,
        busy: Callable[[], bool] = lambda: False,
    ):
        self._decide, self._patience, self._busy = decide, patience, busy
        self._waiting: dict[tuple[asyncio.AbstractEventLoop, Key], deque[_Waiting]] = {}

    async def ask(self, key: Key, request: Asked) -> Any:
        """The outcome of a request."""
        loop, now = asyncio.get_running_loop(), time.perf_counter()
        place = loop, key
        waiting = self._waiting.get(place)
        if waiting is None:
            waiting = self._waiting[place] = deque()
            loop.call_soon(self._work, place)
        elif now - waiting[0].since > self._patience:
            raise Busy("too many requests wait to be decided")
        future: asyncio.Future[Any] = loop.create_future()
        waiting.append(_Waiting(request, future, now))
        return await future

    def _work(self, place: tuple[asyncio.AbstractEventLoop, Key]) -> None:
        waiting = self._waiting[place]
        early = time.perf_counter() - waiting[0].since < HOLD
        if early and len(waiting) < MOST and self._busy():
            place[0].call_later(LOOK, self._work, place)
            return
        group = [waiting.popleft() for _ in range(min(MOST, len(waiting)))]
        if waiting:
            place[0].call_soon(self._work, place)
        else:
            del self._waiting[place]
        # Whoever has gone meanwhile is not decided for.
        group = [each for each in group if not each.future.done()]
        if not group:
            return
        try:
            requests, since = [each.request for each in group], [each.since for each in group]
            outcomes = self._decide(place[1], requests, since)
        except Exception as error:
            for each in group:
                each.future.set_exception(error)
            return
        for each, outcome in zip(group, outcomes, strict=True):
            each.future.set_result(outcome)
