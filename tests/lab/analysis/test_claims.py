"""Verdicts on claims, from outcomes whose every number is known."""

import numpy as np
import pytest

from jostle.lab.analysis.claim_evidence import Estimate, Finding
from jostle.lab.analysis.claim_tests import (
    Behind,
    NotBehind,
    Sublinear,
    Times,
    Varies,
    Where,
)
from jostle.lab.analysis.claims import FAILS, HOLDS, UNDECIDED, UNPLAYED, Claim, decide
from jostle.lab.analysis.paper_claims import CLAIMS
from jostle.lab.analysis.paper_forms import JOSTLE_FORMS, PAPER_FORMS, form
from jostle.lab.results.model import thinned
from jostle.lab.spec.plan import REWARD
from jostle.lab.spec.registry import EXPERIMENTS
from lab.examples import comparison, outcome

FINALS = {
    "good": [10, 11, 12],
    "bad": [30, 33, 36],
    "odd": [5, 12, 17],
    "wild": [12, 130, 11],
    "few": [9, None, None],
}
MADE = comparison(FINALS, times={"good": (1.0, 2.0), "bad": (8.0, 2.0)})
RESULTS = {"made-up": outcome(MADE)}
HERE = Where("made-up")


def verdict(test, results=RESULTS):
    """The verdict on a claim with this test alone."""
    return Claim("", {"": (test,)}).judge("", results).verdict


@pytest.mark.parametrize(
    ("test", "wanted"),
    [
        (Behind(HERE, "bad", "good"), HOLDS),
        (Behind(HERE, "bad", "good", 2.9), HOLDS),
        (Behind(HERE, "bad", "good", 3.5), FAILS),
        (Behind(HERE, "good", "bad"), FAILS),
        (Behind(HERE, "odd", "good"), UNDECIDED),
        (Behind(HERE, "few", "good"), UNPLAYED),
        (Behind(Where("other"), "bad", "good"), UNPLAYED),
        (NotBehind(HERE, "good", "bad"), HOLDS),
        (NotBehind(HERE, "bad", "good"), FAILS),
        (NotBehind(HERE, "odd", "good"), UNDECIDED),
        (Behind(HERE, ("bad", "bad"), ("bad", "good")), HOLDS),
        (NotBehind(HERE, ("bad", "good"), ("good", "bad")), HOLDS),
        (Behind(HERE, "bad", ("good", "few")), UNPLAYED),
        (Times((HERE, "bad"), (HERE, "good"), "choosing", least=7.9), HOLDS),
        (Times((HERE, "bad"), (HERE, "good"), "learning", least=1.1), FAILS),
        (Times((HERE, "odd"), (HERE, "good"), "learning"), UNPLAYED),
        (Behind(HERE, "bad", "good", at=0.5), HOLDS),
        (Varies(HERE, "wild", "good"), HOLDS),
        (Varies(HERE, "good", "wild"), FAILS),
        (Varies(HERE, "odd", "bad"), UNDECIDED),
        (Varies(HERE, "few", "bad"), UNPLAYED),
        (Varies(Where("other"), "bad", "good"), UNPLAYED),
        (Sublinear(HERE, "bad"), UNDECIDED),  # straight lines: the exponent is exactly 1
        (Sublinear(HERE, "few"), UNPLAYED),
    ],
)
def test_verdicts(test, wanted):
    assert verdict(test) == wanted


def test_the_best_of_several_stands_for_all():
    evidence = Behind(HERE, "odd", ("good", "bad"))(RESULTS).evidence
    assert (evidence.side.best_of, evidence.other.best_of) == (None, 2)
    assert evidence.other.policy == "good"
    assert evidence.means == pytest.approx((34 / 3, 11))


def test_a_lead_is_what_its_p_value_is_about():
    for factor in np.linspace(2, 4, 20):
        finding = Behind(HERE, "bad", "good", factor)(RESULTS)
        lead = finding.evidence.lead
        ours, theirs = np.array(FINALS["bad"]), np.array(FINALS["good"])
        assert lead == pytest.approx(Estimate.of(ours - factor * theirs))
        assert (finding.p_value < 0.05) == (lead.low > 0 or lead.high < 0)
        assert finding.passes == (lead.mean > 0)


