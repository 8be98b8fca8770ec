"""Holm's method against the closed testing procedure, and its rate of false decisions."""

from itertools import combinations

import numpy as np
import pytest

from jostle.lab.analysis.multiple_tests import holm


def closed(p_values):
    """Bonferroni's test of every set of hypotheses: the largest p of the sets with each one."""
    numbers = range(len(p_values))
    sets = [set(each) for size in numbers for each in combinations(numbers, size + 1)]
    tested = [(each, min(1.0, len(each) * min(p_values[i] for i in each))) for each in sets]
    return [max(p for each, p in tested if number in each) for number in numbers]


@pytest.mark.parametrize("seed", range(5))
def test_holm_is_closed_testing_with_bonferroni(seed):
    rng = np.random.default_rng(seed)
    for size in range(1, 7):
        p_values = rng.uniform(size=size) ** rng.integers(1, 5)
        p_values[rng.integers(size)] = p_values[0]  # ties, now and then
        np.testing.assert_allclose(holm(p_values), closed(p_values))


def test_no_tests_and_one_test():
    assert holm([]).tolist() == []
    assert holm([0.03]).tolist() == [0.03]


def test_a_false_decision_in_a_family_is_rare():
    """Three true hypotheses and one false one, whose rejection must not spend the error."""
    rng = np.random.default_rng(0)
    families, wrong, alone = 4000, 0, 0
    for _ in range(families):
        p_values = np.append(rng.uniform(size=3), 1e-9)
        wrong += bool((holm(p_values)[:3] < 0.05).any())
        alone += bool((p_values[:3] < 0.05).any())
    error = np.sqrt(0.05 * 0.95 / families)
    assert wrong / families < 0.05 + 5 * error
    assert alone / families > 0.13  # without correction: 1 - 0.95^3 = 0.143
