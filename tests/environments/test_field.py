"""The streams of applications against their definitions."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from scipy import stats

from jostle import UCB1, LinUCB, Uniform, make_environment, simulate
from jostle.core.contexts import Blocks, dense
from jostle.environments import (
    Arrivals,
    Clicks,
    Coins,
    Drift,
    Eat,
    Ladder,
    Offers,
    Purchases,
    Wheel,
)
from jostle.environments.field.rates import Rates, log_uniform

from field_cases import MUSHROOMS, POISONOUS, STREAMS
from support import assert_same


def rounds_of(environment, count, seed=0, start=0):
    """The problem, ``count`` rounds of it, and the expected rewards in each."""
    state = environment.init(jax.random.key(seed))

    def show(t):
        shown = environment.observe(state, jax.random.fold_in(jax.random.key(seed + 1), t), t)
        return shown, environment.expected(state, t, shown)

    shown, means = jax.lax.map(show, jnp.arange(start, start + count))
    return state, shown, np.asarray(means)


def rewards_of(environment, state, shown, index, count, t=0):
    """``count`` rewards of one arm of a round."""
    keys = jax.random.split(jax.random.key(9), count)
    reward = jax.jit(jax.vmap(lambda key: environment.reward(state, key, t, shown, index).reward))
    return np.asarray(reward(keys), np.float64)


def rates_of(rates, shown):
    """The probability of every rule in each round."""
    return np.asarray(jax.lax.map(rates.at, shown.contexts.x[:, 0, 1:]))


def first(shown):
    return jax.tree.map(lambda rows: rows[0], shown)


@pytest.mark.parametrize("name", STREAMS)
def test_regret_is_expected_and_contexts_with_or_without_zeros_pay_the_same(name):
    environment = STREAMS[name]
    state, shown, means = rounds_of(environment, 4)
    pay = jax.jit(environment.reward)
    assert means.shape == shown.mask.shape
    for t in range(4):
        round = jax.tree.map(lambda rows, t=t: rows[t], shown)
        filled = round._replace(contexts=dense(round.contexts, environment.features))
        assert filled.contexts.shape == (len(round.mask), environment.features)
        here = means[t][np.asarray(round.mask)]
        for index in np.flatnonzero(round.mask):
            key = jax.random.key(index)
            outcome = pay(state, key, t, round, index)
            wanted = here.max() - means[t, index]
            np.testing.assert_allclose(outcome.regret, wanted, rtol=1e-4, atol=1e-6)
            assert_same(outcome, pay(state, key, t, filled, index))


@pytest.mark.parametrize("name", STREAMS)
def test_rewards_have_their_expectation(name):
    environment = STREAMS[name]
    state, shown, means = rounds_of(environment, 1)
    round, count = first(shown), 4000
    index = int(means[0].argmin())  # for eat that is a poisonous mushroom, or leaving it
    rewards = rewards_of(environment, state, round, index, count)
    error = max(rewards.std(), 1e-3 * abs(means[0, index]), 1e-7) / np.sqrt(count)
    assert abs(rewards.mean() - means[0, index]) < 5 * error + 1e-6


@pytest.mark.parametrize("name", STREAMS)
def test_streams_have_no_end_and_play_in_one_program(name):
    environment = STREAMS[name]
    assert environment.rounds is None or name == "eat"
    result = simulate(Uniform(environment.features), environment, rounds=30, seed=1)
    assert np.all(np.isfinite(result.rewards))
    assert np.all(np.diff(result.regret) >= 0)


# The wheel


def test_the_wheel_is_that_of_the_paper():
    delta, count = 0.8, 4000
    environment = Wheel(delta=delta)
    _, shown, means = rounds_of(environment, count)
    points = np.asarray(shown.contexts.x[:, 0])
    radii = np.linalg.norm(points, axis=1)
    assert stats.kstest(radii**2, "uniform").pvalue > 1e-4  # uniform in the disc
    np.testing.assert_array_equal(shown.contexts.block, np.tile(np.arange(5), (count, 1)))
    rim = radii > delta
    assert abs(rim.mean() - (1 - delta**2)) < 5 * np.sqrt(delta**2 * (1 - delta**2) / count)
    arm_of = {(True, True): 0, (True, False): 1, (False, True): 2, (False, False): 3}
    for point, outside, row in zip(points, rim, means, strict=True):
        wanted = np.array([1, 1, 1, 1, 1.2])
        if outside:
            wanted[arm_of[tuple(bool(side) for side in point > 0)]] = 50
        np.testing.assert_allclose(row, wanted, rtol=1e-6)


@pytest.mark.parametrize(("delta", "percent"), [(0.5, 124.4), (0.95, 120.1), (0.99, 103.7)])
def test_always_the_safe_arm_of_the_wheel_is_worse_than_uniform(delta, percent):
    rim = 1 - delta**2
    safe = rim * (50 - 1.2)
    uniform = rim * (50 - (50 + 3 * 1 + 1.2) / 5) + (1 - rim) * (1.2 - (4 * 1 + 1.2) / 5)
    assert 100 * safe / uniform == pytest.approx(percent, abs=0.1)
    _, _, means = rounds_of(Wheel(delta=delta), 20_000)
    regrets = means.max(axis=1, keepdims=True) - means
    for found, wanted in ((regrets[:, 4], safe), (regrets.mean(axis=1), uniform)):
        assert abs(found.mean() - wanted) < 5 * found.std() / np.sqrt(len(found))


def test_noise_of_the_wheel_has_its_deviation():
    state, shown, means = rounds_of(Wheel(noise=0.3), 1)
    rewards = rewards_of(Wheel(noise=0.3), state, first(shown), 2, 2000)
    assert stats.kstest((rewards - means[0, 2]) / 0.3, "norm").pvalue > 1e-4


# Mushrooms


def test_eating_pays_by_the_kind_of_mushroom():
    environment = Eat.from_arrays(MUSHROOMS, POISONOUS)
    assert environment.rounds == 50_000
    assert (environment.arms, environment.blocks) == (2, 2)
    state, shown, means = rounds_of(environment, 400)
    rows = np.asarray(jax.vmap(lambda t: environment.row(state, t))(jnp.arange(400)))
    np.testing.assert_array_equal(shown.contexts.x[:, 0], environment.rows.x[rows])
    np.testing.assert_array_equal(means[:, 0], 0)
    np.testing.assert_array_equal(means[:, 1], np.where(POISONOUS[rows] == 1, -15, 5))
    assert len(set(rows)) < 400  # with replacement
    assert stats.chisquare(np.bincount(rows, minlength=len(POISONOUS))).pvalue > 1e-4
    for t, kinds in ((int(means[:, 1].argmin()), {-35.0, 5.0}), (int(means[:, 1].argmax()), {5.0})):
        round = jax.tree.map(lambda part, t=t: part[t], shown)
        assert set(rewards_of(environment, state, round, 1, 100, t)) == kinds
        assert set(rewards_of(environment, state, round, 0, 100, t)) == {0.0}


def test_the_mushrooms_are_those_of_the_data_set(real_data):
    environment = make_environment("eat:rounds=3")
    assert environment.rounds == 3
    assert environment.rows.y.shape == (8124,)
    assert int((environment.rows.y == 0).sum()) == 4208  # edible, as the data set's notes say


# Without features


def test_coins_fall_with_their_probabilities():
    environment = make_environment("coins:probabilities=(0.6,0.5,0.1)")
    state, shown, means = rounds_of(environment, 1)
    np.testing.assert_allclose(means[0], [0.6, 0.5, 0.1])
    np.testing.assert_array_equal(shown.contexts[0], np.eye(3))
    rewards = rewards_of(environment, state, first(shown), 0, 4000)
    assert set(rewards) == {0.0, 1.0}
    assert abs(rewards.mean() - 0.6) < 5 * np.sqrt(0.24 / 4000)
    assert Coins().probabilities == (0.6, 0.5)


@pytest.mark.study
def test_greedy_stays_with_the_worse_coin_in_37_percent_of_all_runs():
    greedy, runs = UCB1(2, exploration=0.0), 400
    last = [simulate(greedy, Coins(), rounds=300, seed=seed).actions[-1] for seed in range(runs)]
    share = np.mean(np.asarray(last) == 1)
    assert abs(share - 0.37) < 5 * np.sqrt(0.37 * 0.63 / runs)


def test_the_ladder_has_evenly_spaced_means_in_any_order():
    orders = set()
    for seed in range(5):
        _, _, means = rounds_of(Ladder(), 1, seed=seed)
        np.testing.assert_allclose(np.sort(means[0]), np.linspace(0, 1, 11), atol=1e-6)
        orders.add(tuple(means[0]))
    assert len(orders) == 5
    _, _, scaled = rounds_of(Ladder(scale=1000), 1)
    np.testing.assert_allclose(np.sort(scaled[0]), np.linspace(0, 1000, 11), rtol=1e-5)


def test_noise_of_the_ladder_is_scaled_with_its_rewards():
    for scale in (1.0, 0.001):
        environment = Ladder(noise=3, scale=scale)
        state, shown, means = rounds_of(environment, 1)
        rewards = rewards_of(environment, state, first(shown), 4, 2000)
        assert stats.kstest((rewards - means[0, 4]) / (3 * scale), "norm").pvalue > 1e-4
    assert make_environment("noise").noise == 1
    assert make_environment("scale:scale=0.001").scale == 0.001


# Adverts


def test_rules_have_their_average_and_strength():
    averages, features = jnp.array([0.01, 0.05, 0.3]), 5
    rates = Rates.draw(jax.random.key(0), averages, features, 0.7)
    contexts = jax.random.normal(jax.random.key(1), (20_000, features))
    found = np.asarray(jax.lax.map(rates.at, contexts), np.float64)
    # The average is set on a sample of 2,048 contexts, and measured on another.
    error = found.std(axis=0) * np.sqrt(1 / 2048 + 1 / 20_000)
    assert np.all(np.abs(found.mean(axis=0) - averages) < 5 * error)
    odds = np.log(found) - np.log1p(-found)
    np.testing.assert_allclose(odds.std(axis=0), 0.7, rtol=0.1)
    x = np.asarray(contexts[0], np.float64)
    by_hand = [
        np.asarray(v) @ np.tanh(np.asarray(w) @ x + np.asarray(b)) + shift
        for w, b, v, shift in zip(*rates, strict=True)
    ]
    np.testing.assert_allclose(rates.logits(contexts[0]), by_hand, rtol=1e-4)
    assert_same(rates.of(jnp.array([2])).at(contexts[0])[0], rates.at(contexts[0])[2])


def test_average_rates_are_log_uniform():
    drawn = np.asarray(log_uniform(jax.random.key(0), 2000, 0.01, 0.1))
    assert stats.kstest(np.log10(drawn) + 2, "uniform").pvalue > 1e-4


def test_clicks_show_one_user_for_all_adverts_and_are_clicked_seldom():
    count = 4000
    _, shown, means = rounds_of(Clicks(), count)
    x = np.asarray(shown.contexts.x)
    assert x.shape == (count, 10, 9)
    assert np.all(x == x[:, :1])
    assert np.all(x[..., 0] == 1)
    assert stats.kstest(x[:, 0, 1:].ravel(), "norm").pvalue > 1e-4
    averages = means.mean(axis=0)
    assert np.all((averages > 0.009) & (averages < 0.11))
    # How much better the best advert is than a random one: uniform's regret per round.
    gap = (means.max(axis=1) - means.mean(axis=1)).mean()
    assert 0.05 < gap < 0.1


def test_the_rule_of_an_advert_is_not_linear():
    state, shown, _ = rounds_of(Clicks(strength=1.0), 3000)
    x = np.asarray(shown.contexts.x[:, 0], np.float64)
    logits = np.asarray(jax.lax.map(state.logits, shown.contexts.x[:, 0, 1:]), np.float64)
    residue = logits - x @ np.linalg.lstsq(x, logits, rcond=None)[0]
    unexplained = residue.var(axis=0) / logits.var(axis=0)
    assert np.all((unexplained > 0.03) & (unexplained < 0.7))


def test_purchases_are_seldom_and_log_normal():
    environment = Purchases(low=0.2, high=0.4)  # more of them than by default, for the test
    state, shown, means = rounds_of(environment, 1)
    amounts = np.asarray(state.amounts, np.float64)
    assert np.all((amounts >= 20) & (amounts <= 100))
    rewards = rewards_of(environment, state, first(shown), 0, 6000)
    sold = rewards > 0
    rate = means[0, 0] / amounts[0]
    assert abs(sold.mean() - rate) < 5 * np.sqrt(rate * (1 - rate) / 6000)
    z = (np.log(rewards[sold] / amounts[0]) + 1.2**2 / 2) / 1.2
    assert stats.kstest(z, "norm").pvalue > 1e-4


def test_adverts_arrive_one_by_one_and_the_oldest_goes():
    environment = Arrivals(arms=7, shown=4, first=2, every=3)
    count = 3 * 14
    state, shown, means = rounds_of(environment, count)
    there, rates = [], rates_of(state, shown)
    for t in range(count):
        arrived = [number % 7 for number in range(2 + t // 3)]
        mask, arms = np.asarray(shown.mask[t]), np.asarray(shown.arms[t])
        assert sorted(arms[mask]) == sorted(arrived[-4:])
        np.testing.assert_array_equal(shown.contexts.block[t], arms)
        np.testing.assert_allclose(means[t][mask], rates[t, arms[mask]], rtol=1e-5)
        there.append(tuple(sorted(arms[mask])))
    assert there[0] == (0, 1)
    assert there[6] == (0, 1, 2, 3)
    assert there[9] == (1, 2, 3, 4)
    places = np.asarray(shown.arms)[6:]
    assert np.all((np.diff(places, axis=0) != 0).sum(axis=1) <= 1)  # nobody moves to another place


def test_absent_adverts_do_not_count_as_the_best():
    environment = Arrivals(arms=7, shown=4, first=1, every=50)
    state, shown, _ = rounds_of(environment, 1)
    assert environment.reward(state, jax.random.key(0), 0, first(shown), 0).regret == 0


def test_an_abrupt_drift_deals_the_rules_out_again():
    environment = Drift(arms=6, period=4)
    state, shown, means = rounds_of(environment, 12)
    dealt = [np.asarray(environment.assignment(state, era)) for era in range(3)]
    np.testing.assert_array_equal(dealt[0], np.arange(6))
    assert all(sorted(each) == list(range(6)) for each in dealt)
    assert not np.array_equal(dealt[0], dealt[1])
    assert not np.array_equal(dealt[1], dealt[2])
    for t, rates in enumerate(rates_of(state.rates, shown)):
        np.testing.assert_allclose(means[t], rates[dealt[t // 4]], rtol=1e-5)


def test_breaks_at_given_rounds():
    environment = make_environment("drift:breaks=(3,700000)")
    eras = [int(environment.phase(t)[0]) for t in (0, 2, 3, 699_999, 700_000, 999_999)]
    assert eras == [0, 0, 1, 1, 2, 2]


def test_a_gradual_drift_moves_along_a_line():
    environment = Drift(arms=4, kind="gradual", period=8)
    state, shown, means = rounds_of(environment, 16)
    dealt = [np.asarray(environment.assignment(state, era)) for era in range(3)]
    for t, rates in enumerate(rates_of(state.rates, shown)):
        era, share = t // 8, (t % 8) / 8
        wanted = (1 - share) * rates[dealt[era]] + share * rates[dealt[era + 1]]
        np.testing.assert_allclose(means[t], wanted, rtol=1e-5)


def test_seasons_come_back():
    environment = Drift(arms=4, kind="seasons", period=10)
    state, shown, means = rounds_of(environment, 30)
    other = np.asarray(environment.assignment(state, 1))
    for t, rates in enumerate(rates_of(state.rates, shown)):
        share = np.sin(np.pi * t / 10) ** 2
        wanted = (1 - share) * rates + share * rates[other]
        np.testing.assert_allclose(means[t], wanted, rtol=1e-4)
    late = environment.phase(jnp.int32(1_000_005))
    np.testing.assert_allclose(late[1], 1, atol=1e-5)  # the middle of a season, without rounding


def test_a_break_brings_other_seasons():
    environment = Drift(arms=4, kind="seasons", period=10, breaks=(15, 22))
    state, shown, means = rounds_of(environment, 30)
    dealt = [np.asarray(environment.assignment(state, era)) for era in range(6)]
    for t, rates in enumerate(rates_of(state.rates, shown)):
        era, share = 2 * ((t >= 15) + (t >= 22)), np.sin(np.pi * t / 10) ** 2
        wanted = (1 - share) * rates[dealt[era]] + share * rates[dealt[era + 1]]
        np.testing.assert_allclose(means[t], wanted, rtol=1e-4)


def test_click_rates_of_the_drift_are_higher():
    _, _, means = rounds_of(Drift(), 3000)
    averages = means.mean(axis=0)
    assert np.all((averages > 0.09) & (averages < 0.62))


def test_offers_never_come_back_and_depend_on_user_and_item():
    environment = Offers(shown=6, user_features=3, item_features=2)
    state, shown, means = rounds_of(environment, 3000)
    contexts = np.asarray(shown.contexts)
    assert contexts.shape == (3000, 6, 5)
    assert np.all(contexts[..., :3] == contexts[:, :1, :3])
    assert len(np.unique(contexts[..., 3:].reshape(-1, 2), axis=0)) == 3000 * 6
    assert environment.arms is None
    assert np.all(np.asarray(shown.arms) == -1)
    assert environment.spec.chance == pytest.approx(0.1)
    # Items of a round share a user: rounds are independent, items are not.
    error = means.mean(axis=1).std() * np.sqrt(1 / 3000 + 1 / 2048)
    assert abs(means.mean() - 0.1) < 5 * error
    swapped = first(shown)._replace(contexts=jnp.roll(shown.contexts[0], 1, axis=1))
    assert not np.allclose(environment.expected(state, 0, swapped), means[0])


# All of them


def test_a_linear_policy_learns_adverts():
    environment = Clicks(arms=3, user_features=2, low=0.1, high=0.5)
    learned = simulate(LinUCB(environment.features), environment, rounds=1500, seed=0)
    chance = simulate(Uniform(environment.features), environment, rounds=1500, seed=0)
    assert learned.regret[-1] < 0.6 * chance.regret[-1]


def test_blocks_are_shown_without_zeros():
    _, shown, _ = rounds_of(STREAMS["clicks"], 1)
    assert isinstance(shown.contexts, Blocks)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("wheel:delta=1.5", "delta must be between 0 and 1"),
        ("coins:probabilities=0.5", r"probabilities must be two or more numbers, such as \(0.6"),
        ("coins:probabilities=(0.5,1.5)", "probabilities must be between 0 and 1"),
        ("noise:arms=1", "arms must be at least 2"),
        ("clicks:low=0.2", "low must be at most high = 0.1, not 0.2"),
        ("clicks:user_features=0", "user_features must be at least 1"),
        ("clicks:features=3", "did you mean 'user_features'"),
        ("purchases:cheapest=200", "cheapest must be at most dearest = 100"),
        ("arrivals:shown=30", "shown must be at most arms = 25"),
        ("arrivals:first=11", "first must be at most shown = 10"),
        ("drift:kind=sudden", "unknown kind 'sudden'"),
        ("drift:kind=gradual,breaks=(5,6)", "breaks is for kind='abrupt' and 'seasons'"),
        ("drift:breaks=(6,5)", "breaks must be in ascending order"),
        ("drift:breaks=5", r"breaks must be round numbers, such as \(2000, 7000\), not 5"),
        ("offers:rate=0", "rate must be between 0.0001 and"),
    ],
)
def test_bad_settings_are_named(text, message):
    with pytest.raises(ValueError, match=message):
        make_environment(text)