def test_early_is_early():
    made = comparison({"a": [10, 11, 12], "b": [30, 33, 36]})
    late = [run._replace(regrets=run.regrets * (thinned(100) > 50)) for run in made.of("b")]
    made.runs = [*made.of("a"), *late]
    results = {"made-up": outcome(made)}
    assert verdict(NotBehind(HERE, "b", "a", at=0.4), results) == HOLDS
    assert verdict(NotBehind(HERE, "b", "a"), results) == FAILS


def test_less_reward_is_behind():
    made = {"made-up": outcome(comparison({"a": [40, 44, 48], "b": [20, 22, 24]}, measure=REWARD))}
    assert verdict(Behind(HERE, "b", "a"), made) == HOLDS
    assert verdict(NotBehind(HERE, "b", "a"), made) == FAILS
    assert verdict(NotBehind(HERE, "a", "b"), made) == HOLDS


@pytest.mark.parametrize(("limit", "swept"), [(512, 20), (19, 0), (0, 0)])
def test_regret_counts_from_the_end_of_the_sweep(limit, swept):
    made = comparison({"root": [10, 11, 12]})
    t = thinned(100)
    curve = 40 * np.minimum(t, swept) / 20 + np.sqrt(np.maximum(t - swept, 0))
    made.runs = [run._replace(regrets=curve) for run in made.runs]
    played = outcome(made)
    played.manifest.environments["h1"]["pool"] = 20
    played.manifest.policies["h1"]["root"]["sweep"] = limit
    finding = Sublinear(HERE, "root")({"made-up": played})
    assert finding.evidence.swept == swept
    assert finding.evidence.exponent.mean == pytest.approx(0.5)
    assert finding.passes
    assert finding.p_value < 1e-9


def test_a_claim_holds_when_all_its_tests_do():
    good, bad, odd = (
        Behind(HERE, "bad", "good"),
        Behind(HERE, "good", "bad"),
        Behind(HERE, "odd", "good"),
    )
    untried = Behind(HERE, "few", "good")
    for tests, wanted, run in (
        ((good,), HOLDS, 1),
        ((good, odd), UNDECIDED, 2),
        ((good, odd, bad), FAILS, 3),
        ((good, untried), UNDECIDED, 1),
        ((bad, untried), FAILS, 1),
        ((untried, untried), UNPLAYED, 0),
        ((), UNPLAYED, 0),
    ):
        judgement = Claim("", {"": tests}).judge("", RESULTS)
        assert judgement.verdict == wanted
        assert (judgement.tests, len(judgement.decisions)) == (len(tests), run)


def test_p_values_are_corrected_for_the_tests_that_have_one():
    findings = [Finding(True, 0.02, None), Finding(False, None, None), Finding(False, 0.03, None)]
    decisions = decide(findings)
    assert [each.adjusted for each in decisions] == [0.04, None, 0.04]
    assert [each.verdict for each in decisions] == [HOLDS, FAILS, FAILS]
    more = decide([*findings, Finding(True, 0.9, None)])
    assert [each.verdict for each in more] == [UNDECIDED, FAILS, UNDECIDED, UNDECIDED]


def test_few_claims_are_decided_by_chance():
    """Four ties, five seeds: any decision is false. Uncorrected, one claim in six has one."""
    rng, claims, wrong = np.random.default_rng(0), 600, 0
    names = [f"p{i}" for i in range(8)]
    tests = tuple(Behind(HERE, *names[i : i + 2], 1.0) for i in range(0, 8, 2))
    for _ in range(claims):
        made = comparison({name: rng.normal(100, 10, size=5) for name in names})
        judgement = Claim("", {"": tests}).judge("", {"made-up": outcome(made)})
        wrong += any(each.verdict != UNDECIDED for each in judgement.decisions)
    assert wrong / claims < 0.05 + 5 * np.sqrt(0.05 * 0.95 / claims)


def test_both_forms_have_names():
    assert form("npr", True, "fig1a") == "npr.paper"
    assert form("npr:width=128", True, "fig4a") == "npr.paper:width=128"
    assert form("npr", True, "fig2b") == "npr.paper:fitting=minibatch"
    assert form("lin-ucb.paper", True, "fig2b") == "lin-ucb.paper"
    assert form("npr", False, "fig2b") == "npr"


def test_every_claim_has_both_forms_and_tests_in_one_of_them():
    for claim in CLAIMS:
        assert list(claim.tests) == [PAPER_FORMS, JOSTLE_FORMS]
        assert claim.tests[JOSTLE_FORMS]


def test_every_claim_is_about_policies_that_its_experiments_compare():
    for test in (test for claim in CLAIMS for tests in claim.tests.values() for test in tests):
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
