"""Targets: matrices, names, arms, functions, frozen and learning policies, agents."""

import jax
import numpy as np
import pytest

from jostle import Agent, Decider, LinUCB, Policy, Uniform, simulate
from jostle.environments import Clicks
from jostle.evaluation import Frozen, Learning, Log, evaluate, read
from jostle.evaluation.named_targets import labels_of, target_of
from jostle.evaluation.targets import resolve
from jostle.types import Choice

ROWS, ARMS, FEATURES = 200, 3, 2


def uniform_log(rows=ROWS, own=False, seed=0, **others):
    generator = np.random.default_rng(seed)
    shape = (rows, ARMS, FEATURES) if own else (rows, FEATURES)
    contexts = generator.normal(size=shape).astype(np.float32)
    actions = generator.integers(ARMS, size=rows)
    x = contexts[np.arange(rows), actions] if own else contexts
    rewards = x[:, 0] * (1 if own else actions - 1) + generator.normal(size=rows) * 0.1
    return Log.from_arrays(actions, rewards, np.full((rows, ARMS), 1 / ARMS), contexts, **others)


def matrix(target, log):
    return np.concatenate([decided.matrix for decided in resolve(target, log).decisions(log)])


def test_names_arms_and_labels():
    log = uniform_log(labels=("a", "b", "c"))
    np.testing.assert_allclose(matrix("uniform", log), 1 / ARMS)
    np.testing.assert_array_equal(matrix("logged", log), log.all_probabilities)
    for arm in (1, np.int64(1), "b"):
        np.testing.assert_array_equal(matrix(arm, log), np.tile([0, 1, 0], (ROWS, 1)))
    with pytest.raises(
        ValueError, match="unknown target 'd'; choose from 'logged', 'uniform', 'a'"
    ):
        evaluate(log, "d")
    with pytest.raises(ValueError, match=r"target must be an arm of the log, not 3: .*arms 0 to 2"):
        evaluate(log, 3)


def test_absent_arms_are_never_chosen():
    mask = np.ones((ROWS, ARMS), bool)
    mask[::2, 0] = False
    probabilities = mask / mask.sum(axis=1, keepdims=True)
    log = Log.from_arrays(np.full(ROWS, 2), np.ones(ROWS), probabilities, mask=mask)
    assert np.all(matrix("uniform", log)[::2, 0] == 0)
    np.testing.assert_allclose(matrix(0, log)[0], [0, 0.5, 0.5])
    np.testing.assert_allclose(matrix(0, log)[1], [1, 0, 0])
    with pytest.raises(ValueError, match=r"0 to absent arms, but row 0"):
        evaluate(log, np.tile([1.0, 0, 0], (ROWS, 1)))


def test_functions_give_arms_or_probabilities():
    log = uniform_log()
    arms = matrix(lambda x: (x[:, 0] > 0).astype(int), log)
    np.testing.assert_array_equal(arms.argmax(axis=1), log.contexts[:, 0] > 0)
    soft = matrix(lambda x: np.tile([0.5, 0.25, 0.25], (len(x), 1)), log)
    np.testing.assert_allclose(soft.sum(axis=1), 1)
    with pytest.raises(ValueError, match="target must return 200 whole numbers or a matrix"):
        evaluate(log, lambda x: x[:, 0])


@pytest.mark.parametrize(
    ("target", "message"),
    [
        (np.full((ROWS, ARMS), 0.5), "sums to 1.5"),
        (np.full((ROWS, ARMS + 1), 0.25), r"shape \(200, 3\) here, not \(200, 4\)"),
        (np.full((ROWS + 1, ARMS), 1 / 3), "target must have 200 rows, as the log, not 201"),
        (np.tile([-1.0, 1, 1], (ROWS, 1)), "row 0"),
        (lambda contexts: np.full(len(contexts), 9), "arms from 0 to 2, but they go from 9 to 9"),
        (LinUCB(5), "policy must take 6 features.*3 arms that share contexts of 2"),
    ],
)
def test_bad_targets_are_refused(target, message):
    with pytest.raises(ValueError, match=message):
        evaluate(uniform_log(), target)
    with pytest.raises(TypeError, match="not the class LinUCB: build it with"):
        evaluate(uniform_log(), LinUCB)


def test_an_arm_that_a_row_shows_twice_is_chosen_evenly():
    log = uniform_log(arms=np.tile([1, 0, 1], (ROWS, 1)))
    np.testing.assert_array_equal(matrix(1, log), np.tile([0.5, 0, 0.5], (ROWS, 1)))


@pytest.mark.parametrize("own", [False, True], ids=["shared contexts", "own contexts"])
def test_a_frozen_policy_and_an_agent_choose_as_they_would_have(own):
    log = uniform_log(own=own)
    policy = LinUCB.for_environment(log)
    agent = Agent(policy)
    rows = np.arange(ROWS)
    contexts = log.contexts if own else _blocks(log.contexts)
    agent.learn(contexts[rows, log.actions], log.rewards)
    probabilities = matrix(agent, log)
    chosen = [agent.choose(contexts[t]) for t in range(30)]
    np.testing.assert_array_equal(probabilities[:30].argmax(axis=1), chosen)
    np.testing.assert_allclose(probabilities.sum(axis=1), 1, rtol=1e-5)
    np.testing.assert_array_equal(matrix(Frozen(policy, agent.state), log), probabilities)
    assert agent.observations == ROWS
    assert evaluate(log, agent)["snips"].value > evaluate(log, "uniform")["snips"].value


