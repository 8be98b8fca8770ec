"""What every policy must do, whatever it is.

Compilation is nearly all that this costs, so a policy's tests come one after another and share its
programs: runs of ``ROUNDS`` rounds, agents whose rooms have the same sizes, rounds of ``SHOWN``
arms, batches of up to 8 observations.
"""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from jostle import Agent, Uniform, simulate
from jostle.core.record import Record
from jostle.simulation import Result, advance, begin
from jostle.types import Round

from cases import CASES, VARIANTS
from support import EASY, FEATURES, POOL, SHOWN, assert_same, nbytes, no_compilation

ROUNDS, SHORT, TRAINED = 250, 40, 30
SAMPLES = 8  # of policies that estimate their probabilities
CONTEXTS = np.random.default_rng(1).normal(size=(POOL, FEATURES)).astype(np.float32)


PARAMS = [
    pytest.param(name, marks=pytest.mark.study) if name in VARIANTS else name for name in CASES
]


@pytest.fixture(params=PARAMS, scope="module")
def policy(request):
    """Each policy in turn: pytest runs all tests of one before it goes on to the next."""
    return CASES[request.param]


@pytest.fixture(scope="module")
def easy_runs(policy):
    """The easy bandit with two seeds."""
    return {seed: simulate(policy, EASY, rounds=ROUNDS, seed=seed) for seed in (1, 2)}


@pytest.fixture(scope="module")
def saved(policy, tmp_path_factory):
    """An agent after ``TRAINED`` rounds, as a file."""
    agent = new_agent(policy)
    play(agent, TRAINED, np.random.default_rng(7))
    path = tmp_path_factory.mktemp("agent") / "agent.npz"
    agent.save(path)
    return path


@pytest.fixture
def agent(policy, saved):
    """A copy of that agent for each test."""
    return Agent.load(saved)


def new_agent(policy):
    """An agent that has room for every arm id from the start."""
    agent = Agent(policy, seed=3)
    ids = np.arange(POOL - SHOWN, POOL)
    agent.decide(CONTEXTS[ids], arms=ids, user=0)
    return agent


def shown(rng, k=SHOWN):
    """k arms of a pool whose contexts are a function of their ids."""
    ids = rng.permutation(POOL)[:k].astype(np.int32)
    return CONTEXTS[ids], ids


def play(agent, rounds, rng):
    """Let an agent choose and learn; return what it chose."""
    chosen = []
    for _ in range(rounds):
        contexts, ids = shown(rng)
        index = agent.choose(contexts, arms=ids, user=0)
        agent.learn(contexts[index], contexts[index, 0], arm=ids[index], user=0)
        chosen.append(index)
    return chosen


def played(policy, stops, seed=1):
    """The first rounds of the easy bandit, by the program that plays all of it."""
    progress = begin(policy, EASY, rounds=ROUNDS, seed=seed)
    for start, stop in zip([0, *stops], stops, strict=False):
        progress = advance(policy, EASY, progress, start, stop)
    return Result(progress)


@jax.jit
def choose(policy, state, key, round):
    return policy.choose(state, key, round)


def test_is_an_immutable_pytree_of_numbers(policy):
    assert isinstance(policy, Record)
    with pytest.raises(AttributeError):
        policy.features = 3
    leaves, structure = jax.tree.flatten(policy)
    assert all(np.issubdtype(np.asarray(leaf).dtype, np.number) for leaf in leaves)
    assert repr(jax.tree.unflatten(structure, leaves)) == repr(policy)


def test_settings_can_be_replaced_one_by_one(policy):
    assert repr(policy.replace()) == repr(policy.with_settings()) == repr(policy)
    for name in policy.numeric_settings():
        now = policy.settings().get(name, 0.0)  # an unused setting is not listed
        if now is None:
            continue  # it is turned off
        value = 0.75 * now + 1e-3
        changed = policy.with_settings(**{name: value})
        after, before = changed.settings(), policy.settings()
        assert after[name] == value
        for other in set(before) - {name}:  # an automatic setting may follow the changed one
            assert after[other] == before[other] or getattr(policy, other, 0) is None


