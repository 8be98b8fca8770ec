"""``Recorder``: keeps or writes the decisions of a simulation, piece by piece."""

import os
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any, NamedTuple

import jax
import numpy as np

from jostle.logs.chances import warn_of_no_chance
from jostle.logs.files import LogWriter
from jostle.logs.joining import join
from jostle.logs.log import Log
from jostle.logs.rounds import log_of_rounds
from jostle.types import BanditSpec, Round


class Decided(NamedTuple):
    """What a log needs of a round beside its action and reward."""

    round: Round
    probabilities: Any  # (k,)


class Recorder(AbstractContextManager["Recorder"]):
    """Where the decisions of a simulation go.

    Arguments:
        log: a file, or True to keep them; False to do neither.
        spec: the dimensions of the environment.
        adaptive: whether the policy learns.
    """

    def __init__(self, log: bool | str | os.PathLike[str], spec: BanditSpec, adaptive: bool):
        if not isinstance(log, bool) and Path(log).suffix == ".csv":
            # Refused here, rather than after a piece has been played.
            raise ValueError(
                "log must be a .parquet or .jsonl file, because CSV cannot hold the probabilities "
                "of all arms; write(scan(...), 'log.csv', drop=...) makes one of it afterwards"
            )
        self._writer = None if isinstance(log, bool) else LogWriter(log)
        self._spec, self._adaptive = spec, adaptive
        self._kept: list[Log] = []

    def add(self, decisions: Decided, actions: Any, rewards: Any, first_row: int) -> None:
        """Add the decisions of one piece; buffers may be longer than the piece is."""
        rows = len(actions)
        # Copies, since the next piece reuses the memory.
        decided = jax.tree.map(lambda part: np.array(part)[:rows], decisions)
        if first_row == 0:
            warn_of_no_chance(decided.probabilities, decided.round.mask, stacklevel=3)
        chunk = log_of_rounds(
            decided.round,
            actions,
            rewards,
            decided.probabilities,
            self._spec,
            adaptive=self._adaptive,
            first_row=first_row,
        )
        if self._writer is None:
            self._kept.append(chunk)
        else:
            self._writer.write(chunk)

    def kept(self) -> Log | None:
        """The whole log, if it was to be kept."""
        return join(self._kept) if self._kept else None

    def __exit__(self, *error: Any) -> None:
        if self._writer is not None:
            self._writer.__exit__(*error)
