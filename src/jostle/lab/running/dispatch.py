"""Dispatch trials to workers: who plays what next, what happens to a lost one, then timing."""

from collections import Counter
from collections.abc import Generator, Iterator

from jostle.lab.results.model import Broken, Event, Timed, Times
from jostle.lab.running.worker import DONE, Lost, Message, Play, Task, Time, WorkerError, Workers
from jostle.lab.spec.experiment import Tuning
from jostle.lab.spec.plan import Timing, Trial

PASSES = 3  # over the policies to be timed, so that other work on the machine affects all alike
TRIES = 3  # of a task whose worker is lost

Program = tuple[str, str]
"""What has to be compiled for a trial: an environment and a policy, by name."""


class Schedule:
    """Trials yet to be played, handed out so that few programs are compiled twice.

    A policy takes seconds to compile, often less to run, and every worker compiles for itself. So a
    free worker gets, in this order: the first trial, if no worker has compiled its program yet; one
    whose program it has compiled itself; one of the program with the most trials left.
    """

    def __init__(self, trials: list[Trial]):
        self._waiting = list(trials)
        self._started: set[Program] = set()
        self._compiled: dict[int, set[Program]] = {}

    def __len__(self) -> int:
        return len(self._waiting)

    def next(self, worker: int) -> Trial | None:
        """The next trial for ``worker``, or None if it is better left idle."""
        trial = self._fresh() or self._warm(worker) or self._stolen()
        if trial is not None:
            self._waiting.remove(trial)
            self._started.add(trial.program)
            self._compiled.setdefault(worker, set()).add(trial.program)
        return trial

    def put_back(self, trial: Trial, worker: int) -> None:
        """Return the trial of a lost worker to the front, and forget what it had compiled."""
        self._waiting.insert(0, trial)
        self._compiled.pop(worker, None)

    def drop(self, program: Program) -> None:
        """Skip the remaining trials of a program."""
        self._waiting = [trial for trial in self._waiting if trial.program != program]

    def _fresh(self) -> Trial | None:
        fresh = self._waiting and self._waiting[0].program not in self._started
        return self._waiting[0] if fresh else None

    def _warm(self, worker: int) -> Trial | None:
        mine = self._compiled.get(worker, set())
        return next((trial for trial in self._waiting if trial.program in mine), None)

    def _stolen(self) -> Trial | None:
        # The last trial of a program is left to the worker that has compiled it, if any has.
        compiled = set().union(*self._compiled.values()) if self._compiled else set()
        left = Counter(trial.program for trial in self._waiting)
        for program, count in left.most_common():
            if count > 1 or program not in compiled:
                return next(trial for trial in self._waiting if trial.program == program)
        return None


def compare(
    trials: list[Trial],
    workers: Workers,
    *,
    tuning: Tuning | None = None,
    timed: list[Timing] | None = None,
) -> Generator[Event]:
    """Play ``trials`` and yield events: progress, finished runs, errors, times.

    The results depend neither on the engine, nor on the number of workers, nor on the order in
    which runs finish. A lost worker is replaced and its trial played again; a policy that raises an
    error is not played again on that environment. The timings of ``timed`` are made once all runs
    are finished, one at a time so that no other run disturbs the measurement, in a few passes of
    which the best counts; each pass reports the best so far.
    """
    return _Comparing(workers, tuning or Tuning(), trials, timed or []).events()


class _Comparing:
    def __init__(self, workers: Workers, tuning: Tuning, trials: list[Trial], timed: list[Timing]):
        self._workers = workers
        self._tuning = tuning
        self._schedule = Schedule(trials)
        self._timed = list(timed)
        self._keepers: dict[Program, int] = {}  # the worker that can time a policy at once
        self._doing: dict[int, Task] = {}
        self._losses: Counter[Trial] = Counter()

    def events(self) -> Generator[Event]:
        """All events, in order."""
        for worker in range(len(self._workers)):
            self._hand_out(worker)
        while self._doing:
            for worker, message in self._workers.receive():
                event = self._take(worker, message)
                if event is not None:
                    yield event
                if worker not in self._doing:
                    self._hand_out(worker)
        best: dict[Timing, Times] = {}
        for number in range(PASSES):
            for timing in list(self._timed):
                if timing not in self._timed:  # its policy has raised an error in this pass
                    continue
                last = number == PASSES - 1 and timing == self._last(timing.trial.program)
                for event in self._time(timing, keep=not last):
                    if isinstance(event, Timed):
                        before = best.get(timing, event.times)
                        best[timing] = Times(*map(min, event.times, before))
                        event = event._replace(times=best[timing])
                    yield event

    def _last(self, program: Program) -> Timing:
        """The last timing of a program in a pass."""
        return [timing for timing in self._timed if timing.trial.program == program][-1]

    def _hand_out(self, worker: int) -> None:
        """Send a worker its next trial, if there is one for it."""
        trial = self._schedule.next(worker)
        if trial is not None:
            timed = {timing.trial.program for timing in self._timed}
            keep = trial.program in timed and trial.program not in self._keepers
            if keep:
                self._keepers[trial.program] = worker
            self._send(worker, Play(trial, self._tuning, keep))

    def _time(self, timing: Timing, keep: bool) -> Iterator[Event]:
        keeper = self._keepers.setdefault(timing.trial.program, 0)
        self._send(keeper, Time(timing, self._tuning, keep))
        while self._doing:
            for worker, message in self._workers.receive():
                event = self._take(worker, message)
                if event is not None:
                    yield event

    def _send(self, worker: int, task: Task) -> None:
        self._doing[worker] = task
        self._workers.send(worker, task)

    def _take(self, worker: int, message: Message) -> Event | None:
        """Update the books for a message of a worker; the event to pass on, if it is one."""
        if message == DONE:
            del self._doing[worker]
            return None
        if isinstance(message, Lost):
            self._replace(worker, message)
            return None
        if isinstance(message, Broken):
            program = message.trial.program
            self._schedule.drop(program)
            self._timed = [timing for timing in self._timed if timing.trial.program != program]
        return message

    def _replace(self, worker: int, lost: Lost) -> None:
        """Start another worker and repeat the task of the lost one."""
        task = self._doing.pop(worker, None)
        self._keepers = {p: keeper for p, keeper in self._keepers.items() if keeper != worker}
        self._workers.start(worker)
        if task is None:
            return
        trial = task.trial
        self._losses[trial] += 1
        if self._losses[trial] == TRIES:
            raise WorkerError(
                f"{lost.message}, {TRIES} times, while playing {trial.policy} on "
                f"{trial.environment}, seed {trial.seed}"
            )
        if isinstance(task, Time):
            self._send(worker, task)
        else:
            self._schedule.put_back(trial, worker)
