"""``simulate``: run a policy on an environment in one compiled loop."""

import itertools
import os
from collections.abc import Callable
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from jostle.core.compiler import compiled
from jostle.core.contexts import dense
from jostle.core.validation import whole
from jostle.environments.base import Environment
from jostle.logs import Log
from jostle.logs.log import CHUNK
from jostle.logs.recorder import Decided, Recorder
from jostle.policies.base import Policy
from jostle.types import BanditSpec, Feedback, Round
from jostle.underway import Underway

BEHAVIOUR = 1
"""Raised whenever the same policy, environment and seed would give another result than before."""


class Trace(NamedTuple):
    """What happened in each round."""

    actions: Any  # (rounds,) the index of the chosen arm among those shown
    rewards: Any  # (rounds,)
    regrets: Any  # (rounds,) of the single round
    scores: Any  # (rounds, k), or None
    decisions: Any = None  # ``Decided`` of the rounds of one piece, if they are logged


class Progress(NamedTuple):
    """A simulation in progress: everything its next round depends on."""

    policy_state: Any
    environment_state: Any
    policy_key: jax.Array
    environment_key: jax.Array
    trace: Trace
    underway: Any = ()
    """Rewards that have not arrived yet, if the environment delays them."""


class Result:
    """A finished simulation."""

    def __init__(self, progress: Progress, log: Log | None = None):
        trace = progress.trace
        self.actions: np.ndarray = np.asarray(trace.actions)
        """The index of the chosen arm among those shown, for each round."""
        self.rewards: np.ndarray = np.asarray(trace.rewards)
        """The reward of each round."""
        self.regret: np.ndarray = np.cumsum(np.asarray(trace.regrets), dtype=np.float64)
        """Cumulative pseudo-regret after each round."""
        self.scores: np.ndarray | None = None if trace.scores is None else np.asarray(trace.scores)
        """The scores of all shown arms for each round, if requested."""
        self.state: Any = progress.policy_state
        """The policy's state at the end."""
        self.log: Log | None = log
        """All decisions, if ``log=True`` asked for them; see ``jostle.evaluation``."""

    def __repr__(self) -> str:
        return f"Result(rounds={len(self.rewards)}, regret={self.regret[-1]:.4g})"


