"""Picking among scores: ties, masks and untried arms, against brute force."""

import itertools

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from jostle import NPR, Agent, EpsilonGreedy, Falcon, NeuralTS, NeuralUCB, NTKPerturbed, Training
from jostle.models.history import Tried
from jostle.models.networks import MLP
from jostle.policies.selection import (
    even,
    greedy,
    pick_best,
    pick_weighted,
    preferring_untried,
    vote_shares,
)
from jostle.types import NOBODY, Round

from support import FEATURES, POOL

SMALL = {"network": MLP(8, 2), "training": Training(steps=1, batch=4)}
SWEEPING = {
    "npr": NPR(FEATURES, **SMALL),
    "npr-pooled": NPR(FEATURES, pool=POOL, **SMALL),
    "epsilon-greedy": EpsilonGreedy(FEATURES, sweep=512, **SMALL),
    "neural-ucb": NeuralUCB(FEATURES, sweep=512, **SMALL),
    "neural-ts": NeuralTS(FEATURES, sweep=512, **SMALL),
    "falcon": Falcon(FEATURES, sweep=512, **SMALL),
    "ntk-perturbed": NTKPerturbed(FEATURES, pool=POOL),
}


@pytest.mark.parametrize("xp", [np, jnp])
def test_untried_arms_come_first_if_they_are_present(xp):
    """Every mask and every history of three arms, with and without ids."""
    for present, flags in itertools.product(itertools.product([False, True], repeat=3), repeat=2):
        if not any(present):
            continue
        for ids in ([0, 1, 2], [2, NOBODY, 0], [NOBODY] * 3):
            untried = [
                here and arm != NOBODY and not flags[arm]
                for here, arm in zip(present, ids, strict=True)
            ]
            round = Round(None, xp.asarray(present), xp.asarray(ids), 0)
            allowed = preferring_untried(Tried(xp.asarray(flags)), round)
            assert list(allowed) == (untried if any(untried) else list(present))


@pytest.mark.study
@pytest.mark.parametrize("policy", SWEEPING.values(), ids=SWEEPING)
def test_the_sweep_never_pulls_an_absent_arm(policy):
    """Ids and a mask, while few arms have been tried: most absent arms are untried ones."""
    agent = Agent(policy)
    rng = np.random.default_rng(0)
    pool = rng.normal(size=(POOL, FEATURES))
    agent.learn(pool[POOL - 1], 0.0, arm=POOL - 1)
    for _ in range(40):
        ids = rng.permutation(POOL)[:4]
        mask = rng.random(4) < 0.4
        mask[rng.integers(4)] = True
        assert mask[agent.choose(pool[ids], arms=ids, mask=mask)]


@pytest.mark.parametrize("xp", [np, jnp])
def test_the_best_allowed_arm_is_picked_and_ties_are_shared(xp):
    scores, allowed = xp.asarray([3.0, 1.0, 1.0, xp.nan]), xp.asarray([False, True, True, True])
    assert list(greedy(scores, allowed)) == [False, True, True, False]
    keys = [np.random.default_rng(seed) if xp is np else jax.random.key(seed) for seed in range(30)]
    assert {int(pick_best(key, scores, allowed)) for key in keys} == {1, 2}


@pytest.mark.parametrize("xp", [np, jnp])
def test_weighted_draws_have_their_probabilities(xp):
    probabilities = xp.asarray([0.5, 0.0, 0.2, 0.3])
    if xp is np:
        rng = np.random.default_rng(0)
        drawn = [pick_weighted(rng, probabilities) for _ in range(4000)]
    else:
        keys = jax.random.split(jax.random.key(0), 4000)
        drawn = jax.vmap(lambda key: pick_weighted(key, probabilities))(keys)
    found = np.bincount(np.asarray(drawn), minlength=4) / 4000
    np.testing.assert_allclose(found, probabilities, atol=0.04)  # five standard errors
    assert found[1] == 0


def test_vote_shares_of_draws_without_ties_are_those_with_ties_counted():
    rng = np.random.default_rng(0)
    everyone = np.ones(4, bool)
    for draws in (rng.normal(size=(7, 4)), rng.integers(0, 3, (7, 4)).astype(np.float32)):
        for extra in (draws, np.where(draws > 1.5, np.nan, draws)):
            expected = even(greedy(extra, everyone)).mean(0)
            np.testing.assert_array_equal(vote_shares(extra, everyone), expected)
