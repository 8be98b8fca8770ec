"""Reuse of trials that another experiment has played in exactly the same way."""

from collections.abc import Iterable, Iterator
from pathlib import Path

from jostle.lab.results.folder import FolderError, read
from jostle.lab.results.model import Run
from jostle.lab.results.outcome import Outcome
from jostle.lab.spec.plan import Trial


def reusable_runs(outcome: Outcome, folders: Iterable[Path]) -> Iterator[Run]:
    """The runs missing from ``outcome`` that experiments in ``folders`` have played identically."""
    found: set[Trial] = set()
    for folder in folders:
        if len(found) == len(outcome.missing()):
            return
        try:
            other = read(folder)
        except FolderError:
            continue  # absent or damaged, which does not concern this experiment
        for run in outcome.reusable(other):
            if run.trial not in found:
                found.add(run.trial)
                yield run
