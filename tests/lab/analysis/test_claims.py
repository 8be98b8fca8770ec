"""Verdicts on claims, from outcomes whose every number is known."""

import numpy as np
import pytest

from jostle.lab.analysis.claims import (
    FAILS,
    HOLDS,
    OPEN,
    PARTLY,
    UNTRIED,
    Behind,
    Claim,
    NotBehind,
    Sublinear,
    Times,
    Varies,
    Where,
)
from jostle.lab.analysis.paper_claims import CLAIMS
from jostle.lab.results.model import thinned
from jostle.lab.spec.plan import REWARD
from jostle.lab.spec.registry import EXPERIMENTS
from lab.examples import comparison, outcome

FINALS = {"good": [10, 11, 12], "bad": [30, 33, 36], "odd": [5, 12, 17], "few": [9, None, None]}
MADE = comparison(FINALS, times={"good": (1.0, 2.0), "bad": (8.0, 2.0)})
RESULTS = {"made-up": outcome(MADE)}
HERE = Where("made-up")


@pytest.mark.parametrize(
    ("test", "verdict"),
    [
        (Behind(HERE, "bad", "good"), HOLDS),
        (Behind(HERE, "bad", "good", 2.9), HOLDS),
        (Behind(HERE, "bad", "good", 3.5), FAILS),
        (Behind(HERE, "good", "bad"), FAILS),
        (Behind(HERE, "odd", "good"), OPEN),
        (Behind(HERE, "few", "good"), UNTRIED),
        (Behind(Where("other"), "bad", "good"), UNTRIED),
        (NotBehind(HERE, "good", "bad"), HOLDS),
        (NotBehind(HERE, "bad", "good"), FAILS),
        (NotBehind(HERE, "odd", "good"), OPEN),
        (Behind(HERE, ("bad", "bad"), ("bad", "good")), HOLDS),
        (NotBehind(HERE, ("bad", "good"), ("good", "bad")), HOLDS),
        (Behind(HERE, "bad", ("good", "few")), UNTRIED),
        (Times((HERE, "bad"), (HERE, "good"), "choosing", least=7.9), HOLDS),
        (Times((HERE, "bad"), (HERE, "good"), "learning", least=1.1), FAILS),
        (Times((HERE, "odd"), (HERE, "good"), "learning"), UNTRIED),
        (Behind(HERE, "bad", "good", at=0.5), HOLDS),
        (Varies(HERE, "bad", "good"), HOLDS),
        (Varies(HERE, "good", "bad"), FAILS),
        (Varies(HERE, "few", "bad"), UNTRIED),
        (Varies(Where("other"), "bad", "good"), UNTRIED),
        (Sublinear(HERE, "bad"), OPEN),  # straight lines: the exponent is exactly 1
    ],
)
def test_verdicts(test, verdict):
    assert test(RESULTS).verdict == verdict


def test_the_best_of_several_stands_for_all():
    pair = ("good", "bad")
    evidence = Behind(HERE, "odd", pair)(RESULTS).evidence
    assert (evidence.side.best_of, evidence.other.best_of) == (None, 2)
    assert (evidence.other.policy, evidence.other_mean) == ("good", pytest.approx(11))
    assert evidence.difference.mean == pytest.approx(34 / 3 - 11)


def test_early_is_early():
    made = comparison({"a": [10, 11, 12], "b": [30, 33, 36]})
    late = [run._replace(regrets=run.regrets * (thinned(100) > 50)) for run in made.of("b")]
    made.runs = [*made.of("a"), *late]
    results = {"made-up": outcome(made)}
    assert NotBehind(HERE, "b", "a", at=0.4)(results).verdict == HOLDS
    assert NotBehind(HERE, "b", "a")(results).verdict == FAILS


def test_less_reward_is_behind():
    made = {"made-up": outcome(comparison({"a": [40, 44, 48], "b": [20, 22, 24]}, measure=REWARD))}
    assert Behind(HERE, "b", "a")(made).verdict == HOLDS
    assert NotBehind(HERE, "b", "a")(made).verdict == FAILS
    assert NotBehind(HERE, "a", "b")(made).verdict == HOLDS


def test_a_curve_that_flattens_is_sublinear():
    made = comparison({"root": [10, 11, 12]})
    made.runs = [run._replace(regrets=np.sqrt(thinned(100))) for run in made.runs]
    finding = Sublinear(HERE, "root")({"made-up": outcome(made)})
    assert finding.verdict == HOLDS
    assert finding.evidence.exponent == pytest.approx(0.5)


def test_a_claim_holds_when_all_its_tests_do():
    good, bad, odd = (
        Behind(HERE, "bad", "good"),
        Behind(HERE, "good", "bad"),
        Behind(HERE, "odd", "good"),
    )
    assert Claim("", (good,)).judge(RESULTS)[0] == HOLDS
    assert Claim("", (good, odd)).judge(RESULTS)[0] == OPEN
    assert Claim("", (good, odd, bad)).judge(RESULTS)[0] == FAILS
    untried = Behind(HERE, "few", "good")
    assert Claim("", (good, untried)).judge(RESULTS)[0] == PARTLY
    assert Claim("", (untried, untried)).judge(RESULTS)[0] == UNTRIED


def test_every_claim_is_about_policies_that_its_experiments_compare():
    for claim in CLAIMS:
        for test in claim.tests:
            places = (
                [test.first, test.second]
                if isinstance(test, Times)
                else [(test.where, test.policy), (test.where, getattr(test, "other", test.policy))]
            )
            for where, policies in places:
                experiment = EXPERIMENTS[where.experiment]
                size = str(experiment.sizes[where.panel]) if experiment.sizes else ""
                compared = {name.replace("{size}", size) for name in experiment.policies}
                assert compared.issuperset([policies] if isinstance(policies, str) else policies)
