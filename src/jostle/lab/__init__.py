"""The laboratory: experiments as data, played, kept, analysed and shown.

spec/      what an experiment is: data, from the paper's figures to a TOML file
running/   playing it: trials, tuning and timing, by workers here or on a Ray cluster
results/   what it produced, in memory and in a folder that loses nothing
analysis/  what the results say: rankings, intervals, ablations, claims
render/    how they are shown: terminal, Markdown, HTML, figures

Imports point one way: running -> results -> spec, and render -> analysis -> results.
"""

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from jostle.lab.results.folder import read
    from jostle.lab.running.runner import run
    from jostle.lab.spec.experiment import Experiment, Tuning

__all__ = ["Experiment", "Tuning", "read", "run"]

_HOMES = {
    "Experiment": "jostle.lab.spec.experiment",
    "Tuning": "jostle.lab.spec.experiment",
    "read": "jostle.lab.results.folder",
    "run": "jostle.lab.running.runner",
}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'jostle.lab' has no attribute {name!r}")
    return getattr(importlib.import_module(_HOMES[name]), name)