def test_is_built_from_what_an_environment_states(policy):
    made = type(policy).for_environment(EASY)
    assert made.spec.features == EASY.features
    for fact in ("pool", "users", "blocks"):
        if fact in policy.setting_names() and EASY.spec._asdict()[fact] is not None:
            assert made.spec._asdict()[fact] == EASY.spec._asdict()[fact]


def test_choosing_changes_nothing_and_repeats(policy, agent):
    state, before = agent.state, jax.tree.map(np.array, agent.state)
    contexts, ids = shown(np.random.default_rng(0))
    round = Round(contexts, np.ones(SHOWN, bool), ids, np.int32(0))
    first, second = (choose(policy, state, jax.random.key(5), round) for _ in range(2))
    assert_same(first, second)
    assert_same(state, before)
    agent.choose(contexts, arms=ids, user=0)
    assert_same(agent.state, before)


def test_same_seed_same_result_whole_or_in_pieces(policy, easy_runs):
    whole = played(policy, [SHORT])
    for other in (played(policy, [SHORT]), played(policy, [13, 14, SHORT])):
        np.testing.assert_array_equal(whole.actions, other.actions)
        np.testing.assert_array_equal(whole.rewards, other.rewards)
        assert_same(whole.state, other.state)
    np.testing.assert_array_equal(whole.rewards[:SHORT], easy_runs[1].rewards[:SHORT])
    assert not np.array_equal(easy_runs[1].rewards, easy_runs[2].rewards)


@pytest.mark.parametrize("when", [0, 11, 30])
def test_saved_and_loaded_it_continues_bit_for_bit(policy, when, tmp_path):
    agent = new_agent(policy)
    play(agent, when, np.random.default_rng(7))
    agent.save(tmp_path / "agent.npz")
    loaded = Agent.load(tmp_path / "agent.npz")
    assert repr(loaded.policy) == repr(policy)
    assert_same(loaded.state, agent.state)
    first = play(agent, 12, np.random.default_rng(8))
    assert play(loaded, 12, np.random.default_rng(8)) == first
    assert_same(loaded.state, agent.state)


@pytest.mark.parametrize("rounds", [0, 4, TRAINED])
def test_masked_arms_are_never_chosen(policy, rounds):
    """Also while there are arms to be tried: an absent one may be an untried one."""
    agent = new_agent(policy)
    play(agent, rounds, np.random.default_rng(7))
    rng = np.random.default_rng(0)
    for _ in range(60):
        contexts, ids = shown(rng)
        mask = rng.random(SHOWN) < 0.4
        mask[rng.integers(SHOWN)] = True
        choice = agent.decide(contexts, arms=ids, user=0, mask=mask)
        assert mask[choice.index]
        if choice.probabilities is not None:
            assert np.all(np.asarray(choice.probabilities)[~mask] == 0)


def test_masked_arms_do_not_matter(policy, agent):
    """Arms that are absent, or masked, are the same to those that remain."""
    contexts, ids = shown(np.random.default_rng(2))
    garbled = contexts.copy()
    garbled[1] *= -3
    mask = np.asarray([True, False, True, True])
    rounds = [Round(x, mask, ids, np.int32(0)) for x in (contexts, garbled)]
    one, two = (choose(policy, agent.state, jax.random.key(0), round) for round in rounds)
    assert int(one.index) == int(two.index)


def test_permuting_the_arms_permutes_the_choice(policy, agent):
    draws = 300

    def frequencies(contexts, ids, seed):
        round = Round(contexts, np.ones(SHOWN, bool), ids, np.int32(0))
        if policy.on_host:
            rng = np.random.default_rng(seed)
            chosen = [int(policy.choose(state, rng, round).index) for _ in range(draws)]
        else:
            chosen = np.asarray(many(state, jax.random.split(jax.random.key(seed), draws), round))
        return np.bincount(ids[chosen], minlength=POOL) / draws

    @jax.jit
    def many(state, keys, round):
        return jax.lax.map(lambda key: policy.choose(state, key, round).index, keys)

    state = agent.state
    if policy.on_host:
        state = jax.tree.map(np.asarray, policy.deciding(state))
    for seed in range(5):
        rng = np.random.default_rng(seed)
        contexts, ids = shown(rng)
        order = rng.permutation(SHOWN)
        plain = frequencies(contexts, ids, seed)
        permuted = frequencies(contexts[order], ids[order], seed)
        # Frequencies of 300 draws: six standard errors of their difference is below 0.25.
        np.testing.assert_allclose(plain, permuted, atol=0.25)


