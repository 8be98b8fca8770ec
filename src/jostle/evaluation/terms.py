"""What estimators need of a log: a few numbers per row, collected chunk by chunk."""

import dataclasses
from collections.abc import Iterable, Mapping
from typing import NamedTuple, Protocol

import numpy as np

from jostle.logs import Log, LogLike
from jostle.logs.columns import row_sums


class Decisions(NamedTuple):
    """What a target would do in each row of a chunk."""

    chosen: np.ndarray
    """(n,) the probability with which it would choose the logged action."""
    matrix: np.ndarray | None
    """(n, shown) the probability of each arm. None if the target is the logged policy and only its
    probability of the logged action is known."""


class Target(Protocol):
    """A policy to evaluate, as probabilities of arms on the rows of a log."""

    @property
    def learns(self) -> bool:
        """Whether its probabilities depend on earlier rows."""
        ...

    @property
    def accepted(self) -> int | None:
        """How many rows it learned from in its latest ``decisions``, if it is one that learns."""
        ...

    def decisions(self, log: LogLike) -> Iterable[Decisions]:
        """One item for each chunk of ``log.chunks()``, in order."""
        ...


class RewardModel(Protocol):
    """A model of the rewards, fitted without the rows that it predicts."""

    def predict(self, log: Log) -> np.ndarray:
        """(n, shown) the expected reward of each arm in each row of a chunk."""
        ...


@dataclasses.dataclass(frozen=True, eq=False)
class Terms:
    """The numbers per row from which every estimator is computed: five columns, no contexts."""

    rewards: np.ndarray
    logged: np.ndarray
    """Probability of the logged action, under the policy that logged it."""
    chosen: np.ndarray
    """The same under the target."""
    weights: np.ndarray
    """The importance weight w = chosen / logged."""
    unsupported: np.ndarray | None
    """Probability with which the target chooses arms that the logging policy never would."""
    bounds: np.ndarray | None
    """The largest weight that the row could have had, whichever arm was chosen."""
    baseline: np.ndarray | None = None
    """Expected reward of the target by the reward model, sum_a pi(a) q(a)."""
    predicted: np.ndarray | None = None
    """Expected reward of the logged action by the reward model, q(a_t)."""
    group_weights: np.ndarray | None = None
    """The importance weight of the group of the logged action."""
    times: np.ndarray | None = None
    uniform: bool = False
    """Whether the logging policy chose uniformly."""
    adaptive: bool | None = None
    learns: bool = False
    """Whether the target learns from the rows as they come."""
    accepted: int | None = None
    """How many rows the target learned from, if it is replayed."""
    repairs: Mapping[str, int] = dataclasses.field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.rewards)


def collect(
    log: LogLike,
    target: Target,
    model: RewardModel | None = None,
    groups: np.ndarray | None = None,
) -> Terms:
    """Go through a log once, and keep what the estimators need."""
    tried = None
    columns: dict[str, list[np.ndarray]] = {}
    repairs: dict[str, int] = {}
    adaptive, uniform = None, True
    for chunk, decided in zip(log.chunks(), target.decisions(log), strict=True):
        adaptive = chunk.adaptive
        uniform &= _is_uniform(chunk)
        for name, count in chunk.repairs.items():
            repairs[name] = repairs.get(name, 0) + count
        if tried is None and decided.matrix is not None and chunk.all_probabilities is None:
            tried = _tried_arms(log)
        row = _row_terms(chunk, decided, tried)
        if model is not None:
            row |= _model_terms(chunk, decided, model)
        if groups is not None:
            row["group_weights"] = _group_weights(chunk, decided, groups)
        if chunk.times is not None:
            row["times"] = chunk.times
        for name, values in row.items():
            columns.setdefault(name, []).append(values)
    if not columns:
        raise ValueError("log must have at least one row, but is empty")
    whole = {name: np.concatenate(pieces) for name, pieces in columns.items()}
    if not len(whole["rewards"]):
        raise ValueError("log has no row left after repairs")
    whole.setdefault("unsupported", None)  # type: ignore[arg-type]
    whole.setdefault("bounds", None)  # type: ignore[arg-type]
    return Terms(
        **whole,
        uniform=uniform,
        adaptive=adaptive,
        learns=target.learns,
        accepted=target.accepted,
        repairs=repairs,
    )


