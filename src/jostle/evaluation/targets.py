"""What can be evaluated: matrices, policies, agents, functions, constants, the logged policy."""

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import jax
import numpy as np

from jostle.agent import Agent
from jostle.core.validation import numeric, unknown, whole
from jostle.evaluation.policy_rows import (
    Rows,
    check_fits,
    frozen_probabilities,
    initial_state,
    replayed,
    rows_of,
)
from jostle.evaluation.terms import Decisions, Target
from jostle.features.encoder import arm_id
from jostle.logs import Log, LogLike
from jostle.logs.columns import row_sums
from jostle.logs.log import CHUNK
from jostle.logs.repair import SUM_TOLERANCE
from jostle.policies.base import Policy
from jostle.types import NOBODY

LOGGED, UNIFORM = "logged", "uniform"
ACCEPTANCE_QUANTILE = 0.05


class _Fixed:
    """A target whose decisions do not depend on earlier rows."""

    learns = False
    accepted = None

    def matrix(self, log: Log) -> np.ndarray:
        """(n, shown) its probabilities on a chunk."""
        raise NotImplementedError

    def decisions(self, log: LogLike) -> Iterator[Decisions]:
        """One item per chunk."""
        for chunk in log.chunks():
            yield _decided(chunk, self.matrix(chunk))


class LoggedPolicy:
    """The policy that wrote the log, which learned meanwhile unless the log says otherwise."""

    learns = True
    accepted = None

    def decisions(self, log: LogLike) -> Iterator[Decisions]:
        """The logged probabilities."""
        for chunk in log.chunks():
            self.learns = chunk.adaptive is not False
            yield Decisions(chunk.probabilities, chunk.all_probabilities)


class UniformPolicy(_Fixed):
    """Every arm that is present, equally likely."""

    def matrix(self, log: Log) -> np.ndarray:
        """1 / K for the K arms that are present."""
        present = log.present()
        return np.asarray(present / present.sum(axis=1, keepdims=True))


class ConstantArm(_Fixed):
    """Always the same arm, by its id."""

    def __init__(self, arm: int):
        self.arm = arm

    def matrix(self, log: Log) -> np.ndarray:
        """1 for the arm; where it is absent, all that are present are equally likely."""
        if log.arm_count is None or not 0 <= self.arm < log.arm_count:
            known = "no ids of arms" if log.arm_count is None else f"arms 0 to {log.arm_count - 1}"
            raise ValueError(f"target must be an arm of the log, not {self.arm}: it has {known}")
        here = (log.arm_ids() == self.arm) & log.present()
        count = here.sum(axis=1, keepdims=True)  # more than 1 if a row shows the arm twice
        return np.where(count == 0, UniformPolicy().matrix(log), here / np.maximum(count, 1))


class Probabilities(_Fixed):
    """Given probabilities, one row per row of the log."""

    def __init__(self, matrix: Any):
        self._matrix = numeric("target", matrix).astype(np.float64, copy=False)
        if self._matrix.ndim != 2:
            raise ValueError(
                f"target must have shape (rows, arms), not {self._matrix.shape}; a single arm is "
                "given as a whole number"
            )

    def decisions(self, log: LogLike) -> Iterator[Decisions]:
        """The rows of the matrix that belong to each chunk."""
        start = 0
        for chunk in log.chunks():
            part = self._matrix[start : start + len(chunk)]
            start += len(chunk)
            yield _decided(chunk, part)
        if start != len(self._matrix):
            raise ValueError(f"target must have {start} rows, as the log, not {len(self._matrix)}")


class Function(_Fixed):
    """A function of contexts: (n, arms) probabilities, or (n,) arms."""

    def __init__(self, function: Callable[[Any], Any]):
        self._function = function

    def matrix(self, log: Log) -> np.ndarray:
        """What the function returns for the contexts of a chunk."""
        answer = numeric("what the target returned", self._function(log.contexts))
        if answer.ndim == 1:
            if len(answer) != len(log) or answer.dtype.kind not in "iu":
                raise ValueError(
                    f"target must return {len(log)} whole numbers or a matrix of probabilities, "
                    f"not {answer.dtype} of shape {answer.shape}"
                )
            if answer.min() < 0 or answer.max() >= log.shown:
                raise ValueError(
                    f"target must return arms from 0 to {log.shown - 1}, but they go from "
                    f"{answer.min()} to {answer.max()}"
                )
            return np.asarray(np.arange(log.shown)[None, :] == answer[:, None], np.float64)
        return answer.astype(np.float64)


class Frozen(_Fixed):
    """A policy at a state that never changes, such as one that a simulation ended with.

    Arguments:
        policy: what decides.
        state: what it has learned.
        seed: of its random numbers, where it does not state its probabilities.
    """

    def __init__(self, policy: Policy, state: Any, seed: int = 0):
        self.policy, self.state, self.seed = policy, state, whole("seed", seed, least=0)

    def matrix(self, log: Log) -> np.ndarray:
        """Its probabilities, computed for all rows by one program."""
        check_fits(self.policy, log)
        rows = self.rows(log)
        return frozen_probabilities(self.policy, self.state, self.seed, rows)[: len(log)]

    def rows(self, log: Log) -> Rows:
        """The rows with the policy's own numbering of arms."""
        return rows_of(log)


