"""Reward models: cross-fitting against brute force, in chunks and whole."""

import tracemalloc

import numpy as np
import pytest

from jostle.evaluation import Log, evaluate, read, scan, write
from jostle.evaluation.folds import fold_of
from jostle.evaluation.reward_models import CrossFittedRegressor
from jostle.evaluation.ridge_model import CrossFittedRidge
from jostle.logs.log import CHUNK

ROWS, ARMS, FEATURES, FOLDS = 120, 3, 2, 3


def example(kind):
    generator = np.random.default_rng(0)
    shapes = {"shared": (ROWS, FEATURES), "own": (ROWS, ARMS, FEATURES), "none": None}
    contexts = None if shapes[kind] is None else generator.normal(size=shapes[kind])
    return Log.from_arrays(
        generator.integers(ARMS, size=ROWS),
        generator.normal(size=ROWS),
        np.full((ROWS, ARMS), 1 / ARMS),
        contexts,
    )


def ridge(inputs, rewards, mean):
    """Weights of a ridge regression of rewards from their mean, all of them penalised."""
    inputs = np.c_[np.ones(len(rewards)), inputs]
    gram = inputs.T @ inputs + np.eye(inputs.shape[1])
    return np.linalg.solve(gram, inputs.T @ (rewards - mean))


@pytest.mark.parametrize("kind", ["shared", "own", "none"])
def test_each_row_is_predicted_by_a_fit_to_the_other_folds(kind):
    log = example(kind)
    found = CrossFittedRidge(log, FOLDS).predict(log)
    folds = fold_of(log, FOLDS)
    assert set(folds) == {0, 1, 2}
    for t in range(0, ROWS, 7):
        others = folds != folds[t]
        mean = log.rewards[others].mean()
        for arm in range(ARMS):
            same = others & (log.actions == arm)
            if kind == "own":
                seen = log.contexts[np.arange(ROWS), log.actions][others]
                weights, x = ridge(seen, log.rewards[others], mean), log.contexts[t, arm]
            elif kind == "shared":
                weights = ridge(log.contexts[same], log.rewards[same], mean)
                x = log.contexts[t]
            else:
                weights, x = ridge(np.zeros((same.sum(), 0)), log.rewards[same], mean), []
            assert found[t, arm] == pytest.approx(mean + np.r_[1, x] @ weights, rel=1e-9)


def test_a_file_in_chunks_gives_what_the_whole_log_gives(tmp_path):
    write(example("shared"), tmp_path / "log.parquet")
    names = ("dm", "dr", "sndr", "switch-dr", "dros", "ips")
    whole = evaluate(read(tmp_path / "log.parquet"), "uniform", names)
    pieces = evaluate(scan(tmp_path / "log.parquet", rows=17), "uniform", names)
    for name in names:
        assert pieces[name].value == pytest.approx(whole[name].value, rel=1e-12)
        assert pieces[name].low == pytest.approx(whole[name].low, rel=1e-12)


@pytest.mark.study
@pytest.mark.parametrize("kind", ["shared", "own", "none"])
def test_regressors_of_scikit_learn(kind):
    linear_model = pytest.importorskip("sklearn.linear_model")
    log = example(kind)
    model = linear_model.Ridge(alpha=2.0)
    found = CrossFittedRegressor(log, model, FOLDS).predict(log)
    folds = fold_of(log, FOLDS)

    def inputs(rows, arms):
        if kind == "own":
            return log.contexts[rows, arms]
        indicators = np.eye(ARMS)[arms]
        return indicators if kind == "none" else np.c_[log.contexts[rows], indicators]

    others = np.flatnonzero(folds != folds[5])
    fitted = model.fit(inputs(others, log.actions[others]), log.rewards[others])
    for arm in range(ARMS):
        expected = fitted.predict(inputs(np.array([5]), np.array([arm])))[0]
        assert found[5, arm] == pytest.approx(expected, abs=1e-6)


def test_a_classifier_predicts_the_expected_reward():
    linear_model = pytest.importorskip("sklearn.linear_model")
    log = example("shared")
    clicks = Log.from_arrays(
        log.actions, (log.rewards > 0).astype(float), log.probabilities, log.contexts
    )
    found = CrossFittedRegressor(clicks, linear_model.LogisticRegression(), FOLDS).predict(clicks)
    assert found.shape == (ROWS, ARMS)
    assert 0 < found.min() < found.max() < 1


def test_doubly_robust_is_right_where_the_model_is():
    """With the true means as the model, DR has no more error than rewards have noise."""
    generator = np.random.default_rng(0)
    n = 2000
    means = generator.normal(size=(n, ARMS))
    logged = generator.dirichlet(np.ones(ARMS), n) * 0.9 + 0.1 / ARMS
    actions = np.array([generator.choice(ARMS, p=row) for row in logged])
    log = Log.from_arrays(actions, means[np.arange(n), actions], logged)
    target = generator.dirichlet(np.ones(ARMS), n)
    found = evaluate(log, target, ("dr", "ips"), model=means)
    assert found["dr"].value == pytest.approx(np.mean(np.sum(target * means, axis=1)), rel=1e-9)
    assert found["dr"].standard_error < 0.7 * found["ips"].standard_error


def test_predictions_of_another_shape_are_refused():
    with pytest.raises(ValueError, match=r"model must predict rewards of shape \(120, 3\)"):
        evaluate(example("none"), "uniform", "dr", model=np.zeros((ROWS, 2)))
    with pytest.raises(ValueError, match=r"model must have shape \(120, arms\).* not \(121, 3\)"):
        evaluate(example("none"), "uniform", "dr", model=np.zeros((ROWS + 1, 3)))
    with pytest.raises(ValueError, match="model must predict finite numbers, but row 0 has"):
        evaluate(example("none"), "uniform", "dr", model=np.full((ROWS, 3), np.nan))


def test_a_file_is_never_in_memory_as_a_whole(tmp_path):
    rows, features = 20_000, 60
    generator = np.random.default_rng(0)
    contexts = generator.normal(size=(rows, features)).astype(np.float32)
    log = Log.from_arrays(
        generator.integers(2, size=rows), generator.random(rows), np.full(rows, 0.5), contexts
    )
    path = tmp_path / "log.parquet"
    write(log, path)
    size = contexts.nbytes
    del log, contexts
    scanned = scan(path, rows=500)
    tracemalloc.start()
    evaluate(scanned, "uniform", ("ips", "dr"))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 0.75 * size


def test_a_model_that_cannot_be_fitted_is_named():
    linear_model = pytest.importorskip("sklearn.linear_model")
    log = example("shared")
    clicks = Log.from_arrays(log.actions, np.arange(ROWS) == 0, log.probabilities, log.contexts)
    with pytest.raises(
        ValueError, match=r"model LogisticRegression cannot be fitted to the .* fold"
    ):
        evaluate(clicks, 0, "dr", model=linear_model.LogisticRegression())


def test_arms_that_appear_late_have_a_model_too():
    """More rows than are worked on at a time; the last arms are not in the first of them."""
    rows = CHUNK + 4000
    arms = np.where(np.arange(rows)[:, None] < CHUNK, [[0, 1]], [[2, 3]])
    actions = np.tile([0, 1], rows // 2)
    rewards = np.where(np.arange(rows) < CHUNK, 0.0, actions)
    log = Log.from_arrays(actions, rewards, np.full((rows, 2), 0.5), arms=arms)
    found = evaluate(log, 3, "dm")["dm"]
    # Where arm 3 is absent, the two others are equally likely.
    assert found.value == pytest.approx(4000 / rows, abs=1e-3)
