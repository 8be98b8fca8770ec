"""Rewards that arrive late: when, which of them, and that nothing else changes."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from jostle import LinUCB, Uniform, make_environment, simulate
from jostle.environments import Classification, Delayed, Units
from jostle.peers.stream import chunks
from jostle.policies import Policy
from jostle.types import Choice

from field_cases import STREAMS
from support import EASY

CLICKS = STREAMS["clicks"]


class Diary(Policy):
    """Shows the first arm, and notes the rewards in the order in which it learns them."""

    length: int = 0
    rounds = 30

    def init(self, key):
        return jnp.zeros(self.rounds), jnp.int32(0)

    def choose(self, state, key, round):
        # The score says how much had been learned when this round was played.
        learned = state[1].astype(jnp.float32)
        return Choice(jnp.int32(0), jnp.full(round.mask.shape, learned))

    def learn(self, state, key, feedback):
        return state[0].at[state[1]].set(feedback.reward), state[1] + 1


def played(environment, seed=0):
    result = simulate(
        Diary(environment.features), environment, rounds=Diary.rounds, seed=seed, scores=True
    )
    notes, count = result.state
    return result, np.asarray(notes)[: int(count)]


@pytest.mark.study
@pytest.mark.parametrize("inside", [CLICKS, EASY])
def test_no_delay_is_the_environment_itself(inside):
    policy = LinUCB.paper(inside.features)
    before = simulate(policy, inside, rounds=40, seed=2)
    after = simulate(policy, Delayed(inside, delay=0), rounds=40, seed=2)
    np.testing.assert_array_equal(after.actions, before.actions)
    np.testing.assert_array_equal(after.state.now.theta, before.state.now.theta)


def test_a_fixed_delay_is_that_many_rounds():
    result, learned = played(Delayed(EASY, delay=4, kind="fixed"))
    np.testing.assert_array_equal(learned, result.rewards[:-4])
    # Before round t, the rewards of rounds 0 to t - 5 have arrived.
    np.testing.assert_array_equal(result.scores[:, 0], np.maximum(np.arange(30) - 4, 0))


def test_arms_rewards_and_regret_stay():
    plain, _ = played(EASY)
    late, _ = played(Delayed(EASY, delay=5))
    np.testing.assert_array_equal(late.rewards, plain.rewards)
    np.testing.assert_array_equal(late.regret, plain.regret)


@pytest.mark.parametrize(("delay", "never"), [(3, 0.0), (6, 0.4)])
def test_random_delays_are_delivered_as_drawn(delay, never):
    """Against a plain queue, with the delays that the environment draws."""
    environment, seed = Delayed(EASY, delay=delay, never=never, longest=12), 4
    result, learned = played(environment, seed)
    # The keys of ``simulate``.
    _, key = jax.random.split(jax.random.key(seed))
    _, key = jax.random.split(key)
    arriving = {}
    for t in range(Diary.rounds):
        reward_key = jax.random.split(jax.random.fold_in(key, t))[1]
        drawn = int(environment.reward_delay(reward_key))
        if drawn <= 12:
            arriving.setdefault(t + drawn, []).append(result.rewards[t])
    expected, counts = [], []
    for t in range(Diary.rounds):
        counts.append(len(expected))
        expected += arriving.get(t, [])
    np.testing.assert_array_equal(learned, expected)
    np.testing.assert_array_equal(result.scores[:, 0], counts)


def test_delays_have_their_distribution():
    n = 20_000
    keys = jax.random.split(jax.random.key(0), n)
    delays = np.asarray(jax.vmap(Delayed(EASY, delay=10, longest=300).reward_delay)(keys))
    # Geometric with mean 10: P(D = 0) = 1 / 11 and variance 110.
    assert delays.mean() == pytest.approx(10, abs=5 * np.sqrt(110 / n))
    assert (delays == 0).mean() == pytest.approx(1 / 11, abs=5 * np.sqrt(0.083 / n))
    lost = np.asarray(jax.vmap(Delayed(EASY, delay=10, never=0.3, longest=300).reward_delay)(keys))
    assert (lost > 300).mean() == pytest.approx(0.3, abs=5 * np.sqrt(0.21 / n))
    cut = np.asarray(jax.vmap(Delayed(EASY, delay=10).reward_delay)(keys))
    assert cut.max() <= 101  # 101 stands for never


def test_several_lessons_arrive_together():
    rows = np.random.default_rng(0).normal(size=(30, 3))
    inside = Classification.from_arrays(rows, np.arange(30) % 3, full_information=True)
    policy = LinUCB(inside.features)
    late = simulate(policy, Delayed(inside, delay=5, kind="fixed"), seed=1)
    assert int(late.state.seen) == 2 * 25


def test_units_of_delayed_rewards_are_delayed():
    inside = Delayed(EASY, delay=4, kind="fixed")
    result, learned = played(Units(inside, reward_scale=2.0))
    np.testing.assert_array_equal(learned, result.rewards[:-4])


def test_delayed_by_name():
    environment = make_environment("delayed:of=(h1:shown=5,pool=9),delay=100,never=0.1")
    assert (environment.of.shown, environment.delay, environment.longest) == (5, 100, 1000)
    assert environment.spec == environment.of.spec
    assert make_environment("delayed:of=h2,kind=fixed").delay == 10


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("delayed:of=3", "of must be an environment"),
        ("delayed:of=h1,delay=-1", "delay must be at least 0"),
        ("delayed:of=h1,kind=fix", "did you mean 'fixed'"),
        ("delayed:of=h1,never=2", "never must be between 0 and 1"),
        ("delayed:of=(delayed:of=h1)", "not delayed already"),
    ],
)
def test_bad_delays_are_refused_in_words(text, message):
    with pytest.raises(ValueError, match=message):
        make_environment(text)


def test_other_libraries_do_not_play_late_rewards():
    with pytest.raises(ValueError, match="arrive late"):
        next(chunks(Delayed(EASY), rounds=3, seed=0))
    assert Uniform(EASY.features).spec.features == EASY.features
