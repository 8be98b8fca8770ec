"""Rounds as the text that Vowpal Wabbit reads (``--cb_explore_adf``).

Two namespaces: ``s``, shared by all actions of a round, and ``a``, one per action. Features that
are the same for all arms, such as those of a user, are shared. An action has its id if arms have
ids, and those features that differ between arms. In the disjoint model all features are shared and
an action is its id alone, so that the products of both namespaces give every arm weights of its
own.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from jostle.core.contexts import Blocks
from jostle.peers.stream import Chunk


@dataclass(frozen=True)
class Layout:
    """Which of the features are shared, and whether actions have ids."""

    shared: np.ndarray
    own: np.ndarray
    ids: bool

    @classmethod
    def of(cls, chunk: Chunk) -> "Layout":
        """As the first rounds show it."""
        x = _vectors(chunk.round.contexts)
        present = chunk.round.mask[..., None]
        low = np.where(present, x, np.inf).min(axis=1)
        high = np.where(present, x, -np.inf).max(axis=1)
        same = np.all(low == high, axis=0)
        several = np.any(chunk.round.mask.sum(axis=1) > 1)
        same &= several  # of a single arm nothing can be said
        return cls(np.flatnonzero(same), np.flatnonzero(~same), bool((chunk.round.arms >= 0).any()))

    @property
    def interactions(self) -> str:
        """The products that a model needs: shared x action, and action x action for features."""
        crossed = ["-q sa"] if self.shared.size else []
        return " ".join([*crossed, "-q aa"] if self.own.size else crossed)

    def lines(self, contexts: Any, arms: np.ndarray) -> list[str]:
        """A round of these contexts and arm ids, all of them present, without a label."""
        x = _vectors(contexts)
        lines = [f"shared |s {_features(x[0], self.shared)}"] if self.shared.size else []
        for row, arm in zip(x, arms, strict=True):
            token = f"id{arm} " if self.ids else ""
            lines.append(f"|a {token}{_features(row, self.own)}")
        return lines

    def labelled(
        self, lines: list[str], action: int, reward: float, probability: float
    ) -> list[str]:
        """The round after ``action`` was chosen with ``probability``; a cost is minus a reward."""
        place = action + (1 if self.shared.size else 0)
        label = f"0:{-reward:.7g}:{probability:.7g} "
        return [*lines[:place], label + lines[place], *lines[place + 1 :]]


def _vectors(contexts: Any) -> np.ndarray:
    """The vectors of contexts; in the disjoint model without their block, which the id stands for.

    Ids and blocks are the same numbers there.
    """
    x: np.ndarray = contexts.x if isinstance(contexts, Blocks) else contexts
    return x


def _features(row: np.ndarray, columns: np.ndarray) -> str:
    return " ".join(f"f{column}:{row[column]:.7g}" for column in columns if row[column] != 0)
