"""The Markdown page, from outcomes whose every number is known."""

import pytest

from jostle.lab.analysis.paper_claims import CLAIMS
from jostle.lab.analysis.summary_table import summary_lines
from jostle.lab.render.ablation_table import ablation_table
from jostle.lab.render.markdown import collect, published_table, render, save, summary_table
from jostle.lab.results.folder import FolderError
from lab.examples import comparison, outcome

FINALS = {"good": [10, 11, 12], "bad": [30, 33, 36], "odd": [5, 12, 17], "few": [9, None, None]}
MADE = comparison(FINALS, times={"good": (1.0, 2.0), "bad": (8.0, 2.0)})
RESULTS = {"made-up": outcome(MADE)}


def test_the_page_holds_tables_and_verdicts():
    page = render([RESULTS["made-up"]], {"made-up": "images/a.png"}, "jostle summary x")
    assert "![made-up](images/a.png)" in page
    assert "| good | 11.0 ± 0.6 | 3 | 0.25 | 1 | 2 |" in page
    assert page.count("| **not played** | **not played** |") == len(CLAIMS)
    assert "ms per round" in page
    assert "paired t-interval" in page
    assert "Not complete: 2 of 12 runs are missing." in page


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
    finals = {"npr": [20, 22, 21], "lin-ucb": [30, 30, 30], "uniform": [90, 90, 90]}
    played = [comparison(finals, environment=name) for name in ("mushroom", "letter")]
    revealed = comparison({"npr": [10, 12, 11]}, environment="mushroom:told=true")
    results = {"practical": outcome(*played), "skyline": outcome(revealed)}
    assert published_table(results).splitlines()[2:] == [
        "| mushroom | 21.0 ± 0.6 | 30.0 ± 0.0 (lin-ucb) | 11.0 ± 0.6 | -10.0 (-10.0 to -10.0) "
        "| 53.9 in 8,124 rounds |",
        "| letter | 21.0 ± 0.6 | 30.0 ± 0.0 (lin-ucb) | - | - | - |",
    ]
    assert published_table({"skyline": outcome(revealed)}) == ""
    page = render([outcome(*played, name="practical")], {}, "jostle summary x")
    assert "arXiv:2602.07767" in page


def test_partial_data_have_a_caveat_in_the_summary_and_beside_the_table():
    made = outcome(comparison({"npr": [4, 4, 5]}, environment="delicious"))
    said = "Delicious is played on partial data"
    assert said not in render([made], {}, "jostle summary x")
    made.manifest.environments["delicious"]["catalogue"] = "3 users, 9 items, 7 liked (partial)"
    page = render([made], {}, "jostle summary x")
    summary, _, rest = page.partition("## made-up")
    assert summary.count(said) == 1
    assert rest.count(said) == 1


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
