"""All trials of a plan, played in worker processes, and the policies timed."""

import os
from collections.abc import Generator

from jostle.checks import whole
from jostle.lab.plan import Event, Plan, Timed, Times
from jostle.lab.schedule import Schedule
from jostle.lab.worker import DONE, Failed, Play, Time
from jostle.lab.workers import WorkerError, Workers

PASSES = 3  # over the policies to be timed: other work on the machine then disturbs all alike


def compare(plan: Plan, jobs: int = 1) -> Generator[Event]:
    """Play ``plan`` in ``jobs`` processes and yield news: progress, finished runs, times.

    The numbers do not depend on ``jobs``, nor on the order in which runs finish. Policies are timed
    when all runs are done, one at a time, so that nothing of ours disturbs the measurement, in a
    few passes of which the best counts; each pass tells the best so far. Close the generator (or
    let Ctrl-C pass through it) to end the processes.
    """
    schedule = Schedule(plan.trials())
    kept: dict[str, int] = {}  # which worker can time a policy
    with Workers(min(whole("jobs", jobs), len(schedule))) as workers:
        busy = {
            worker for worker in range(len(workers)) if _hand_out(schedule, workers, worker, kept)
        }
        while busy:
            for worker, news in workers.receive():
                if news == DONE:
                    if not _hand_out(schedule, workers, worker, kept):
                        busy.discard(worker)
                else:
                    yield _checked(news, workers, worker)
        best: dict[str, Times] = {}
        for _ in range(PASSES):
            for policy in plan.policies:
                times = _time(workers, kept[policy], policy)
                best[policy] = Times(*map(min, times, best.get(policy, times)))
                yield Timed(policy, best[policy])


def cores() -> int:
    """How many processes this machine can run at once."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _hand_out(schedule: Schedule, workers: Workers, worker: int, kept: dict[str, int]) -> bool:
    """Give a worker its next trial, if there is one for it."""
    trial = schedule.next(worker)
    if trial is None:
        return False
    keep = trial.policy not in kept
    kept.setdefault(trial.policy, worker)
    workers.send(worker, Play(trial, keep))
    return True


def _time(workers: Workers, worker: int, policy: str) -> Times:
    workers.send(worker, Time(policy))
    times: Times | None = None
    while True:
        for sender, news in workers.receive():
            if news == DONE and times is not None:
                return times
            event = _checked(news, workers, sender)
            if isinstance(event, Timed):
                times = event.times


def _checked(news: Event | Failed, workers: Workers, worker: int) -> Event:
    if isinstance(news, Failed):
        raise WorkerError(f"{news.message} (while {workers.doing(worker)})", news.details)
    return news
