"""The laboratory: run experiments, keep their results, analyse and show them.

spec/        what an experiment is: data, from the paper's figures to a TOML file
results/     what it produced, in memory and in its folder
running/     playing it: trials, tuning and timing, by workers here or on a Ray cluster
analysis/    what the results say: rankings, intervals, ablations, claims
render/      how they are shown: terminal, Markdown, HTML, figures
notebook.py  all of it from Python: ``run`` and ``read``

Imports point one way: running -> results -> spec, and render -> analysis -> results. Only running
needs JAX.
"""

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from jostle.lab.notebook import Results, read, run
    from jostle.lab.spec.experiment import Experiment, Tuning

__all__ = ["Experiment", "Results", "Tuning", "read", "run"]

_HOMES = {
    "Experiment": "jostle.lab.spec.experiment",
    "Tuning": "jostle.lab.spec.experiment",
    "Results": "jostle.lab.notebook",
    "read": "jostle.lab.notebook",
    "run": "jostle.lab.notebook",
}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'jostle.lab' has no attribute {name!r}")
    return getattr(importlib.import_module(_HOMES[name]), name)
