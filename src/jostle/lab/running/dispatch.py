"""All trials of an experiment, played by workers, and the policies timed."""

from collections import Counter
from collections.abc import Generator, Iterator
from typing import Any

from jostle.lab.results.model import Broken, Event, Timed, Times
from jostle.lab.running.schedule import Program, Schedule
from jostle.lab.running.worker import DONE, Lost, News, Play, Task, Time, WorkerError, Workers
from jostle.lab.spec.experiment import Tuning
from jostle.lab.spec.plan import Trial

PASSES = 3  # over the policies to be timed: other work on the machine then disturbs all alike
TRIES = 3  # of a task whose worker is lost


def compare(
    trials: list[Trial],
    workers: Workers,
    *,
    tuning: Tuning | None = None,
    timed: list[Trial] | None = None,
) -> Generator[Event]:
    """Play ``trials`` and yield news: progress, finished runs, times.

    The numbers depend neither on the engine, nor on how many workers there are, nor on the order in
    which runs finish. A worker that is lost is replaced and its trial played again; a policy that
    raises an error is left out from then on. The policies of ``timed`` are timed when all runs are
    done, one at a time, so that nothing of ours disturbs the measurement, in a few passes of which
    the best counts; each pass tells the best so far.
    """
    return _Comparing(workers, tuning or Tuning(), trials, timed or []).events()


class _Comparing:
    def __init__(self, workers: Workers, tuning: Tuning, trials: list[Trial], timed: list[Trial]):
        self._workers = workers
        self._tuning = tuning
        self._schedule = Schedule(trials)
        self._timed = {trial.program: trial for trial in timed}
        self._keepers: dict[Program, int] = {}  # which worker can time a policy at once
        self._doing: dict[int, Task] = {}
        self._losses: Counter[Trial] = Counter()

    def events(self) -> Generator[Event]:
        """Everything, in order."""
        for worker in range(len(self._workers)):
            self._hand_out(worker)
        while self._doing:
            for worker, news in self._workers.receive():
                event = self._take(worker, news)
                if event is not None:
                    yield event
                if worker not in self._doing:
                    self._hand_out(worker)
        best: dict[Program, Times] = {}
        for number in range(PASSES):
            for trial in list(self._timed.values()):
                for event in self._time(trial, keep=number < PASSES - 1):
                    if isinstance(event, Timed):
                        before = best.get(trial.program, event.times)
                        best[trial.program] = Times(*map(min, event.times, before))
                        event = event._replace(times=best[trial.program])
                    yield event

    def _hand_out(self, worker: int) -> None:
        """Give a worker its next trial, if there is one for it."""
        trial = self._schedule.next(worker)
        if trial is not None:
            keep = trial.program in self._timed and trial.program not in self._keepers
            if keep:
                self._keepers[trial.program] = worker
            self._send(worker, Play(trial, self._tuning, keep))

    def _time(self, trial: Trial, keep: bool) -> Iterator[Event]:
        self._send(self._keepers.setdefault(trial.program, 0), Time(trial, self._tuning, keep))
        while self._doing:
            for worker, news in self._workers.receive():
                event = self._take(worker, news)
                if event is not None:
                    yield event

    def _send(self, worker: int, task: Task) -> None:
        self._doing[worker] = task
        self._workers.send(worker, task)

    def _take(self, worker: int, news: News) -> Event | None:
        """What is worth telling of a piece of news."""
        if news == DONE:
            del self._doing[worker]
            return None
        if isinstance(news, Lost):
            self._replace(worker, news)
            return None
        if isinstance(news, Broken):
            self._schedule.drop(news.trial.program)
            self._timed.pop(news.trial.program, None)
        event: Any = news
        return event

    def _replace(self, worker: int, lost: Lost) -> None:
        """Start another worker and have it do what the lost one did."""
        task = self._doing.pop(worker, None)
        self._keepers = {p: keeper for p, keeper in self._keepers.items() if keeper != worker}
        self._workers.start(worker)
        if task is None:
            return
        trial = task.trial
        self._losses[trial] += 1
        if self._losses[trial] == TRIES:
            raise WorkerError(
                f"{lost.message}, {TRIES} times, at {trial.policy} on {trial.environment}, "
                f"seed {trial.seed}"
            )
        if isinstance(task, Time):
            self._send(worker, task)
        else:
            self._schedule.put_back(trial, worker)
