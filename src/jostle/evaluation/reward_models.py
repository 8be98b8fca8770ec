"""Reward models by cross-fitting: each row is predicted by a model that has not seen it."""

from typing import Any

import numpy as np

from jostle.core.optional import require
from jostle.core.validation import numeric, unknown, whole
from jostle.evaluation.terms import RewardModel
from jostle.logs import Log, LogLike
from jostle.logs.joining import join

RIDGE = "ridge"
REGULARISATION = 1.0
"""Penalty on the squared weights of the ridge regression, worth one row."""


class GivenModel:
    """Predictions of the user's own, (n, shown), one row per row of the log."""

    def __init__(self, log: LogLike, predictions: Any):
        self._rows = numeric("model", predictions).astype(np.float64, copy=False)
        self._next = 0
        rows = sum(len(chunk) for chunk in log.chunks())
        if self._rows.ndim != 2 or len(self._rows) != rows:
            raise ValueError(
                f"model must have shape ({rows}, arms), a prediction per row of the log and arm, "
                f"not {self._rows.shape}"
            )

    def predict(self, log: Log) -> np.ndarray:
        """The rows of the next chunk."""
        part = self._rows[self._next : self._next + len(log)]
        self._next = (self._next + len(log)) % len(self._rows)
        return part


class CrossFittedRidge:
    """Ridge regression of rewards on contexts, per arm if arms share them, else one for all.

    It needs only sums over rows, so that the log is read in chunks, once.
    """

    def __init__(self, log: LogLike, folds: int):
        self.folds = whole("folds", folds, least=2)
        first = next(iter(log.chunks()))
        self._per_arm = first.shares_context and first.arm_count is not None
        models = first.arm_count if self._per_arm else 1
        assert models is not None
        size = first.features + 1
        gram = np.zeros((self.folds, models, size, size))
        moments = np.zeros((self.folds, models, size))
        counts = np.zeros((self.folds, 2))
        for chunk in log.chunks():
            self._add(chunk, gram, moments, counts)
        # The model of a fold is fitted to all other folds.
        gram, moments = gram.sum(axis=0) - gram, moments.sum(axis=0) - moments
        counts = counts.sum(axis=0) - counts
        self._means = counts[:, 1] / np.maximum(counts[:, 0], 1)
        # Towards the mean reward: its part in the moments is the first column of the Gram matrix.
        centred = moments - self._means[:, None, None] * gram[..., 0]
        penalty = REGULARISATION * np.eye(size)
        self._weights = np.linalg.solve(gram + penalty, centred[..., None])[..., 0]

    def _add(self, log: Log, gram: Any, moments: Any, counts: Any) -> None:
        inputs = _with_constant(_chosen_contexts(log), len(log))
        groups = fold_of(log, self.folds) * gram.shape[1]
        if self._per_arm:
            groups = groups + log.chosen_arms()
        order = np.argsort(groups, kind="stable")
        sizes = np.bincount(groups, minlength=gram.shape[0] * gram.shape[1])
        inputs, rewards = inputs[order], log.rewards[order]
        start = 0
        for group in np.flatnonzero(sizes):
            rows = slice(start, start + sizes[group])
            start = rows.stop
            place = divmod(int(group), gram.shape[1])
            gram[place] += inputs[rows].T @ inputs[rows]
            moments[place] += inputs[rows].T @ rewards[rows]
            counts[place[0]] += sizes[group], rewards[rows].sum()

    def predict(self, log: Log) -> np.ndarray:
        """(n, shown) expected rewards, each row by the model of the other folds."""
        folds = fold_of(log, self.folds)
        predicted = np.empty((len(log), log.shown))
        for fold in range(self.folds):
            rows = folds == fold
            weights = self._weights[fold]
            if self._per_arm:
                contexts = None if log.contexts is None else log.contexts[rows]
                scores = _with_constant(contexts, int(rows.sum())) @ weights.T
                if log.arms is not None:
                    scores = np.take_along_axis(scores, log.arms[rows], axis=1)
                scores = scores[:, : log.shown]
            else:
                assert log.contexts is not None
                scores = log.contexts[rows] @ weights[0, 1:] + weights[0, 0]
            predicted[rows] = self._means[fold] + scores
        return predicted