def test_the_number_of_arms_may_change(agent):
    rng = np.random.default_rng(0)
    for k in (1, 7, 3):
        contexts, ids = shown(rng, k)
        choice = agent.decide(contexts, arms=ids, user=0)
        assert 0 <= choice.index < k
        assert np.shape(choice.scores) == (k,)


def test_a_batch_is_its_rows_one_by_one(policy):
    rng = np.random.default_rng(0)
    ids = rng.integers(0, POOL, 13)
    contexts, rewards = CONTEXTS[ids], rng.normal(size=13)
    single, batched = new_agent(policy), new_agent(policy)
    for row in range(13):
        single.learn(contexts[row], rewards[row], arm=ids[row], user=row % 3)
    for part in (slice(0, 5), slice(5, 5), slice(5, 6), slice(6, 13)):
        users = np.arange(13)[part] % 3
        batched.learn(contexts[part], rewards[part], arm=ids[part], user=users)
    assert_same(single.state, batched.state)
    assert single.observations == batched.observations == 13


def test_memory_is_bounded_where_it_is_promised(policy):
    """However many observations there are: a full covariance takes its last form before 1,000."""
    if "memory" in policy.setting_names() and policy.settings()["memory"] is None:
        policy = policy.with_settings(memory=60)

    def size(observations):
        def state():
            return policy.reserve(
                policy.init(jax.random.key(0)), observations=observations, arms=POOL
            )

        shapes = jax.tree.leaves(jax.eval_shape(state))
        return sum(leaf.size for leaf in shapes)

    assert size(1_000) == size(1_000_000)


def test_a_full_memory_stays_as_it_is(policy, agent):
    size = nbytes(agent.state)
    agent.learn(CONTEXTS[:8], np.zeros(8), arm=np.arange(8))
    assert nbytes(agent.state) == size


def test_nothing_is_compiled_in_steady_state(agent):
    rng = np.random.default_rng(0)
    play(agent, 2, rng)
    with no_compilation():
        play(agent, 20, rng)


@pytest.mark.study
def test_other_hyper_parameters_are_not_compiled_again_and_a_grid_is_one_program(policy):
    """Three settings one by one, then stacked and vectorised: the same numbers."""
    if not jax.tree.leaves(policy):
        pytest.skip("no hyper-parameters to make a grid of")
    members = [jax.tree.map(lambda leaf, s=s: leaf * s, policy) for s in (1.0, 0.5, 0.25)]
    grid = jax.tree.map(lambda *leaves: jnp.asarray(leaves, jnp.float32), *members)

    def first_rewards(policy):
        progress = begin(policy, EASY, rounds=12, seed=1)
        return advance(policy, EASY, progress, 0, 12).trace.rewards

    alone = [played(members[0], [12]).rewards[:12]]
    with no_compilation():
        alone += [played(member, [12]).rewards[:12] for member in members[1:]]
    together = jax.jit(jax.vmap(first_rewards))(grid)
    # Vectorised sums are ordered differently, so a near tie may fall the other way now and then.
    assert np.mean(np.isclose(together, np.stack(alone), atol=1e-3)) > 0.8


def test_the_host_chooses_as_the_compiled_program_does(policy, agent):
    if not policy.on_host:
        pytest.skip("this policy decides in compiled code only")
    contexts, ids = shown(np.random.default_rng(0))
    round = Round(contexts, np.ones(SHOWN, bool), ids, np.int32(0))
    view = jax.tree.map(np.asarray, policy.deciding(agent.state))
    on_host = policy.choose(view, np.random.default_rng(0), round)
    compiled, again = (
        choose(policy, agent.state, jax.random.key(seed), round) for seed in range(2)
    )
    assert isinstance(on_host.scores, np.ndarray)
    if np.array_equal(again.scores, compiled.scores):  # else scores are draws: see test_linear.py
        np.testing.assert_allclose(on_host.scores, compiled.scores, rtol=1e-4, atol=1e-5)
    host_stated = policy.choose_with_probabilities(view, np.random.default_rng(0), round)
    assert (host_stated.probabilities is not None) == policy.knows_probabilities


