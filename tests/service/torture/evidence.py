"""Whether a log holds what was acknowledged, once, and whether its state follows from it."""

import asyncio
import time

import msgspec

from jostle.service.log.records import Kind, decode
from jostle.service.log.sqlite import SqliteLog
from jostle.service.messages import Config
from jostle.service.replay import replay
from jostle.service.service import Service
from jostle.service.service_settings import ServiceSettings
from jostle.service.snapshots import Snapshots
from torture.clients import APP
from torture.wire import Connection

CONFIG = Config(policy="lin-ts", dimensions=8, wait=0.5, aggregation="sum")
DATA = "jostle-data"


def prepare(folder, config=CONFIG, app=APP):
    """Make the data of a service with one app, whose model is quickly made."""

    async def make():
        service = Service.open(folder / DATA, ServiceSettings(learner=False))
        await service.create_app(app, config)
        service.close()

    asyncio.run(make())
    return folder / DATA


class Evidence:
    """What a log says, read further after each crash."""

    def __init__(self, data):
        self.data = data
        self.decided, self.rewarded, self.closed = {}, {}, {}
        self._position = 0

    def read(self):
        """Read what was appended since; a list of errors."""
        log, errors = SqliteLog(self.data), []
        for record in log.records(after=self._position):
            self._position = record.position
            if record.kind == Kind.DECIDED:
                if record.event in self.decided:
                    errors.append(f"{record.event} was decided twice")
                self.decided[record.event] = decode(record).answer, record.position
            elif record.kind == Kind.REWARDED:
                if record.event in self.rewarded:
                    errors.append(f"{record.event} was rewarded twice")
                self.rewarded[record.event] = decode(record).state
            elif record.kind == Kind.CLOSED:
                closed = decode(record)
                if closed.decided in self.closed:
                    errors.append(f"{record.event} was closed twice")
                self.closed[closed.decided] = closed
        log.close()
        return errors

    def lost(self, clients):
        """What was acknowledged and is not in the log, or otherwise."""
        lost = [
            f"decision {event}"
            for event, answer in clients.decided.items()
            if self.decided.get(event, (None,))[0] != answer
        ]
        lost += [f"reward {event}" for event in clients.rewarded if event not in self.rewarded]
        return lost


def finish(server, seconds=120.0):
    """Wait until everything is closed and learned, and stop the server."""
    try:
        asyncio.run(_settled(server.address, seconds))
    except BaseException:
        server.kill()
        raise
    server.stop()


async def _settled(address, seconds):
    connection, end = await Connection.open(address), time.monotonic() + seconds
    while True:
        reply = await connection.ask("GET", f"/v1/apps/{APP}/statistics?buckets=1")
        found = msgspec.json.decode(reply.body)
        if not found["open"] and found["learned"] == found["totals"]["closed"]:
            connection.close()
            return
        assert time.monotonic() < end, f"not everything was learned: {found}"
        await asyncio.sleep(0.2)


def replayed(data, evidence):
    """Replay everything; the result and a list of errors."""
    found = replay(data, APP, verify=True)
    errors = list(found.errors)
    learned = sum(each.reward is not None for each in evidence.closed.values())
    if len(evidence.closed) != len(evidence.decided):
        errors.append(f"{len(evidence.decided)} decided, {len(evidence.closed)} closed")
    if found.observations != learned:
        errors.append(f"{learned} decisions were closed, {found.observations} learned")
    header, _ = next(Snapshots(data / "apps" / APP / "models").whole())
    short = replay(data, APP, from_snapshot=True)
    if not header["sha256"] == found.sha256 == short.sha256:
        errors.append(f"hashes differ: {header['sha256']}, {found.sha256}, {short.sha256}")
    return found, errors
