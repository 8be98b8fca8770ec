"""Short runs of every policy and environment, by which a change of behaviour is noticed.

Policies are those of the conformance suite, in runs of the same shapes, so that the tests compile
each program only once.
"""

import json
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from jostle import Uniform, simulation
from jostle.environments import Classification, Recommendation, Synthetic
from jostle.factory import make_policy
from jostle.lab.running import tuning
from jostle.lab.spec.experiment import Tuning
from jostle.types import Round
from policies.cases import CASES as POLICIES

from field_cases import CASES as FIELD
from support import EASY, FEATURES, SHOWN

FILE = Path(__file__).with_name("behaviour.json")
ROUNDS, RESERVED = 25, 250  # the conformance suite plays 250
ROWS = np.random.default_rng(0).normal(size=(ROUNDS, 3)).round(3)
CLASSES = np.arange(ROUNDS) % 3
LIKES = np.array([[user, item] for user in range(4) for item in range(7) if (user + item) % 3])
ENVIRONMENTS = {
    "h1": Synthetic("h1", features=3, pool=5, shown=3),
    "h2, new arms": Synthetic("h2", features=3, pool=None, shown=3),
    "classification": Classification.from_arrays(ROWS, CLASSES),
    "classification, full information": Classification.from_arrays(
        ROWS, CLASSES, encoding="paper", full_information=True
    ),
    "recommendation": Recommendation.from_arrays(ROWS[:4], ROWS[4:11, :2], LIKES, shown=3),
    **FIELD,
}
CASES: dict[str, tuple[Any, Any]] = {
    **{name: (policy, EASY) for name, policy in POLICIES.items()},
    **{
        f"environment {name}": (Uniform(world.features), world)
        for name, world in ENVIRONMENTS.items()
    },
}
TUNING = "tuning"
NAMES = [*CASES, TUNING]


def numbers(name):
    """The behaviour numbers of the code that plays a case."""
    if name == TUNING:
        return {"tuning": tuning.BEHAVIOUR}
    policy, environment = CASES[name]
    return {
        "simulation": simulation.BEHAVIOUR,
        "environment": environment.behaviour,
        "policy": policy.behaviour,
    }


def play(name):
    """What a case does, as JSON data."""
    if name == TUNING:
        return _tuning()
    policy, environment = CASES[name]
    rounds = RESERVED if environment is EASY else ROUNDS
    progress = simulation.begin(policy, environment, rounds=rounds, seed=1)
    progress = simulation.advance(policy, environment, progress, 0, ROUNDS)
    trace = progress.trace
    found = {
        "actions": np.asarray(trace.actions)[:ROUNDS].tolist(),
        "rewards": _short(trace.rewards[:ROUNDS]),
        "regrets": _short(trace.regrets[:ROUNDS]),
    }
    if environment is EASY:
        found["scores"] = _short(_scores(policy, progress.policy_state))
    return found


def same(old, new):
    """Whether two records agree, except in the last digits, in which CPUs differ."""
    if old.keys() != new.keys():
        return False
    if "actions" not in old:
        return json.dumps(old) == json.dumps(new)
    return old["actions"] == new["actions"] and all(
        np.shape(old[key]) == np.shape(new[key])
        and np.allclose(old[key], new[key], rtol=1e-3, atol=1e-5)
        for key in old
    )


def _scores(policy, state):
    """The scores of fixed arms after the run: they change with any change of what was learned."""
    contexts = jnp.asarray(np.linspace(-1, 1, SHOWN * FEATURES).reshape(SHOWN, FEATURES))
    arms = jnp.arange(SHOWN, dtype=jnp.int32)
    round = Round(contexts.astype(jnp.float32), jnp.ones(SHOWN, bool), arms, jnp.int32(0))
    return jax.jit(policy.choose)(state, jax.random.key(5), round).scores


def _tuning():
    """The settings that are tried, and when they are compared."""
    tried = tuning.candidates(Tuning("grid"), "npr", make_policy("npr", ENVIRONMENTS["h1"]))
    return {"candidates": tried[::20], "rungs": tuning.rungs(Tuning("halving"), len(tried))}


def _short(values):
    return [float(f"{value:.6g}") for value in np.asarray(values).tolist()]
