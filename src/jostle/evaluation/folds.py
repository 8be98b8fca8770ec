"""Folds of cross-fitting: which rows a model must not see, and what it sees of the others."""

import numpy as np

from jostle.logs import Log


def fold_of(log: Log, folds: int) -> np.ndarray:
    """The fold of each row, from its number alone, so that chunks agree without any memory."""
    numbers = np.arange(log.first_row, log.first_row + len(log), dtype=np.uint64)
    # The finaliser of SplitMix64: neighbouring rows fall into unrelated folds.
    mixed = (numbers + np.uint64(1)) * np.uint64(0x9E3779B97F4A7C15)
    mixed = (mixed ^ (mixed >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    mixed = (mixed ^ (mixed >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return ((mixed ^ (mixed >> np.uint64(31))) % np.uint64(folds)).astype(np.int64)


def chosen_contexts(log: Log) -> np.ndarray | None:
    """The contexts of the chosen arms; None if there are none."""
    if log.contexts is None or log.shares_context:
        return log.contexts
    return np.asarray(log.contexts[np.arange(len(log)), log.actions])
