"""Trials in worker processes: the same numbers whoever plays them, and what goes wrong."""

import os
import signal

import pytest

from jostle.lab.results.model import Advanced, Broken, Run, Timed
from jostle.lab.running.dispatch import Schedule, compare
from jostle.lab.running.engine import Engine
from jostle.lab.running.worker import WorkerError
from jostle.lab.spec.plan import Plan, Timing
from lab.examples import gather, same

WORLD = "h1:features=4,pool=6,shown=3"
PLAN = Plan(WORLD, ("npr.descent:steps=2", "lab.own:First"), 40, (0, 1, 2))


def events(plan, jobs=1, timed=(), engine="local"):
    with Engine(engine, jobs).workers(len(plan.trials())) as workers:
        return list(compare(plan.trials(), workers, timed=list(timed)))


@pytest.fixture(scope="module")
def alone():
    """Everything one worker says of a small plan."""
    timed = [Timing(trial, after) for after in (None, 300) for trial in PLAN.trials()[:2]]
    return events(PLAN, timed=timed)


@pytest.mark.study
def test_news_come_of_every_trial(alone):
    made = gather(PLAN, alone)
    assert made.missing() == []
    assert len({run.regret for run in made.of("npr.descent:steps=2")}) == 3  # seeds differ
    last = {event.trial: event.share for event in alone if isinstance(event, Advanced)}
    assert last == dict.fromkeys(PLAN.trials(), 1.0)
    assert [isinstance(event, Run) for event in alone].count(True) == 6
    last_pass = [(event.policy, event.after) for event in alone[-4:]]
    assert last_pass == [(policy, after) for after in (None, 300) for policy in PLAN.policies]
    assert all(isinstance(event, Timed) for event in alone[-4:])
    assert all(0 < times.choosing < 1000 for times in made.times.values())


@pytest.mark.study
def test_the_numbers_do_not_depend_on_the_number_of_workers(alone):
    assert same(gather(PLAN, alone), gather(PLAN, events(PLAN, jobs=2)))


@pytest.mark.study
def test_an_error_in_a_policy_is_told_and_the_others_go_on():
    plan = Plan(WORLD, ("lab.own:Broken", "lab.own:First"), 10, (0, 1))
    heard = events(plan)
    broken = [event for event in heard if isinstance(event, Broken)]
    assert [event.trial.seed for event in broken] == [0]  # the other seed is not tried
    assert broken[0].message == "RuntimeError: broken on purpose"
    assert "own.py" in broken[0].details
    assert len(gather(plan, heard).of("lab.own:First")) == 2


@pytest.mark.study
def test_a_worker_that_dies_again_and_again_is_an_error_and_not_a_hang():
    message = "ended by signal SIGKILL.*, 3 times, while playing lab.own:Dying on .*, seed 0"
    with pytest.raises(WorkerError, match=message):
        events(Plan(WORLD, ("lab.own:Dying",), 10, (0,)))


@pytest.mark.study
def test_the_trial_of_a_lost_worker_is_played_by_another(alone):
    with Engine("local", 2).workers(6) as workers:
        heard = []
        for event in compare(PLAN.trials(), workers):
            if not heard:
                os.kill(workers.process(0), signal.SIGKILL)
            heard.append(event)
    assert same(gather(PLAN, alone), gather(PLAN, heard))


def schedule(policies, seeds):
    return Schedule(Plan("h1", tuple(policies), 10, tuple(range(seeds))).trials())


def test_a_lone_worker_plays_seed_by_seed():
    one = schedule("ab", 2)
    played = [one.next(0) for _ in range(4)]
    assert [(t.policy, t.seed) for t in played] == [("a", 0), ("b", 0), ("a", 1), ("b", 1)]
    assert one.next(0) is None


def test_workers_stay_with_what_they_have_compiled():
    two = schedule("ab", 3)
    assert [two.next(w).policy for w in (0, 1, 0, 0, 1)] == ["a", "b", "a", "a", "b"]


def test_an_idle_worker_helps_but_leaves_the_last_trial():
    two = schedule("a", 4)
    assert two.next(0).seed == 0
    assert two.next(1).seed == 1
    assert two.next(0).seed == 2
    three = schedule("a", 2)
    assert three.next(0).seed == 0
    assert three.next(1) is None
    assert three.next(0).seed == 1
    assert len(three) == 0


def test_the_trial_of_a_lost_worker_is_played_by_whoever_is_free():
    two = schedule("ab", 1)
    lost = two.next(0)
    two.next(1)
    two.put_back(lost, 0)
    assert two.next(1) == lost


def test_a_dropped_program_is_played_no_more():
    two = schedule("ab", 2)
    two.drop(("h1", "a"))
    assert [two.next(0).policy for _ in range(2)] == ["b", "b"]
    assert len(two) == 0


def test_what_comes_last_is_played_last_though_nobody_has_compiled_it():
    dear = Plan("h1", ("c",), 10, (0,)).trials()
    two = Schedule([*Plan("h1", ("a", "b"), 10, (0, 1)).trials(), *dear])
    assert [two.next(w).policy for w in (0, 1, 0, 1, 0)] == ["a", "b", "a", "b", "c"]
