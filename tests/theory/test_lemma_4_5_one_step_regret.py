"""Omega_t and both inequalities of Lemma 4.5 against their definitions; a broken algorithm."""

import math

import numpy as np
import pytest

from jostle.environments import Synthetic
from jostle.theory import limit_kernel
from jostle.theory.lemma_4_5_one_step_regret import (
    check_one_step_regret,
    judge_one_step,
    one_step_regret,
)
from jostle.theory.problem import Problem
from jostle.theory.watched_run import WatchedRun

ARMS, SIGMA, NOISE = 5, 0.2, 0.02
RNG = np.random.default_rng(0)
CONTEXTS = RNG.normal(size=(ARMS, 3)) / 2
REWARDS = np.array([0.9, 0.2, 0.4, 0.85, 0.1])
PROBLEM = Problem(
    Synthetic("h1", features=3, pool=ARMS, shown=3, noise=NOISE),
    0,
    CONTEXTS,
    REWARDS,
    3,
    1.0,
    0.05,
    limit_kernel(CONTEXTS, 3),
)
PULLS = np.concatenate([np.arange(ARMS), RNG.integers(0, ARMS, 395)])
RUN = WatchedRun(
    PROBLEM, PULLS, REWARDS[PULLS] + NOISE * RNG.normal(size=len(PULLS)), np.zeros(len(PULLS))
)


@pytest.fixture(scope="module")
def steps():
    return one_step_regret(RUN, draws=400, scale=SIGMA, least_radius=True)


def test_both_sides_are_those_of_the_lemma(steps):
    """At one round, with A_t over the arms' own coordinates and exact normal probabilities."""
    at, t = 290, 290 + RUN.swept
    assert steps.rounds[at] == t + 1
    root = np.linalg.cholesky(PROBLEM.kernel)  # rows are gradients in K dimensions
    a = np.eye(ARMS) + root[PULLS[:t]].T @ root[PULLS[:t]]
    inverse = np.linalg.inv(a)
    widths = np.sqrt(np.diag(root @ inverse @ root.T))
    single = root @ inverse @ root[PULLS[:t]].T
    centre = single @ RUN.rewards[:t]
    alpha = np.max(np.abs(centre - REWARDS) / widths)
    beta = SIGMA * math.sqrt(4 * math.log(t + 1) + 2 * math.log(ARMS))
    omega = (alpha + beta) * widths <= 0.9 - REWARDS
    assert steps.sampled[at] == omega.sum() > 0
    draws = centre + SIGMA * np.random.default_rng(1).normal(size=(100_000, t)) @ single.T
    pulled = draws.argmax(axis=1)
    gap = (0.9 - REWARDS)[pulled]
    assert steps.regret[at] == pytest.approx(gap.mean(), abs=5 * steps.regret_error[at] + 1e-3)
    bound = (alpha + beta) * 3 * widths[pulled].mean()  # no draw pulls an arm of Omega_t
    assert np.mean(omega[pulled]) == 0
    assert steps.bound[at] == pytest.approx(bound, rel=0.05)
    optimism = np.mean(draws[:, 0] >= 0.9)
    assert steps.promised[at] == pytest.approx(optimism, abs=5 * 0.5 / math.sqrt(400))


def test_the_lemma_holds(steps):
    verdict, evidence = judge_one_step(steps)
    assert verdict == "holds"
    assert 0 < evidence.value < 1
    assert np.all(steps.promised <= steps.undersampled)
    by_lemma = one_step_regret(RUN, draws=50)
    assert by_lemma.left_out == 0
    assert by_lemma.sampled[0] == 0  # the radius of Lemma 4.2 is far wider
    found = check_one_step_regret(by_lemma, steps, SIGMA)
    assert found.verdict == "holds"
    assert found.numbers["tolerance"] == 1


def test_an_algorithm_that_pulls_the_worst_estimate_refutes_it(monkeypatch):
    module = "jostle.theory.lemma_4_5_one_step_regret"
    monkeypatch.setattr(f"{module}._pulled", lambda estimates: estimates.argmin(axis=1))
    broken = one_step_regret(RUN, draws=50, scale=SIGMA, least_radius=True)
    assert broken.contradictions.max() > 0
    assert judge_one_step(broken)[0] == "does not hold"


def test_each_inequality_can_fail_alone(steps):
    costly = steps._replace(regret=100 * steps.bound)
    assert judge_one_step(costly)[0] == "does not hold"
    contradicted = steps._replace(contradictions=steps.contradictions + 0.01)
    assert judge_one_step(contradicted)[0] == "does not hold"


def test_rounds_without_e_t1_are_left_out():
    liar = RUN._replace(rewards=RUN.rewards + 50)
    left = one_step_regret(liar, draws=20)
    assert left.left_out == len(PULLS) - RUN.swept
    assert judge_one_step(left)[0] == "cannot tell"
    assert "E_t1 held in no round" in check_one_step_regret(left, left, SIGMA).found
