"""What agents are given to decide on and to learn from, checked."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from jostle.arm_slots import LARGEST_SLOT
from jostle.core.validation import finite, numeric
from jostle.policies._neural import NeuralPolicy
from jostle.policies._ridge import RidgePolicy
from jostle.policies.base import Policy
from jostle.policies.lin_fpl import LinFPL
from jostle.types import NOBODY, Choice

CONTEXT_MODELS = (LinFPL, NeuralPolicy, RidgePolicy)
"""Policies that model rewards by contexts, unless they say that they need the ids of arms."""


class Shown(NamedTuple):
    """What is shown before a decision: k arms, checked."""

    contexts: np.ndarray  # (k, features)
    mask: np.ndarray
    ids: np.ndarray  # (k,) arm ids, or ``NOBODY``
    user: np.int32


class Observed(NamedTuple):
    """What is learned from: n observations, checked."""

    contexts: np.ndarray  # (n, features)
    rewards: np.ndarray
    ids: np.ndarray
    users: np.ndarray


class InputChecks:
    """Checks what a policy is given, by errors that name the argument.

    Arguments:
        policy: for which the input is.
        arm_limit: arm ids are below this.
    """

    def __init__(self, policy: Policy, arm_limit: int):
        # Asked once, because a property costs half a microsecond per decision.
        self.features = features_of(policy)
        self._arm_limit = arm_limit
        self._user_limit = policy.spec.users or LARGEST_SLOT
        self._needs_arms = policy.needs_arms
        self._takes_weights = policy.takes_weights
        self._by_contexts = isinstance(policy, CONTEXT_MODELS) and not policy.needs_arms
        self._everyone: tuple[np.ndarray, np.ndarray] = (np.ones(0, bool), np.zeros(0, np.int32))

    def shown(self, contexts: Any, arms: Any, user: Any, mask: Any) -> Shown:
        """The arms of a round."""
        contexts = finite("contexts", contexts)
        features = self.features
        if contexts.ndim != 2 or contexts.shape[1] != features:
            raise ValueError(
                f"contexts must have shape (arms, {features}), not {_shape(contexts.shape)}"
            )
        k = contexts.shape[0]
        if k == 0:
            raise ValueError("contexts must hold at least one arm, but has no rows")
        everyone = self._everyone
        if len(everyone[0]) != k:
            everyone = self._everyone = (np.ones(k, bool), np.full(k, NOBODY, np.int32))
        present, ids = everyone
        if mask is not None:
            present = np.asarray(mask)
            if present.shape != (k,) or present.dtype != bool:
                raise ValueError(
                    f"mask must be {k} booleans, one per arm, not {present.dtype} "
                    f"of shape {_shape(present.shape)}"
                )
            if not present.any():
                raise ValueError("mask must leave at least one arm, but excludes all of them")
        if arms is not None:
            ids = _ids("arms", arms, k, self._arm_limit)
        elif self._needs_arms:
            raise ValueError("arms is missing: this policy tells arms apart by their ids")
        if k > 1 and self._by_contexts and (contexts[1] == contexts[0]).all():
            _refuse_identical(contexts)
        return Shown(contexts, present, ids, self._user(user))

    def shown_together(self, rounds: list[np.ndarray]) -> np.ndarray:
        """The contexts of rounds with equally many arms, (n, k, features); see ``shown``."""
        try:
            contexts = finite("contexts", np.stack(rounds))
            good = contexts.ndim == 3 and contexts.shape[1] > 0
            good = good and contexts.shape[2] == self.features
        except ValueError:
            good = False
        if good and contexts.shape[1] > 1 and self._by_contexts:
            good = not (contexts[:, 1] == contexts[:, 0]).all(-1).any()
        if not good:  # one of them is wrong, or nearly so: let it be named
            for each in rounds:
                self.shown(each, None, None, None)
        return contexts

    def observed(self, context: Any, reward: Any, arm: Any, user: Any) -> Observed:
        """One observation, or several."""
        contexts = finite("context", context)
        rewards = finite("reward", reward)
        features = self.features
        if contexts.ndim not in (1, 2) or contexts.shape[-1] != features:
            raise ValueError(
                f"context must have shape ({features},), or (n, {features}) for a batch, "
                f"not {_shape(contexts.shape)}"
            )
        if rewards.shape != contexts.shape[:-1]:
            expected = "one number" if contexts.ndim == 1 else f"{len(contexts)} numbers"
            raise ValueError(
                f"reward must be {expected}, to go with context of shape "
                f"{_shape(contexts.shape)}, not of shape {_shape(rewards.shape)}"
            )
        contexts, rewards = contexts.reshape(-1, features), rewards.reshape(-1)
        n = len(rewards)
        if arm is None and self._needs_arms:
            raise ValueError("arm is missing: this policy tells arms apart by their ids")
        ids = np.full(n, NOBODY) if arm is None else _ids("arm", arm, n, self._arm_limit)
        users = (
            np.broadcast_to(self._user(user), (n,))
            if user is None or np.ndim(user) == 0
            else self._users(user, n)
        )
        return Observed(contexts, rewards, ids, users)

    def weights(self, weight: Any, count: int) -> np.ndarray | None:
        """The weights of ``count`` observations; None if they all count alike."""
        if weight is None:
            return None
        if not self._takes_weights:
            raise ValueError(
                "weight must be left out: this policy cannot weigh observations; LinUCB, LinTS, "
                "LinFPL and NPR can (see Policy.takes_weights)"
            )
        weights = np.atleast_1d(finite("weight", weight))
        if weights.shape != (count,):
            raise ValueError(
                f"weight must be {count} numbers, one per observation, not of shape "
                f"{_shape(weights.shape)}"
            )
        if (weights < 0).any():
            raise ValueError(f"weight must not be negative, but holds {weights.min():g}")
        return weights

    def _user(self, user: Any) -> np.int32:
        return np.int32(NOBODY) if user is None else np.int32(self._users(user, 1)[0])

    def _users(self, users: Any, count: int) -> np.ndarray:
        return _ids("user", users, count, self._user_limit).astype(np.int32)


def features_of(policy: Policy) -> int:
    """The length of a context as it is given: in blocks, without its zeros."""
    return policy.features // (policy.spec.blocks or 1 if policy.takes_blocks else 1)


def decisions_in(value: Any) -> list[Choice]:
    """The decisions that ``value`` is made of; none if it is something else."""
    if isinstance(value, Choice):
        return [value]
    if isinstance(value, Sequence) and value and all(isinstance(each, Choice) for each in value):
        return list(value)
    return []


def contexts_of(decisions: list[Choice], alone: bool) -> tuple[Any, Any, Any]:
    """The contexts, arm ids and user ids of decisions."""
    columns: list[Any] = []
    for name in ("context", "arm", "user"):
        values = [getattr(decision, name) for decision in decisions]
        missing = sum(value is None for value in values)
        if name == "context" and missing:
            raise ValueError(
                "context is missing from the decision: pass what Agent.decide returned"
            )
        if 0 < missing < len(values):
            raise ValueError(
                f"decisions must all have {name}, or none of them; {missing} have none"
            )
        columns.append(None if missing else (values[0] if alone else values))
    return tuple(columns)


def _refuse_identical(contexts: np.ndarray) -> None:
    """Raise an error if all arms have the same context."""
    if (contexts == contexts[0]).all():
        raise ValueError(
            f"contexts has the same row for each of the {len(contexts)} arms, and this policy "
            "knows arms by their contexts only, so it could learn nothing: encode what the arms "
            "are, for example by Encoder().encode(user, ['a', 'b', 'c']) of jostle.features"
        )


def _ids(name: str, value: Any, count: int, limit: int) -> np.ndarray:
    ids = np.atleast_1d(numeric(name, value))
    if ids.dtype.kind not in "iu":
        raise TypeError(f"{name} must be whole numbers, not of dtype {ids.dtype}")
    if ids.shape != (count,):
        raise ValueError(f"{name} must be {count} ids, not of shape {_shape(ids.shape)}")
    if count and (ids.min() < 0 or ids.max() >= limit):
        worst = ids.min() if ids.min() < 0 else ids.max()
        raise ValueError(f"{name} must be ids from 0 to {limit - 1}, but holds {worst}")
    return ids


def _shape(shape: tuple[int, ...]) -> str:
    return str(tuple(int(n) for n in shape))
