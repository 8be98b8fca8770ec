"""Trials that two experiments have in common, played once."""

from collections.abc import Iterable, Iterator
from pathlib import Path

from jostle.lab.results.folder import FolderError, read
from jostle.lab.results.model import Run
from jostle.lab.results.outcome import Outcome
from jostle.lab.spec.plan import Trial


def found_elsewhere(outcome: Outcome, folders: Iterable[Path]) -> Iterator[Run]:
    """What ``outcome`` misses and the experiments in ``folders`` have played in just that way."""
    found: set[Trial] = set()
    for folder in folders:
        if len(found) == len(outcome.missing()):
            return
        try:
            other = read(folder)
        except FolderError:
            continue  # absent, or broken: that is no trouble of this experiment
        for run in outcome.alike(other):
            if run.trial not in found:
                found.add(run.trial)
                yield run
