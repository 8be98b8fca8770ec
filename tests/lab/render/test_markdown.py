"""The Markdown page, from outcomes whose every number is known."""

import pytest

from jostle.lab.analysis.claims import Behind, Claim, Sublinear, Times, Varies, Where
from jostle.lab.analysis.paper_claims import CLAIMS
from jostle.lab.analysis.summary_table import summary_lines
from jostle.lab.render.ablation_table import ablation_table
from jostle.lab.render.claims import describe
from jostle.lab.render.markdown import collect, published_table, render, save, summary_table
from jostle.lab.results.folder import FolderError
from lab.examples import comparison, outcome

FINALS = {"good": [10, 11, 12], "bad": [30, 33, 36], "odd": [5, 12, 17], "few": [9, None, None]}
MADE = comparison(FINALS, times={"good": (1.0, 2.0), "bad": (8.0, 2.0)})
RESULTS = {"made-up": outcome(MADE)}
HERE = Where("made-up")


@pytest.mark.parametrize(
    ("test", "phrase"),
    [
        (Behind(HERE, "bad", "good"), "bad on h1 behind good (11.0): +22.0 (17.0 to 27.0)"),
        (Behind(HERE, "odd", ("good", "bad")), "odd on h1 behind good (11.0), the best of 2: "),
        (Behind(HERE, ("good",), ("bad",)), "good on h1 behind bad (33.0), each the best of 1: "),
        (Behind(HERE, "bad", "good", at=0.4), "behind good (4.4) after 40 rounds: +8.8 ("),
        (Varies(HERE, "bad", "good"), "standard deviation of bad on h1 3.0, good 1.0"),
        (Sublinear(HERE, "bad"), "bad on h1: t^1.00 (1.00 to 1.00)"),
        (
            Times((HERE, "bad"), (HERE, "good"), "choosing"),
            "choosing, bad on h1 against good on h1: 8 times",
        ),
    ],
)
def test_findings_are_described_in_words(test, phrase):
    assert phrase in describe(test(RESULTS).evidence)


def test_the_page_holds_tables_and_verdicts():
    page = render([RESULTS["made-up"]], {"made-up": "images/a.png"}, "jostle summary x")
    assert "![made-up](images/a.png)" in page
    assert "| good | 11.0 ± 0.6 | 3 | 0.25 | 1 | 2 |" in page
    assert page.count("**not tried**") == len(CLAIMS)
    assert "ms per round" in page
    assert "paired t-interval" in page
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


def test_the_summary_has_a_line_for_each_panel_and_a_column_for_each_policy():
    wide = comparison(
        {"npr:covariance=diagonal,width=128": [10, 12], "falcon:width=128,steps=3": [30, 30]}
    )
    plain = comparison({"npr": [4, 4], "falcon:steps=3": [3, None]}, environment="h2:shown=5")
    table = summary_table(summary_lines([outcome(wide, name="wide"), outcome(plain, name="plain")]))
    assert table.splitlines() == [
        "| experiment | environment | npr | falcon (steps 3) |",
        "|---|---|---|---|",
        "| wide | h1 | **11.0 ± 1.0** | 30.0 ± 0.0 |",
        "| plain | h2 (shown 5) | 4.0 ± 0.0 | **3.0** (1 run) |",
    ]


def test_npr_stands_beside_what_was_published():
    played = [
        comparison({"npr": [20, 22], "lin-ucb": [30, 30], "uniform": [90, 90]}, environment=name)
        for name in ("mushroom", "letter")
    ]
    revealed = comparison({"npr": [10, 10]}, environment="mushroom:told=true")
    results = {"practical": outcome(*played), "skyline": outcome(revealed)}
    assert published_table(results).splitlines()[2:] == [
        "| mushroom | 21.0 ± 1.0 | 30.0 ± 0.0 (lin-ucb) | 10.0 ± 0.0 | 69 |",
        "| letter | 21.0 ± 1.0 | 30.0 ± 0.0 (lin-ucb) | - | - |",
    ]
    assert published_table({"skyline": outcome(revealed)}) == ""


def test_an_ablation_has_a_table_of_its_own():
    made = comparison(
        {"npr": [10, 11, 12], "npr:steps=2": [20, 22, 24], "npr:noise=0": [9, 12, 12]}
    )
    table = ablation_table(outcome(made, figure="changes")).splitlines()
    assert table[0] == "| change to npr | h1 |"
    assert table[2] == "| none | 11.0 ± 0.6 |"
    assert table[3].startswith("| steps 2 | **+100% (+")
    assert table[4].startswith("| noise 0 | +0% (-")
    empty = outcome(comparison({"npr": [None], "npr:steps=2": [None]}), figure="changes")
    assert "| none | - |" in ablation_table(empty)


def test_saving_writes_the_page_and_its_figures(tmp_path):
    page = tmp_path / "all.md"
    save([RESULTS["made-up"]], page, "jostle summary x")
    assert "](images/all/made-up.png)" in page.read_text("utf-8")
    assert [path.name for path in (tmp_path / "images" / "all").iterdir()] == ["made-up.png"]


def test_a_folder_without_experiments_is_refused(tmp_path):
    with pytest.raises(FolderError, match="there is no folder"):
        collect(tmp_path / "absent")
    with pytest.raises(FolderError, match="holds no experiments; expected a folder of folders"):
        collect(tmp_path)
