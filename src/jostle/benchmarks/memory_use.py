"""The memory of an agent with a bounded history."""

import jax
import numpy as np

from jostle.agent import Agent
from jostle.benchmarks.comparison import Row
from jostle.models.training import Training
from jostle.policies import NPR

FEATURES, BOUND = 50, 1_000


def bounded_memory(quick: bool = False) -> Row:
    """Bytes of an agent with bounded history, after 20,000 observations against 2,000."""
    early_batches, late_batches = (2, 4) if quick else (2, 20)
    agent = Agent(NPR(FEATURES, training=Training(memory=BOUND, every=1_000)))
    contexts = np.random.default_rng(0).normal(size=(BOUND, FEATURES))

    def grown(batches: int) -> int:
        for _ in range(batches):
            agent.learn(contexts, contexts[:, 0])
        return sum(leaf.nbytes for leaf in jax.tree.leaves(agent.state))

    early, late = grown(early_batches), grown(late_batches - early_batches)
    return Row(
        f"bytes of NPR(memory={BOUND:,}) after {late_batches * BOUND:,} observations "
        f"against {early_batches * BOUND:,}",
        f"{late / 1024:.0f} KiB",
        f"{early / 1024:.0f} KiB",
        late / early,
        1.0,
    )
