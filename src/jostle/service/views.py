"""``View``: what deciding reads, in a file that the learner writes and the server loads."""

from pathlib import Path
from typing import Any, NamedTuple

import jax
import numpy as np

from jostle import serialization
from jostle.deciding import KIND, DecidingView
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
    header, state = _contents(fold)
    path.parent.mkdir(parents=True, exist_ok=True)
    serialization.write(path, header, state, KIND)


def load_view(path: Path) -> View:
    """The view in a file."""
    return _view(*serialization.read(path, KIND))


def view_of(fold: Fold) -> View:
    """What decisions need of a fold."""
    header, state = _contents(fold)
    return _view(header, jax.tree.leaves(state))


def _contents(fold: Fold) -> tuple[dict[str, Any], Any]:
    header, state = fold.agent.deciding_view().as_data()
    fixed, underway = fold.moments
    facts = {
        "epoch": fold.epoch,
        "position": fold.position,
        "model_version": fold.version,
        "observations": fold.agent.observations,
        "moments": [fixed, [[name, seen, []] for name, seen, _ in underway]],
    }
    return {**header, **facts}, state


def _view(header: dict[str, Any], leaves: list[np.ndarray]) -> View:
    return View(
        header["epoch"],
        header["position"],
        header["model_version"],
        header["observations"],
        header["moments"],
        header,
        leaves,
    )
