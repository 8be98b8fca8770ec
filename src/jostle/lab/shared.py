"""Trials that two experiments have in common, played once."""

from collections.abc import Iterable, Iterator
from pathlib import Path

from jostle.lab.outcome import Outcome
from jostle.lab.plan import Run, Trial
from jostle.lab.store import FolderError, read


def found_elsewhere(outcome: Outcome, folders: Iterable[Path]) -> Iterator[Run]:
    """What ``outcome`` misses and the experiments in ``folders`` have played in just that way."""
    missing = set(outcome.missing())
    for folder in folders:
        if not missing:
            return
        try:
            other = read(folder)
        except FolderError:
            continue  # absent, or broken: that is no trouble of this experiment
        for run in other.runs():
            if run.trial in missing and _setting(other, run.trial) == _setting(outcome, run.trial):
                missing.remove(run.trial)
                yield run


def _setting(outcome: Outcome, trial: Trial) -> tuple[object, ...]:
    """All that decides the numbers of a trial but its own fields."""
    manifest = outcome.manifest
    return (
        manifest.experiment.tuning,
        manifest.environments[trial.environment],
        manifest.policies[trial.environment][trial.policy],
    )