class CrossFittedRegressor:
    """Any regressor or classifier of scikit-learn; the whole log is read into memory.

    Inputs are the contexts of the arm or, where arms share contexts, the context and an indicator
    of the arm.
    """

    def __init__(self, log: LogLike, model: Any, folds: int):
        clone = require("sklearn.base", extra="data").clone
        self.folds = whole("folds", folds, least=2)
        whole_log = join(log.chunks())
        folds_of_rows = fold_of(whole_log, self.folds)
        inputs = _inputs(whole_log, whole_log.actions)
        self._models = [
            clone(model).fit(
                inputs[folds_of_rows != fold], whole_log.rewards[folds_of_rows != fold]
            )
            for fold in range(self.folds)
        ]

    def predict(self, log: Log) -> np.ndarray:
        """(n, shown) expected rewards; of a classifier, the probability of its last class."""
        folds = fold_of(log, self.folds)
        predicted = np.empty((len(log), log.shown))
        for arm in range(log.shown):
            inputs = _inputs(log, np.full(len(log), arm))
            for fold, model in enumerate(self._models):
                rows = folds == fold
                if rows.any():
                    predicted[rows, arm] = _expected(model, inputs[rows])
        return predicted


def fit_reward_model(log: LogLike, model: Any, folds: int) -> RewardModel:
    """The reward model that ``model`` stands for.

    It may be "ridge"; an object of scikit-learn with ``fit`` and ``predict``; or (n, shown)
    predictions of your own.
    """
    if isinstance(model, str):
        if model != RIDGE:
            raise ValueError(unknown("model", model, (RIDGE,)))
        return CrossFittedRidge(log, folds)
    if hasattr(model, "fit"):
        return CrossFittedRegressor(log, model, folds)
    return GivenModel(log, model)


def fold_of(log: Log, folds: int) -> np.ndarray:
    """The fold of each row, from its number alone, so that chunks agree without any memory."""
    numbers = np.arange(log.first_row, log.first_row + len(log), dtype=np.uint64)
    # The finaliser of SplitMix64: neighbouring rows fall into unrelated folds.
    mixed = (numbers + np.uint64(1)) * np.uint64(0x9E3779B97F4A7C15)
    mixed = (mixed ^ (mixed >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    mixed = (mixed ^ (mixed >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return ((mixed ^ (mixed >> np.uint64(31))) % np.uint64(folds)).astype(np.int64)


def _chosen_contexts(log: Log) -> np.ndarray | None:
    if log.contexts is None or log.shares_context:
        return log.contexts
    return np.asarray(log.contexts[np.arange(len(log)), log.actions])


def _with_constant(contexts: np.ndarray | None, n: int) -> np.ndarray:
    """Contexts after a constant 1, in double precision."""
    constant = np.ones((n, 1))
    return constant if contexts is None else np.concatenate([constant, contexts], axis=1)


def _inputs(log: Log, actions: np.ndarray) -> np.ndarray:
    """What a regressor sees of these actions."""
    if not log.shares_context:
        assert log.contexts is not None
        return np.asarray(log.contexts[np.arange(len(log)), actions])
    ids = log.arm_ids()[np.arange(len(log)), actions]
    assert log.arm_count is not None
    indicator = (ids[:, None] == np.arange(log.arm_count)).astype(np.float32)
    return indicator if log.contexts is None else np.concatenate([log.contexts, indicator], axis=1)


def _expected(model: Any, inputs: np.ndarray) -> np.ndarray:
    if hasattr(model, "predict_proba"):
        classes = np.asarray(model.classes_, np.float64)
        return np.asarray(model.predict_proba(inputs) @ classes)
    return np.asarray(model.predict(inputs))
