"""``View``: what deciding reads, in a file that the learner writes and the server loads."""

from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from jostle import serialization
from jostle.deciding import DecidingView
from jostle.service.fold import Fold


class View(NamedTuple):
    """A model as decisions need it; the server adds its own configuration."""

    epoch: int
    position: int
    version: int
    observations: int
    moments: list[Any]
    """Those that are fixed, and the names of those underway."""
    header: dict[str, Any]
    leaves: list[np.ndarray]

    def deciding(self, policy: dict[str, Any]) -> DecidingView:
        """The view with a policy (its description) of the same state."""
        return DecidingView.from_data({**self.header, "policy": policy}, self.leaves)


def save_view(fold: Fold, path: Path) -> None:
    """Write what decisions need of a fold, whole or not at all."""
    header, state = fold.agent.deciding_view().as_data()
    fixed, underway = fold.moments
    facts = {
        "epoch": fold.epoch,
        "position": fold.position,
        "model_version": fold.version,
        "observations": fold.agent.observations,
        "moments": [fixed, [[name, seen, []] for name, seen, _ in underway]],
    }
    path.parent.mkdir(parents=True, exist_ok=True)
    serialization.write(path, {**header, **facts}, state, "view")


def load_view(path: Path) -> View:
    """The view in a file."""
    header, leaves = serialization.read(path, "view")
    return View(
        header["epoch"],
        header["position"],
        header["model_version"],
        header["observations"],
        header["moments"],
        header,
        leaves,
    )
