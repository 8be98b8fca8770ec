"""States made longer: the same shapes as after more rounds, and the same covariance."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from jostle.environments import Environment
from jostle.factory import make_environment
from jostle.lab.running.lengthen import lengthen
from jostle.models.covariance import Dual
from jostle.models.history import History
from jostle.peers.catalog import make_player
from jostle.policies import Policy
from jostle.simulation import simulate

WORLD = "h1:features=3,pool=4,shown=2"


def played(name: str, rounds: int, world: str = WORLD) -> tuple[Policy, Environment, object]:
    environment = make_environment(world)
    policy = make_player(name, environment)
    assert isinstance(policy, Policy)
    return policy, environment, simulate(policy, environment, rounds=rounds, seed=0).state


def shapes(state):
    return jax.tree.map(lambda leaf: (leaf.shape, leaf.dtype), state)


@pytest.mark.study
@pytest.mark.parametrize(
    ("name", "world"),
    [
        ("npr.descent:width=4", WORLD),
        ("neural-ucb:covariance=full,width=40", WORLD),
        ("neural-ucb:covariance=full,width=4", WORLD),  # from then on it keeps the matrix
        ("npr.descent:fitting=full,width=4,steps=1", WORLD + ",pool=none"),
        (
            "npr:fitting=minibatch,memory=20,width=4,random_features=4,members=2",
            WORLD + ",pool=none",
        ),
    ],
)
def test_a_state_made_longer_has_the_shape_of_one_that_was_played(name, world):
    world = world.replace("pool=4,shown=2,pool=none", "pool=none,shown=2")
    policy, environment, short = played(name, 30, world)
    _, _, long = played(name, 300, world)
    made = lengthen(policy, short, 300, environment.arms or 0)
    assert shapes(made) == shapes(long)
    for ours, theirs in zip(*map(parts, (made, long)), strict=True):
        held = int(ours.size) if isinstance(ours, History) else int(ours.seen)
        assert held == (int(theirs.size) if isinstance(theirs, History) else int(theirs.seen))


def parts(state):
    """What grows with the rounds."""
    leaves = jax.tree.leaves(state, is_leaf=lambda part: isinstance(part, Dual | History))
    return [leaf for leaf in leaves if isinstance(leaf, Dual | History)]


def test_the_covariance_is_the_same_with_more_rows():
    policy, environment, short = played("neural-ucb:covariance=full,width=40", 30)
    made = lengthen(policy, short, 300, environment.arms or 0)
    (rows,) = parts(made)
    assert int(rows.seen) == 300
    # No row in use is empty: their number alone decides the time, whatever they say.
    used = jnp.concatenate([block.f for block in rows.blocks])[:300]
    assert float(jnp.abs(used).max(axis=1).min()) > 0
    contexts = jax.random.normal(jax.random.key(1), (5, 3))
    np.testing.assert_allclose(
        policy.widths(made, contexts), policy.widths(short, contexts), rtol=1e-4
    )
