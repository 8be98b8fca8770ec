"""Clients that decide and reward until the server dies, and remember what was acknowledged.

What was sent and not acknowledged is sent again to the next server, with the same ids, as a client
should.
"""

import asyncio
import json
from collections import Counter

from torture.wire import Connection

APP = "a"
CLIENTS = 8
ACTIONS = [{"id": each} for each in "xyz"]


class Clients:
    """Several clients of one app, through many lives of its server.

    Arguments:
        stamp: called at each acknowledgement; tells when that was.
    """

    def __init__(self, stamp=lambda: 0):
        self._stamp = stamp
        self.moments = []
        """(stamp, kind, event) of each acknowledgement, when it came."""
        self.decided = {}
        """The answer to each decision that was acknowledged, by event."""
        self.rewarded = {}
        """What became of each reward that was acknowledged, by event."""
        self.unanswered = []
        """(event, kind) of requests that nobody has answered."""
        self.statuses = Counter()
        self.errors = []
        self._session = 0

    async def work(self, address, seconds):
        """Decide and reward for a while, or until the server has gone."""
        self._session += 1
        again, self.unanswered = self.unanswered, []
        sends = [self._client(address, number, again[number::CLIENTS]) for number in range(CLIENTS)]
        tasks = [asyncio.create_task(each) for each in sends]
        _, late = await asyncio.wait(tasks, timeout=seconds)
        return late

    def run(self, server, seconds, kill):
        """Work, and ``kill`` the server after some seconds, in the middle of it."""

        async def session():
            late = await self.work(server.address, seconds)
            await asyncio.to_thread(kill)
            if late:
                await asyncio.wait(late, timeout=10)
            for task in late:
                task.cancel()

        asyncio.run(session())

    async def _client(self, address, number, again):
        try:
            connection = await Connection.open(address)
            for event, kind in again:
                await self._send(connection, event, kind)
            for i in range(10**9):
                event = f"{self._session}-{number}-{i}"
                await self._send(connection, event, "decide")
                if i % 7 == 0:
                    await self._send(connection, event, "decide")
                if i % 3:
                    await self._send(connection, event, "reward")
                if i % 5 == 0:
                    await self._send(connection, event, "reward")
        except (ConnectionError, OSError):
            pass

    async def _send(self, connection, event, kind):
        path, body = f"/v1/apps/{APP}/decisions", request_body(event)
        if kind == "reward":
            path, body = f"{path}/{event}/rewards", b'{"value": 1, "reward_id": "r"}'
        try:
            reply = await connection.ask("POST", path, body)
        except ConnectionError:
            self.unanswered.append((event, kind))
            raise
        self.statuses[reply.status] += 1
        if reply.status >= 300:
            self.unanswered.append((event, kind))
            if reply.status not in (429, 503):
                self.errors.append(f"{kind} {event}: {reply.status} {reply.body[:200]!r}")
            return
        self.moments.append((self._stamp(), kind, event))
        if kind == "decide":
            before = self.decided.setdefault(event, reply.body)
            if before != reply.body:
                self.errors.append(f"{event} was answered {before!r}, then {reply.body!r}")
        else:
            state = json.loads(reply.body)["state"]
            if event in self.rewarded and state != "duplicate":
                self.errors.append(f"the second reward of {event} was {state}")
            self.rewarded.setdefault(event, state)


def request_body(event):
    """A small decision."""
    number = int(event.rpartition("-")[2])
    return json.dumps(
        {"context": {"i": float(number % 7)}, "actions": ACTIONS, "event_id": event}
    ).encode()
