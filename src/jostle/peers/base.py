"""``Peer``: an algorithm of another library, which is not a compiled policy."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from jostle.environments import Environment
from jostle.simulation import Result


class PeerResult(Result):
    """A finished simulation of a peer, which was timed while it was played."""

    def __init__(
        self,
        actions: np.ndarray,
        rewards: np.ndarray,
        regrets: np.ndarray,
        choosing_ms: float,
        learning_ms: float,
    ):
        self.actions = actions
        self.rewards = rewards
        self.regret = np.cumsum(regrets, dtype=np.float64)
        self.scores = None
        self.state = ()
        self.choosing_ms = choosing_ms
        """Milliseconds per choice."""
        self.learning_ms = learning_ms
        """Milliseconds per update."""


@dataclass(frozen=True)
class Peer:
    """An algorithm of another library and its settings. A subclass defines ``play``."""

    behaviour: ClassVar[int] = 1
    """Raised whenever the same settings, seed and stream would give other choices than before."""

    def play(
        self,
        environment: Environment,
        *,
        rounds: int,
        seed: int,
        report: Callable[[float], Any] | None = None,
    ) -> PeerResult:
        """Play the rounds that ``simulate`` plays with the same seed.

        ``report`` is called from time to time with the share of the rounds that were played.
        """
        raise NotImplementedError(f"{type(self).__name__} must define play")

    def covariance_bytes(self, observations: int) -> int:
        """Peers announce no memory."""
        return 0
