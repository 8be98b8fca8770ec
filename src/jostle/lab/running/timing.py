"""Time choosing and learning separately, without compilation.

A compiled simulation cannot be timed from within, and dispatching a single compiled call takes
longer than many policies need for the work itself. So both are measured afterwards, as compiled
loops over rounds of the same problem, starting from the state in which a run ended, or from one
as long as after more rounds (``lengthen``).
"""

import time
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp

from jostle.environments import Environment
from jostle.lab.results.model import Times
from jostle.lab.running.lengthen import lengthen
from jostle.lab.running.trial import Played
from jostle.peers.base import PeerResult
from jostle.policies import Policy
from jostle.simulation import begin, show
from jostle.types import Feedback, Round, feedback_of

SAMPLE = 64  # rounds that are replayed again and again
SECONDS = 0.005  # target length of one repeat: on a busy machine only short ones go undisturbed
ALL_SECONDS = 0.25  # target length of all repeats of a loop
REPEATS = 5  # at least; the best counts, since any disturbance only makes a repeat longer
MOST_ROUNDS = 1000  # per repeat, for policies that take next to no time


def stopwatch(played: Played) -> "Stopwatch | Measured":
    """What times the policy of a trial."""
    return Measured(played.result) if isinstance(played.result, PeerResult) else Stopwatch(played)


class Measured:
    """The times of a peer, which was timed while it was played."""

    def __init__(self, result: PeerResult):
        self._times = Times(choosing=result.choosing_ms, learning=result.learning_ms)

    def measure(self, after: int | None = None) -> Times:
        """The average per round, whichever state is asked for."""
        del after
        return self._times


class Stopwatch:
    """Two compiled loops, ready to be timed.

    Create it right after a run, when compilation may go on beside other work, and call ``measure``
    when the machine is quiet.
    """

    def __init__(self, played: Played):
        assert isinstance(played.policy, Policy)
        self._policy = played.policy
        self._environment = played.environment
        self._state = played.result.state
        self._rounds, self._feedback = _sample(played, self._policy)
        self._loops: dict[int | None, tuple[Any, Any]] = {None: self._compiled(self._state)}

    def measure(self, after: int | None = None) -> Times:
        """The best of a few repeats of each loop, in the state at the end of the run.

        With ``after``, in the state as long as it is after so many rounds.
        """
        state = self._state if after is None else self._lengthened(after)
        if after not in self._loops:
            self._loops[after] = self._compiled(state)
        choose, learn = self._loops[after]
        cycle = self._policy.update_interval
        return Times(
            choosing=_best(lambda count: self._time(choose, state, self._rounds, count)),
            learning=_best(lambda count: self._time(learn, state, self._feedback, count), cycle),
        )

    def _lengthened(self, rounds: int) -> Any:
        observations = rounds * self._environment.lessons
        return lengthen(self._policy, self._state, observations, self._environment.arms or 0)

    def _compiled(self, state: Any) -> tuple[Any, Any]:
        """The loops of choosing and of learning for a state of this shape."""
        return (
            _choose_loop.lower(self._policy, state, self._rounds, 1).compile(),
            _learn_loop.lower(self._policy, state, self._feedback, 1).compile(),
        )

    def _time(self, loop: Any, state: Any, inputs: Any, count: int) -> float:
        # The loops consume their state, so the copy is made outside the timed part.
        state = _wait(jax.tree.map(jnp.copy, state))
        start = time.perf_counter()
        _wait(loop(self._policy, state, inputs, count))
        return time.perf_counter() - start


def _wait(tree: Any) -> Any:
    return jax.block_until_ready(tree)


def _best(run: Callable[[int], float], every: int = 1) -> float:
    """Milliseconds per round, from repeats that are long enough to measure.

    For a policy that learns only ``every`` so many rounds, repeats are whole cycles.
    """
    run(1)  # the first call also loads the program
    rounds = every
    while rounds < MOST_ROUNDS and min(run(rounds) for _ in range(3)) < SECONDS:
        rounds *= 2
    end = time.perf_counter() + ALL_SECONDS
    repeats: list[float] = []
    while len(repeats) < REPEATS or time.perf_counter() < end:
        repeats.append(run(rounds))
    return 1000 * min(repeats) / rounds


def _sample(played: Played, policy: Policy) -> tuple[Round, Feedback]:
    """The last rounds of the problem that was played, and the feedback they gave."""
    trial, result = played.run.trial, played.result
    progress = begin(policy, played.environment, rounds=trial.rounds, seed=trial.seed)
    first = max(trial.rounds - SAMPLE, 0)
    rounds = _observe(
        policy,
        played.environment,
        progress.environment_state,
        progress.environment_key,
        jnp.arange(first, trial.rounds),
    )
    feedback = jax.vmap(feedback_of)(
        rounds, jnp.asarray(result.actions[first:]), jnp.asarray(result.rewards[first:])
    )
    return rounds, feedback


@jax.jit
def _observe(
    policy: Policy, environment: Environment, world: Any, key: jax.Array, times: jax.Array
) -> Round:
    def observe(t: jax.Array) -> Round:
        return show(policy, environment.observe(world, jax.random.fold_in(key, t), t))

    rounds: Round = jax.lax.map(observe, times)
    return rounds


@jax.jit(donate_argnums=1)
def _choose_loop(policy: Policy, state: Any, rounds: Round, count: Any) -> Any:
    size = rounds.mask.shape[0]

    def body(i: jax.Array, carry: tuple[Any, jax.Array]) -> tuple[Any, jax.Array]:
        state, total = carry
        round = jax.tree.map(lambda rows: rows[i % size], rounds)
        index = policy.choose(state, jax.random.fold_in(jax.random.key(0), i), round).index
        # The condition is never true, but the compiler cannot know that. As far as it can tell the
        # state may change in each round, as in a real run, so it cannot move work that depends on
        # the state alone out of the loop.
        state = jax.lax.cond(index < 0, _changed, lambda state: state, state)
        return state, total + index

    return jax.lax.fori_loop(0, count, body, (state, jnp.int32(0)))


@jax.jit(donate_argnums=1)
def _learn_loop(policy: Policy, state: Any, feedback: Feedback, count: Any) -> Any:
    size = feedback.reward.shape[0]

    def body(i: jax.Array, state: Any) -> Any:
        row = jax.tree.map(lambda rows: rows[i % size], feedback)
        return policy.learn(state, jax.random.fold_in(jax.random.key(1), i), row)

    return jax.lax.fori_loop(0, count, body, state)


def _changed(state: Any) -> Any:
    def change(leaf: jax.Array) -> jax.Array:
        if jnp.issubdtype(leaf.dtype, jax.dtypes.prng_key):
            return leaf
        return ~leaf if leaf.dtype == bool else leaf + jnp.ones((), leaf.dtype)

    return jax.tree.map(change, state)
