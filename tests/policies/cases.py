"""Every policy, set up small, for the conformance suite. A new policy joins by one line."""

from jostle import (
    NPR,
    UCB1,
    EpsilonGreedy,
    Falcon,
    HLinUCB,
    LinFPL,
    LinTS,
    LinUCB,
    NeuralLinear,
    NeuralTS,
    NeuralUCB,
    NTKPerturbed,
    Training,
    Uniform,
)
from jostle.models.networks import MLP, NoNetwork

from support import FEATURES, POOL

TRAINING = Training(steps=4, batch=16, step_size=0.01, memory=1_000)
SMALL = {"network": MLP(width=16, depth=2), "training": TRAINING}
PAPER = {"width": 16, "step_size": 0.1, "steps": 20, "memory": 1_000}
FEW = {"random_features": 8, "members": 8}

LEARNING = {
    "npr": NPR(FEATURES, **FEW, **SMALL),
    "npr-pooled": NPR(FEATURES, pool=POOL, **FEW, **SMALL),
    "npr-online": NPR.online(FEATURES, **FEW, width=8, every=2, memory=64),
    "npr-no-network": NPR(FEATURES, network=NoNetwork(), **FEW),
    "npr-forgetting": NPR(FEATURES, half_life=200, network=NoNetwork(), **FEW),
    "npr-descent": NPR.descent(FEATURES, **SMALL),
    "npr-descent-pooled": NPR.descent(FEATURES, pool=POOL, **SMALL),
    "npr-bounded": NPR.descent(FEATURES, **SMALL).with_settings(memory=50, forget="random"),
    "npr-every-3": NPR.descent(FEATURES, **SMALL).with_settings(every=3, restart=True, steps=40),
    "npr-paper": NPR.paper(FEATURES, **PAPER),
    "epsilon-greedy": EpsilonGreedy(FEATURES, random_features=8, **SMALL),
    "greedy-pooled": EpsilonGreedy(FEATURES, pool=POOL, epsilon=0.0, random_features=8, **SMALL),
    "epsilon-greedy-descent": EpsilonGreedy.descent(FEATURES, **SMALL),
    "neural-ucb": NeuralUCB(FEATURES, covariance="full", random_features=8, **SMALL),
    "neural-ucb-diagonal": NeuralUCB(FEATURES, random_features=8, **SMALL),
    "neural-ucb-descent": NeuralUCB.descent(FEATURES, covariance="full", **SMALL),
    "neural-ucb-dual": NeuralUCB.descent(
        FEATURES, covariance="full", **{**SMALL, "network": MLP(16, 3)}
    ),
    "neural-ucb-paper": NeuralUCB.paper(FEATURES, covariance="full", **PAPER),
    "neural-ts": NeuralTS(FEATURES, random_features=8, **SMALL),
    "neural-ts-descent": NeuralTS.descent(FEATURES, **SMALL),
    "neural-ts-paper": NeuralTS.paper(FEATURES, pool=POOL, covariance="full", **PAPER),
    "neural-linear": NeuralLinear(FEATURES, **SMALL),
    "neural-linear-pooled": NeuralLinear(FEATURES, pool=POOL, interval=10, **SMALL),
    "falcon": Falcon(FEATURES, random_features=8, **SMALL),
    "falcon-descent": Falcon.descent(FEATURES, **SMALL).with_settings(steps=100),
    "lin-ucb": LinUCB(FEATURES),
    "lin-ucb-theory": LinUCB(FEATURES, radius="theory"),
    "lin-ucb-paper": LinUCB.paper(FEATURES),
    "lin-ts": LinTS(FEATURES),
    "lin-ts-paper": LinTS.paper(FEATURES),
    "lin-fpl": LinFPL(FEATURES),
    "lin-fpl-paper": LinFPL.paper(FEATURES),
    "hlin-ucb": HLinUCB(FEATURES, users=3),
    "ucb1": UCB1(FEATURES),
    "ucb1-paper": UCB1.paper(FEATURES),
    "ntk-perturbed": NTKPerturbed(FEATURES, pool=POOL),
}
CASES = {**LEARNING, "uniform": Uniform(FEATURES)}
VARIANTS = {
    "npr-online",
    "npr-forgetting",
    "npr-descent",
    "npr-descent-pooled",
    "npr-bounded",
    "npr-every-3",
    "npr-paper",
    "greedy-pooled",
    "epsilon-greedy-descent",
    "neural-ucb",
    "neural-ucb-descent",
    "neural-ucb-dual",
    "neural-ucb-paper",
    "neural-ts",
    "neural-ts-paper",
    "neural-ts-descent",
    "neural-linear-pooled",
    "falcon-descent",
    "lin-ucb-theory",
    "lin-ucb-paper",
    "lin-ts-paper",
    "lin-fpl-paper",
    "ucb1-paper",
    "ntk-perturbed",
}
"""Further settings of policies that are there already, forms of papers, and instruments of theory:
put through the suite by `make studies`."""