def _row_terms(chunk: Log, decided: Decisions, tried: np.ndarray | None) -> dict[str, np.ndarray]:
    terms = {
        "rewards": chunk.rewards,
        "logged": chunk.probabilities,
        "chosen": decided.chosen,
        "weights": decided.chosen / chunk.probabilities,
    }
    if decided.matrix is None:
        return terms
    wanted, logged = decided.matrix, chunk.all_probabilities
    if logged is None:
        # Only the chosen arm's probability is known: an arm that was never chosen at all counts
        # as not supported.
        if tried is not None and chunk.arm_count is not None:
            known = tried[chunk.arm_ids()]
            terms["unsupported"] = row_sums(np.where(known, 0.0, wanted))
        return terms
    if logged.min() > 0:
        terms["unsupported"] = np.zeros(len(chunk))
        ratio = wanted / logged
    else:
        possible = logged > 0
        terms["unsupported"] = row_sums(np.where(possible, 0.0, wanted))
        ratio = np.divide(wanted, logged, out=np.zeros_like(wanted), where=possible)
    terms["bounds"] = ratio.max(axis=1)
    return terms


def _model_terms(chunk: Log, decided: Decisions, model: RewardModel) -> dict[str, np.ndarray]:
    predicted = model.predict(chunk)
    expected = (len(chunk), chunk.shown)
    if predicted.shape != expected:
        raise ValueError(f"model must predict rewards of shape {expected}, not {predicted.shape}")
    if not np.isfinite(predicted).all():
        row = int(np.flatnonzero(~np.isfinite(predicted).all(axis=1))[0])
        raise ValueError(
            f"model must predict finite numbers, but row {chunk.first_row + row} has "
            f"{predicted[row]}"
        )
    logged = predicted[np.arange(len(chunk)), chunk.actions]
    if decided.matrix is None:  # the logged policy: its own action is a draw from it
        return {"baseline": logged, "predicted": logged}
    return {"baseline": np.einsum("ij,ij->i", decided.matrix, predicted), "predicted": logged}


def _group_weights(chunk: Log, decided: Decisions, groups: np.ndarray) -> np.ndarray:
    """Marginal weights of MIPS: pi(group) / p(group) of the logged action's group."""
    if decided.matrix is None:
        return np.ones(len(chunk))
    if chunk.all_probabilities is None:
        raise ValueError(
            "'mips' needs the logged probabilities of all arms, and this log only has those of "
            "the chosen arm"
        )
    if groups.shape != (chunk.arm_count,):
        raise ValueError(
            f"groups must hold one group for each of {chunk.arm_count} arms, not of shape "
            f"{groups.shape}"
        )
    member = groups[chunk.arm_ids()] if chunk.arms is not None else groups[None, :]
    own = groups[chunk.chosen_arms()]
    same = member == own[:, None]
    wanted = np.einsum("ij,ij->i", same, decided.matrix)
    return np.asarray(wanted / np.einsum("ij,ij->i", same, chunk.all_probabilities))


def _tried_arms(log: LogLike) -> np.ndarray | None:
    """Which arm ids were chosen in some row."""
    tried = None
    for chunk in log.chunks():
        if chunk.arm_count is None:
            return None
        if tried is None:
            tried = np.zeros(chunk.arm_count, bool)
        tried[chunk.chosen_arms()] = True
    return tried


def _is_uniform(chunk: Log) -> bool:
    count = chunk.shown if chunk.mask is None else chunk.mask.sum(axis=1)
    return bool(np.allclose(chunk.probabilities * count, 1, rtol=1e-3))
