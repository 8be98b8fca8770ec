"""The laboratory: experiments as data, played, kept, tuned, drawn and reported.

experiment.py  what to compare; paper.py has every figure of the paper as one
panels.py      an experiment made ready: its plans (plan.py), policies and environments (naming.py)
play.py        one trial; candidates.py and race.py tune it; timing.py measures it
compare.py     all trials, by workers (worker.py) of an engine: local.py or ray.py
store.py       a folder that loses nothing; manifest.py and parquet.py are what it holds
running.py     from the description to the outcome (outcome.py)
table.py, figures.py, headline.py, report.py  what people look at
"""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from jostle.lab.experiment import Experiment, Tuning
    from jostle.lab.running import run
    from jostle.lab.store import read

__all__ = ["Experiment", "Tuning", "read", "run"]

_HOMES = {
    "Experiment": "jostle.lab.experiment",
    "Tuning": "jostle.lab.experiment",
    "read": "jostle.lab.store",
    "run": "jostle.lab.running",
}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'jostle.lab' has no attribute {name!r}")
    import importlib

    return getattr(importlib.import_module(_HOMES[name]), name)