def simulate(
    policy: Policy,
    environment: Environment,
    *,
    rounds: int | None = None,
    seed: int = 0,
    scores: bool = False,
    report: Callable[[int], None] | None = None,
    log: bool | str | os.PathLike[str] = False,
) -> Result:
    """Run ``policy`` on ``environment`` and return what happened.

    The same seed gives the same result, bit for bit, and gives every policy the same arms and the
    same noise. Changing the noise, regularisation or step size does not compile again.

    Arguments:
        policy: chooses the arms.
        environment: shows the arms and pays the rewards.
        rounds: number of rounds; by default all that the environment has.
        seed: determines everything random.
        scores: also return the scores of all shown arms.
        report: called from time to time with the number of rounds done.
        log: where to write all decisions with their probabilities (a ``.parquet`` or ``.jsonl``
            file), or True for ``Result.log``. The policy then chooses by
            ``choose_with_probabilities``: as likely, but with other draws. Give it a ``floor``, so
            that every arm has a chance; other policies cannot be evaluated on the log otherwise.
    """
    rounds = check_rounds(environment, rounds)
    check_match(policy, environment.spec)
    logs = log is not False
    if logs and not policy.knows_probabilities:
        raise ValueError(
            f"log needs a policy that states its probabilities, and {type(policy).__name__} does "
            "not (see Policy.choose_with_probabilities)"
        )
    pieces = max(1 if report is None else min(rounds, 100), -(-rounds // CHUNK) if logs else 1)
    edges = np.linspace(0, rounds, pieces + 1).astype(int)
    room = int(np.diff(edges).max()) if logs else None
    progress = begin(policy, environment, rounds=rounds, seed=seed, scores=scores, logged=room)
    adaptive = bool(jax.tree.leaves(progress.policy_state))  # without a state nothing is learned
    with Recorder(log, environment.spec, adaptive) as recorder:
        for start, stop in itertools.pairwise(edges.tolist()):
            progress = advance(policy, environment, progress, start, stop)
            trace = progress.trace
            if logs:
                actions = np.asarray(trace.actions)[start:stop]
                rewards = np.asarray(trace.rewards)[start:stop]
                recorder.add(trace.decisions, actions, rewards, first_row=start)
            if report is not None:
                trace.rewards.block_until_ready()
                report(stop)
    return Result(progress, recorder.kept())


def begin(
    policy: Policy,
    environment: Environment,
    *,
    rounds: int,
    seed: int,
    scores: bool = False,
    logged: int | None = None,
) -> Progress:
    """A simulation before its first round; ``logged`` rounds at a time are kept for a log."""
    seed = whole("seed", seed, least=0)
    # Two programs, so that comparisons of many policies compile the first one only once.
    world, environment_key, init_key, policy_key = _draw(environment, jax.random.key(seed))
    observations = rounds * environment.lessons
    state = _ready(policy, init_key, observations, environment.arms or 0)
    shown = jax.eval_shape(environment.observe, world, environment_key, jnp.int32(0))
    trace = Trace(
        jnp.zeros(rounds, jnp.int32),
        jnp.zeros(rounds),
        jnp.zeros(rounds),
        jnp.zeros((rounds, shown.mask.shape[0])) if scores else None,
        None
        if logged is None
        else jax.tree.map(
            lambda part: jnp.zeros((logged, *part.shape), part.dtype),
            Decided(shown, jax.ShapeDtypeStruct(shown.mask.shape, jnp.float32)),
        ),
    )
    underway: Any = ()
    if environment.longest_delay is not None:
        like = jax.eval_shape(_feedback, policy, environment, world, environment_key)
        underway = Underway.none(like, environment.longest_delay)
    return Progress(state, world, policy_key, environment_key, trace, underway)


def advance(
    policy: Policy, environment: Environment, progress: Progress, start: int, stop: int
) -> Progress:
    """Play the rounds from ``start`` up to ``stop``. The given progress is consumed."""
    after: Progress = _advance(policy, environment, progress, start, stop)
    return after


@compiled()
def _draw(environment: Environment, key: jax.Array) -> tuple[Any, Any, Any, Any]:
    """The problem, the environment's key, and two for the policy."""
    # The environment's keys do not depend on the policy: all policies see the same stream.
    policy_key, environment_key = jax.random.split(key)
    init_key, policy_key = jax.random.split(policy_key)
    problem_key, environment_key = jax.random.split(environment_key)
    return environment.init(problem_key), environment_key, init_key, policy_key


@compiled(static_argnums=(2, 3))
def _ready(policy: Policy, key: jax.Array, observations: int, arms: int) -> Any:
    """The policy's initial state, with room for the observations of all rounds."""
    return policy.reserve(policy.init(key), observations=observations, arms=arms)


@compiled(donate_argnums=2)
def _advance(
    policy: Policy, environment: Environment, progress: Progress, start: Any, stop: Any
) -> Progress:
    world = progress.environment_state
    both_keys = jnp.stack([progress.environment_key, progress.policy_key])

    def play(t: jax.Array, carry: tuple[Any, Trace, Any]) -> tuple[Any, Trace, Any]:
        state, trace, underway = carry
        (observe_key, reward_key), (choose_key, learn_key) = _round_keys(both_keys, t)
        observed = environment.observe(world, observe_key, t)
        round = show(policy, observed)
        choose = policy.choose if trace.decisions is None else policy.choose_with_probabilities
        choice = choose(state, choose_key, round)
        outcome = environment.reward(world, reward_key, t, round, choice.index)
        feedback = environment.feedback(world, reward_key, t, round, choice.index, outcome)
        if environment.longest_delay is None:
            state = _learn(policy, state, learn_key, feedback, environment.lessons)
        else:
            underway = underway.post(t, feedback, environment.reward_delay(reward_key))
            state, underway = underway.deliver(t, state, learn_of)
        happened = Trace(
            choice.index,
            outcome.reward,
            outcome.regret,
            None if trace.scores is None else choice.scores,
        )
        decisions = trace.decisions
        if decisions is not None:
            decided = Decided(observed, choice.probabilities)
            decisions = jax.tree.map(
                lambda all, now: all.at[t - start].set(now), decisions, decided
            )
        after = jax.tree.map(
            lambda all, now: all.at[t].set(now), trace._replace(decisions=None), happened
        )
        return state, after._replace(decisions=decisions), underway

    def learn_of(state: Any, s: jax.Array, feedback: Feedback) -> Any:
        """Learn what round ``s`` brought, with the random numbers of that round."""
        _, (_, learn_key) = _round_keys(both_keys, s)
        return _learn(policy, state, learn_key, feedback, environment.lessons)

    carry = (progress.policy_state, progress.trace, progress.underway)
    state, trace, underway = jax.lax.fori_loop(start, stop, play, carry)
    return progress._replace(policy_state=state, trace=trace, underway=underway)


def _feedback(policy: Policy, environment: Environment, world: Any, key: jax.Array) -> Feedback:
    """Feedback of the shapes that the policy gets, to make room for it."""
    t = jnp.int32(0)
    round = show(policy, environment.observe(world, key, t))
    outcome = environment.reward(world, key, t, round, t)
    return environment.feedback(world, key, t, round, t, outcome)


def _learn(policy: Policy, state: Any, key: jax.Array, feedback: Feedback, lessons: int) -> Any:
    """The state after the observations of one round."""
    if lessons == 1:
        return policy.learn(state, key, feedback)

    def learn(state: Any, lesson: tuple[jax.Array, Feedback]) -> tuple[Any, None]:
        return policy.learn(state, *lesson), None

    return jax.lax.scan(learn, state, (jax.random.split(key, lessons), feedback))[0]


@jax.vmap
def _split_at(key: jax.Array, t: jax.Array) -> jax.Array:
    return jax.random.split(jax.random.fold_in(key, t))


def _round_keys(keys: jax.Array, t: jax.Array) -> jax.Array:
    """Two keys for round ``t`` from each of ``keys``, in one call, which compiles faster."""
    return _split_at(keys, jnp.broadcast_to(t, keys.shape))


def show(policy: Policy, round: Round) -> Round:
    """The round as the policy takes it: contexts with their zeros, unless it takes blocks."""
    if policy.takes_blocks:
        return round
    return round._replace(contexts=dense(round.contexts, policy.features))


def check_rounds(environment: Environment, rounds: int | None) -> int:
    """The number of rounds to play, if the environment has that many."""
    if rounds is None:
        if environment.rounds is None:
            raise ValueError("rounds is missing: this environment has no end, so pass rounds=")
        return environment.rounds
    whole("rounds", rounds)
    if environment.rounds is not None and rounds > environment.rounds:
        raise ValueError(f"rounds must be at most {environment.rounds} here, not {rounds}")
    return rounds


def check_match(policy: Policy, there: BanditSpec) -> None:
    """Raise a ``ValueError`` if the policy was built for other contexts, arms or users."""
    made = policy.spec
    if made.features != there.features:
        raise ValueError(
            f"features of the policy is {made.features}, but contexts of this environment have "
            f"{there.features} features"
        )
    for fact, has, needed in (
        ("pool", made.pool, there.pool),
        ("blocks", made.blocks, there.blocks),
    ):
        if has is not None and has != needed:
            raise ValueError(f"{fact} of the policy is {has}, but {needed} in this environment")
    for fact, has, needed in (("arms", made.arms, there.arms), ("users", made.users, there.users)):
        if has is not None and needed is not None and has < needed:
            raise ValueError(f"{fact} of the policy is {has}, but this environment has {needed}")
