"""The ridge regression of rewards on contexts, by cross-fitting, from sums over rows alone."""

from typing import Any

import numpy as np

from jostle.core.validation import whole
from jostle.evaluation.folds import chosen_contexts, fold_of
from jostle.logs import Log, LogLike

REGULARISATION = 1.0
"""Penalty on the squared weights of the ridge regression, worth one row."""


class CrossFittedRidge:
    """Ridge regression of rewards on contexts, per arm if arms share them, else one for all.

    It needs only sums over rows, so that the log is read in chunks, once.
    """

    def __init__(self, log: LogLike, folds: int):
        self.folds = whole("folds", folds, least=2)
        first = next(iter(log.chunks()))
        self.per_arm = first.shares_context and first.arm_count is not None
        self.models = (first.arm_count or 1) if self.per_arm else 1
        size = first.features + 1
        gram = np.zeros((self.folds, self.models, size, size))
        moments = np.zeros((self.folds, self.models, size))
        counts = np.zeros((self.folds, 3))
        for chunk in log.chunks():
            self._add(chunk, gram, moments, counts)
        rows, *sums = gram[..., 0, :].sum(axis=(0, 1))
        squares = np.einsum("fmii->i", gram)[1:]
        self.centre = np.array(sums) / rows
        """The mean of each feature of the chosen arms."""
        self.spread = np.sqrt(np.maximum(squares / rows - self.centre**2, 0))
        """The deviation of each; 1 for those that never change."""
        self.spread[self.spread <= 1e-6 * np.abs(self.centre)] = 1.0
        # The model of a fold is fitted to all other folds.
        gram, moments = gram.sum(axis=0) - gram, moments.sum(axis=0) - moments
        counts = counts.sum(axis=0) - counts
        self._means, mean_squares = (counts[:, 1:] / np.maximum(counts[:, :1], 1)).T
        self.deviations = np.sqrt(np.maximum(mean_squares - self._means**2, 0))
        """Of the rewards that each fold's model is fitted to; 1 if they are all alike."""
        self.deviations[self.deviations <= 1e-6 * np.abs(self._means)] = 1.0
        # Towards the mean reward: its part in the moments is the first column of the Gram matrix.
        centred = moments - self._means[:, None, None] * gram[..., 0]
        penalty = REGULARISATION * np.eye(size)
        self._weights = np.linalg.solve(gram + penalty, centred[..., None])[..., 0]

    def _add(self, log: Log, gram: Any, moments: Any, counts: Any) -> None:
        inputs = _with_constant(chosen_contexts(log), len(log))
        groups = fold_of(log, self.folds) * gram.shape[1]
        if self.per_arm:
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
            counts[place[0]] += sizes[group], rewards[rows].sum(), np.sum(rewards[rows] ** 2)

    def chosen(self, log: Log, fold: int) -> np.ndarray:
        """(n,) expected rewards of the chosen arms, by the model of one fold."""
        weights = self._weights[fold]
        own = weights[log.chosen_arms()] if self.per_arm else weights
        inputs = _with_constant(chosen_contexts(log), len(log))
        return np.asarray(self._means[fold] + np.sum(inputs * own, axis=1))

    def predict(self, log: Log) -> np.ndarray:
        """(n, shown) expected rewards, each row by the model of the other folds."""
        folds = fold_of(log, self.folds)
        predicted = np.empty((len(log), log.shown))
        for fold in range(self.folds):
            rows = folds == fold
            weights = self._weights[fold]
            if self.per_arm:
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


def _with_constant(contexts: np.ndarray | None, n: int) -> np.ndarray:
    """Contexts after a constant 1, in double precision."""
    constant = np.ones((n, 1))
    return constant if contexts is None else np.concatenate([constant, contexts], axis=1)
