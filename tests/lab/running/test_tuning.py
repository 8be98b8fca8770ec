"""Tuning: who takes part, who goes on, and that going on is the same as having played alone."""

import numpy as np
import pytest

from jostle.environments import Synthetic
from jostle.factory import make_policy
from jostle.lab.running import tuning as races
from jostle.lab.running.trial import play
from jostle.lab.running.tuning import candidates, race, rungs
from jostle.lab.spec.experiment import Tuning
from jostle.lab.spec.plan import Trial
from jostle.simulation import simulate

from support import no_compilation

WORLD = "h1:features=4,pool=6,shown=3"
SMALL = Synthetic("h1", features=4, pool=6, shown=3)
SCALES = [0.0, 0.3, 3.0, 30.0, 0.01, 1.0]


@pytest.mark.parametrize(
    ("policy", "axes"),
    [
        ("npr", {"regularisation": 5, "step_size": 4, "noise": 5}),
        ("npr:noise=0.2", {"regularisation": 5, "step_size": 4}),
        ("lin-ucb", {"regularisation": 5, "exploration": 5}),
        ("epsilon-greedy", {"regularisation": 5, "step_size": 4, "epsilon": 5}),
        ("ucb1", {"exploration": 5}),
        ("uniform", {}),
    ],
)
def test_the_grid_of_a_policy_is_what_it_has_and_its_name_leaves_open(policy, axes):
    made = make_policy(policy, SMALL)
    tried = candidates(Tuning("grid", defaults=False), policy, made)
    if not axes:
        assert tried == [{}]
        return
    assert len(tried) == np.prod(list(axes.values()))
    assert {name: len({each[name] for each in tried}) for name in axes} == axes
    assert candidates(Tuning("grid"), policy, made) == [{}, *tried]
    assert candidates(Tuning(), policy, made) == [{}]


def test_rungs():
    assert rungs(Tuning("grid"), 100) == [(125, 100), (1000, 1)]
    assert rungs(Tuning("halving"), 100) == [(125, 34), (250, 7), (500, 2), (1000, 1)]
    assert rungs(Tuning("halving"), 1) == []


def raced(steps):
    policies = [make_policy("lin-ucb.paper", SMALL).replace(exploration=scale) for scale in SCALES]
    return race(policies, SMALL, rungs=steps, rounds=150, seed=3), policies


@pytest.mark.parametrize("steps", [[(40, 1)], [(5, 6), (40, 1)], [(10, 4), (20, 2), (40, 1)]])
def test_the_best_of_the_first_rounds_goes_on_and_is_as_if_it_had_played_alone(steps):
    outcome, policies = raced(steps)
    curves = [simulate(policy, SMALL, rounds=150, seed=3).regret for policy in policies]
    left = list(range(len(policies)))
    for stop, survivors in steps:
        ranked = sorted(left, key=lambda number: (curves[number][stop - 1], number))
        left, dropped = ranked[:survivors], ranked[survivors:]
        for number in dropped:  # it stopped once it could not be among the survivors any more
            at, regret, diverged = outcome.reached[number]
            assert regret == pytest.approx(curves[number][at - 1])
            assert regret >= curves[left[-1]][stop - 1]
            assert at <= stop
            assert not diverged
    assert outcome.winner == left[0]
    assert outcome.reached[left[0]][0] == steps[-1][0]
    np.testing.assert_array_equal(outcome.result.regret, curves[left[0]])


def test_candidates_that_cannot_win_any_more_stop():
    outcome, _ = raced([(5, 6), (140, 1)])
    stopped = [at for at, _, _ in outcome.reached]
    assert min(stopped) < 140
    assert outcome.reached[outcome.winner][0] == 140


def test_diverged_candidates_are_reported():
    tuning = Tuning("grid", 20, {"step_size": (1e6, 0.01)}, defaults=False)
    run = play(Trial(WORLD, "npr.paper:steps=2,width=8", 40, 0), tuning).run
    assert [each.diverged for each in run.candidates] == [True, False]
    assert run.settings == {"step_size": 0.01}
    assert not run.diverged


def test_what_cannot_be_kept_is_played_again_to_the_same_end(monkeypatch):
    steps = [(10, 4), (20, 2), (40, 1)]
    kept, _ = raced(steps)
    monkeypatch.setattr(races, "HELD", 0)
    forgotten, _ = raced(steps)
    assert forgotten.winner == kept.winner
    assert forgotten.reached == kept.reached
    np.testing.assert_array_equal(forgotten.result.regret, kept.result.regret)


def test_a_whole_grid_compiles_once():
    raced([(40, 1)])
    with no_compilation():
        raced([(30, 1)])


def test_playing_is_simulating():
    heard = []
    played = play(Trial("h1:features=3", "lab.own:First", 120, 3), report=heard.append)
    expected = simulate(played.policy, played.environment, rounds=120, seed=3)
    np.testing.assert_array_equal(played.run.regrets, expected.regret)
    np.testing.assert_allclose(played.run.rewards, np.cumsum(expected.rewards, dtype=float))
    assert heard[-1] == 1.0
    assert played.run.round_ms > 0
    assert played.run.state_bytes == 8
    assert played.run.candidates == ()


def test_a_tuned_run_tells_what_was_tried():
    tuning = Tuning("grid", 30, {"exploration": (1.0, 0.1)})
    heard = []
    run = play(Trial(WORLD, "lin-ucb", 60, 0), tuning, heard.append).run
    assert [each.settings for each in run.candidates] == [
        {},
        {"exploration": 1.0},
        {"exploration": 0.1},
    ]
    best = min(run.candidates, key=lambda each: each.regret)
    assert run.settings == best.settings
    assert heard == sorted(heard)
    assert heard[-1] == 1.0
