"""Classification as a bandit, and contexts in blocks against the same with their zeros."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from jostle import NPR, Agent, LinUCB, NeuralUCB, Training, Uniform, make_policy, simulate
from jostle.core.contexts import Blocks, dense, product, take
from jostle.environments import Classification
from jostle.models.fitting import FullBatch
from jostle.models.networks import MLP, PaperNetwork

from support import no_compilation

CLASSES, COLUMNS, ROWS = 3, 4, 400


def made_up(classes=CLASSES, **settings):
    """Rows whose class is where they are largest: easy to learn."""
    rng = np.random.default_rng(0)
    x = rng.normal(size=(ROWS, max(COLUMNS, classes)))
    return Classification.from_arrays(x, x[:, :classes].argmax(axis=1), **settings)


def test_a_round_shows_one_row_in_the_block_of_each_class():
    environment = made_up()
    state = environment.init(jax.random.key(0))
    round = environment.observe(state, jax.random.key(1), 7)
    d = environment.features // CLASSES
    contexts = np.asarray(dense(round.contexts, environment.features))
    assert contexts.shape == (CLASSES, CLASSES * d)
    row = int(state.order[7])
    for arm in range(CLASSES):
        wanted = np.zeros(CLASSES * d)
        wanted[arm * d : (arm + 1) * d] = environment.x[row]
        np.testing.assert_array_equal(contexts[arm], wanted)
        outcome = environment.reward(state, jax.random.key(2), 7, round, arm)
        assert float(outcome.reward) == float(environment.y[row] == arm)
        assert float(outcome.regret) == 1 - float(outcome.reward)


@pytest.mark.study
def test_full_information_teaches_the_right_class_and_a_wrong_one():
    environment = made_up(full_information=True)
    assert environment.lessons == 2
    state = environment.init(jax.random.key(0))
    round = environment.observe(state, jax.random.key(1), 7)
    right = int(environment.y[state.order[7]])
    contexts = np.asarray(dense(round.contexts, environment.features))
    for choice in range(CLASSES):
        outcome = environment.reward(state, jax.random.key(2), 7, round, choice)
        wrong = set()
        for seed in range(50):
            lessons = environment.feedback(state, jax.random.key(seed), 7, round, choice, outcome)
            arms = np.asarray(lessons.arm)
            np.testing.assert_array_equal(lessons.reward, [1, 0])
            np.testing.assert_array_equal(
                dense(lessons.context, environment.features), contexts[arms]
            )
            assert arms[0] == right
            wrong.add(int(arms[1]))
        assert wrong == (set(range(CLASSES)) - {right} if choice == right else {choice})


def test_a_policy_learns_every_lesson_of_a_round():
    """With two classes both rewards are revealed: the ridge regression of all rows, in closed form.

    It does not depend on the choices.
    """
    environment = made_up(classes=2, full_information=True)
    policy = make_policy("lin-ucb.paper:regularisation=1.0", environment)
    state = simulate(policy, environment, seed=0).state
    x, y = np.asarray(environment.x, np.float64), np.asarray(environment.y)
    gram = x.T @ x + np.eye(x.shape[1])
    wanted = [np.linalg.solve(gram, x.T @ (y == arm)) for arm in range(2)]
    assert int(state.seen) == 2 * ROWS
    np.testing.assert_allclose(state.now.theta, np.concatenate(wanted), rtol=1e-3, atol=1e-4)


@pytest.mark.study
def test_full_information_spares_mistakes():
    """The price of finding out, which only the bandit pays, and more of it with many classes."""
    mistakes = {}
    for told in (False, True):
        environment = made_up(classes=8, full_information=told)
        policy = NPR.for_environment(environment, network=MLP(16, 2), training=Training(steps=3))
        runs = [simulate(policy, environment, seed=seed).regret[-1] for seed in range(3)]
        mistakes[told] = np.mean(runs)
    assert mistakes[True] < 0.9 * mistakes[False]


def test_rows_are_shuffled_by_seed_and_come_once():
    environment = made_up()
    orders = [np.asarray(environment.init(jax.random.key(s)).order) for s in (0, 0, 1)]
    np.testing.assert_array_equal(np.sort(orders[0]), np.arange(ROWS))
    np.testing.assert_array_equal(orders[0], orders[1])
    assert not np.array_equal(orders[0], orders[2])
    assert made_up(rounds=50).init(jax.random.key(0)).order.shape == (50,)


@pytest.mark.parametrize("blocks", [2, 8, 9, 26])
def test_products_of_blocks_are_those_of_the_vectors(blocks):
    rng = np.random.default_rng(blocks)
    d, n, m = 5, 11, 7
    contexts = Blocks(rng.normal(size=(n, d)), rng.integers(0, blocks, n))
    weight = rng.normal(size=(blocks * d, m))
    wanted = np.zeros((n, blocks * d))
    for i, (x, block) in enumerate(zip(*contexts, strict=True)):
        wanted[i, block * d : (block + 1) * d] = x
    np.testing.assert_array_equal(dense(contexts, blocks * d), wanted)
    np.testing.assert_allclose(product(contexts, weight), wanted @ weight, atol=1e-12)
    compiled = product(jax.tree.map(jnp.asarray, contexts), jnp.asarray(weight))
    np.testing.assert_allclose(compiled, wanted @ weight, rtol=1e-4, atol=1e-5)
    assert take(contexts, 3).block == contexts.block[3]


@pytest.mark.parametrize("classes", [3, 12])
@pytest.mark.parametrize("network", [MLP(16, 2), PaperNetwork(16, 3)])
@pytest.mark.study
def test_a_policy_with_blocks_learns_what_one_without_learns(classes, network):
    environment = made_up(classes)
    settings = {"network": network, "training": Training(steps=3, step_size=1e-3)}
    compact = NPR.descent(environment.features, blocks=environment.blocks, **settings)
    plain = NPR.descent(environment.features, **settings)
    # The same weights and rows: the difference is rounding, so compare before it can grow.
    first, second = (simulate(p, environment, rounds=30, seed=0) for p in (compact, plain))
    np.testing.assert_array_equal(first.actions[:10], second.actions[:10])
    for a, b in zip(*(jax.tree.leaves(r.state.fit.params) for r in (first, second)), strict=True):
        assert np.mean(np.abs(a - b)) < 0.02
    assert first.state.history.contexts.x.shape == (30, environment.x.shape[1])
    assert second.state.history.contexts.shape == (30, environment.features)


@pytest.mark.study
def test_26_blocks_do_not_cost_26_times_the_arithmetic():
    """Flops of one gradient step, as the compiler counts them."""

    def flops(blocks, compact):
        features = 17 * blocks
        policy = NPR(features, blocks=blocks if compact else None)
        state = policy.reserve(policy.init(jax.random.key(0)), observations=64, arms=blocks)
        step = jax.jit(lambda s: policy.refit(s, jax.random.key(0)).fit.params)
        return step.lower(state).compile().cost_analysis()["flops"]

    assert flops(26, compact=True) < 2.5 * flops(1, compact=True)
    assert flops(26, compact=True) < 0.5 * flops(26, compact=False)


@pytest.mark.study
def test_policies_learn_it_and_nothing_is_compiled_again():
    environment = made_up()
    chance = simulate(Uniform(environment.features), environment, seed=0).regret[-1]
    for policy in (
        NPR(environment.features, blocks=CLASSES, network=MLP(16, 2)),
        NeuralUCB(environment.features, blocks=CLASSES, network=MLP(16, 2)),
        LinUCB(environment.features),
    ):
        assert simulate(policy, environment, seed=0).regret[-1] < 0.45 * chance
        with no_compilation():
            simulate(policy, environment, seed=1)


@pytest.mark.study
def test_an_agent_takes_rows_and_the_ids_of_classes():
    environment = made_up()
    d = environment.x.shape[1]
    agent = Agent(NPR(environment.features, blocks=CLASSES, network=MLP(16, 2)))
    x, y = np.asarray(environment.x), np.asarray(environment.y)
    right = []
    for row in range(300):
        index = agent.choose(np.tile(x[row], (CLASSES, 1)), arms=range(CLASSES))
        right.append(index == y[row])
        agent.learn(x[row], float(right[-1]), arm=index)
    assert np.mean(right[-100:]) > 0.7
    with pytest.raises(ValueError, match=rf"contexts must have shape \(arms, {d}\)"):
        agent.choose(np.zeros((CLASSES, environment.features)), arms=range(CLASSES))
    with pytest.raises(ValueError, match="arms is missing"):
        agent.choose(np.zeros((CLASSES, d)))
    with pytest.raises(ValueError, match="arm must be ids from 0 to 2, but holds 3"):
        agent.learn(x[0], 1.0, arm=3)


def test_fields_can_be_replaced_but_not_the_encoding_of_ones_own_table():
    environment = made_up(rounds=50)
    changed = environment.replace(rounds=20, full_information=True)
    assert (changed.rounds, changed.full_information, changed.encoding) == (20, True, "practical")
    assert changed.rows is environment.rows
    with pytest.raises(ValueError, match="call from_arrays or from_frame again"):
        environment.replace(encoding="paper")
    with pytest.raises(TypeError, match="rows is loaded by name"):
        Classification("mushroom", rows=3)


def test_another_encoding_or_name_loads_the_table_again(real_data):
    environment = Classification("mushroom", rounds=60)
    paper = environment.replace(encoding="paper")
    assert (paper.rounds, paper.x.shape[1]) == (60, 22)
    assert paper.x.shape[1] != environment.x.shape[1]
    magic = environment.replace(name="magic")
    assert (magic.name, magic.rounds, len(magic.y)) == ("magic", 10_000, 19_020)


def test_epochs_show_every_row_again_in_another_order():
    environment = made_up(rounds=1000, epochs=3)
    order = np.asarray(environment.init(jax.random.key(0)).order)
    assert order.shape == (1000,)
    for start in (0, 400):
        assert sorted(order[start : start + 400]) == list(range(400))
    assert not np.array_equal(order[:400], order[400:800])
    once = made_up(rounds=400).init(jax.random.key(0)).order
    np.testing.assert_array_equal(order[:400], once)  # the first epoch is what it always was
    with pytest.raises(ValueError, match="rounds must be at most 800"):
        made_up(rounds=801, epochs=2)


def test_bad_settings_are_named():
    with pytest.raises(ValueError, match="rounds must be at most 400"):
        made_up(rounds=401)
    with pytest.raises(ValueError, match="unknown encoding 'practicle'; did you mean 'practical'"):
        made_up(encoding="practicle")
    with pytest.raises(ValueError, match=r"unknown data set 'mushrom'.*'mushroom'"):
        Classification("mushrom")
    with pytest.raises(ValueError, match="blocks must divide features = 10"):
        NPR(10, blocks=3)
    environment = made_up()
    with pytest.raises(ValueError, match="blocks of the policy is 5"):
        simulate(NPR(environment.features, blocks=5), environment, rounds=5)
    assert isinstance(FullBatch().empty(jnp.zeros((0, 2))).rewards, jax.Array)


@pytest.mark.parametrize("encoding", ["practical", "paper"])
@pytest.mark.parametrize(
    ("name", "rows", "classes", "paper_features"),
    [
        ("adult", 48_842, 2, 14),
        ("covertype", 581_012, 7, 54),
        ("letter", 20_000, 26, 16),
        ("magic", 19_020, 2, 10),
        ("mushroom", 8_124, 2, 22),
        ("shuttle", 58_000, 7, 9),
    ],
)
def test_the_papers_sets(name, rows, classes, paper_features, encoding, real_data):
    environment = Classification(name, encoding=encoding)
    assert environment.x.shape[0] == rows
    assert environment.classes == environment.arms == environment.blocks == classes
    assert environment.rounds == min(rows, 10_000)
    assert np.all(np.isfinite(environment.x))
    if encoding == "paper":
        assert environment.x.shape[1] == paper_features
        np.testing.assert_allclose(np.linalg.norm(environment.x, axis=1), 1, atol=1e-4)


def test_npr_learns_mushroom(real_data):
    environment = Classification("mushroom", rounds=1500)
    policy = NPR(environment.features, blocks=environment.blocks)
    # Full length takes longer than a test should; half of these mistakes come in the first 200.
    assert simulate(policy, environment, seed=0).regret[-1] < 60
