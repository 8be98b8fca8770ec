"""Vowpal Wabbit's explorers as peers, and in the laboratory."""

import importlib

import numpy as np
import pytest

from jostle import Uniform, simulate
from jostle.core.optional import MissingExtraError
from jostle.environments import Clicks, Wheel
from jostle.lab.running.prepare import prepare
from jostle.lab.running.timing import stopwatch
from jostle.lab.running.trial import play
from jostle.lab.spec.experiment import Experiment
from jostle.lab.spec.plan import Trial
from jostle.peers.catalog import PEERS, make_player

from field_cases import STREAMS
from requirements import package

EASY_CLICKS = Clicks(arms=4, user_features=3, low=0.05, high=0.6, strength=1.0)


@pytest.fixture
def vowpal():
    package("vowpalwabbit")


@pytest.mark.parametrize("name", PEERS)
def test_peers_learn(vowpal, name):
    peer = make_player(name, EASY_CLICKS)
    result = peer.play(EASY_CLICKS, rounds=1500, seed=3)
    uniform = simulate(Uniform(EASY_CLICKS.features), EASY_CLICKS, rounds=1500, seed=3)
    assert result.regret[-1] < 0.7 * uniform.regret[-1]
    assert result.choosing_ms > 0
    assert result.learning_ms > 0


def test_the_same_seed_gives_the_same_run_and_another_one_does_not(vowpal):
    peer = make_player("vw.bag:bag=3", EASY_CLICKS)
    first, again, other = (peer.play(EASY_CLICKS, rounds=60, seed=s) for s in (1, 1, 2))
    np.testing.assert_array_equal(first.actions, again.actions)
    np.testing.assert_array_equal(first.regret, again.regret)
    assert not np.array_equal(first.actions, other.actions)


def test_absent_arms_are_never_chosen(vowpal):
    environment = STREAMS["arrivals"]  # at first two of four places are taken
    shares: list[float] = []
    peer = make_player("vw.epsilon:epsilon=1", environment)
    result = peer.play(environment, rounds=10, seed=0, report=shares.append)
    assert set(result.actions[:5]) == {0, 1}
    assert set(result.actions[5:]) <= {0, 1, 2}
    assert shares == [1.0]


def test_large_rewards_do_not_break_it(vowpal):
    result = make_player("vw.squarecb", Wheel()).play(Wheel(), rounds=50, seed=0)
    assert np.all(np.isfinite(result.regret))


def test_a_trial_of_a_peer_is_a_run_like_others(vowpal):
    name = "clicks:arms=3,user_features=2"
    trial = Trial(name, "vw.squarecb", rounds=40, seed=1)
    played = play(trial)
    direct = make_player(trial.policy, played.environment).play(
        played.environment, rounds=40, seed=1
    )
    np.testing.assert_array_equal(played.run.regrets, direct.regret)
    assert played.run.behaviour == {"simulation": 1, "environment": 1, "policy": 1}
    assert stopwatch(played).measure().learning > 0
    manifest = prepare(Experiment("e", (name,), ("uniform", "vw.squarecb"), rounds=40))
    assert manifest.behaviour_of(trial) == played.run.behaviour
    described = manifest.policies[name]["vw.squarecb"]
    assert described["learning_rate"] == 0.5
    assert described["version"].startswith("9.")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("vw.sqarecb", "unknown peer 'vw.sqarecb'; did you mean 'vw.squarecb'"),
        ("vw.bag:bags=3", "unknown setting of peer 'vw.bag': 'bags'; did you mean 'bag'"),
        ("vw.bag:bag=0", "peer 'vw.bag': bag must be at least 1"),
        ("vw.epsilon:epsilon=2", "epsilon must be between 0 and 1"),
    ],
)
def test_bad_peers_are_refused_in_words(vowpal, text, message):
    with pytest.raises(ValueError, match=message):
        make_player(text, EASY_CLICKS)


@pytest.fixture
def without_vowpal(monkeypatch):
    real = importlib.import_module

    def missing(name, *rest):
        if name == "vowpalwabbit":
            raise ModuleNotFoundError("No module named 'vowpalwabbit'", name=name)
        return real(name, *rest)

    monkeypatch.setattr(importlib, "import_module", missing)


def test_a_peer_that_is_not_installed_is_skipped_with_the_reason(without_vowpal):
    skipped = {}
    experiment = Experiment("e", ("clicks:arms=3",), ("uniform", "vw.squarecb"), rounds=40)
    manifest = prepare(experiment, skip=skipped.__setitem__)
    assert manifest.plans[0].policies == ("uniform",)
    assert "pip install 'jostle[peers]'" in skipped["vw.squarecb"]
    with pytest.raises(MissingExtraError, match="vowpalwabbit is not installed"):
        prepare(experiment.replace(policies=("vw.squarecb",)))
