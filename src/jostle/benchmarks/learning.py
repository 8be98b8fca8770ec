"""What a round of learning costs."""

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp

from jostle.benchmarks.measure import Row, in_turns
from jostle.environments import Synthetic
from jostle.models.fitting import Fit, Pooled, descend
from jostle.models.history import History, PooledHistory
from jostle.models.networks import MLP
from jostle.policies import NPR, EpsilonGreedy
from jostle.policies._neural import NeuralPolicy
from jostle.types import Feedback

FEATURES, POOL, WIDTH = 50, 100, 64


def pooled_against_sgemm(turns: int = 12) -> Row:
    """Gradient work of the pooled update against the machine's own matrix product.

    Counted are the multiplications of the gradient alone, timed is the whole step: forward and
    backward pass, penalty, Adam and the loop around them.
    """
    steps, size = 500, 1024
    network, policy = MLP(WIDTH, 3), NPR(FEATURES, pool=POOL)
    contexts = jax.random.normal(jax.random.key(0), (POOL, FEATURES))
    history = PooledHistory(contexts, jnp.ones(POOL, jnp.int32), contexts[:, 0], jnp.int32(POOL))
    start = policy.init(jax.random.key(1)).fit

    @jax.jit
    def fit(start: Fit) -> Fit:
        batches = Pooled(POOL).batches(history, jax.random.key(2), 0.1)
        return descend(
            start,
            batches,
            network=network,
            optimiser=policy._optimiser(),
            steps=steps,
            regularisation=1e-5,
            size=history.size,
        )

    matrix = jax.random.normal(jax.random.key(3), (size, size))
    product = jax.jit(lambda a: a @ a)
    ours, theirs = in_turns(lambda: fit(start), lambda: product(matrix), turns)
    layers = [FEATURES * WIDTH, WIDTH * WIDTH, WIDTH]
    # Forward, gradient of the weights, and (but for the first layer) gradient of the inputs.
    flops = 2 * POOL * (2 * sum(layers) + sum(layers[1:]))
    rate, peak = steps * flops / ours / 1e9, 2 * size**3 / theirs / 1e9
    return Row(
        f"pooled update, K={POOL}, m={WIDTH}: share of sgemm rate",
        f"{rate:.0f} GFLOP/s ({1e6 * ours / steps:.0f} us a step)",
        f"{peak:.0f} GFLOP/s",
        rate / peak,
        1 / 3,
        at_least=True,
    )


def late_against_early(turns: int = 25) -> Row:
    """A round of mini-batch NPR with 100,000 observations behind it against one with 1,000."""
    early, late = (_rounds(NPR(FEATURES), seen) for seen in (1_000, 100_000))
    slow, fast = in_turns(late, early, turns)
    return Row(
        "mini-batch NPR: round at t=100,000 against t=1,000",
        f"{1e3 * slow / ROUNDS:.3f} ms",
        f"{1e3 * fast / ROUNDS:.3f} ms",
        slow / fast,
        1.1,
    )


def npr_against_greedy(turns: int = 12) -> list[Row]:
    """The paper's claim that exploration is free, for both ways to fit."""
    rows = []
    for way, pool in (("mini-batch", None), ("pooled", POOL)):
        npr = _rounds(NPR(FEATURES, pool=pool), 1_000)
        greedy = _rounds(EpsilonGreedy(FEATURES, pool=pool), 1_000)
        ours, theirs = in_turns(npr, greedy, turns)
        rows.append(
            Row(
                f"{way} NPR against EpsilonGreedy, same network and steps",
                f"{1e3 * ours / ROUNDS:.3f} ms",
                f"{1e3 * theirs / ROUNDS:.3f} ms",
                ours / theirs,
                1.1,
            )
        )
    return rows


ROUNDS = 200


def _rounds(policy: NeuralPolicy, seen: int) -> Callable[[], Any]:
    """A call that chooses and learns ``ROUNDS`` times, ``seen`` observations being held already."""
    environment = Synthetic("h1")
    world = environment.init(jax.random.key(0))
    state = policy.init(jax.random.key(1))
    state = policy.reserve(state, observations=seen + ROUNDS, arms=POOL)

    def play(t: jax.Array, state: Any) -> Any:
        key = jax.random.fold_in(jax.random.key(2), t)
        round = environment.observe(world, key, t)
        index = policy.choose(state, key, round).index
        reward = environment.reward(world, key, t, round, index).reward
        row = Feedback(round.contexts[index], reward, round.arms[index], round.user)
        return policy.learn(state, key, row)

    @jax.jit(donate_argnums=0)  # updated in place, as in a simulation
    def run(state: Any) -> Any:
        if isinstance(state.history, History):
            state = state._replace(history=state.history._replace(seen=jnp.int32(seen)))
        return jax.lax.fori_loop(0, ROUNDS, play, state)

    box = [jax.tree.map(jnp.copy, state)]  # some of its parts are one array, which goes only once

    def call() -> Any:
        box[0] = run(box[0])
        return box[0].fit.params

    return call
