"""Outlying contexts against the definition of their distance, and of the quantile."""

import jax
import numpy as np
import pytest

from jostle.models.outlying import LONGEST, SHARE, Outlying


def observed(contexts, start=None):
    def step(outlying, x):
        return outlying.observe(x), outlying.among(x[None])

    start = Outlying.empty(contexts.shape[1]) if start is None else start
    return jax.jit(lambda state, rows: jax.lax.scan(step, state, rows))(
        start, contexts.astype(np.float32)
    )


def test_distances_are_those_of_the_definition_with_the_context_counted():
    rng = np.random.default_rng(0)
    contexts = rng.normal(3, [0.1, 1, 20], size=(300, 3))
    outlying, _ = observed(contexts)
    for x in rng.normal(3, [0.1, 1, 20], size=(5, 3)):
        both = np.concatenate([contexts, x[None]])
        expected = ((x - both.mean(0)) ** 2 / both.var(0)).mean()
        assert float(outlying.distances(x)) == pytest.approx(expected, rel=1e-3)


def test_an_entry_that_never_varied_counts_for_the_number_of_observations():
    outlying, _ = observed(np.ones((200, 4)))
    assert float(outlying.distances(np.ones(4))) == 0
    assert float(outlying.distances(np.array([1, 1, 1, 2.0]))) == pytest.approx(200 / 4)


def test_distances_do_not_depend_on_the_unit_of_an_entry():
    contexts = np.random.default_rng(1).normal(size=(300, 3))
    units = np.array([2.0**-20, 1, 2.0**20])
    (here, flags), (there, others) = observed(contexts), observed(contexts * units)
    np.testing.assert_array_equal(here.distances(contexts), there.distances(contexts * units))
    np.testing.assert_array_equal(flags, others)


def test_huge_contexts_are_outlying_and_leave_the_moments_finite():
    outlying, _ = observed(np.random.default_rng(4).normal(size=(100, 3)))
    huge = np.full((1, 3), 1e30, np.float32)
    assert bool(outlying.among(huge))
    after = jax.jit(Outlying.observe)(outlying, huge[0])
    assert all(np.isfinite(part).all() for part in after)
    on_host = Outlying(*(np.asarray(part) for part in outlying))
    assert bool(on_host.among(huge))  # without a warning, which would be an error
    assert on_host.distances(huge).dtype == np.float32


@pytest.mark.parametrize("shape", ["normal", "indicators", "heavy tails"])
def test_one_in_ten_contexts_is_outlying_also_after_a_change(shape):
    rng = np.random.default_rng(2)

    def drawn(n):
        if shape == "indicators":
            return np.eye(20)[rng.choice(20, n, p=np.arange(1, 21) / 210)]
        return rng.normal(size=(n, 5)) if shape == "normal" else rng.standard_t(2, size=(n, 5))

    outlying, flags = observed(drawn(4000))
    assert np.mean(flags[1000:]) == pytest.approx(SHARE, abs=0.03)
    _, later = observed(7 + 30 * drawn(3 * LONGEST), outlying)
    assert np.mean(later[-LONGEST:]) == pytest.approx(SHARE, abs=0.03)


def test_contexts_that_never_change_are_not_outlying():
    outlying, flags = observed(np.tile([1.0, 0.0], (500, 1)))
    assert not np.any(flags)
    _, later = observed(np.random.default_rng(0).normal(size=(4000, 2)), outlying)
    assert np.mean(later[-2000:]) == pytest.approx(SHARE, abs=0.03)


def test_a_decision_is_judged_by_the_mean_of_the_arms_present():
    rng = np.random.default_rng(3)
    outlying, _ = observed(rng.normal(size=(1000, 3)))
    near, far = np.zeros((1, 3)), np.full((1, 3), 9.0)
    both = np.concatenate([near, far])
    assert bool(outlying.among(far))
    assert not bool(outlying.among(near))
    assert bool(outlying.among(both))
    assert not bool(outlying.among(both, np.array([True, False])))
    stacked = np.stack([both, np.concatenate([near, near])])
    np.testing.assert_array_equal(outlying.among(stacked), [True, False])
