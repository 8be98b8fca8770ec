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
from jostle.lab.analysis.published_figures import past
from jostle.lab.analysis.summary_table import glance
from jostle.lab.render.markdown import render
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


def test_the_best_of_several_is_said_to_be():
    pair = ("good", "bad")
    assert "good (11.0), the best of 2: " in Behind(HERE, "odd", pair)(RESULTS).words
    assert "good (11.0), each the best of 2: " in Behind(HERE, pair, pair)(RESULTS).words


def test_early_is_early():
    made = comparison({"a": [10, 11, 12], "b": [30, 33, 36]})
    late = [run._replace(regrets=run.regrets * (thinned(100) > 50)) for run in made.of("b")]
    made.runs = [*made.of("a"), *late]
    results = {"made-up": outcome(made)}
    assert NotBehind(HERE, "b", "a", at=0.4)(results).verdict == HOLDS
    finding = NotBehind(HERE, "b", "a")(results)
    assert finding.verdict == FAILS
    assert "after" not in finding.words
    assert "after 40 rounds" in NotBehind(HERE, "b", "a", at=0.4)(results).words


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
    assert "t^0.50" in finding.words


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


def test_the_page_holds_tables_and_verdicts():
    page = render([RESULTS["made-up"]], {"made-up": "images/a.png"}, "jostle summary x")
    assert "![made-up](images/a.png)" in page
    assert "| good | 11.0 ± 0.6 | 3 | 0.25 | 1 | 2 |" in page
    assert page.count("**not tried**") == len(CLAIMS)
    assert "Not complete: 2 of 12 runs are missing." in page


def test_a_remark_stands_beside_each_claim_that_was_tried_and_is_not_seen_to_hold(monkeypatch):
    good, untried = Behind(HERE, "bad", "good"), Behind(HERE, "few", "good")
    odd, bad = Behind(HERE, "odd", "good"), Behind(HERE, "good", "bad")
    tests = {"holds": (good,), "untried": (untried,), "partly": (good, untried), "open": (odd,)}
    tests["fails"] = (bad,)
    made = tuple(Claim(name, those, f"why {name}") for name, those in tests.items())
    monkeypatch.setattr("jostle.lab.render.markdown.CLAIMS", made)
    page = render([RESULTS["made-up"]], {}, "jostle summary x")
    assert [name for name in tests if f"why {name}" in page] == ["partly", "open", "fails"]


def test_a_glance_has_a_line_for_each_panel_and_a_column_for_each_policy():
    wide = comparison(
        {"npr:covariance=diagonal,width=128": [10, 12], "falcon:width=128,steps=3": [30, 30]}
    )
    plain = comparison({"npr": [4, 4], "falcon:steps=3": [3, None]}, environment="h2:shown=5")
    table = glance([outcome(wide, name="wide"), outcome(plain, name="plain")])
    assert table.splitlines() == [
        "| experiment | environment | npr | falcon (steps 3) |",
        "|---|---|---|---|",
        "| wide | h1 | **11.0 ± 1.0** | 30.0 ± 0.0 |",
        "| plain | h2 (shown 5) | 4.0 ± 0.0 | **3.0** (1 run) |",
    ]


def test_past_the_paper():
    played = [
        comparison({"npr": [20, 22], "lin-ucb": [30, 30], "uniform": [90, 90]}, environment=name)
        for name in ("mushroom", "letter")
    ]
    told = comparison({"npr": [10, 10]}, environment="mushroom:told=true")
    results = {"practical": outcome(*played), "skyline": outcome(told)}
    assert past(results).splitlines()[2:] == [
        "| mushroom | 21.0 ± 1.0 | 30.0 ± 0.0 (lin-ucb) | 10.0 ± 0.0 | 69 |",
        "| letter | 21.0 ± 1.0 | 30.0 ± 0.0 (lin-ucb) | - | - |",
    ]
    assert past({"skyline": outcome(told)}) == ""
