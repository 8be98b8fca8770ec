"""The learner is another process: what happens if it dies."""

import os
import signal
import time

import pytest
from service_support import SMALL, Bench

from jostle.service.replay import replay
from jostle.service.service_settings import ServiceSettings


def wait_for(condition, seconds=60.0):
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "it did not happen in time"
        time.sleep(0.05)


@pytest.mark.study
def test_a_dead_learner_is_started_again_and_deciding_goes_on(tmp_path):
    bench = Bench(tmp_path, ServiceSettings(publish=0.05, snapshot=0.5, close_interval=0.02))
    bench.create(SMALL)
    service = bench.service

    def learn_until(count):
        bench.pass_time(10)
        wait_for(lambda: service.statistics("a").learned == count)

    for i in range(5):
        bench.decide(str(i))
    learn_until(5)
    assert service.health().learner == "running"
    os.kill(service._learner.pid, signal.SIGKILL)
    wait_for(lambda: service.health().learner == "restarting" or service._learner.restarts)
    for i in range(5, 10):
        assert bench.decide(str(i)).created
    learn_until(10)
    health = service.health()
    assert (health.ready, health.learner, health.learner_restarts) == (True, "running", 1)
    wait_for(lambda: service.health().lag_records == 0)
    bench.close()
    again = replay(tmp_path, "a", verify=True)
    assert (again.errors, again.observations, again.decisions) == ((), 10, 10)
