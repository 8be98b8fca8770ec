"""The neural reward model: what it may see, what it learns, and what it leaves to the ridge."""

import numpy as np
import pytest

from jostle.evaluation import Log, RewardNetwork, evaluate, scan, write
from jostle.evaluation.folds import fold_of
from jostle.evaluation.network_model import CrossFittedNetwork
from jostle.evaluation.ridge_model import CrossFittedRidge

ROWS, ARMS, FOLDS = 6000, 3, 3
SMALL = RewardNetwork(width=8, steps=20, batch=32)


def curved(kind, rows=ROWS):
    """A log of which a linear model explains nothing, and the expected rewards of all arms."""
    generator = np.random.default_rng(0)
    own = generator.normal(size=(rows, ARMS, 2))
    shared = generator.normal(size=(rows, ARMS))
    means = np.abs(own[..., 0]) if kind == "own" else np.abs(shared)
    actions = generator.integers(ARMS, size=rows)
    rewards = 50 + means[np.arange(rows), actions] + 0.1 * generator.normal(size=rows)
    contexts = own if kind == "own" else shared
    order = np.array([2, 0, 1])  # where arms have ids, they are not their places
    arms = np.tile(order, (rows, 1)) if kind == "ids" else None
    matrix = np.full((rows, ARMS), 1 / ARMS)
    return Log.from_arrays(actions, rewards, matrix, contexts, arms=arms), 50 + means


@pytest.mark.parametrize("kind", ["shared", "own", "ids"])
def test_it_learns_what_the_ridge_regression_leaves(kind):
    log, means = curved(kind)
    errors = [
        float(np.mean((model.predict(log) - means) ** 2))
        for model in (
            CrossFittedRidge(log, FOLDS),
            CrossFittedNetwork(log, FOLDS, RewardNetwork(steps=1000)),
        )
    ]
    assert errors[0] > 0.9 * means.var()
    assert errors[1] < 0.1 * means.var()


def test_estimates_become_more_certain_and_stay_right():
    log, means = curved("shared")
    target = np.eye(ARMS)[means.argmax(axis=1)]
    ridge, network = (
        evaluate(log, target, "dr", model=model)["dr"]
        for model in ("ridge", RewardNetwork(steps=1000))
    )
    assert network.standard_error < 0.7 * ridge.standard_error
    assert abs(network.value - means.max(axis=1).mean()) < 5 * network.standard_error


def test_rewards_of_a_fold_play_no_part_in_what_predicts_it():
    log, _ = curved("shared", rows=200)
    folds = fold_of(log, FOLDS)
    changed = Log.from_arrays(
        log.actions, np.where(folds == 1, 7.0, log.rewards), log.all_probabilities, log.contexts
    )
    before, after = (
        CrossFittedNetwork(each, FOLDS, SMALL).predict(each) for each in (log, changed)
    )
    np.testing.assert_allclose(before[folds == 1], after[folds == 1], rtol=1e-6)
    assert np.all(np.abs(before - after)[folds == 0] > 1)


def test_without_contexts_it_is_the_ridge_regression():
    log = curved("shared", rows=60)[0]
    bare = Log.from_arrays(log.actions, log.rewards, log.all_probabilities)
    np.testing.assert_array_equal(
        CrossFittedNetwork(bare, FOLDS, SMALL).predict(bare),
        CrossFittedRidge(bare, FOLDS).predict(bare),
    )


def test_a_part_of_a_log_and_features_of_any_size_are_learned_from():
    log, means = curved("shared", rows=3000)
    large = Log.from_arrays(
        log.actions, log.rewards, log.all_probabilities, 1e6 + 1e5 * log.contexts
    )[1000:]
    found = CrossFittedNetwork(large, FOLDS, RewardNetwork(steps=1000)).predict(large)
    assert np.mean((found - means[1000:]) ** 2) < 0.3 * means.var()


def test_a_file_is_learned_from_in_chunks(tmp_path):
    log, means = curved("shared")
    write(log, tmp_path / "log.parquet")
    scanned = scan(tmp_path / "log.parquet", rows=1000)
    model = CrossFittedNetwork(scanned, FOLDS, RewardNetwork(steps=1000))
    found = np.concatenate([model.predict(chunk) for chunk in scanned.chunks()])
    assert np.mean((found - means) ** 2) < 0.1 * means.var()


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"width": 0}, "width must be at least 1"),
        ({"depth": 1}, "depth must be at least 2"),
        ({"step_size": -1.0}, "step_size must be at least 0"),
        ({"seed": -1}, "seed must be at least 0"),
    ],
)
def test_settings_are_checked(settings, message):
    with pytest.raises(ValueError, match=message):
        RewardNetwork(**settings)