def test_probabilities_are_the_frequencies(agent):
    if not agent.policy.knows_probabilities:
        pytest.skip("this policy does not know its probabilities")
    contexts, ids = shown(np.random.default_rng(4))
    mask = np.asarray([True, True, False, True])
    choices = [agent.decide(contexts, arms=ids, user=0, mask=mask) for _ in range(500)]
    probabilities = np.asarray([choice.probabilities for choice in choices], np.float64)
    counts = np.bincount([choice.index for choice in choices], minlength=SHOWN)
    assert_drawn_from(counts, probabilities)


def assert_drawn_from(counts, probabilities, margin=5.0):
    """Each count is within ``margin`` deviations of the sum of its probabilities.

    One more is allowed: where the sum is far below 1, a single count is many deviations.
    """
    deviations = np.sqrt(np.sum(probabilities * (1 - probabilities), 0).clip(0))
    assert np.all(np.abs(counts - probabilities.sum(0)) <= margin * deviations + 1)
    assert np.all(counts[probabilities.sum(0) == 0] == 0)


def many_rounds(count):
    """Rounds of the same arms, each of which is present in some of them."""
    rng = np.random.default_rng(3)
    contexts, ids = shown(rng)
    masks = rng.random((count, SHOWN)) < 0.6
    masks[np.arange(count), rng.integers(SHOWN, size=count)] = True
    return contexts, ids, masks


@jax.jit
def many_choices(policy, state, contexts, ids, masks):
    """Choices with probabilities, and the arms that ``choose`` takes, in each of the rounds."""

    def one(key, mask):
        round = Round(contexts, mask, ids, jnp.int32(0))
        first, second = jax.random.split(key)
        return (
            policy.choose_with_probabilities(state, first, round),
            policy.choose(state, second, round).index,
        )

    return jax.vmap(one)(jax.random.split(jax.random.key(6), len(masks)), masks)


@pytest.mark.parametrize("decisions", [20_000, pytest.param(100_000, marks=pytest.mark.study)])
def test_stated_probabilities_are_those_that_arms_are_drawn_from(policy, agent, decisions):
    if not policy.knows_probabilities:
        pytest.skip("this policy does not know its probabilities")
    if "samples" in policy.setting_names():
        policy = policy.with_settings(samples=SAMPLES)
    contexts, ids, masks = many_rounds(decisions)
    present = masks.sum(1, keepdims=True)
    for floor in (0.0, 0.05):
        floored = policy.with_settings(floor=floor)
        stated, plain = many_choices(floored, agent.state, contexts, ids, masks)
        probabilities = np.asarray(stated.probabilities, np.float64)
        assert np.all(probabilities[~masks] == 0)
        np.testing.assert_allclose(probabilities.sum(1), 1, atol=1e-5)
        assert np.all((probabilities >= (1 - 1e-5) * floor / present)[masks])
        assert_drawn_from(np.bincount(stated.index, minlength=SHOWN), probabilities)
        # Estimated from S samples, p varies by a variance of v / S, and ``choose`` by v of its own.
        margin = 5 * np.sqrt((SAMPLES + 1) / (SAMPLES - 1))
        assert_drawn_from(np.bincount(plain, minlength=SHOWN), probabilities, margin)
    # Weighted by importance, the log of a policy with a floor says what uniform choices would be.
    weights = (1 / present[:, 0]) / probabilities[np.arange(decisions), np.asarray(stated.index)]
    assert abs(weights.mean() - 1) < 5 * weights.std() / np.sqrt(decisions) + 1e-6


def test_without_knowledge_there_are_no_probabilities(policy, agent):
    contexts, ids = shown(np.random.default_rng(4))
    choice = agent.decide(contexts, arms=ids, user=0)
    assert (choice.probabilities is not None) == policy.knows_probabilities


def test_learns_an_easy_bandit(policy, easy_runs):
    if isinstance(policy, Uniform):
        pytest.skip("this policy learns nothing")
    chance = [simulate(Uniform(FEATURES), EASY, rounds=ROUNDS, seed=s).regret[-1] for s in (1, 2)]
    assert np.mean([run.regret[-1] for run in easy_runs.values()]) < 0.4 * np.mean(chance)
