"""Experiments as data: what is accepted, and errors that name the field."""

import json

import pytest

from jostle.lab.results.model import Timed, Times
from jostle.lab.results.outcome import Outcome
from jostle.lab.running.prepare import prepare
from jostle.lab.spec.experiment import Experiment, Tuning
from jostle.lab.spec.paper import PAPER
from jostle.lab.spec.profiles import PROFILES, with_policies, with_profile
from jostle.lab.spec.registry import EXPERIMENTS, find

LEAST = {"name": "a", "environments": ["h1"]}


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"rouds": 3}, "unknown field 'rouds'; did you mean 'rounds'"),
        ({"environments": []}, "environments is empty"),
        ({"environments": [3]}, "environments must be a list of names"),
        ({"policies": ["npr", "npr"]}, "policies contains 'npr' twice"),
        ({"rounds": 0}, "rounds must be at least 1"),
        ({"rounds": "many"}, "rounds must be a whole number, not 'many'"),
        ({"seeds": 0}, "seeds must be at least 1"),
        ({"seeds": [1, 1]}, "seeds must be one or more distinct"),
        ({"tuning": "grit"}, "unknown tuning.method 'grit'; did you mean 'grid'"),
        ({"tuning": {"metod": "grid"}}, "unknown field 'tuning.metod'; did you mean"),
        ({"tuning": {"grid": {"noise": []}}}, "tuning.grid.noise must be a list of numbers"),
        ({"tuning": {"grid": {"noise": [-1]}}}, "tuning.grid.noise must be at least 0"),
        ({"tuning": "grid", "rounds": 500}, "tuning.rounds must be fewer than rounds = 500"),
        ({"measure": "regrets"}, "unknown measure 'regrets'; did you mean 'regret'"),
        ({"figure": "growth"}, "needs sizes"),
        ({"sizes": [3]}, "sizes replace {size}"),
        ({"timed_after": [3000]}, "timed_after needs times = true"),
        ({"timed_after": [3], "times": True}, "timed_after must not be below rounds = 2000"),
        ({"name": "a/b"}, "name must be usable as a folder name"),
        ({"times": 1}, "times must be true or false"),
    ],
)
def test_bad_fields_are_named(change, message):
    with pytest.raises((ValueError, TypeError), match=message):
        Experiment.from_mapping({**LEAST, **change})
    with pytest.raises(ValueError, match="environments is missing"):
        Experiment.from_mapping({"name": "a"})


@pytest.mark.parametrize("experiment", EXPERIMENTS.values(), ids=lambda each: each.name)
def test_an_experiment_survives_being_written_down(experiment):
    for profile in PROFILES:
        made = with_profile(experiment, profile)
        again = Experiment.from_mapping(json.loads(json.dumps(made.as_mapping())))
        assert again == made


def test_a_file_of_five_lines(tmp_path):
    path = tmp_path / "first-look.toml"
    path.write_text('environments = ["h1"]\npolicies = ["npr"]\nrounds = 30\nseeds = 2\n')
    experiment = find(str(path))
    assert experiment == Experiment("first-look", ("h1",), ("npr",), 30, (0, 1))
    path.write_text("seeds = [")
    with pytest.raises(ValueError, match=r"first-look.toml: "):
        find(str(path))
    with pytest.raises(ValueError, match=r"nowhere.toml' cannot be read"):
        find("nowhere.toml")


def test_a_first_look_tunes_nothing():
    for experiment in EXPERIMENTS.values():
        assert with_profile(experiment, "quick").tuning == Tuning()


def test_the_paper_profile_is_its_protocol():
    made = with_profile(PAPER["fig1a"], "paper")
    assert made.tuning == Tuning("grid", defaults=False)
    assert len(made.seeds) == 10
    assert made.rounds == 10_000
    assert "npr.paper" in made.policies
    assert "lin-ucb.paper" in made.policies


def test_a_policy_of_ones_own_joins_every_figure_that_compares():
    for experiment in PAPER.values():
        joined = with_policies(experiment, ("lab.own:First", "npr"))
        compares = experiment.kind.played
        assert ("lab.own:First" in joined.policies) == compares
        assert joined.policies.count("npr") <= 1


def test_a_dear_policy_may_get_fewer_runs_and_later():
    experiment = Experiment("dear", "h1", ("uniform", "npr"), rounds=5, seeds=3, fewer={"npr": 2})
    outcome = Outcome(prepare(experiment))
    played = [(trial.policy, trial.seed) for trial in outcome.trials()]
    assert played == [("uniform", 0), ("uniform", 1), ("uniform", 2), ("npr", 0), ("npr", 1)]


def test_a_policy_is_played_once_and_timed_after_each_number_of_rounds():
    fields = {"times": True, "figure": "growth", "timed_after": (5, 50)}
    experiment = Experiment("long", "h1", ("uniform", "ucb1"), rounds=5, seeds=(0,), **fields)
    outcome = Outcome(prepare(experiment))
    assert [plan.timed_rounds for plan in outcome.plans] == [5, 50]
    assert len(outcome.trials()) == len(outcome.missing()) == 2
    assert [(each.trial.policy, each.after) for each in outcome.untimed()] == [
        (policy, after) for after in (5, 50) for policy in ("uniform", "ucb1")
    ]
    outcome.add(Timed("h1", "ucb1", Times(1, 2), 50))
    assert [list(panel.times) for panel in outcome.comparisons] == [[], ["ucb1"]]


def test_folders_written_before_a_field_existed_hold_the_same_experiment():
    manifest = prepare(Experiment("old", "h1", "uniform")).as_mapping()
    assert "timed_after" not in manifest["experiment"]
    assert "timed_after" not in manifest["panels"][0]


@pytest.mark.parametrize(
    ("fewer", "message"),
    [
        ({"nrp": 1}, "unknown fewer 'nrp'.*npr"),
        ({"npr": 9}, "fewer.npr is 9, but there are 5 seeds"),
        ({"npr": 0}, "fewer.npr must be at least 1"),
        (["npr"], "fewer must be a table"),
    ],
)
def test_fewer_runs_are_checked(fewer, message):
    with pytest.raises((TypeError, ValueError), match=message):
        Experiment("dear", "h1", ("npr",), rounds=5, fewer=fewer)
