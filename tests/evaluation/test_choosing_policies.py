"""Choosing among candidates, and starting an agent with the winner."""

import numpy as np
import pytest

from jostle import Agent, LinUCB
from jostle.evaluation import Log, compare, select, warm_started

ROWS = 600


def log():
    """Arm 1 pays more; arm 2 pays most, but was chosen in two rows only."""
    generator = np.random.default_rng(0)
    p = np.tile([0.5, 0.497, 0.003], (ROWS, 1))
    actions = (generator.random((ROWS, 1)) > p.cumsum(axis=1)).sum(axis=1)
    actions[[10, 20]] = 2
    rewards = np.select([actions == 0, actions == 1], [generator.random(ROWS) * 0.5, 0.5], 0.9)
    return Log.from_arrays(actions, rewards, p, np.ones((ROWS, 1)))


def test_the_winner_has_the_best_lower_bound_not_the_best_estimate():
    chosen = select(log(), {"zero": 0, "one": 1, "two": 2}, estimator="ips")
    assert chosen.winner == "one"
    assert chosen.estimates["two"].value > chosen.estimates["one"].value
    assert chosen.estimates["two"].low < chosen.estimates["one"].low
    assert chosen.estimates["one"].level == pytest.approx(1 - 0.05 / 3)
    assert chosen.agent is None


def test_a_comparison_prints_one_line_per_estimate():
    found = compare(log(), {"one": 1}, baseline="logged", estimators=("ips", "snips"))
    lines = repr(found).splitlines()
    names = [["logged", "ips"], ["logged", "snips"], ["one", "ips"], ["one", "snips"]]
    assert [line.split()[:2] for line in lines] == names
    for line, (target, estimator) in zip(lines, names, strict=True):
        assert line.endswith(str(found.results[target].estimates[estimator]))


def test_a_policy_that_wins_learns_the_log():
    data = log()
    policy = LinUCB.for_environment(data, exploration=0.01)
    chosen = select(data, {"zero": 0, "lin-ucb": policy})
    assert chosen.winner == "lin-ucb"
    assert isinstance(chosen.agent, Agent)
    assert chosen.agent.observations == ROWS
    assert chosen.agent.choose(np.eye(3)) in (1, 2)
    fresh = select(data, {"lin-ucb": policy}, warm_start=False)
    assert fresh.agent.observations == 0


def test_an_agent_that_wins_is_copied():
    agent = warm_started(LinUCB.for_environment(log()), log())
    chosen = select(log(), {"agent": agent})
    assert chosen.agent is not agent
    assert chosen.agent.observations == ROWS
    assert agent.observations == ROWS


@pytest.mark.parametrize(
    ("candidates", "arguments", "message"),
    [
        ({}, {}, "candidates must hold at least one target"),
        ("uniform", {}, "candidates must be a dictionary"),
        ({"u": "uniform"}, {"estimator": ("ips", "dr")}, "estimator must be one name"),
        ({"u": "uniform"}, {"interval": None}, "chosen by their lower bounds"),
        ({"u": "uniform"}, {"level": 7}, "level must be between 0 and 1, such as 0.95, not 7"),
    ],
)
def test_candidates_and_arguments_that_cannot_be_chosen_by(candidates, arguments, message):
    with pytest.raises((TypeError, ValueError), match=message):
        select(log(), candidates, **arguments)
