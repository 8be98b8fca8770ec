"""Verdicts: three outcomes, by the distance to the tolerance in standard errors."""

import numpy as np
import pytest

from jostle.theory.convergence_with_width import judge_convergence
from jostle.theory.lemma_check import Evidence, LemmaCheck, Verdict, worst


@pytest.mark.parametrize(
    ("value", "error", "at_least", "expected"),
    [
        (0.5, 0.1, False, "holds"),
        (0.9, 0.1, False, "cannot tell"),
        (1.2, 0.1, False, "cannot tell"),
        (1.4, 0.1, False, "does not hold"),
        (1.4, 0.1, True, "holds"),
        (0.5, 0.1, True, "does not hold"),
        (1.0, 0.0, False, "holds"),
        (0.0, np.inf, False, "cannot tell"),
        (np.nan, 0.1, False, "cannot tell"),
    ],
)
def test_three_standard_errors_decide(value, error, at_least, expected):
    assert Evidence("x", value, error, 1.0, at_least).verdict == expected


def test_one_failure_decides():
    holds, fails, unclear = Verdict.HOLDS, Verdict.FAILS, Verdict.UNCLEAR
    assert worst([holds, holds]) is holds
    assert worst([holds, unclear]) is unclear
    assert worst([unclear, fails, holds]) is fails


def test_a_check_shows_its_error_and_tolerance():
    evidence = Evidence("distance", 0.075, 0.004, 0.15)
    assert str(evidence) == "distance: 7.5% ± 0.4% (tolerance: at most 15.0%)"
    check = LemmaCheck("a", "A", "c", "f", Verdict.HOLDS, evidence, lambda axes: None, {"n": 1})
    assert check.numbers["tolerance"] == 0.15
    assert check.numbers["error"] == 0.075
    assert check.numbers["n"] == 1
    assert check.verdict == "holds"


WIDTHS = (16, 64, 256)


def judged(exponent, scale, draws=6, noise=0.05):
    rng = np.random.default_rng(0)
    m = np.array(WIDTHS, float)[:, None]
    errors = scale * m**exponent * np.exp(noise * rng.normal(size=(3, draws)))
    return judge_convergence("error", WIDTHS, errors, tolerance=0.15, slowest=-0.2)


def test_errors_that_fall_below_the_tolerance_vanish():
    found = judged(-0.5, 1.0)
    assert found.verdict is Verdict.HOLDS
    assert found.rate == pytest.approx(-0.5, abs=5 * found.rate_error)
    assert found.rate_error < 0.02


def test_errors_that_stay_large_do_not():
    assert judged(0.0, 0.5).verdict is Verdict.FAILS
    assert judged(-0.1, 0.5).verdict is Verdict.FAILS  # slower than promised


def test_errors_that_fall_and_are_still_large_leave_it_open():
    assert judged(-0.5, 20.0).verdict is Verdict.UNCLEAR
    assert judged(0.0, 0.05).verdict is Verdict.UNCLEAR  # small, but not falling
    assert judged(-0.5, 1.0, draws=1).verdict is Verdict.UNCLEAR