def _blocks(contexts):
    """(n, arms, arms * features) the disjoint model written out."""
    dense = np.zeros((len(contexts), ARMS, ARMS * FEATURES), np.float32)
    for arm in range(ARMS):
        dense[:, arm, arm * FEATURES : (arm + 1) * FEATURES] = contexts
    return dense


class Coin(Policy):
    """Any arm, without saying how likely it is."""

    def init(self, key):
        return ()

    def choose(self, state, key, round):
        return Choice(jax.random.randint(key, (), 0, ARMS), round.contexts[:, 0])

    def learn(self, state, key, feedback):
        return state


def test_a_policy_that_does_not_state_probabilities_stands_for_what_it_draws():
    log = uniform_log(rows=3000)
    drawn = matrix(Frozen(Coin(6), ()), log)
    assert set(np.unique(drawn)) == {0, 1}
    np.testing.assert_allclose(drawn.mean(axis=0), 1 / ARMS, atol=5 * np.sqrt(2 / 9 / 3000))


def test_a_learning_policy_learns_from_the_rows_it_accepts():
    log = uniform_log(rows=600)
    learning = Learning(LinUCB.for_environment(log))
    probabilities = np.concatenate([each.matrix for each in learning.decisions(log)])
    assert abs(learning.accepted - 200) < 5 * np.sqrt(600 * 2 / 9)  # a third of a uniform log
    best = (np.arange(ARMS) - 1)[None, :] * log.contexts[:, :1]
    right = probabilities[np.arange(600), best.argmax(axis=1)]
    assert right[300:].mean() > 0.9 > right[:50].mean() + 0.1


@pytest.mark.study
def test_a_learning_policy_that_saw_few_rows_is_called_a_beginner():
    log = uniform_log()
    learning = Learning(LinUCB.for_environment(log))
    warned = evaluate(log, learning, "ips")["ips"].warnings
    count = f"learned from {learning.accepted} of {ROWS} rows"
    assert any(count in warning and "beginner" in warning for warning in warned)
    assert not any("beginner" in each for each in evaluate(log, "uniform")["ips"].warnings)
    assert not any("beginner" in each for each in evaluate(log, "logged")["ips"].warnings)
    with pytest.raises(ValueError, match="acceptance must be above 0"):
        Learning(learning.policy, acceptance=0)


def test_a_learning_policy_is_not_affected_by_later_rows():
    log = uniform_log(rows=256)
    whole = matrix(Learning(LinUCB.for_environment(log), acceptance=0.3), log)
    half = matrix(Learning(LinUCB.for_environment(log), acceptance=0.3), log[:128])
    np.testing.assert_array_equal(whole[:128], half)


@pytest.mark.study
def test_replay_on_a_uniform_log_says_what_learning_would_have_earned():
    environment = Clicks(arms=4, user_features=3, low=0.1, high=0.6, strength=1.0)
    policy = LinUCB.for_environment(environment)
    replayed, played = [], []
    for seed in range(30):
        log = simulate(
            Uniform.for_environment(environment), environment, rounds=1200, seed=seed, log=True
        ).log
        learning = Learning(policy, seed=seed)
        found = evaluate(log, learning, "ips", interval=None)["ips"]
        replayed.append(found.value)
        played.append(simulate(policy, environment, rounds=300, seed=seed).rewards.mean())
    gaps = np.array(replayed) - np.array(played)
    assert abs(gaps.mean()) < 5 * gaps.std(ddof=1) / np.sqrt(len(gaps))
    assert gaps.std(ddof=1) / np.sqrt(len(gaps)) < 0.02


def test_targets_by_text(tmp_path):
    log = uniform_log()
    agent = Agent(LinUCB.for_environment(log))
    agent.save(tmp_path / "agent.npz")
    assert target_of("logged", log) == "logged"
    assert target_of("2", log) == 2
    assert isinstance(target_of(str(tmp_path / "agent.npz"), log), Agent)
    assert target_of("lin-ucb", log).spec.features == 6
    assert labels_of(["x/a.npz", "uniform"]) == {"x/a.npz": "a.npz", "uniform": "uniform"}
    same = ["x/a.npz", "y/a.npz"]
    assert labels_of(same) == dict(zip(same, same, strict=True))
    with pytest.raises(ValueError, match="unknown policy 'loged'; did you mean 'logged'"):
        target_of("loged", log)
    with pytest.raises(ValueError, match="unknown policy 'lin-ucbb'; did you mean 'lin-ucb'"):
        target_of("lin-ucbb", log)
    with pytest.raises(FileNotFoundError, match=r"none\.npz does not exist"):
        target_of("none.npz", log)


def test_the_agent_of_a_decider_knows_the_named_arms_of_its_log(tmp_path):
    """Deciders number arms by their names; the log numbers the same names otherwise."""
    decider = Decider("ucb1:floor=0.1", log=tmp_path / "log.jsonl", seed=0)
    for turn in range(40):
        shown = ["z", "a"] if turn % 2 else ["a", "z"]
        decision = decider.decide({}, shown)
        decider.reward(decision.id, float(decision.action == "z"))
    log = read(tmp_path / "log.jsonl")
    assert log.labels == ("a", "z")
    found = matrix(decider.agent, log)
    np.testing.assert_allclose(found, np.where(log.arms == 1, 0.95, 0.05), rtol=1e-6)
    with pytest.raises(TypeError, match="not Decider: pass its agent"):
        evaluate(log, decider)
