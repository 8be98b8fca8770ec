"""What an agent holds on to."""

import jax
import numpy as np

from jostle.agent import Agent
from jostle.benchmarks.measure import Row
from jostle.models.training import Training
from jostle.policies import NPR

FEATURES, BOUND = 50, 1_000


def bounded_stays_bounded() -> Row:
    """Bytes of a bounded agent after 20,000 observations against after 2,000."""
    agent = Agent(NPR(FEATURES, training=Training(memory=BOUND, every=1_000)))
    contexts = np.random.default_rng(0).normal(size=(BOUND, FEATURES))

    def grown(batches: int) -> int:
        for _ in range(batches):
            agent.learn(contexts, contexts[:, 0])
        return sum(leaf.nbytes for leaf in jax.tree.leaves(agent.state))

    early, late = grown(2), grown(18)
    return Row(
        f"bytes of NPR(memory={BOUND:,}) after 20,000 observations against 2,000",
        f"{late / 1024:.0f} KiB",
        f"{early / 1024:.0f} KiB",
        late / early,
        1.0,
    )
