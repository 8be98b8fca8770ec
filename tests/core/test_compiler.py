"""Simulations are compiled with the same options in every process."""

import os
import subprocess
import sys

import pytest

from jostle.core.compiler import OPTIONS, as_flags

PLAY = """
from jostle import make_environment, make_policy, simulate
bandit = make_environment("h1:features=20,pool=30,shown=10")
print(simulate(make_policy("npr", bandit), bandit, rounds=200, seed=1).regret[-1].hex())
"""


def regret(variables):
    """The regret of a short run in a process of its own, to the last bit."""
    clean = {name: value for name, value in os.environ.items() if name != "XLA_FLAGS"}
    done = subprocess.run(
        [sys.executable, "-c", PLAY], env={**clean, **variables}, capture_output=True, check=True
    )
    return done.stdout


@pytest.mark.study
def test_a_simulation_is_the_same_in_a_worker_as_anywhere_else(monkeypatch):
    from jostle.lab.running.local import one_thread

    monkeypatch.delenv("XLA_FLAGS")  # those of this process are the tests' own
    assert regret({}) == regret(one_thread())


def test_flags_of_the_user_come_last():
    assert as_flags("--mine=1") == (
        "--xla_cpu_multi_thread_eigen=false --xla_backend_optimization_level=1 --mine=1"
    )
    assert set(OPTIONS) == {"xla_cpu_multi_thread_eigen", "xla_backend_optimization_level"}
