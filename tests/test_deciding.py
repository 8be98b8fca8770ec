"""``DecidingView`` decides as its agent does, from a file too, and never changes."""

import numpy as np
import pytest

from jostle.agent import Agent
from jostle.deciding import DecidingView
from jostle.factory import make_policy
from jostle.types import BanditSpec

FEATURES, ARMS = 4, 5


def learned(name):
    agent = Agent(make_policy(name, BanditSpec(features=FEATURES, arms=2048)), seed=3)
    rng = np.random.default_rng(0)
    contexts = rng.normal(size=(20, FEATURES))
    ids = rng.choice([3, 7, 2**40, 2**50], 20)
    agent.learn(contexts, contexts[:, 0] > 0, arm=ids)
    return agent, rng.normal(size=(ARMS, FEATURES)), [3, 7, 2**40, 2**50, 2**60]


@pytest.mark.parametrize("name", ["npr:network=none", "lin-ts", "ucb1", "epsilon-greedy:width=8"])
def test_a_view_decides_as_its_agent_does_and_survives_a_file(name, tmp_path):
    agent, contexts, arms = learned(name)
    view = agent.deciding_view()
    view.save(tmp_path / "view.npz")
    loaded = DecidingView.load(tmp_path / "view.npz")
    agent._generator = np.random.default_rng(5)
    expected = agent.decide(contexts, arms=arms, mask=np.arange(ARMS) != 1)
    for each in (view, loaded):
        found = each.decide(
            contexts, np.random.default_rng(5), arms=arms, mask=np.arange(ARMS) != 1
        )
        assert (found.index, found.arm) == (expected.index, expected.arm)
        np.testing.assert_array_equal(found.scores, expected.scores)
        np.testing.assert_array_equal(found.probabilities, expected.probabilities)
        np.testing.assert_array_equal(found.context, expected.context)


def test_a_view_stays_as_it_is_while_its_agent_learns():
    agent, contexts, _ = learned("lin-ucb")
    view = agent.deciding_view()
    before = view.decide(contexts, np.random.default_rng(1)).scores
    agent.learn(contexts, np.arange(ARMS))
    np.testing.assert_array_equal(view.decide(contexts, np.random.default_rng(1)).scores, before)
    assert not np.array_equal(agent.decide(contexts).scores, before)


def test_compiled_policies_have_no_view():
    agent = Agent(make_policy("neural-ucb:width=8", BanditSpec(features=FEATURES)))
    with pytest.raises(ValueError, match="must decide on the host"):
        agent.deciding_view()


def test_a_view_refuses_what_an_agent_refuses():
    agent, contexts, _ = learned("lin-ucb")
    with pytest.raises(ValueError, match=r"contexts must have shape \(arms, 4\)"):
        agent.deciding_view().decide(contexts[:, :3], np.random.default_rng(0))


def test_a_file_of_another_policy_is_refused(tmp_path):
    agent, _, _ = learned("lin-ucb")
    agent.deciding_view().save(tmp_path / "view.npz")
    with pytest.raises(ValueError, match="does not fit the saved view"):
        DecidingView.load(tmp_path / "view.npz", make_policy("uniform", BanditSpec(features=4)))
