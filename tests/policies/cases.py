"""Every policy, set up small, for the conformance suite. A new policy joins by one line."""

from jostle import NPR, EpsilonGreedy, Uniform
from jostle.networks import MLP

from support import FEATURES, POOL

SMALL = {"network": MLP(width=16, depth=2), "steps": 4, "batch": 16, "step_size": 0.01}

LEARNING = {
    "npr": NPR(FEATURES, **SMALL),
    "npr-pooled": NPR(FEATURES, pool=POOL, **SMALL),
    "npr-bounded": NPR(FEATURES, memory=50, forget="random", **SMALL),
    "npr-every-3": NPR(FEATURES, every=3, restart=True, **{**SMALL, "steps": 40}),
    "npr-paper": NPR.paper(FEATURES, width=16, step_size=0.1, steps=20),
    "epsilon-greedy": EpsilonGreedy(FEATURES, **SMALL),
    "greedy-pooled": EpsilonGreedy(FEATURES, pool=POOL, epsilon=0.0, **SMALL),
}
CASES = {**LEARNING, "uniform": Uniform(FEATURES)}
