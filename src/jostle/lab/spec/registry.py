"""Experiments by name: the paper's figures and our own."""

from pathlib import Path

from jostle.core.validation import unknown
from jostle.lab.spec.experiment import Experiment
from jostle.lab.spec.extra import BEYOND
from jostle.lab.spec.paper import PAPER

KNOWN: dict[str, Experiment] = {**PAPER, **BEYOND}


def find(text: str) -> Experiment:
    """The experiment of a figure of the paper, one of our own, or that of a file."""
    if text in KNOWN:
        return KNOWN[text]
    if text.endswith(".toml") or Path(text).is_file():
        return Experiment.load(Path(text))
    raise ValueError(unknown("experiment", text, KNOWN) + " Or name a .toml file.")
