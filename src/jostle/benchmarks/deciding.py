"""What a decision and an import cost."""

import subprocess
import sys
import time

import jax
import numpy as np

from jostle.agent import Agent
from jostle.benchmarks.measure import Row, in_turns
from jostle.policies import NPR

ARMS, FEATURES, CALLS = 20, 50, 500


def choose_against_numpy(turns: int = 30) -> Row:
    """``Agent.choose`` against the bare NumPy forward pass of the same network."""
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

    slow, fast = in_turns(ours, bare, turns)
    return Row(
        f"Agent.choose, {ARMS} arms of {FEATURES} features, against the bare forward pass",
        f"{1e6 * slow / CALLS:.1f} us",
        f"{1e6 * fast / CALLS:.1f} us",
        slow / fast,
        3.0,
    )


def import_against_jax(turns: int = 5) -> Row:
    """``import jostle`` and the use of a policy, against ``import jax``."""

    def fresh(code: str) -> float:
        start = time.perf_counter()
        subprocess.run([sys.executable, "-c", code], check=True)
        return time.perf_counter() - start

    pairs = [
        (fresh("import jostle; jostle.NPR; jostle.Agent; jostle.simulate"), fresh("import jax"))
        for _ in range(turns)
    ]
    ours, theirs = (min(pair[i] for pair in pairs) for i in (0, 1))
    return Row(
        "import jostle with NPR, Agent and simulate, against import jax",
        f"{ours:.2f} s",
        f"{theirs:.2f} s",
        ours / theirs,
        1.5,
    )
