"""Shared by the tests: an easy bandit, a plain policy, comparisons, a counter of compilations."""

from collections.abc import Iterator
from contextlib import contextmanager

import jax
import numpy as np

from jostle.environments import Synthetic
from jostle.policies.base import Policy
from jostle.types import Choice

FEATURES, POOL, SHOWN = 5, 12, 4


def rises_with_first(contexts):
    return contexts[:, 0]


EASY = Synthetic(rises_with_first, features=FEATURES, pool=POOL, shown=SHOWN, noise=0.05)
"""A linear bandit that every learning policy should soon solve."""


class First(Policy):
    """Always the first arm shown; it does not state its probabilities."""

    def init(self, key):
        return ()

    def choose(self, state, key, round):
        return Choice(0, round.contexts[:, 0])

    def learn(self, state, key, feedback):
        return state


def assert_same(first, second):
    """Two pytrees are equal, bit for bit."""
    left, left_structure = jax.tree.flatten(first)
    right, right_structure = jax.tree.flatten(second)
    assert left_structure == right_structure
    for a, b in zip(left, right, strict=True):
        np.testing.assert_array_equal(np.asarray(a), np.asarray(b))


def nbytes(tree):
    return sum(np.asarray(leaf).nbytes for leaf in jax.tree.leaves(tree))


_compilations = 0


def _listen(event: str, duration: float, **_: object) -> None:
    global _compilations
    if event == "/jax/core/compile/backend_compile_duration":
        _compilations += 1


jax.monitoring.register_event_duration_secs_listener(_listen)


@contextmanager
def no_compilation() -> Iterator[None]:
    """Fail if anything is compiled within."""
    before = _compilations
    yield
    assert _compilations == before, f"{_compilations - before} compilations in steady state"


def compilations() -> int:
    """How many programs have been compiled so far."""
    return _compilations
