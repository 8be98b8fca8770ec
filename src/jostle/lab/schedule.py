"""Which worker plays which trial next."""

from collections import Counter

from jostle.lab.plan import Trial


class Schedule:
    """Trials yet to be played, handed out so that few programs are compiled twice.

    A policy costs seconds to compile and often less to run, and every worker compiles for itself.
    So, in this order, a worker that is free is given: a policy nobody has played yet; a trial of a
    policy it has compiled, the lowest seed first; a trial of the policy with most left to do.
    """

    def __init__(self, trials: list[Trial]):
        self._waiting = list(trials)
        self._started: set[str] = set()
        self._compiled: dict[int, set[str]] = {}

    def __len__(self) -> int:
        return len(self._waiting)

    def next(self, worker: int) -> Trial | None:
        """The next trial for ``worker``, or None when it is better left idle."""
        trial = self._fresh() or self._warm(worker) or self._stolen()
        if trial is not None:
            self._waiting.remove(trial)
            self._started.add(trial.policy)
            self._compiled.setdefault(worker, set()).add(trial.policy)
        return trial

    def _fresh(self) -> Trial | None:
        return next((trial for trial in self._waiting if trial.policy not in self._started), None)

    def _warm(self, worker: int) -> Trial | None:
        mine = self._compiled.get(worker, set())
        return next((trial for trial in self._waiting if trial.policy in mine), None)

    def _stolen(self) -> Trial | None:
        # The last trial of a policy is left to the worker that has compiled it.
        left = Counter(trial.policy for trial in self._waiting)
        for policy, count in left.most_common(1):
            if count > 1:
                return next(trial for trial in self._waiting if trial.policy == policy)
        return None