class FrozenAgent(Frozen):
    """An agent as it is now; it learns nothing from the log, and is not changed."""

    def __init__(self, agent: Agent, seed: int = 0):
        super().__init__(agent.policy, agent.state, seed)
        self._agent = agent

    def rows(self, log: Log) -> Rows:
        """The rows with the agent's slots for arm ids."""
        ids = log.arm_ids()
        if log.labels:  # the agent of a ``Decider`` knows arms by their names
            named = np.array([arm_id(label) for label in log.labels])
            if self._agent.knows_arms(named):
                ids = np.where(ids == NOBODY, NOBODY, named[ids])
        return rows_of(log, self._agent.arm_slots(ids.reshape(-1)).reshape(ids.shape))


class Learning:
    """A policy that starts from nothing and learns as it goes, replayed on the log.

    It learns from rows that it accepts, each with probability c pi(a) / p(a) (at most 1), so that
    what it learns from is what it would have seen itself (Li et al., 2011, on uniform logs; Dudik
    et al., 2012, on others). Its value is the mean over its first c n rounds, n being the rows of
    the log. The larger c is, the longer it learns; but where c pi > p, it sees that arm less
    often than it would have.

    Arguments:
        policy: what decides and learns.
        seed: of everything random.
        acceptance: c; by default a small quantile of the logged probabilities, which is 1 / K if
            the log is uniform over K arms.
    """

    learns = True

    def __init__(self, policy: Policy, seed: int = 0, acceptance: float | None = None):
        if acceptance is not None and not 0 < acceptance < np.inf:
            raise ValueError(f"acceptance must be above 0 and finite, not {acceptance!r}")
        self.policy, self.seed = policy, whole("seed", seed, least=0)
        self.acceptance = acceptance
        self.accepted = 0
        """How many rows the policy has learned from in the latest replay."""

    def decisions(self, log: LogLike) -> Iterator[Decisions]:
        """The policy's probabilities, which depend on the rows that it has accepted before."""
        count, chance, arms = 0, 1.0, 0
        for chunk in log.chunks():
            check_fits(self.policy, chunk)
            count += len(chunk)
            chance = min(chance, float(np.quantile(chunk.probabilities, ACCEPTANCE_QUANTILE)))
            arms = chunk.arm_count or 0
        chance = chance if self.acceptance is None else self.acceptance
        key = jax.random.fold_in(jax.random.key(self.seed), 1)
        state = initial_state(self.policy, key, count, arms)
        self.accepted = 0
        for chunk in log.chunks():
            rows = rows_of(chunk, size=None if count <= CHUNK else CHUNK)
            state, matrix, accepted = replayed(self.policy, state, self.seed, chance, rows)
            self.accepted += int(accepted.sum())
            yield _decided(chunk, matrix[: len(chunk)])


def resolve(target: Any, log: LogLike) -> Target:
    """The target that ``target`` stands for.

    It may be a target of this module; an agent, as it is now; a policy, which learns as it goes; a
    function of contexts; "logged", "uniform" or the label of an arm; the number of an arm; or a
    matrix of probabilities.
    """
    if isinstance(target, _Fixed | LoggedPolicy | Learning):
        return target
    if isinstance(target, Agent):
        return FrozenAgent(target)
    if isinstance(target, Policy):
        return Learning(target)
    if isinstance(target, str):
        return _named(target, log)
    if isinstance(target, int | np.integer) and not isinstance(target, bool):
        return ConstantArm(int(target))
    if isinstance(target, type):
        raise TypeError(
            f"target must be a policy, not the class {target.__name__}: build it with "
            f"{target.__name__}.for_environment(log)"
        )
    if callable(target):
        return Function(target)
    if not isinstance(target, Sequence | np.ndarray) and not hasattr(target, "__array__"):
        raise TypeError(
            "target must be a policy, an agent, a function of contexts, a name, an arm or a matrix "
            f"of probabilities, not {type(target).__name__}"
            + (": pass its agent" if hasattr(target, "agent") else "")
        )
    return Probabilities(target)


def _named(name: str, log: LogLike) -> Target:
    if name == LOGGED:
        return LoggedPolicy()
    if name == UNIFORM:
        return UniformPolicy()
    labels = next(iter(log.chunks())).labels or ()
    if name in labels:
        return ConstantArm(labels.index(name))
    raise ValueError(unknown("target", name, (LOGGED, UNIFORM, *labels)))


def _decided(chunk: Log, matrix: np.ndarray) -> Decisions:
    """Decisions from a matrix, if it is one of probabilities of the arms of this chunk."""
    expected = (len(chunk), chunk.shown)
    if matrix.shape != expected:
        raise ValueError(f"target must have shape {expected} here, not {matrix.shape}")
    total = row_sums(matrix)
    wrong = ~(np.abs(total - 1) <= SUM_TOLERANCE)
    if not matrix.min(initial=0.0) >= 0:
        wrong |= (matrix < 0).any(axis=1)
    if chunk.mask is not None:
        wrong |= ((matrix > 0) & ~chunk.mask).any(axis=1)
    if wrong.any():
        row = int(np.flatnonzero(wrong)[0])
        raise ValueError(
            "target must give each row probabilities that sum to 1, and 0 to absent arms, but row "
            f"{row + chunk.first_row} sums to {total[row]:g}: {matrix[row]}"
        )
    return Decisions(matrix[np.arange(len(chunk)), chunk.actions], matrix)
