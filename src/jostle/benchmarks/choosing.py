"""The cost of one decision of an ``Agent``."""

import jax
import numpy as np

from jostle.agent import Agent
from jostle.benchmarks.comparison import Row, in_turns
from jostle.policies import NPR

ARMS, FEATURES, CALLS = 20, 50, 500


def choose_against_numpy(quick: bool = False) -> Row:
    """Agent.choose against the bare NumPy forward pass of the same network."""
    agent = Agent(NPR(FEATURES))
    contexts = np.random.default_rng(0).normal(size=(ARMS, FEATURES)).astype(np.float32)
    agent.learn(contexts, contexts[:, 0])
    weights = jax.tree.map(np.array, agent.state.fit.average)

    def ours() -> None:
        for _ in range(CALLS):
            agent.choose(contexts)

    def bare() -> None:
        for _ in range(CALLS):
            (w1, b1), (w2, b2), (w3, b3), path = weights
            hidden = np.maximum(contexts @ w1 + b1, 0)
            hidden = np.maximum(hidden @ w2 + b2, 0)
            (hidden @ w3 + b3 + contexts @ path).argmax()

    slow, fast = in_turns(ours, bare, 3 if quick else 30)
    return Row(
        f"Agent.choose, {ARMS} arms of {FEATURES} features, against the bare forward pass",
        f"{1e6 * slow / CALLS:.1f} us",
        f"{1e6 * fast / CALLS:.1f} us",
        slow / fast,
        3.0,
    )
