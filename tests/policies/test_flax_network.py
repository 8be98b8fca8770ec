"""A Flax module is a network as it stands."""

import numpy as np
import pytest

from jostle import NPR, Agent, Training, Uniform, simulate

from requirements import package
from support import EASY, FEATURES


@pytest.mark.study
def test_a_flax_module_is_a_network_as_it_stands():
    nn = package("flax.linen")

    class FlaxNet(nn.Module):
        @nn.compact
        def __call__(self, x):
            return nn.Dense(1)(nn.tanh(nn.Dense(16)(x)))

    policy = NPR(FEATURES, network=FlaxNet(), training=Training(step_size=0.01))
    assert not policy.on_host
    regret = simulate(policy, EASY, rounds=300, seed=1).regret[-1]
    assert regret < 0.4 * simulate(Uniform(FEATURES), EASY, rounds=300, seed=1).regret[-1]
    agent = Agent(policy)
    contexts = np.random.default_rng(0).normal(size=(3, FEATURES))
    for _ in range(3):
        agent.learn(contexts[agent.choose(contexts)], 1.0)
    assert agent.observations == 3
