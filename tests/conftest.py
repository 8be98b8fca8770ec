"""Before JAX is imported: tests compile much and compute little, so compile without polish."""

import os

os.environ["XLA_FLAGS"] = f"{os.environ.get('XLA_FLAGS', '')} --xla_backend_optimization_level=0"

import pytest

from jostle.lab.running.programs import make_room


@pytest.fixture(autouse=True)
def room_for_programs():
    """Hundreds of tests in one process compile more than Linux lets it map."""
    make_room()
