"""Claims as Markdown, from outcomes whose every number is known."""

import pytest

from jostle.lab.analysis.claim_tests import Behind, Sublinear, Times, Varies, Where
from jostle.lab.analysis.claims import Claim
from jostle.lab.analysis.paper_claims import CLAIMS
from jostle.lab.analysis.paper_forms import JOSTLE_FORMS, PAPER_FORMS
from jostle.lab.render.claim_tests import clauses, describe
from jostle.lab.render.claims import claims_page, p_text
from lab.examples import comparison, outcome

FINALS = {"good": [10, 11, 12], "bad": [30, 33, 36], "odd": [5, 12, 17], "few": [9, None, None]}
MADE = comparison(FINALS, times={"good": (1.0, 2.0), "bad": (8.0, 2.0)})
RESULTS = {"made-up": outcome(MADE)}
HERE = Where("made-up")


@pytest.mark.parametrize(
    ("test", "told"),
    [
        (
            Behind(HERE, "bad", "good"),
            (
                "bad behind good by more than a factor of 1.1",
                "33.0 and 11.0",
                "lead +20.9 (16.2 to 25.6)",
            ),
        ),
        (
            Behind(HERE, "odd", ("good", "bad"), 1.0),
            ("odd behind good (the best of 2)", "11.3 and 11.0", "lead +0.3 (-"),
        ),
        (
            Behind(HERE, "bad", "good", 1.0, at=0.4),
            ("bad behind good after 40 rounds", "13.2 and 4.4", "lead +8.8 (6.8 to 10.8)"),
        ),
        (
            Varies(HERE, "bad", "good"),
            ("bad varies 1.5 times as much as good", "standard deviations 3.0 and 1.0", "3 times"),
        ),
        (
            Sublinear(HERE, "bad"),
            ("regret of bad grows more slowly than t", "no sweep", "t^1.00 (1.00 to 1.00)"),
        ),
        (
            Times((HERE, "bad"), (HERE, "good"), "choosing", least=2),
            (
                "bad takes at least 2 times as long to choose as good",
                "8 and 1 ms after 100 rounds",
                "8 times",
            ),
        ),
    ],
)
def test_findings_are_described_in_words(test, told):
    line = describe(test(RESULTS).evidence)
    for wanted, text in zip(told, (line.test, line.measured, line.estimate), strict=True):
        assert text.startswith(wanted)


def test_p_values_are_short():
    assert [p_text(p) for p in (1.0, 0.03456, 0.0001, 3e-9, 0.0)] == [
        "1",
        "0.035",
        "0.0001",
        "<0.0001",
        "<0.0001",
    ]


def test_each_claim_has_both_verdicts_and_a_table_of_its_tests():
    good, odd, few = (Behind(HERE, name, "good") for name in ("bad", "odd", "few"))
    claim = Claim("It is so", {PAPER_FORMS: (good,), JOSTLE_FORMS: (good, odd, few)}, "Noise.")
    page = "\n".join(claims_page([claim], RESULTS))
    assert (
        "| It is so | **holds** (1 of 1 test, seeds 0 to 2) "
        "| **cannot tell** (2 of 3 tests, seeds 0 to 2) |"
    ) in page
    row = "| bad behind good by more than a factor of 1.1 | made-up, h1 | 3 |"
    assert page.count(row) == 2
    assert "Why, with jostle's forms: Noise." in page


def test_a_verdict_names_what_was_tested_with_which_policy_on_which_runs():
    good, odd, few = (Behind(HERE, name, "good") for name in ("bad", "odd", "few"))
    claim = Claim("It is so", {PAPER_FORMS: (good,), JOSTLE_FORMS: (good, odd, few)})
    page = "\n".join(claims_page([claim], RESULTS))
    assert (
        "With the paper's forms: **holds**. Tested: bad behind good by more than a factor of 1.1. "
        "NPR is `npr.paper`. Runs of `made-up` (h1), 100 rounds, seeds 0 to 2, nothing tuned. "
        "1 of 1 test run: 1 holds."
    ) in page
    assert (
        "With jostle's forms: **cannot tell**. Tested: bad and odd behind good by more than a "
        "factor of 1.1. NPR is `npr.descent`. Runs of `made-up` (h1), 100 rounds, seeds 0 to 2, "
        "nothing tuned. 2 of 3 tests run: 1 holds, 1 cannot tell; p-values corrected for 2 tests; "
        "the others lack runs of `made-up`."
    ) in page
    assert "they need `fig1a` and `fig1b`." in "\n".join(claims_page(CLAIMS[:1], {}))


def test_tests_that_share_a_side_are_told_together():
    lines = [
        describe(Behind(HERE, "bad", other, 1.0)(RESULTS).evidence) for other in ("good", "odd")
    ]
    assert clauses(lines) == ["bad behind each of good and odd"]
    lines = [describe(Sublinear(HERE, name)(RESULTS).evidence) for name in ("good", "bad")]
    assert clauses(lines) == ["regret of good and regret of bad grows more slowly than t"]


def test_no_verdict_is_about_another_algorithm_than_the_papers():
    """``npr`` solves for the perturbation; the paper's claims are about Algorithm 1."""
    tests = [test for claim in CLAIMS for those in claim.tests.values() for test in those]
    assert "npr" not in str(tests).replace("npr.paper", "").replace("npr.descent", "")


def test_a_remark_explains_what_was_played_and_is_not_seen_to_hold():
    good, few = Behind(HERE, "bad", "good"), Behind(HERE, "few", "good")
    tests = {"holds": (good,), "unplayed": (few,), "partly": (good, few), "untested": ()}
    tests["fails"] = (Behind(HERE, "good", "bad"),)
    claims = [
        Claim(name, {PAPER_FORMS: (), JOSTLE_FORMS: those}, f"why {name}")
        for name, those in tests.items()
    ]
    page = "\n".join(claims_page(claims, RESULTS))
    assert [name for name in tests if f"why {name}" in page] == ["partly", "fails"]
    assert page.count("No experiment plays them.") == len(tests) + 1


def test_no_cell_holds_a_page_of_text():
    claim = Claim("So", dict.fromkeys((PAPER_FORMS, JOSTLE_FORMS), (Behind(HERE, "bad", "odd"),)))
    rows = [
        row for part in claims_page([claim], RESULTS) for row in part.splitlines() if "|" in row
    ]
    assert max(len(cell) for row in rows for cell in row.split("|")) < 200
