"""Descriptions of policies and environments: full precision, flat names, nothing of the arrays."""

import json

import numpy as np
import optax

from jostle import NPR, LinUCB
from jostle.core.description import describe, settings
from jostle.core.record import Record, leaf, static
from jostle.environments import Classification, Recommendation, Synthetic
from jostle.models.networks import MLP
from jostle.serialization import rebuild


class Training(Record):
    step_size: float = leaf(default=0.1)
    width: int = static(default=7)


class Learner(Record):
    training: Training = static(default=Training())
    network: MLP = static(default=MLP(width=5))
    optimiser: object = static(default=optax.adam)
    sizes: tuple[int, ...] = static(default=(1, 2))
    noise: float = leaf(default=1 / 3)
    grid: object = leaf(default=None)


def own(contexts):
    return contexts[:, 0]


def test_settings_are_flat_and_in_full_precision():
    found = settings(Learner(grid=np.array([0.1, 0.2])))
    assert found == {
        "network": "MLP",
        "optimiser": "adam",
        "sizes": [1, 2],
        "noise": 1 / 3,
        "step_size": 0.1,
        "width": 7,
        "network.width": 5,  # the name is taken: the owner is said
        "depth": 3,
        "linear": True,
    }
    assert json.loads(json.dumps(found)) == found


def test_settings_of_environments_leave_out_the_data():
    synthetic = settings(Synthetic("h1", features=4, pool=None, noise=0.1234567890123))
    assert synthetic["pool"] is None
    assert synthetic["noise"] == 0.1234567890123
    assert settings(Synthetic(own))["function"] == f"{__name__}.own"
    rows = np.arange(8.0).reshape(4, 2)
    table = settings(Classification.from_arrays(rows, [0, 1, 0, 1]))
    assert table["classes"] == 2
    assert "rows" not in table
    liked = np.array([[0, 0], [1, 3], [2, 1]])
    shop = settings(Recommendation.from_arrays(np.eye(3), rows, liked, shown=2))
    assert shop["catalogue"] == "3 users, 4 items, 3 liked (own)"


def test_a_description_can_be_rebuilt():
    for policy in (NPR(3, noise=1 / 3, network=MLP(4, 2)), LinUCB(3, exploration=0.7)):
        again = rebuild(json.loads(json.dumps(describe(policy))))
        assert type(again) is type(policy)
        assert settings(again) == settings(policy)
