"""Every policy that suits a stream plays it, whatever its contexts are made of."""

import numpy as np
import pytest

from jostle import make_policy, simulate
from jostle.factory import suitable

from field_cases import CASES

KINDS = {
    "wheel": "blocks",
    "coins": "a pool",
    "arrivals": "absent arms",
    "offers": "arms without ids",
    "units of blocks": "other units",
}
PLAYS = [(name, policy) for name in KINDS for policy in suitable(CASES[name])]


def test_only_policies_that_need_ids_are_left_out():
    suiting = {name: {policy for world, policy in PLAYS if world == name} for name in KINDS}
    assert suiting["wheel"] == suiting["coins"] == suiting["arrivals"]
    assert suiting["wheel"] - suiting["offers"] == {"ucb1", "hlin-ucb"}


@pytest.mark.study
@pytest.mark.parametrize(("name", "policy"), PLAYS)
def test_every_suitable_policy_plays(name, policy):
    environment = CASES[name]
    result = simulate(make_policy(policy, environment), environment, rounds=25, seed=0)
    assert np.all(np.isfinite(result.rewards))
    assert np.all(np.diff(result.regret) >= 0)
