"""Which worker plays which trial next."""

from collections import Counter

from jostle.lab.spec.plan import Trial

Program = tuple[str, str]


class Schedule:
    """Trials yet to be played, handed out so that few programs are compiled twice.

    A policy costs seconds to compile and often less to run, and every worker compiles for itself.
    So, in this order, a worker that is free is given: the first trial, if nobody has yet played its
    program (an environment and a policy); one of a program it has compiled; one of the program with
    most left to do.
    """

    def __init__(self, trials: list[Trial]):
        self._waiting = list(trials)
        self._started: set[Program] = set()
        self._compiled: dict[int, set[Program]] = {}

    def __len__(self) -> int:
        return len(self._waiting)

    def next(self, worker: int) -> Trial | None:
        """The next trial for ``worker``, or None when it is better left idle."""
        trial = self._fresh() or self._warm(worker) or self._stolen()
        if trial is not None:
            self._waiting.remove(trial)
            self._started.add(trial.program)
            self._compiled.setdefault(worker, set()).add(trial.program)
        return trial

    def put_back(self, trial: Trial, worker: int) -> None:
        """Trial and programs of a worker that is gone: the trial waits again, first of all."""
        self._waiting.insert(0, trial)
        self._compiled.pop(worker, None)

    def drop(self, program: Program) -> None:
        """Play no other trial of a program."""
        self._waiting = [trial for trial in self._waiting if trial.program != program]

    def _fresh(self) -> Trial | None:
        fresh = self._waiting and self._waiting[0].program not in self._started
        return self._waiting[0] if fresh else None

    def _warm(self, worker: int) -> Trial | None:
        mine = self._compiled.get(worker, set())
        return next((trial for trial in self._waiting if trial.program in mine), None)

    def _stolen(self) -> Trial | None:
        # The last trial of a program is left to the worker that has compiled it, if there is one.
        known = set().union(*self._compiled.values()) if self._compiled else set()
        left = Counter(trial.program for trial in self._waiting)
        for program, count in left.most_common():
            if count > 1 or program not in known:
                return next(trial for trial in self._waiting if trial.program == program)
        return None
