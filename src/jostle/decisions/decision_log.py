"""``DecisionLog``: closed decisions as rows of a log that other policies are evaluated on."""

import os
from typing import Any, NamedTuple

import numpy as np

from jostle.logs.chances import warn_of_no_chance
from jostle.logs.journal import Journal

COLUMNS = ("id", "time", "action", "reward", "probability", "mask", "arms", "features")


class Shown(NamedTuple):
    """What a row of a log needs of a decision beside its outcome."""

    rows: np.ndarray  # (k, features), of all actions
    names: list[str]
    probabilities: list[float] | None  # None if only that of the action taken is known


class DecisionLog:
    """Writes decisions to a ``Journal``.

    Arguments:
        path: a JSON lines or Parquet file.
        features: how many features each action has.
        own: whether the policy decides itself, so that it knows the probability of every action;
            otherwise the caller states that of the baseline.
    """

    def __init__(self, path: str | os.PathLike[str], *, features: int, own: bool):
        self._own = own
        columns = (*COLUMNS, "probabilities") if own else COLUMNS
        adaptive = True if own else None
        self._journal = Journal(path, features=features, adaptive=adaptive, columns=columns)
        self._warned = False

    def shown(self, rows: np.ndarray, names: list[Any], probabilities: Any) -> Shown:
        """What to keep of a decision while it is open.

        Arguments:
            rows: (k, features), those of all actions.
            names: of the actions.
            probabilities: with which the policy chooses each of them.
        """
        all_known = [float(each) for each in probabilities] if self._own else None
        if all_known is not None and not self._warned:
            self._warned = warn_of_no_chance(all_known, stacklevel=4)
        return Shown(rows.copy(), [str(name) for name in names], all_known)

    def write(self, decision: Any, opened: float, shown: Shown, reward: float) -> None:
        """Append a closed decision."""
        values = (
            decision.id,
            opened,
            decision.index,
            reward,
            decision.probability,
            [True] * len(shown.names),
            shown.names,
            shown.rows.tolist(),
        )
        row = dict(zip(COLUMNS, values, strict=True))
        if self._own:
            row["probabilities"] = shown.probabilities
        self._journal.write(row)

    def save(self) -> int:
        """Bring all rows to the disk; return where the next one will begin."""
        self._journal.finish()
        return self._journal.size

    def ids_since(self, position: int) -> set[str]:
        """The ids of decisions that were written after ``save`` returned ``position``."""
        return {row["id"] for row in self._journal.after(position)}
