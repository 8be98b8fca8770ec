"""``select``: the best of several candidates by their lower bounds, and an agent to start with."""

import copy
import dataclasses
from collections.abc import Mapping
from typing import Any

import numpy as np

from jostle.agent import Agent
from jostle.core.contexts import Blocks, dense
from jostle.evaluation.bounds import check_level
from jostle.evaluation.offline import evaluate
from jostle.evaluation.policy_rows import check_fits
from jostle.evaluation.results import Estimate
from jostle.evaluation.targets import Learning
from jostle.logs import Log, LogLike
from jostle.policies.base import Policy


@dataclasses.dataclass(frozen=True, eq=False)
class Selection:
    """Which candidate to use."""

    winner: str
    estimates: dict[str, Estimate]
    """Each candidate's estimate; the winner has the largest ``low``."""
    agent: Agent | None
    """The winner ready to decide; None if it is neither a policy nor an agent."""


def select(
    log: LogLike,
    candidates: Mapping[str, Any],
    *,
    estimator: str = "snips",
    interval: str = "normal",
    level: float = 0.95,
    warm_start: bool = True,
    seed: int = 0,
    **others: Any,
) -> Selection:
    """Choose the candidate with the largest lower bound, and prepare an agent.

    The lower bound of a candidate that the log says little about is low, so that it is not chosen
    for a lucky estimate. All intervals hold together with probability ``level``: each is computed
    at 1 - (1 - level) / candidates.

    Arguments:
        log: as in ``evaluate``.
        candidates: targets by name, each as in ``evaluate``. A policy learns as it goes.
        estimator, interval, level: as in ``evaluate``.
        warm_start: whether the winner's agent learns from the whole log, if the winner is a policy.
        seed: of the agent and of the bootstrap.
        others: further arguments of ``evaluate``.
    """
    if not isinstance(candidates, Mapping):
        raise TypeError(f"candidates must be a dictionary of targets by name, not {candidates!r}")
    if not candidates:
        raise ValueError("candidates must hold at least one target, but is empty")
    if not isinstance(estimator, str):
        raise TypeError(f"estimator must be one name, such as 'snips', not {estimator!r}")
    if interval is None:
        raise ValueError("interval must not be None: candidates are chosen by their lower bounds")
    check_level(level)
    each_level = 1 - (1 - level) / len(candidates)
    estimates = {
        name: evaluate(log, target, estimator, interval, level=each_level, seed=seed, **others)[
            estimator
        ]
        for name, target in candidates.items()
    }
    winner = max(estimates, key=lambda name: estimates[name].low)
    return Selection(winner, estimates, _agent(log, candidates[winner], warm_start, seed))


def warm_started(policy: Policy, log: LogLike, seed: int = 0) -> Agent:
    """A new agent that has learned from every row of ``log``."""
    agent = Agent(policy, seed)
    for chunk in log.chunks():
        check_fits(policy, chunk)
        ids = chunk.chosen_arms() if chunk.arm_count is not None else None
        agent.learn(_chosen(chunk, policy), chunk.rewards, arm=ids, user=chunk.users)
    return agent


def _agent(log: LogLike, target: Any, warm_start: bool, seed: int) -> Agent | None:
    if isinstance(target, Learning):
        target = target.policy
    if isinstance(target, Policy):
        return warm_started(target, log, seed) if warm_start else Agent(target, seed)
    return copy.deepcopy(target) if isinstance(target, Agent) else None


def _chosen(log: Log, policy: Policy) -> np.ndarray:
    """The contexts of the chosen arms, as ``Agent.learn`` takes them."""
    contexts = log.contexts
    if contexts is None:
        contexts = np.ones((len(log), 1), np.float32)
    if contexts.ndim == 3:
        return np.asarray(contexts[np.arange(len(log)), log.actions])
    if policy.takes_blocks:
        return contexts
    return np.asarray(dense(Blocks(contexts, log.chosen_arms()), policy.features))
