"""The rounds of a simulation as NumPy arrays, for algorithms that choose outside compiled code.

An environment is a pure function of key and round, so the outcome of every arm can be computed
before anybody chooses. The keys are those of ``simulate``: with the same seed, peers meet the same
arms and the same noise as jostle's policies.
"""

from collections.abc import Iterator
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from jostle.environments import Environment
from jostle.policies import Uniform
from jostle.simulation import begin, check_rounds
from jostle.types import Round

SIZE = 1000
"""The number of rounds that are computed at a time."""


class Chunk(NamedTuple):
    """Consecutive rounds, and the reward and the regret of every arm in each."""

    round: Round  # of stacked arrays
    rewards: np.ndarray  # (rounds, k)
    regrets: np.ndarray  # (rounds, k)


def chunks(environment: Environment, *, rounds: int, seed: int) -> Iterator[Chunk]:
    """The first ``rounds`` rounds of ``environment`` with this seed, ``SIZE`` at a time."""
    rounds = check_rounds(environment, rounds)
    if environment.longest_delay is not None:
        raise ValueError(
            "rewards of this environment arrive late, which algorithms of other libraries do not "
            "play here"
        )
    problem = begin(Uniform(environment.features), environment, rounds=1, seed=seed)
    world, key = problem.environment_state, problem.environment_key
    for start in range(0, rounds, SIZE):
        # Always as many rounds, so that one program does for all; those beyond the end of the data
        # repeat the last one and are cut off.
        times = np.minimum(np.arange(start, start + SIZE), rounds - 1)
        chunk, plain = _compute(environment, world, key, jnp.asarray(times, jnp.int32))
        if not plain:
            raise ValueError(
                "this environment reveals more than the reward of the chosen arm, which algorithms "
                "of other libraries cannot be told"
            )
        count = min(SIZE, rounds - start)
        yield jax.tree.map(lambda rows, count=count: np.asarray(rows)[:count], chunk)


@jax.jit
def _compute(
    environment: Environment, world: Any, key: jax.Array, times: jax.Array
) -> tuple[Chunk, jax.Array]:
    """These rounds, and whether the feedback of each arm is its reward and nothing else."""

    def one(t: jax.Array) -> tuple[Chunk, jax.Array]:
        observe_key, reward_key = jax.random.split(jax.random.fold_in(key, t))
        round = environment.observe(world, observe_key, t)

        def outcome(index: jax.Array) -> tuple[Any, Any, Any]:
            paid = environment.reward(world, reward_key, t, round, index)
            told = environment.feedback(world, reward_key, t, round, index, paid)
            plain = (told.reward == paid.reward) & (told.arm == round.arms[index])
            return paid.reward, paid.regret, plain

        rewards, regrets, plain = jax.vmap(outcome)(jnp.arange(round.mask.shape[0]))
        return Chunk(round, rewards, regrets), plain.all()

    chunk, plain = jax.lax.map(one, times)
    return chunk, plain.all()
