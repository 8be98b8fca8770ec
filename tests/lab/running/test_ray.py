"""A real Ray on this machine: the same numbers, though a worker is killed in mid-run."""

import os
import signal

import pytest

from jostle.lab.results.model import Advanced
from jostle.lab.running.dispatch import compare
from jostle.lab.running.engine import Engine
from jostle.lab.spec.plan import Plan
from lab.examples import gather, same
from lab.running.test_dispatch import WORLD, events

from requirements import package

pytestmark = pytest.mark.study


@pytest.mark.filterwarnings("ignore")  # Ray's own: deprecations and sockets it leaves to the end
def test_two_ray_workers_one_of_them_killed_give_the_same_numbers(monkeypatch):
    package("ray")
    monkeypatch.setenv("RAY_AUTH_MODE", "disabled")
    plan = Plan(WORLD, ("npr:steps=2",), 2000, (0, 1))
    killed = None
    with Engine("ray", 2).workers(2) as workers:
        heard = []
        for event in compare(plan.trials(), workers):
            heard.append(event)
            middle = isinstance(event, Advanced) and 0.2 < event.share < 0.8
            if killed is None and middle and event.trial.policy == "npr:steps=2":
                killed = workers.process(0)
                os.kill(killed, signal.SIGKILL)
        replaced = workers.process(0)
    assert killed is not None
    assert replaced != killed
    made = gather(plan, heard)
    assert made.missing() == []
    assert same(made, gather(plan, events(plan, jobs=1)))
