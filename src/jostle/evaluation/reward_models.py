"""Reward models by cross-fitting: each row is predicted by a model that has not seen it."""

from typing import Any

import numpy as np

from jostle.core.optional import require
from jostle.core.validation import numeric, unknown, whole
from jostle.evaluation.folds import fold_of
from jostle.evaluation.network_model import CrossFittedNetwork, RewardNetwork
from jostle.evaluation.ridge_model import CrossFittedRidge
from jostle.evaluation.terms import RewardModel
from jostle.logs import Log, LogLike
from jostle.logs.joining import join

RIDGE = "ridge"
NETWORK = "network"
MODELS = (RIDGE, NETWORK)
"""The reward models of our own."""


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
        self._models = []
        for fold in range(self.folds):
            others = folds_of_rows != fold
            try:
                fitted = clone(model).fit(inputs[others], whole_log.rewards[others])
            except ValueError as error:
                raise ValueError(
                    f"model {type(model).__name__} cannot be fitted to the {others.sum():,} rows "
                    f"outside fold {fold} of {self.folds}: {error}"
                ) from None
            self._models.append(fitted)

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

    It may be "ridge"; "network", or a ``RewardNetwork`` with other settings; an object of
    scikit-learn with ``fit`` and ``predict``; or (n, shown) predictions of your own.
    """
    if isinstance(model, str):
        if model not in MODELS:
            raise ValueError(unknown("model", model, MODELS))
        if model == RIDGE:
            return CrossFittedRidge(log, folds)
        model = RewardNetwork()
    if isinstance(model, RewardNetwork):
        return CrossFittedNetwork(log, folds, model)
    if hasattr(model, "fit"):
        return CrossFittedRegressor(log, model, folds)
    return GivenModel(log, model)


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
