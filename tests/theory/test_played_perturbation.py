"""The probe against the exact deviations of the linearised solution, and policies that join it."""

from typing import ClassVar

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from jostle import LinTS, NTKPerturbed
from jostle.environments import Synthetic
from jostle.policies import Policy
from jostle.theory import limit_kernel
from jostle.theory.linearised_model import LinearisedModel
from jostle.theory.perturbation_study import run_perturbation_study
from jostle.theory.played_perturbation import FrozenHistory, Refits, movement, played_scores, probe
from jostle.theory.problem import Problem
from jostle.types import Choice

ARMS, FEATURES = 6, 4
BANDIT = Synthetic("h1", features=FEATURES, pool=ARMS, shown=ARMS, noise=0.3)
PROBLEM = Problem.draw(BANDIT, seed=0)
RNG = np.random.default_rng(0)
PULLS = np.concatenate([np.arange(ARMS), RNG.choice([0, 1, 2], 24)])
HISTORY = FrozenHistory(PROBLEM, PULLS, RNG.normal(size=len(PULLS)))
ALL = [np.ones(ARMS, bool)]


def test_the_linearised_solution_moves_as_eq_2_says():
    scores = probe(
        NTKPerturbed(FEATURES, ARMS, noise=0.2, regularisation=0.5), HISTORY, rounds=2000, settle=5
    )
    model = LinearisedModel.after(limit_kernel(PROBLEM.contexts, 3), 0.5, HISTORY.counts)
    expected = 0.2 * np.linalg.norm(model.responses(np.eye(ARMS)), axis=0)
    np.testing.assert_allclose(scores.std(axis=0), expected, rtol=5 / np.sqrt(2 * 2000))
    centre = model.estimates(HISTORY.means * HISTORY.counts)
    np.testing.assert_allclose(scores.mean(axis=0), centre, atol=5 * 0.2 / np.sqrt(2000))
    (moved,) = movement(scores, ALL)
    assert abs(moved.correlation) < 5 / np.sqrt(2000)


class Filtered(Policy):
    """Scores that follow fresh noise slowly: s += rate (noise - s), as a warm-started fit does."""

    noise: ClassVar[float] = 0.5
    rate: ClassVar[float] = 0.1

    def init(self, key):
        return jnp.zeros(ARMS)

    def choose(self, state, key, round):
        return Choice(0, state)

    def learn(self, state, key, feedback):
        return state

    def refit(self, state, key, noise):
        return state + self.rate * (noise * jax.random.normal(key, state.shape) - state)


def test_a_filter_shows_in_deviation_and_correlation():
    """The stationary deviation of the filter is nu sqrt(a / (2 - a)), its correlation 1 - a."""
    policy = Filtered(FEATURES)
    assert isinstance(policy, Refits)
    (moved,) = movement(probe(policy, HISTORY, rounds=5000, settle=200), ALL)
    assert moved.deviation == pytest.approx(0.5 * np.sqrt(0.1 / 1.9), rel=0.1)
    assert moved.correlation == pytest.approx(0.9, abs=0.02)


def test_a_policy_that_perturbs_when_it_chooses_needs_nothing():
    policy = LinTS(FEATURES)
    assert not isinstance(policy, Refits)
    (moved,) = movement(probe(policy, HISTORY, rounds=500, settle=0), ALL)
    assert moved.deviation > 0.01
    assert abs(moved.correlation) < 5 / np.sqrt(500)


class Own(Filtered):
    """A policy that says itself what it plays."""

    def played_scores(self, state, key, round):
        return state + 1, state


def test_a_method_of_the_policy_comes_first():
    state, scores = played_scores(Own(FEATURES), jnp.zeros(2), jax.random.key(0), None)
    assert np.all(state == 1)
    assert np.all(scores == 0)


def test_movement_is_that_of_each_group():
    scores = np.array([[0.0, 1.0, 5.0], [2.0, 1.0, 6.0], [0.0, 1.0, 7.0], [2.0, 1.0, 8.0]])
    masks = [
        np.array([True, False, False]),
        np.array([False, True, False]),
        np.array([True, False, True]),
    ]
    alternating, still, both = movement(scores, masks)
    assert alternating.deviation == 1
    assert alternating.correlation == -1
    assert still == (0, 1)
    assert both.deviation == pytest.approx(np.sqrt((1 + 1.25) / 2))
    diverged = movement(np.full((3, 3), np.nan), masks)
    assert np.isnan(diverged[0].deviation)


@pytest.mark.study
def test_the_study_finds_little_of_the_perturbation_in_npr():
    forms = (
        "ntk-perturbed:noise=0.1,regularisation=0.001",
        "npr.descent",
        "npr.paper:step_size=9,steps=5",
    )
    study = run_perturbation_study(BANDIT, forms, rounds=60, seeds=2, width=16, draws=60)
    reference, exact, practical, wild = study.forms
    assert sum(group.arms for group in study.groups) == ARMS
    assert reference.shares == [1.0] * len(study.groups)
    np.testing.assert_allclose(exact.shares, 1, atol=0.4)
    assert practical.shares[0] < 0.6 < exact.shares[0]
    assert practical.movements[0].correlation > 0.8
    assert wild.diverged
    assert wild.regrets is None
    assert exact.regrets.shape == (2,)
