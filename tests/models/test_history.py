"""Which arms have been tried, and the first observations, against plain lists."""

import jax.numpy as jnp
import numpy as np

from jostle.models.early import CORRECTIONS, FIRST, Early
from jostle.models.history import Tried

IDS = np.array([-1, 0, 1, 2, 3, 9])


def test_an_arm_is_untried_until_it_is_pulled():
    tried = Tried.none().reserve(4)
    np.testing.assert_array_equal(tried.among(IDS), [True, False, False, False, False, True])
    tried = tried.add(jnp.int32(2)).add(jnp.int32(-1))
    np.testing.assert_array_equal(tried.among(IDS), [True, False, False, True, False, True])


def test_room_for_arms_grows_and_never_shrinks():
    tried = Tried.none().reserve(3).add(jnp.int32(1))
    for arms in (0, 2, 3, 5):
        tried = tried.reserve(arms)
        wanted = [False, True, False, False, False][: max(3, arms)]
        np.testing.assert_array_equal(tried.flags, wanted)


def test_an_arm_beyond_the_flags_ends_the_trying():
    tried = Tried.none().reserve(3).add(jnp.int32(3))
    assert np.all(tried.among(IDS))


def test_without_room_every_arm_counts_as_tried_and_none_is_marked():
    tried = Tried.none().add(jnp.int32(0))
    assert tried.flags.shape == (0,)


def test_the_first_observations_are_kept_and_their_squares_averaged():
    rng = np.random.default_rng(0)
    seen = [
        (rng.normal(size=3).astype(np.float32), np.int32(i % 4), np.float32(rng.normal()))
        for i in range(FIRST + 2)
    ]
    early, corrected = Early.empty(3), []
    for i, observation in enumerate(seen):
        if early.correct_unit(jnp.int32(i)):
            corrected.append(i + 1)
        early = early.observe(jnp.int32(i), *observation)
        if i in (0, 3, FIRST - 1, FIRST + 1):
            kept = seen[: min(i + 1, FIRST)]
            mean = np.mean([x * x for x, _, _ in kept])
            np.testing.assert_allclose(early.square, mean, rtol=1e-5)
    assert corrected == list(CORRECTIONS) == [1, 4, 16, 64, FIRST]
    kept = seen[: FIRST - 1]  # the last place is overwritten, once nothing reads it any more
    np.testing.assert_array_equal(early.x[: FIRST - 1], [x for x, _, _ in kept])
    np.testing.assert_array_equal(early.block[: FIRST - 1], [block for _, block, _ in kept])
    np.testing.assert_array_equal(early.reward[: FIRST - 1], [reward for _, _, reward in kept])
    np.testing.assert_array_equal(early.weight, 1)
    weighed = early.observe(jnp.int32(3), *seen[0], jnp.float32(2.5))
    assert weighed.weight[3] == 2.5
