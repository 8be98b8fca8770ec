"""Killed at random moments, the service loses nothing that it has acknowledged."""

import asyncio
import random
import subprocess
import sys
import time
from pathlib import Path

import pytest
from service_support import make_request

from jostle.service.learner import Learner
from jostle.service.log.records import Kind, decode
from jostle.service.log.sqlite import SqliteLog
from jostle.service.messages import ActionItem
from jostle.service.replay import replay
from jostle.service.service import Service
from jostle.service.service_settings import ServiceSettings

SERVER = Path(__file__).with_name("crash_server.py")


def run_and_kill(data, number, seconds):
    """Let a server work for a while, kill it, and return what it had acknowledged."""
    command = [sys.executable, str(SERVER), str(data), str(number)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout.readline() == "ready\n"
        time.sleep(seconds)
        process.kill()
        lines = process.stdout.read().splitlines(keepends=True)
    return [line.split(" ", 2) for line in lines if line.endswith("\n")]


def check(data, acknowledged):
    """Everything acknowledged is in the log, once, and learned once."""
    log = SqliteLog(data)
    decided, rewarded, closed = {}, {}, []
    for record in log.records():
        if record.kind == Kind.DECIDED:
            assert record.event not in decided
            decided[record.event] = decode(record).answer.decode()
        elif record.kind == Kind.REWARDED:
            rewarded.setdefault(record.event, []).append(decode(record).state)
        elif record.kind == Kind.CLOSED:
            closed.append(decode(record).decided)
    assert len(set(closed)) == len(closed)
    for what, event, detail in acknowledged:
        if what == "decided":
            assert decided[event] == detail.rstrip("\n")
        else:
            assert rewarded[event] == [detail.rstrip("\n")]
    log.close()
    return len(closed)


def learned(data):
    """The hash of the state after everything is learned, and how many observations there were."""
    learner = Learner(data, lambda what: None, publish=3600.0, snapshot=0.0)
    while learner.step():
        pass
    agent = learner.apps["a"].fold
    learner.close()
    return agent.sha256(), agent.agent.observations


def torture(data, times):
    rng, acknowledged = random.Random(0), []
    for number in range(times):
        acknowledged += run_and_kill(data, number, 0.05 + rng.random() * 0.4)
        check(data, acknowledged)
        learned(data)  # so that learning has snapshots in between
    assert any(what == "rewarded" for what, *_ in acknowledged)
    asyncio.run(finish(data, acknowledged))
    count = check(data, acknowledged)
    log = SqliteLog(data)
    assert sum(record.kind == Kind.DECIDED for record in log.records()) == count
    log.close()
    sha256, observations = learned(data)
    assert observations == count
    again = replay(data, "a", verify=True)
    assert (again.errors, again.sha256, again.observations) == ((), sha256, count)


async def finish(data, acknowledged):
    """After the last crash: the same answers again, and every decision is closed."""
    service = Service.open(data, ServiceSettings(learner=False, close_interval=0.02))
    answers = {event: detail for what, event, detail in acknowledged if what == "decided"}
    for event, detail in list(answers.items())[-20:]:
        request = make_request(
            event,
            context={"i": float(int(event.rpartition("-")[2]) % 7)},
            actions=[ActionItem(id=each) for each in "xyz"],
        )
        answer = await service.decide("a", request)
        assert (answer.body.decode() + "\n", answer.created) == (detail, False)
    while service.statistics("a").open:
        await asyncio.sleep(0.05)
    service.close()


@pytest.mark.study
def test_twenty_kills_lose_nothing(tmp_path):
    torture(tmp_path, 20)


def test_a_kill_loses_nothing(tmp_path):
    torture(tmp_path, 1)
