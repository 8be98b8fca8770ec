"""The Markdown page, from outcomes whose every number is known."""

import pytest

from jostle.lab.analysis.paper_claims import CLAIMS
from jostle.lab.analysis.summary_table import summary_lines
from jostle.lab.render.ablation_table import ablation_table
from jostle.lab.render.markdown import collect, published_table, render, save, summary_table
from jostle.lab.results.folder import FolderError
from lab.examples import comparison, growth, growth_with_rounds, outcome

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
    assert "Not complete: 10 of 12 runs are finished" in page


def test_the_summary_has_a_line_for_each_panel_and_a_column_for_each_policy():
    wide = comparison(
        {"npr:covariance=diagonal,width=128": [10, 12], "falcon:width=128,steps=3": [30, 30]}
    )
    narrow = comparison({"npr": [8, 8], "falcon:steps=3": [9, 9], "ucb1": [99, 99]})
    paper = comparison({"npr.paper:fitting=minibatch": [4, 4], "falcon.paper:steps=3": [3, None]})
    mixed = comparison({"npr": [4, 4], "npr.paper": [5, 5]}, environment="h2:shown=5")
    played = {"wide": (wide, 128), "narrow": (narrow, 64), "paper": (paper, 64), "mix": (mixed, 64)}
    outcomes = [with_width(outcome(panel, name=n), width) for n, (panel, width) in played.items()]
    table = summary_table(summary_lines(outcomes))
    assert table.splitlines() == [
        "| experiment | environment | forms | width | npr | falcon (steps 3) | ucb1 | npr.paper |",
        "|---|---|---|---|---|---|---|---|",
        "| wide | h1 | jostle's | 128 | **11.0 ± 1.0** | 30.0 ± 0.0 |  |  |",
        "| narrow | h1 | jostle's | 64 | **8.0 ± 0.0** | 9.0 ± 0.0 | 99.0 ± 0.0 |  |",
        "| paper | h1 | the paper's | 64 | 4.0 ± 0.0 | **3.0** (1 run) |  |  |",
        "| mix | h2 (shown 5) | both | 64 | **4.0 ± 0.0** |  |  | 5.0 ± 0.0 |",
    ]


def with_width(made, width):
    """The same, with networks of this width in all policies but ucb1."""
    for policies in made.manifest.policies.values():
        for name in policies:
            policies[name] = {} if name == "ucb1" else {"width": width}
    return made


def test_times_over_sizes_have_one_table():
    page = render([growth(sizes=(16, 64))], {}, "jostle summary x")
    assert "Milliseconds per round, choosing + learning." in page
    assert "| h1, width | 16 | 64 |" in page
    assert "| npr | 0.016 + 0.256 | 0.064 + 4.1 |" in page
    assert "| regret |" not in page
    page = render([growth_with_rounds()], {}, "jostle summary x")
    assert "| h1, rounds | 100 | 1,000 |" in page


def test_npr_stands_beside_what_was_published():
    finals = {"npr.descent": [20, 22, 21], "lin-ucb": [30, 30, 30], "uniform": [90, 90, 90]}
    played = [comparison(finals, environment=name) for name in ("mushroom", "letter")]
    revealed = comparison({"npr.descent": [10, 12, 11]}, environment="mushroom:told=true")
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
