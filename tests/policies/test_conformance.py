"""What every policy must do, whatever it is."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from jostle import Agent, Uniform, simulate
from jostle.core.record import Record
from jostle.simulation import advance, begin
from jostle.types import Round

from cases import CASES, LEARNING
from support import EASY, FEATURES, POOL, SHOWN, assert_same, nbytes, no_compilation

every_policy = pytest.mark.parametrize("policy", CASES.values(), ids=CASES)
every_learner = pytest.mark.parametrize("policy", LEARNING.values(), ids=LEARNING)
RNG_SEED = 7


def shown(rng, k=SHOWN):
    """k arms of a pool whose contexts are a function of their ids."""
    ids = rng.permutation(POOL)[:k].astype(np.int32)
    return pool_contexts()[ids], ids


def pool_contexts():
    return np.random.default_rng(1).normal(size=(POOL, FEATURES)).astype(np.float32)


def play(agent, rounds, rng, k=SHOWN):
    """Let an agent choose and learn; return what it chose."""
    chosen = []
    for _ in range(rounds):
        contexts, ids = shown(rng, k)
        index = agent.choose(contexts, arms=ids, user=0)
        agent.learn(contexts[index], contexts[index, 0], arm=ids[index], user=0)
        chosen.append(index)
    return chosen


def trained(policy, rounds=15):
    agent = Agent(policy, seed=3)
    play(agent, rounds, np.random.default_rng(RNG_SEED))
    return agent


@every_policy
def test_is_an_immutable_pytree_of_numbers(policy):
    assert isinstance(policy, Record)
    with pytest.raises(AttributeError):
        policy.features = 3
    leaves, structure = jax.tree.flatten(policy)
    assert all(np.issubdtype(np.asarray(leaf).dtype, np.number) for leaf in leaves)
    assert repr(jax.tree.unflatten(structure, leaves)) == repr(policy)


@every_policy
def test_choosing_changes_nothing_and_repeats(policy):
    agent = trained(policy)
    state, before = agent.state, jax.tree.map(np.array, agent.state)
    contexts, ids = shown(np.random.default_rng(0))
    round = Round(jnp.asarray(contexts), jnp.ones(SHOWN, bool), jnp.asarray(ids), jnp.int32(0))
    choose = jax.jit(policy.choose)
    first, second = (choose(state, jax.random.key(5), round) for _ in range(2))
    assert_same(first, second)
    assert_same(state, before)
    agent.choose(contexts, arms=ids, user=0)
    assert_same(agent.state, before)


@every_policy
def test_same_seed_same_result(policy):
    first, second, other = (simulate(policy, EASY, rounds=40, seed=s) for s in (1, 1, 2))
    np.testing.assert_array_equal(first.actions, second.actions)
    np.testing.assert_array_equal(first.rewards, second.rewards)
    assert_same(first.state, second.state)
    assert not np.array_equal(first.rewards, other.rewards)


@every_policy
def test_a_simulation_in_pieces_is_the_same(policy):
    whole = simulate(policy, EASY, rounds=40, seed=1)
    progress = begin(policy, EASY, rounds=40, seed=1)
    for start, stop in [(0, 13), (13, 14), (14, 40)]:
        progress = advance(policy, EASY, progress, start, stop)
    np.testing.assert_array_equal(whole.rewards, progress.trace.rewards)
    assert_same(whole.state, progress.policy_state)


@every_policy
@pytest.mark.parametrize("when", [0, 11, 30])
def test_saved_and_loaded_it_continues_bit_for_bit(policy, when, tmp_path):
    agent = Agent(policy, seed=3)
    play(agent, when, np.random.default_rng(RNG_SEED))
    agent.save(tmp_path / "agent.npz")
    loaded = Agent.load(tmp_path / "agent.npz")
    assert repr(loaded.policy) == repr(policy)
    assert_same(loaded.state, agent.state)
    first = play(agent, 12, np.random.default_rng(8))
    assert play(loaded, 12, np.random.default_rng(8)) == first
    assert_same(loaded.state, agent.state)


@every_policy
def test_masked_arms_are_never_chosen(policy):
    agent = trained(policy, rounds=30)
    rng = np.random.default_rng(0)
    for _ in range(60):
        contexts, ids = shown(rng)
        mask = rng.random(SHOWN) < 0.4
        mask[rng.integers(SHOWN)] = True
        choice = agent.decide(contexts, arms=ids, user=0, mask=mask)
        assert mask[choice.index]
        if choice.probabilities is not None:
            assert np.all(np.asarray(choice.probabilities)[~mask] == 0)


@every_policy
def test_masked_arms_do_not_matter(policy):
    """Arms that are absent, or masked, are the same to those that remain."""
    state = trained(policy, rounds=30).state
    contexts, ids = shown(np.random.default_rng(2))
    key, user = jax.random.key(0), jnp.int32(0)
    garbled = contexts.copy()
    garbled[1] *= -3
    mask = jnp.asarray([True, False, True, True])
    choose = jax.jit(policy.choose)
    one, two = (choose(state, key, Round(x, mask, ids, user)) for x in (contexts, garbled))
    assert int(one.index) == int(two.index)


@every_policy
def test_permuting_the_arms_permutes_the_choice(policy):
    state = trained(policy, rounds=40).state

    @jax.jit
    def choices(contexts, ids, keys):
        round = Round(contexts, jnp.ones(SHOWN, bool), ids, jnp.int32(0))
        return jax.lax.map(lambda key: policy.choose(state, key, round).index, keys)

    for seed in range(5):
        rng = np.random.default_rng(seed)
        contexts, ids = shown(rng)
        order = rng.permutation(SHOWN)
        keys = jax.random.split(jax.random.key(seed), 300)

        def frequencies(contexts, ids, keys=keys):
            chosen = ids[np.asarray(choices(contexts, ids, keys))]
            return np.bincount(chosen, minlength=POOL) / len(keys)

        plain = frequencies(contexts, ids)
        permuted = frequencies(contexts[order], ids[order])
        # Frequencies of 300 draws: six standard errors of their difference is below 0.25.
        np.testing.assert_allclose(plain, permuted, atol=0.25)


@every_policy
def test_the_number_of_arms_may_change(policy):
    agent = trained(policy)
    rng = np.random.default_rng(0)
    for k in (1, 7, 2, POOL, 3):
        contexts, ids = shown(rng, k)
        choice = agent.decide(contexts, arms=ids, user=0)
        assert 0 <= choice.index < k
        assert np.shape(choice.scores) == (k,)


@every_policy
def test_a_batch_is_its_rows_one_by_one(policy):
    rng = np.random.default_rng(0)
    ids = rng.integers(0, POOL, 21)
    contexts, rewards = pool_contexts()[ids], rng.normal(size=21)
    single, batched = Agent(policy, seed=3), Agent(policy, seed=3)
    for row in range(21):
        single.learn(contexts[row], rewards[row], arm=ids[row], user=row % 3)
    for part in (slice(0, 13), slice(13, 13), slice(13, 14), slice(14, 21)):
        users = np.arange(21)[part] % 3
        batched.learn(contexts[part], rewards[part], arm=ids[part], user=users)
    assert_same(single.state, batched.state)
    assert single.observations == batched.observations == 21


@every_policy
def test_memory_is_bounded_where_it_is_promised(policy):
    if "memory" in policy.setting_names() and policy.settings()["memory"] is None:
        policy = policy.with_settings(memory=60)
    agent = trained(policy, rounds=5)
    agent.learn(pool_contexts()[np.arange(900) % POOL], np.zeros(900), arm=np.arange(900) % POOL)
    size = nbytes(agent.state)  # a full covariance has taken its last form by now
    agent.learn(pool_contexts()[np.arange(900) % POOL], np.zeros(900), arm=np.arange(900) % POOL)
    assert nbytes(agent.state) == size


@every_policy
def test_nothing_is_compiled_in_steady_state(policy):
    agent = trained(policy, rounds=30)
    rng = np.random.default_rng(0)
    play(agent, 2, rng)
    with no_compilation():
        play(agent, 20, rng)


@every_policy
def test_other_hyper_parameters_are_not_compiled_anew_and_a_grid_is_one_program(policy):
    """Three settings one by one, then stacked and vectorised: the same numbers."""
    if not jax.tree.leaves(policy):
        pytest.skip("no hyper-parameters to make a grid of")
    members = [jax.tree.map(lambda leaf, s=s: leaf * s, policy) for s in (1.0, 0.5, 0.25)]
    grid = jax.tree.map(lambda *leaves: jnp.asarray(leaves, jnp.float32), *members)

    def finish(policy):
        progress = begin(policy, EASY, rounds=12, seed=1)
        return advance(policy, EASY, progress, 0, 12).trace.rewards

    alone = [finish(members[0])]
    with no_compilation():
        alone += [finish(member) for member in members[1:]]
    together = jax.jit(jax.vmap(finish))(grid)
    # Vectorised sums are ordered differently, so a near tie may fall the other way now and then.
    assert np.mean(np.isclose(together, np.stack(alone), atol=1e-3)) > 0.8


@every_policy
def test_the_host_chooses_as_the_compiled_program_does(policy):
    if not policy.on_host:
        pytest.skip("this policy decides in compiled code only")
    agent = trained(policy, rounds=40)
    rng = np.random.default_rng(0)
    contexts, ids = shown(rng)
    round = Round(contexts, np.ones(SHOWN, bool), ids, np.int32(0))
    view = jax.tree.map(np.asarray, policy.deciding(agent.state))
    on_host = policy.choose(view, np.random.default_rng(0), round)
    choose, state = jax.jit(policy.choose), agent.state
    compiled = choose(state, jax.random.key(0), round)
    assert isinstance(on_host.scores, np.ndarray)
    again = choose(state, jax.random.key(1), round)
    if np.array_equal(again.scores, compiled.scores):  # else scores are draws: see test_linear.py
        np.testing.assert_allclose(on_host.scores, compiled.scores, rtol=1e-4, atol=1e-5)
    if compiled.probabilities is not None:
        np.testing.assert_allclose(on_host.probabilities, compiled.probabilities, atol=1e-5)


@every_policy
def test_probabilities_are_the_frequencies(policy):
    agent = trained(policy, rounds=40)
    contexts, ids = shown(np.random.default_rng(4))
    mask = np.asarray([True, True, False, True])
    if agent.decide(contexts, arms=ids, user=0, mask=mask).probabilities is None:
        pytest.skip("this policy does not know its probabilities")
    choices = [agent.decide(contexts, arms=ids, user=0, mask=mask) for _ in range(2000)]
    frequencies = np.bincount([int(c.index) for c in choices], minlength=SHOWN) / len(choices)
    np.testing.assert_allclose(np.sum(choices[0].probabilities), 1, atol=1e-5)
    # Five standard errors of a frequency over 2,000 draws are at most 0.056.
    np.testing.assert_allclose(frequencies, choices[0].probabilities, atol=0.06)


@every_learner
def test_learns_an_easy_bandit(policy):
    rounds = 300
    regret = np.mean([simulate(policy, EASY, rounds=rounds, seed=s).regret[-1] for s in (1, 2)])
    chance = np.mean(
        [simulate(Uniform(FEATURES), EASY, rounds=rounds, seed=s).regret[-1] for s in (1, 2)]
    )
    assert regret < 0.4 * chance
