"""``evaluate`` and ``compare``: what policies would have earned, from a log alone."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from jostle.evaluation import bounds
from jostle.evaluation.diagnostics import (
    Diagnostics,
    diagnose,
    warnings_of,
    weight_histogram,
)
from jostle.evaluation.estimators import Columns, Estimator, make_estimators
from jostle.evaluation.intervals import standard_error
from jostle.evaluation.results import (
    Comparison,
    Difference,
    Estimate,
    OverTime,
    TargetResult,
)
from jostle.evaluation.reward_models import RIDGE, fit_reward_model
from jostle.evaluation.targets import LOGGED, resolve
from jostle.evaluation.terms import RewardModel, Terms, collect
from jostle.logs import LogLike
from jostle.logs.files import checked_log

DEFAULT = ("ips", "snips")
TIMES = 60
"""Points in time at which the value over time is given."""


def evaluate(
    log: LogLike,
    target: Any,
    estimators: str | Sequence[str] = DEFAULT,
    interval: str | None = "normal",
    *,
    level: float = 0.95,
    model: Any = RIDGE,
    folds: int = 3,
    groups: Any = None,
    reward_range: tuple[float, float] | None = None,
    largest_weight: float | None = None,
    seed: int = 0,
) -> dict[str, Estimate]:
    """Estimate what ``target`` would have earned per row of ``log``.

    Arguments:
        log: a ``Log``, or a file that ``scan`` reads in chunks.
        target: an (n, arms) matrix of probabilities; an agent, as it is now; a policy, which
            learns as it goes; a function from contexts to such a matrix or to (n,) arms; "logged",
            "uniform", the number or label of an arm.
        estimators: names of ``jostle.evaluation.ESTIMATORS``, such as "ips", "dr" or
            "clipped:clip=10".
        interval: "normal", "bootstrap", "bernstein", "sequence", "running" or None. "bernstein"
            and "sequence" hold for any number of rows and for logs of policies that were learning;
            "sequence" also if you look again and again while the log grows; "running" also if
            rewards or contexts drift, for the mean over the rows so far.
        level: the probability with which the interval should hold the value.
        model: the reward model of "dm", "dr", "sndr", "switch-dr" and "dros": "ridge"; "network",
            which learns what a ridge regression leaves, or a ``RewardNetwork``; an object of
            scikit-learn; or (n, arms) predictions.
        folds: of cross-fitting.
        groups: (arms,) the group of each arm, for "mips".
        reward_range: the smallest and largest possible reward, for "bernstein",
            "sequence" and "running".
        largest_weight: a bound on the importance weights known beforehand, such as K / floor for
            a log with a floor over K arms; otherwise taken from the logged probabilities of all
            arms, if they are there.
        seed: of the bootstrap.
    """
    chosen = make_estimators(estimators)
    checked = checked_log(log)
    terms = _terms(checked, target, chosen, _model(checked, chosen, model, folds), groups)
    settings = bounds.make_settings(terms, interval, level, reward_range, largest_weight, seed)
    guessed = bounds.guessed_range(terms, reward_range)
    return _estimates(terms, chosen, settings, guessed)[0]


def compare(
    log: LogLike,
    targets: Mapping[str, Any],
    baseline: str = LOGGED,
    estimators: str | Sequence[str] = DEFAULT,
    interval: str | None = "normal",
    *,
    level: float = 0.95,
    model: Any = RIDGE,
    folds: int = 3,
    groups: Any = None,
    reward_range: tuple[float, float] | None = None,
    largest_weight: float | None = None,
    seed: int = 0,
) -> Comparison:
    """Evaluate several targets on one log, each also by its difference from the baseline.

    Differences have intervals of their own: both targets meet the same rows, so that they are
    narrower than the two values' intervals suggest.

    Arguments:
        log: as in ``evaluate``.
        targets: by name, each as in ``evaluate``.
        baseline: the name of one of ``targets``, or a target that is given by text, such as
            "logged" or "uniform".
        others: as in ``evaluate``.
    """
    if not isinstance(targets, Mapping):
        raise TypeError(f"targets must be a dictionary of targets by name, not {targets!r}")
    chosen = make_estimators(estimators)
    checked = checked_log(log)
    fitted = _model(checked, chosen, model, folds)
    named = dict(targets)
    named.setdefault(baseline, baseline)
    collected = {
        name: _terms(checked, target, chosen, fitted, groups) for name, target in named.items()
    }
    results = {}
    base_columns: dict[str, Columns] = {}
    order = [baseline, *(name for name in named if name != baseline)]
    for name in order:
        terms = collected[name]
        settings = bounds.make_settings(terms, interval, level, reward_range, largest_weight, seed)
        guessed = bounds.guessed_range(terms, reward_range)
        estimates, columns = _estimates(terms, chosen, settings, guessed)
        differences = {}
        if name == baseline:
            base_columns = columns
        else:
            for each, mine in columns.items():
                pair = (terms, collected[baseline])
                ends = bounds.difference_bounds(mine, base_columns[each], pair, settings)
                differences[each] = Difference(mine.value - base_columns[each].value, *ends)
        at = np.unique(np.linspace(1, len(terms), TIMES + 1).astype(int)[1:])
        path = OverTime(at, *bounds.over_time(terms, settings, at))
        results[name] = TargetResult(estimates, differences, weight_histogram(terms.weights), path)
    rows = len(collected[baseline])
    return Comparison(results, baseline, rows, level, interval)


def _model(
    log: LogLike, estimators: Mapping[str, Estimator], model: Any, folds: int
) -> RewardModel | None:
    """The reward model, fitted once, if any estimator needs it."""
    if not any(each.needs_model for each in estimators.values()):
        return None
    return fit_reward_model(log, model, folds)


def _terms(
    log: LogLike,
    target: Any,
    estimators: Mapping[str, Estimator],
    model: RewardModel | None,
    groups: Any,
) -> Terms:
    needs_groups = any(each.needs_groups for each in estimators.values())
    if needs_groups and groups is None:
        raise ValueError("groups is missing: 'mips' needs the group of each arm")
    numbers = np.asarray(groups) if needs_groups else None
    if numbers is not None and numbers.dtype.kind == "f" and np.isnan(numbers).any():
        raise ValueError("groups must not be missing, but some are NaN")
    return collect(log, resolve(target, log), model, numbers)


def _estimates(
    terms: Terms,
    estimators: Mapping[str, Estimator],
    settings: bounds.Settings,
    guessed: bool,
) -> tuple[dict[str, Estimate], dict[str, Columns]]:
    found = diagnose(terms)
    estimates, all_columns = {}, {}
    shared: bounds.Bounds | None = None
    for name, estimator in estimators.items():
        columns = all_columns[name] = estimator.columns(terms)
        if settings.interval in bounds.GUARANTEED:  # the same for all of them
            shared = shared or bounds.value_bounds(columns, terms, settings)
            ends = shared
        else:
            ends = bounds.value_bounds(columns, terms, settings)
        warnings = warnings_of(terms, found, estimator, settings.interval)
        if guessed and settings.interval in bounds.GUARANTEED:
            warnings += (
                "The range of rewards was taken from the log, so the interval only holds if no "
                "other rewards are possible; pass reward_range=.",
            )
        estimates[name] = _estimate(terms, columns, ends, found, warnings, settings)
    return estimates, all_columns


def _estimate(
    terms: Terms,
    columns: Columns,
    ends: bounds.Bounds,
    found: Diagnostics,
    warnings: tuple[str, ...],
    settings: bounds.Settings,
) -> Estimate:
    return Estimate(
        columns.value,
        *ends,
        found.effective_size,
        found.largest_weight,
        warnings,
        standard_error(columns.influences()),
        found.unsupported,
        len(terms),
        settings.interval,
        settings.level,
    )
