"""Find an experiment by name or file: the paper's figures, our own experiments, TOML files."""

from pathlib import Path

from jostle.core.validation import unknown
from jostle.lab.spec.experiment import Experiment
from jostle.lab.spec.extra import EXTRA
from jostle.lab.spec.paper import PAPER

EXPERIMENTS: dict[str, Experiment] = {**PAPER, **EXTRA}
"""Every experiment that has a name."""


def find(text: str) -> Experiment:
    """The experiment with this name, or the one described in this TOML file."""
    if text in EXPERIMENTS:
        return EXPERIMENTS[text]
    if text.endswith(".toml") or Path(text).is_file():
        return Experiment.load(Path(text))
    raise ValueError(
        unknown("experiment", text, EXPERIMENTS) + " Or give the path of a .toml file."
    )
