"""The explorers of Vowpal Wabbit, with its defaults, as peers of jostle's policies."""

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from importlib.metadata import version
from typing import Any

import numpy as np

from jostle.core.contexts import take
from jostle.core.optional import require
from jostle.core.validation import number, whole
from jostle.environments import Environment
from jostle.peers.base import Peer, PeerResult
from jostle.peers.stream import Chunk, chunks
from jostle.peers.vowpal_text import Layout


@dataclass(frozen=True)
class Vowpal(Peer):
    """``--cb_explore_adf`` with one of its explorers; a subclass defines ``explorer``.

    Model and reduction are Vowpal Wabbit's own: linear in the features and their products (see
    ``vowpal_text``), trained online by its adaptive gradient method, costs estimated by ``mtr``. It
    gives the probability of each action; the action is drawn from them here, as its documentation
    recommends, by the seed of the run.

    Arguments:
        learning_rate: of the online updates (``-l``).
    """

    learning_rate: float = 0.5
    version: str = field(default="", init=False)
    """The version of Vowpal Wabbit, which decides the numbers as the settings do."""

    def __post_init__(self) -> None:
        require("vowpalwabbit", extra="peers")
        number("learning_rate", self.learning_rate, 1e-9)
        object.__setattr__(self, "version", version("vowpalwabbit"))

    @property
    def explorer(self) -> str:
        """The options that choose the explorer."""
        raise NotImplementedError(f"{type(self).__name__} must define explorer")

    def play(
        self,
        environment: Environment,
        *,
        rounds: int,
        seed: int,
        report: Callable[[float], Any] | None = None,
    ) -> PeerResult:
        """Play the rounds that ``simulate`` plays with the same seed."""
        run: _Run | None = None
        for chunk in chunks(environment, rounds=rounds, seed=seed):
            run = run or _Run(self, Layout.of(chunk), rounds, seed)
            run.play(chunk)
            if report is not None:
                report(run.played / rounds)
        assert run is not None  # there is at least one round
        return run.result()


class _Run:
    """One simulation: the model, and what happened so far."""

    def __init__(self, settings: Vowpal, layout: Layout, rounds: int, seed: int):
        options = (
            f"--cb_explore_adf {settings.explorer} {layout.interactions} "
            f"-l {settings.learning_rate!r} --random_seed {seed} --quiet"
        )
        self._model = require("vowpalwabbit", extra="peers").Workspace(options)
        self._layout = layout
        self._random = np.random.default_rng(seed)
        self._actions = np.zeros(rounds, np.int32)
        self._rewards, self._regrets = np.zeros((2, rounds), np.float32)
        self._choosing = self._learning = 0.0
        self.played = 0

    def play(self, chunk: Chunk) -> None:
        """Play the rounds of a chunk."""
        for row in range(len(chunk.rewards)):
            present = np.flatnonzero(chunk.round.mask[row])
            contexts = take(take(chunk.round.contexts, row), present)
            lines = self._layout.lines(contexts, chunk.round.arms[row][present])
            started = time.perf_counter()
            probabilities = np.cumsum(self._model.predict(lines))
            draw = self._random.random() * probabilities[-1]
            action = int(np.searchsorted(probabilities, draw, side="right"))
            chosen = time.perf_counter()
            index = present[action]
            reward = float(chunk.rewards[row, index])
            probability = float(np.diff(probabilities, prepend=0.0)[action] / probabilities[-1])
            self._model.learn(self._layout.labelled(lines, action, reward, probability))
            self._choosing += chosen - started
            self._learning += time.perf_counter() - chosen
            self._actions[self.played] = index
            self._rewards[self.played] = reward
            self._regrets[self.played] = chunk.regrets[row, index]
            self.played += 1

    def result(self) -> PeerResult:
        """The finished simulation."""
        self._model.finish()
        each = 1000 / self.played
        return PeerResult(
            self._actions,
            self._rewards,
            self._regrets,
            choosing_ms=self._choosing * each,
            learning_ms=self._learning * each,
        )


@dataclass(frozen=True)
class SquareCB(Vowpal):
    """``--squarecb``: inverse gap weighting (Foster and Rakhlin, 2020)."""

    @property
    def explorer(self) -> str:
        """Without arguments: its own defaults."""
        return "--squarecb"


@dataclass(frozen=True)
class Bag(Vowpal):
    """``--bag``: the votes of models trained on online bootstrap samples.

    Arguments:
        bag: the number of models.
    """

    bag: int = 5

    def __post_init__(self) -> None:
        super().__post_init__()
        whole("bag", self.bag)

    @property
    def explorer(self) -> str:
        """The number of models."""
        return f"--bag {self.bag}"


@dataclass(frozen=True)
class Cover(Vowpal):
    """``--cover``: a set of diverse policies (Agarwal et al., 2014).

    Arguments:
        cover: the number of policies.
    """

    cover: int = 3

    def __post_init__(self) -> None:
        super().__post_init__()
        whole("cover", self.cover)

    @property
    def explorer(self) -> str:
        """The number of policies."""
        return f"--cover {self.cover}"


@dataclass(frozen=True)
class RND(Vowpal):
    """``--rnd``: bonuses by random network distillation.

    Arguments:
        rnd: the number of predictors.
    """

    rnd: int = 3

    def __post_init__(self) -> None:
        super().__post_init__()
        whole("rnd", self.rnd)

    @property
    def explorer(self) -> str:
        """The number of predictors."""
        return f"--rnd {self.rnd}"


@dataclass(frozen=True)
class Epsilon(Vowpal):
    """``--epsilon``: uniform choices with a fixed probability.

    Arguments:
        epsilon: that probability.
    """

    epsilon: float = 0.05

    def __post_init__(self) -> None:
        super().__post_init__()
        number("epsilon", self.epsilon, 0.0, 1.0)

    @property
    def explorer(self) -> str:
        """The probability."""
        return f"--epsilon {self.epsilon!r}"
