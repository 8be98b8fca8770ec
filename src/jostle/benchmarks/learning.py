"""The cost of a round of learning of NPR: against peak speed, time, and epsilon-greedy."""

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from jostle.benchmarks.comparison import Row, in_turns, on_one_core
from jostle.environments import Synthetic
from jostle.models.fitting import Fit, Pooled, descend
from jostle.models.history import History, PooledHistory
from jostle.models.networks import MLP, NoNetwork
from jostle.policies import NPR, EpsilonGreedy
from jostle.policies._neural import NeuralPolicy
from jostle.types import Feedback

FEATURES, POOL, WIDTH = 50, 100, 64
ROUNDS = 200
"""Rounds per measurement."""
EARLY, LATE = 1_000, 100_000
"""Observations before the measured rounds."""


def pooled_update(quick: bool = False) -> list[Row]:
    """Arithmetic rate of NPR's pooled update, against a plain matrix product."""
    if quick:
        return [pooled_against_sgemm(turns=2)]
    return [on_one_core(pooled_against_sgemm), pooled_against_sgemm()]


def late_round(quick: bool = False) -> list[Row]:
    """A round of mini-batch NPR after 100,000 observations, against after 1,000."""
    if quick:
        return [late_against_early(turns=3)]
    return [on_one_core(late_against_early), late_against_early()]


def pooled_against_sgemm(turns: int = 12) -> Row:
    """The arithmetic rate of the pooled update against that of a matrix product (sgemm).

    Only the multiplications of the gradient are counted, but the whole step is timed: forward and
    backward pass, penalty, Adam and the loop around them.
    """
    steps, size = 500, 1024
    network, policy = MLP(WIDTH, 3), NPR.descent(FEATURES, pool=POOL)
    contexts = jnp.asarray(np.random.default_rng(0).standard_normal((POOL, FEATURES), np.float32))
    history = PooledHistory(contexts, jnp.ones(POOL, jnp.int32), contexts[:, 0], jnp.int32(POOL))
    start = jax.jit(policy.init)(jax.random.key(1)).fit

    @jax.jit
    def fit(start: Fit) -> Fit:
        batches = Pooled(POOL).batches(history, jax.random.key(2), 0.1)
        return descend(
            start,
            batches,
            network=network,
            optimiser=policy.effective_training.make_optimiser(),
            steps=steps,
            regularisation=1e-5,
            size=history.size,
        )

    matrix = jnp.asarray(np.random.default_rng(1).standard_normal((size, size), np.float32))
    product = jax.jit(lambda a: a @ a)
    ours, product_time = in_turns(lambda: fit(start), lambda: product(matrix), turns)
    layers = [FEATURES * WIDTH, WIDTH * WIDTH, WIDTH]
    # Forward pass, gradient by the weights, and (except in the first layer) by the inputs.
    flops = 2 * POOL * (2 * sum(layers) + sum(layers[1:]))
    rate, peak = steps * flops / ours / 1e9, 2 * size**3 / product_time / 1e9
    return Row(
        f"pooled update, K={POOL}, m={WIDTH}: share of sgemm rate",
        f"{rate:.0f} GFLOP/s ({1e6 * ours / steps:.0f} us per step)",
        f"{peak:.0f} GFLOP/s",
        rate / peak,
        1 / 3,
        at_least=True,
    )


def late_against_early(turns: int = 25) -> Row:
    """A round of mini-batch NPR after ``LATE`` observations against one after ``EARLY``."""
    early, late = (_rounds(NPR.descent(FEATURES), seen) for seen in (EARLY, LATE))
    slow, fast = in_turns(late, early, turns)
    return Row(
        f"mini-batch NPR: round at t={LATE:,} against t={EARLY:,}",
        f"{1e3 * slow / ROUNDS:.3f} ms",
        f"{1e3 * fast / ROUNDS:.3f} ms",
        slow / fast,
        1.1,
    )


def npr_against_greedy(quick: bool = False) -> list[Row]:
    """A round of NPR against epsilon-greedy with the same network: the price of exploration."""
    rows, turns = [], 3 if quick else 12
    for way, pool in (("mini-batch", None), ("pooled", POOL)):
        npr = _rounds(NPR.descent(FEATURES, pool=pool), EARLY)
        greedy = _rounds(EpsilonGreedy(FEATURES, pool=pool), EARLY)
        ours, reference = in_turns(npr, greedy, turns)
        rows.append(
            Row(
                f"{way} NPR against EpsilonGreedy, same network and steps",
                f"{1e3 * ours / ROUNDS:.3f} ms",
                f"{1e3 * reference / ROUNDS:.3f} ms",
                ours / reference,
                1.1,
            )
        )
    return rows


def solved_against_descended(quick: bool = False) -> list[Row]:
    """A round of NPR, with and without its network, against a round of NPR by descent."""
    rows, turns = [], 3 if quick else 12
    for way, pool in (("new arms", None), ("pooled", POOL)):
        forms = {
            "NPR": (NPR(FEATURES, pool=pool), 1.5),
            "NPR without its network": (NPR(FEATURES, pool=pool, network=NoNetwork()), 0.4),
        }
        for name, (policy, bound) in forms.items():
            descended = _rounds(NPR.descent(FEATURES, pool=pool), EARLY)
            ours, reference = in_turns(_rounds(policy, EARLY), descended, turns)
            rows.append(
                Row(
                    f"{way}: {name} against NPR.descent",
                    f"{1e3 * ours / ROUNDS:.3f} ms",
                    f"{1e3 * reference / ROUNDS:.3f} ms",
                    ours / reference,
                    bound,
                )
            )
    return rows


def _rounds(policy: NeuralPolicy, seen: int) -> Callable[[], Any]:
    """Return a call that plays ``ROUNDS`` rounds from a history of ``seen`` observations."""
    environment = Synthetic("h1", features=FEATURES, pool=POOL)
    world, state = _start(policy, environment, seen + ROUNDS)
    box = [state]

    def call() -> Any:
        box[0] = _play(policy, environment, world, box[0], np.int32(seen))
        return jax.tree.leaves(box[0])[0]

    return call


@jax.jit(static_argnums=2)
def _start(policy: NeuralPolicy, environment: Synthetic, observations: int) -> Any:
    state = policy.init(jax.random.key(1))
    state = policy.reserve(state, observations=observations, arms=POOL)
    # Copies, since an array that is in the state twice could be donated only once.
    return environment.init(jax.random.key(0)), jax.tree.map(jnp.copy, state)


@jax.jit(donate_argnums=3)  # updated in place, as in a simulation
def _play(
    policy: NeuralPolicy, environment: Synthetic, world: Any, state: Any, seen: jax.Array
) -> Any:
    def play_round(t: jax.Array, state: Any) -> Any:
        key = jax.random.fold_in(jax.random.key(2), t)
        round = environment.observe(world, key, t)
        index = policy.choose(state, key, round).index
        reward = environment.reward(world, key, t, round, index).reward
        row = Feedback(round.contexts[index], reward, round.arms[index], round.user)
        return policy.learn(state, key, row)

    if isinstance(state.history, History):  # as if ``seen`` observations had been made
        state = state._replace(history=state.history._replace(seen=seen))
    return jax.lax.fori_loop(0, ROUNDS, play_round, state)
