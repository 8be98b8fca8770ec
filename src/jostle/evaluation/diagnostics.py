"""Whether a log can answer: effective sample size, weights, support, and warnings in words."""

import math
from typing import NamedTuple

import numpy as np

from jostle.evaluation.estimators import Estimator
from jostle.evaluation.results import LEAST_SIZE
from jostle.evaluation.terms import Terms
from jostle.logs.repair import REPAIRS

FEW_ROWS = 100
"""Below this effective sample size an estimate is called unreliable."""
FEW_LEARNED = 1000
"""A policy that was replayed and learned from fewer rows of the log is called a beginner."""
SMALL_SHARE = 0.01
FEW_REWARDED = 20
"""Below this, the rewards that an estimate rests on are called few."""
CHANGED = 5.0
"""Standard errors by which two halves of a log may differ."""
HEAVY_ROW = 0.05
"""The share of the whole weight from which on a single row is mentioned."""


class Diagnostics(NamedTuple):
    """How much of the log speaks about the target."""

    effective_size: float
    """(sum w)^2 / sum w^2: so many rows drawn by the target itself would say as much."""
    largest_weight: float
    unsupported: float
    """Probability with which the target chooses arms that the log says nothing about."""
    mean_weight: float
    """1 on average, if every arm of the target is supported and the probabilities are right."""
    rewarded: float
    """So many rows decide the estimate: the effective number of those whose reward is not the
    usual one (the median), each with its weight and its distance."""


def diagnose(terms: Terms) -> Diagnostics:
    """The diagnostics of a target on a log."""
    w = terms.weights
    unsupported = 0.0 if terms.unsupported is None else float(terms.unsupported.mean())
    usual = float(np.median(terms.rewards))
    decisive = _effective(w * np.abs(terms.rewards - usual))
    return Diagnostics(_effective(w), float(w.max()), unsupported, float(w.mean()), decisive)


def _effective(parts: np.ndarray) -> float:
    """(sum x)^2 / sum x^2, the effective number of parts."""
    largest = float(parts.max())
    if not largest > 0:
        return 0.0
    shares = parts / largest  # squares of large numbers would overflow
    return float(shares.sum()) ** 2 / float(shares @ shares)


def warnings_of(
    terms: Terms, found: Diagnostics, estimator: Estimator, interval: str | None
) -> tuple[str, ...]:
    """What a reader must know before using the estimate, in plain words."""
    warnings = _about_support(found, estimator)
    if estimator.weighs:
        warnings += _about_weights(terms, found)
    if estimator.name == "dm" and interval is not None:
        warnings.append(
            "The direct method is as good as its reward model: the interval says nothing about "
            "the model's own error."
        )
    if estimator.name == "replay" and not terms.uniform:
        warnings.append(
            "Replay is for logs that chose uniformly, and this one did not: rows of arms that it "
            "preferred count too much. Use 'snips'."
        )
    if estimator.tuned:
        warnings.append(
            f"SLOPE chose the {estimator.tuned} on this log; the interval leaves out the bias that "
            "comes with it."
        )
    if terms.adaptive and interval in ("normal", "bootstrap"):
        warnings.append(
            "The log was written by a policy that was learning, for which this interval is not "
            "guaranteed; interval='sequence' is."
        )
    if interval in ("normal", "bootstrap") and estimator.name != "dm":
        warnings += _about_rewards(found)
    if interval in ("bernstein", "sequence") and not terms.learns:
        warnings += _about_change(terms)
    if terms.accepted is not None and terms.accepted < FEW_LEARNED:
        warnings.append(
            f"The policy learned from {terms.accepted:,} of {len(terms):,} rows, those that it "
            "would have seen itself: the value is that of a beginner. To judge what it becomes, "
            "let an agent learn from another log first."
        )
    warnings += [f"{count:,} rows: {REPAIRS[name]}." for name, count in terms.repairs.items()]
    return tuple(warnings)


def _about_support(found: Diagnostics, estimator: Estimator) -> list[str]:
    warnings = []
    if found.unsupported > 1e-6:
        how = "by its reward model alone" if estimator.needs_model else "not at all"
        warnings.append(
            f"The target chooses arms that the log never could in {found.unsupported:.1%} of "
            f"cases; they count {how}."
        )
    return warnings


def _about_weights(terms: Terms, found: Diagnostics) -> list[str]:
    warnings, n = [], len(terms)
    size = found.effective_size
    if size < FEW_ROWS or size < SMALL_SHARE * n:
        answer = "cannot answer" if size < LEAST_SIZE else "can hardly answer"
        warnings.append(
            f"The log {answer} for this target: the effective sample size is {size:,.0f} of "
            f"{n:,} rows."
        )
    share = found.largest_weight / max(float(terms.weights.sum()), 1e-300)
    if share > HEAVY_ROW:
        warnings.append(
            f"One row has {share:.0%} of the whole weight (largest weight "
            f"{found.largest_weight:,.0f}): the estimate follows its reward."
        )
    error = float(terms.weights.std()) / math.sqrt(n)
    if abs(found.mean_weight - 1) > 5 * error + 1e-3:
        warnings.append(
            f"The mean weight is {found.mean_weight:.3g} where 1 is expected: the logged "
            "probabilities are wrong, or the target chooses arms that the log could not."
        )
    return warnings


def _about_rewards(found: Diagnostics) -> list[str]:
    """Whether there are too few rewards for an interval that rests on many."""
    if found.rewarded >= FEW_REWARDED or found.effective_size < FEW_ROWS:  # the worse is said
        return []
    return [
        f"The estimate rests on the rewards of {found.rewarded:,.0f} rows, the others being alike: "
        "too few for this interval. interval='sequence' holds for any number of rows."
    ]


def _about_change(terms: Terms) -> list[str]:
    """Whether the value is another in the second half of the log than in the first."""
    halves = np.array_split(terms.weights * terms.rewards, 2)
    if len(terms) < FEW_ROWS:
        return []
    first, second = (float(half.mean()) for half in halves)
    error = math.sqrt(sum(float(half.var()) / len(half) for half in halves))
    if abs(first - second) <= CHANGED * error:
        return []
    return [
        f"The value seems to change within the log (by IPS {first:.3g} in its first half, "
        f"{second:.3g} in its second), and this interval is for a value that stays the same; "
        "interval='running' is for the mean over the log."
    ]


def weight_histogram(weights: np.ndarray, bins: int = 40) -> tuple[np.ndarray, np.ndarray]:
    """Counts and edges of a histogram of the positive weights, on a logarithmic scale."""
    positive = weights[weights > 0]
    if not len(positive):
        return np.zeros(1, int), np.array([0.5, 2.0])
    low, high = float(positive.min()), float(positive.max())
    if high < 1.01 * low:
        low, high = low / 2, high * 2
    counts, edges = np.histogram(positive, np.geomspace(low, high * (1 + 1e-9), bins + 1))
    return counts, edges
