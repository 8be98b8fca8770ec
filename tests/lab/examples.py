"""Comparisons made up by hand, so that tests know every number."""

import numpy as np

from jostle.lab.plan import Comparison, Plan, Run, Times, Trial, thinned
from jostle.lab.results import Facts


def comparison(finals, rounds=100, environment="h1", times=None):
    """Straight curves that end at ``finals``: a list of numbers (or None) for each policy."""
    seeds = tuple(range(max(len(values) for values in finals.values())))
    made = Comparison(Plan(environment, tuple(finals), rounds, seeds))
    for policy, values in finals.items():
        for seed, final in enumerate(values):
            if final is not None:
                trial = Trial(environment, policy, rounds, seed)
                made.add(Run(trial, final * thinned(rounds) / rounds, 1.5, 0.25))
    made.times.update({policy: Times(*pair) for policy, pair in (times or {}).items()})
    return made


def facts(policies=("npr",)):
    return Facts("jostle run", {"noise": "0.1"}, {name: {"steps": "20"} for name in policies})


def same(left, right):
    """Whether two comparisons hold the same runs, bit for bit, in whatever order."""
    ours, theirs = ({run.trial: run for run in each.runs} for each in (left, right))
    return ours.keys() == theirs.keys() and all(
        np.array_equal(ours[trial].curve, theirs[trial].curve)
        and ours[trial].reward == theirs[trial].reward
        for trial in ours
    )
