"""The cost of choosing and learning per policy, as arms and networks grow (Figures 1c to 1e)."""

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp

from jostle.benchmarks.comparison import in_turns
from jostle.environments import Synthetic
from jostle.models.networks import MLP
from jostle.policies import (
    NPR,
    UCB1,
    EpsilonGreedy,
    Falcon,
    HLinUCB,
    LinFPL,
    LinTS,
    LinUCB,
    NeuralTS,
    NeuralUCB,
    Policy,
)
from jostle.types import Round, feedback_of

FEATURES, ROUNDS, SEEN = 50, 16, 512
ARMS, WIDTHS = (20, 100, 500), (32, 64, 128, 256)

Make = Callable[[MLP], Policy]

NEURAL: dict[str, Make] = {
    "NPR": lambda net: NPR(FEATURES, network=net),
    "EpsilonGreedy": lambda net: EpsilonGreedy(FEATURES, network=net),
    "NeuralUCB diagonal": lambda net: NeuralUCB(FEATURES, network=net),
    "NeuralUCB full": lambda net: NeuralUCB(FEATURES, network=net, covariance="full"),
    "NeuralTS diagonal": lambda net: NeuralTS(FEATURES, network=net),
    "NeuralTS full": lambda net: NeuralTS(FEATURES, network=net, covariance="full"),
    "Falcon": lambda net: Falcon(FEATURES, network=net),
}
LINEAR: dict[str, Make] = {
    "LinUCB": lambda net: LinUCB(FEATURES),
    "LinTS": lambda net: LinTS(FEATURES),
    "LinFPL": lambda net: LinFPL(FEATURES),
    "HLinUCB": lambda net: HLinUCB(FEATURES),
    "UCB1": lambda net: UCB1(FEATURES),
}


class Cost(NamedTuple):
    """Milliseconds per round of one policy at one size."""

    policy: str
    size: int
    choosing: float
    learning: float


def over_arms(turns: int = 5) -> Iterator[Cost]:
    """Measure every policy with 20, 100 and 500 arms shown; networks of width 64."""
    for name, make in {**NEURAL, **LINEAR}.items():
        for arms in ARMS:
            yield Cost(name, arms, *_cost(make(MLP(64)), arms, turns))


def over_widths(turns: int = 5) -> Iterator[Cost]:
    """Measure every neural policy with networks of width 32 to 256; 20 arms shown."""
    for name, make in NEURAL.items():
        for width in WIDTHS:
            yield Cost(name, width, *_cost(make(MLP(width)), 20, turns))


def _cost(policy: Policy, arms: int, turns: int) -> tuple[float, float]:
    """Time choosing and learning after SEEN observations, in compiled loops of ROUNDS."""
    environment = Synthetic("h1", pool=max(arms, 100), shown=arms)

    @jax.jit
    def start() -> tuple[Any, Round]:
        state = policy.init(jax.random.key(1))
        state = policy.reserve(state, observations=SEEN + ROUNDS, arms=environment.arms or 0)
        world = environment.init(jax.random.key(0))
        return _aged(state), environment.observe(world, jax.random.key(2), jnp.int32(0))

    state, round = start()

    @jax.jit
    def choose(state: Any) -> Any:
        def body(i: jax.Array, last: Any) -> Any:
            # Each round depends on the one before it, so that the compiler cannot merge them.
            moved = round._replace(contexts=round.contexts + last * 1e-9)
            return policy.choose(state, jax.random.fold_in(jax.random.key(3), i), moved).index

        return jax.lax.fori_loop(0, ROUNDS, body, jnp.int32(0))

    @jax.jit(donate_argnums=0)
    def learn(state: Any) -> Any:
        def body(i: jax.Array, state: Any) -> Any:
            row = feedback_of(round, i % arms, jnp.float32(0.5))
            return policy.learn(state, jax.random.fold_in(jax.random.key(4), i), row)

        return jax.lax.fori_loop(0, ROUNDS, body, state)

    @jax.jit
    def copy(state: Any) -> Any:  # learning consumes its state
        return jax.tree.map(jnp.copy, state)

    choosing, _ = in_turns(lambda: choose(state), lambda: None, turns)
    learning, copying = in_turns(lambda: learn(copy(state)), lambda: copy(state), turns)
    return 1e3 * choosing / ROUNDS, 1e3 * max(learning - copying, 0) / ROUNDS


def _aged(state: Any) -> Any:
    """Set every counter ``seen`` in a state to SEEN, so that it has the cost of a later round."""

    def age(part: Any) -> Any:
        counts = [name for name in ("seen",) if name in getattr(part, "_fields", ())]
        changes = {name: jnp.full_like(getattr(part, name), SEEN) for name in counts}
        inner = {
            name: age(getattr(part, name))
            for name in getattr(part, "_fields", ())
            if hasattr(getattr(part, name), "_fields")
        }
        return part._replace(**changes, **inner) if changes or inner else part

    return age(state)
