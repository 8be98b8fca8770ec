"""A realistic app to load: decisions among 10 actions of 20 features, a fifth of them rewarded."""

import asyncio
import contextlib
import itertools
import json
import os
import time
from pathlib import Path

import numpy as np

from jostle.service.auth import KEY_FILE, Keys
from jostle.service.messages import Config
from torture.evidence import prepare
from torture.generator import post
from torture.wire import fetch

from served_process import ServedProcess

APP = "shop"
ACTIONS, FEATURES = 10, 20
BODIES = 256
"""Different requests, which are sent in turns."""
REWARDED = 5
"""One decision of so many is rewarded; the others get the default reward."""
WAIT = 2.0
"""Seconds after which decisions are closed and learned."""
DECISIONS = f"/v1/apps/{APP}/decisions"
BATCHES = f"/v1/apps/{APP}/batches/decisions"
CONFIG = Config(wait=WAIT)
"""The default policy (npr.online), and everything else by default, too."""
ID = len('{"event_id":"')


@contextlib.contextmanager
def served_shop(folder, config=CONFIG, **variables):
    """A server with the app, and a key; it is stopped at the end."""
    folder.mkdir(exist_ok=True)
    data = prepare(folder, config, APP)
    key = Keys(data / KEY_FILE).create({"*": ["admin"]}, "torture")[1]
    server = ServedProcess(folder, **variables)
    server.key = key
    try:
        yield server
    except BaseException:
        server.kill()
        raise
    server.stop()


def decisions(seed=0):
    """Bodies of decisions without ids."""
    rng = np.random.default_rng(seed)
    names = [f"f{place}" for place in range(FEATURES)]
    return [
        {
            "context": {"hour": int(rng.integers(24)), "device": "phone", "age": _number(rng)},
            "actions": [
                {"id": f"a{k}", "features": {name: _number(rng) for name in names}}
                for k in range(ACTIONS)
            ],
        }
        for _ in range(BODIES)
    ]


def single_requests(key):
    """Requests for single decisions, for ever."""
    bodies = [json.dumps(each).encode() for each in decisions()]
    return itertools.cycle([post(DECISIONS, body, key) for body in bodies])


def batch_requests(key, size):
    """Requests for batches of decisions, for ever."""
    bodies = decisions()
    made = [
        json.dumps({"decisions": [bodies[(first + i) % BODIES] for i in range(size)]}).encode()
        for first in range(0, BODIES, 16)
    ]
    return itertools.cycle([post(BATCHES, body, key) for body in made])


class Rewards:
    """Makes the reward of every fifth decision."""

    def __init__(self, key):
        self._key, self._count = key, 0

    def __call__(self, reply):
        self._count += 1
        if self._count % REWARDED:
            return ()
        event = reply.body[ID : reply.body.index(b'"', ID)].decode()
        return (post(f"{DECISIONS}/{event}/rewards", b'{"value": 1}', self._key),)


async def statistics(address, key):
    """The app's statistics."""
    path = f"/v1/apps/{APP}/statistics?buckets=1"
    return json.loads((await fetch(address, "GET", path, key=key)).body)


def resident(process):
    """Bytes of memory that a process has, without what it shares with files."""
    try:
        pages = Path(f"/proc/{process}/statm").read_text().split()
    except OSError:
        return 0
    return (int(pages[1]) - int(pages[2])) * os.sysconf("SC_PAGE_SIZE")


def processor_seconds(process):
    """Seconds of processor time that a process has used."""
    fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


async def wait_until_learning(address, key, seconds=120.0):
    """Until the learner has learned something: before that it compiles."""
    end, body = time.monotonic() + seconds, json.dumps(decisions()[0]).encode()
    while not (await statistics(address, key))["learned"]:
        assert time.monotonic() < end, "nothing was learned"
        await fetch(address, "POST", DECISIONS, body, key)
        await asyncio.sleep(0.3)


def _number(rng):
    return round(float(rng.normal()), 4)
