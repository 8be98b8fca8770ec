"""Load: requests at given times, whatever the server does (open loop), or one after another.

In an open loop a request's latency counts from the moment at which it was due. A server that stalls
is not spared the requests of that time: no coordinated omission.
"""

import asyncio
import contextlib
import time
from collections import Counter, deque
from dataclasses import dataclass, field

import numpy as np

from torture.wire import Connection, encode_request

MOST_CONNECTIONS = 2000
TICK = 0.001
"""Seconds between looks at what is due."""
PATIENCE = 30.0
"""Seconds for the last answers."""


@dataclass
class Measured:
    """What became of a load."""

    offered: float
    """Requests per second that were due; 0 for as many as possible."""
    seconds: float
    latencies: np.ndarray
    """Of requests that succeeded, in seconds."""
    statuses: Counter = field(default_factory=Counter)
    unanswered: int = 0
    items: int = 1
    """Decisions per request."""

    @property
    def rate(self):
        """Decisions per second that succeeded."""
        return len(self.latencies) * self.items / self.seconds

    def quantile(self, share):
        """Of the latency, in milliseconds."""
        return 1000 * float(np.quantile(self.latencies, share)) if len(self.latencies) else np.nan

    def figures(self):
        """The usual ones."""
        found = {"rate": self.rate, "p50 ms": self.quantile(0.5), "p99 ms": self.quantile(0.99)}
        other = {status: count for status, count in self.statuses.items() if status >= 300}
        if self.offered:
            found = {"offered": self.offered, **found}
        if other or self.unanswered:
            found["refused"] = " ".join(f"{status}: {n}" for status, n in sorted(other.items()))
            found["unanswered"] = self.unanswered
        return found


class Generator:
    """Sends the requests of a stream to a server.

    Arguments:
        address: of the server.
        requests: an iterator of bytes to send.
        after: called with each successful reply; returns further requests to send (rewards).
    """

    def __init__(self, address, requests, after=lambda reply: ()):
        self._address, self._requests, self._after = address, requests, after
        self._idle, self._count = deque(), 0
        self._waiting = deque()
        self._latencies, self.statuses = [], Counter()
        self.side_statuses = Counter()
        """Of the requests that ``after`` made."""
        self.unanswered = 0
        self.unsent = 0
        """Requests for which there was no connection until the end of the load."""
        self.sent = asyncio.Event()
        """Set when a load ends; what was sent may still be unanswered."""
        self.reasons = Counter()
        """Why requests were not answered."""
        self._tasks = set()

    async def open_loop(self, rate, seconds, items=1, seed=0):
        """Send at ``rate`` per second, at the times of a Poisson process."""
        gaps = np.random.default_rng(seed).exponential(1 / rate, int(2 * rate * seconds) + 100)
        due = np.cumsum(gaps)
        due = due[due < seconds].tolist()
        start, sent = time.perf_counter(), 0
        while sent < len(due):
            now = time.perf_counter() - start
            while sent < len(due) and due[sent] <= now:
                self._dispatch(start + due[sent], next(self._requests))
                sent += 1
            await asyncio.sleep(TICK)
        self._give_up()
        self.sent.set()
        await self._settle()
        self.unanswered += len(self._tasks)
        return self._measured(rate * items, max(seconds, self._last - start), items)

    async def closed_loop(self, connections, seconds, items=1):
        """Send one request after another over so many connections."""
        start = time.perf_counter()
        end = start + seconds

        async def client():
            while (now := time.perf_counter()) < end:
                await self._exchange(now, next(self._requests))

        await asyncio.gather(*(client() for _ in range(connections)))
        await self._settle()
        return self._measured(0.0, self._last - start, items)

    def close(self):
        """Disconnect."""
        for task in self._tasks:
            task.cancel()
        while self._idle:
            self._idle.pop().close()

    async def _settle(self):
        """Wait for the last answers, and for those to what they lead to."""
        end = time.perf_counter() + PATIENCE
        while self._tasks and time.perf_counter() < end:
            await asyncio.wait(self._tasks, timeout=1.0)

    def _give_up(self):
        """Forget requests that still wait for a connection: their senders have lost patience."""
        self.unsent += len(self._waiting)
        while self._waiting:
            self._waiting.popleft().cancel()

    def _measured(self, offered, seconds, items):
        found = Measured(offered, seconds, np.array(self._latencies), items=items)
        found.statuses, found.unanswered = Counter(self.statuses), self.unanswered
        self._latencies, self.statuses, self.unanswered = [], Counter(), 0
        return found

    def _dispatch(self, due, request):
        task = asyncio.get_running_loop().create_task(self._exchange(due, request))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _exchange(self, due, request):
        reply = await self._send(request)
        self._last = time.perf_counter()
        if reply is None:
            self.unanswered += 1
            return
        self.statuses[reply.status] += 1
        if reply.status < 300:
            self._latencies.append(self._last - due)
            for further in self._after(reply):
                task = asyncio.get_running_loop().create_task(self._aside(further))
                self._tasks.add(task)
                task.add_done_callback(self._tasks.discard)

    async def _aside(self, request):
        reply = await self._send(request)
        self.side_statuses[0 if reply is None else reply.status] += 1

    async def _send(self, request):
        """The reply, or None if the server does not answer."""
        await self._turn()
        try:
            while self._idle:
                reused = self._idle.pop()
                # The server closes idle connections, perhaps at this moment: then take another.
                with contextlib.suppress(ConnectionError):
                    return await self._over(reused, request)
            return await self._over(await Connection.open(self._address), request)
        except OSError as error:
            self.reasons[repr(error)] += 1
            return None
        finally:
            self._count -= 1
            if self._waiting:
                self._waiting.popleft().set_result(None)

    async def _turn(self):
        """Wait until there are few enough connections in use."""
        while self._count >= MOST_CONNECTIONS:
            turn = asyncio.get_running_loop().create_future()
            self._waiting.append(turn)
            await turn
        self._count += 1

    async def _over(self, connection, request):
        try:
            reply = await connection.send(request)
        except asyncio.CancelledError:
            connection.close()
            raise
        if connection.open_still:
            self._idle.append(connection)
        return reply


def post(path, body, key=None):
    """A request."""
    return encode_request("POST", path, body, key)
