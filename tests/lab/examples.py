"""Comparisons and outcomes made up by hand, so that tests know every number."""

import dataclasses

import numpy as np

from jostle.lab.results.manifest import Behaviour, Manifest
from jostle.lab.results.model import Candidate, Comparison, Run, Times, thinned
from jostle.lab.results.outcome import Outcome
from jostle.lab.spec.experiment import Experiment
from jostle.lab.spec.plan import REGRET, Plan, Trial

SESSION = {
    "command": "jostle run",
    "engine": "local",
    "jobs": 2,
    "started": "2022-04-25 10:00:00 +0000",
    "seconds": 12.3,
    "trials": 6,
    "machine": {"platform": "Linux", "cores": 2},
    "versions": {"python": "3.12", "jostle": "0.1.0"},
}


def comparison(finals, rounds=100, environment="h1", times=None, measure=REGRET, size=None):
    """Straight curves that end at ``finals``: a list of numbers (or None) for each policy.

    Of regret; or, by measure, of reward, of which chance brings 1/2 a round.
    """
    seeds = tuple(range(max(len(values) for values in finals.values())))
    made = Comparison(Plan(environment, tuple(finals), rounds, seeds, measure, 0.5, size))
    for policy, values in finals.items():
        for seed, final in enumerate(values):
            if final is not None:
                trial = Trial(environment, policy, rounds, seed)
                line = final * thinned(rounds) / rounds
                made.add(Run(trial, line, line, round_ms=0.25, state_bytes=2048))
    made.times.update({policy: Times(*pair) for policy, pair in (times or {}).items()})
    return made


def tune(made, chosen, candidates=3, rounds=20):
    """The same with tuned runs: ``chosen`` has a setting for each seed, by policy."""
    made.runs = [
        run._replace(
            settings=chosen[run.trial.policy][run.trial.seed],
            candidates=tuple(Candidate({"noise": i}, rounds, 1.0) for i in range(candidates)),
        )
        if run.trial.policy in chosen
        else run
        for run in made.runs
    ]
    return made


def outcome(*panels, name="made-up", sessions=(SESSION,), **fields):
    """An outcome whose panels are the given comparisons."""
    plans = tuple(panel.plan for panel in panels)
    fields = {
        "environments": tuple(plan.environment for plan in plans),
        "rounds": max(plan.rounds for plan in plans),
        "seeds": max((plan.seeds for plan in plans), key=len),
        "measure": plans[0].measure,
        **fields,
    }
    policies = {plan.environment: {each: {"steps": 20} for each in plan.policies} for plan in plans}
    manifest = Manifest(
        Experiment(name, **fields),
        plans,
        {plan.environment: {"noise": 0.1} for plan in plans},
        policies,
        behaviour(plans),
    )
    made = Outcome(manifest, sessions=sessions)
    made.comparisons = list(panels)
    return made


def behaviour(plans):
    """Behaviour numbers of code that has never changed."""
    policies = {policy for plan in plans for policy in plan.policies}
    return Behaviour(
        1, 1, {plan.environment: 1 for plan in plans}, dict.fromkeys(sorted(policies), 1)
    )


def gather(plan, events):
    """The comparison that results from all events."""
    made = Comparison(plan)
    for event in events:
        made.add(event)
    return made


def growth(sizes=(16, 64, 256), timed=True):
    """Two policies over sizes: choosing grows with the size, learning with its square."""
    panels = []
    for size in sizes:
        names = (f"npr:width={size}", "lin-ucb")
        times = {
            name: (size / 1000, factor * size**2 / 1000) for factor, name in enumerate(names, 1)
        }
        panels.append(
            comparison({each: [1.0] for each in names}, times=times if timed else {}, size=size)
        )
    return outcome(
        *panels,
        environments=("h1",),
        policies=("npr:width={size}", "lin-ucb"),
        sizes=sizes,
        figure="growth",
        times=True,
    )


def growth_with_rounds(after=(100, 1000)):
    """Two policies timed after more and more rounds: one takes longer and longer, one does not."""
    names = ("npr", "neural-ts:covariance=full")
    panels = []
    for rounds in after:
        panel = comparison(
            {name: [1.0] for name in names},
            times={names[0]: (0.1, 1.0), names[1]: (float(rounds), rounds / 100)},
        )
        panel.plan = dataclasses.replace(panel.plan, timed_after=rounds)
        panels.append(panel)
    return outcome(
        *panels,
        environments=("h1",),
        policies=names,
        timed_after=after,
        figure="growth",
        times=True,
    )


def statistics():
    """Data sets and a synthetic environment, of which nothing is played."""
    environments = {
        "mushroom": {"name": "mushroom", "encoding": "practical", "classes": 2},
        "letter:encoding=paper": {"name": "letter", "encoding": "paper", "classes": 26},
        "lastfm": {"name": "lastfm", "shown": 25},
        "h1": {"function": "h1", "features": 50},
    }
    experiment = Experiment("sets", tuple(environments), figure="statistics")
    return Outcome(Manifest(experiment, (), environments, {}, behaviour(())))


def same(left, right):
    """Whether two comparisons hold the same runs, bit for bit, in whatever order."""
    ours, theirs = ({run.trial: run for run in each.runs} for each in (left, right))
    return ours.keys() == theirs.keys() and all(
        np.array_equal(ours[trial].regrets, theirs[trial].regrets)
        and np.array_equal(ours[trial].rewards, theirs[trial].rewards)
        for trial in ours
    )
