import io

import pytest
from rich.console import Console

from jostle.lab.render.html import report
from jostle.lab.render.ranking_table import PAGE, TERMINAL, caption, ranking_table
from jostle.lab.render.terminal import comparison_table, show
from jostle.lab.spec.plan import REWARD
from lab.examples import comparison, outcome


@pytest.fixture
def made():
    finals = {"slow:noise=1": [10, 20, 60], "good": [1, 2, 3], "once": [5, None, None]}
    return comparison(finals, times={"good": (0.0125, 1.5), "slow:noise=1": (0.000001, 0.0)})


def printed(make, width=160):
    text = io.StringIO()
    make(Console(file=text, width=width))
    return text.getvalue()


def test_terminal_and_page_show_the_same_cells(made):
    text = printed(lambda console: console.print(comparison_table(made, "[bold]odd[/]")))
    page = report.render(outcome(made), None)
    for cell in ("slow (noise 1)", "2.0", "0.6", "+28.0", "0.0125", "1.5", "30.0", "15.3", "-"):
        assert cell in text
        assert f">{cell}<" in page
    assert ">2 KiB<" in page
    assert max(map(len, text.splitlines()[1:])) <= 100
    assert "<0.0001" in text
    assert "&lt;0.0001" in page
    assert "[bold]odd[/]" in text  # names are not markup


def test_columns_with_nothing_in_them_are_left_out():
    keys = ranking_table(comparison({"a": [1, 2], "b": [3, 4]}), PAGE).keys
    assert keys == ["policy", "rank", "mean", "error", "round_ms", "state_bytes", "runs"]
    table = ranking_table(comparison({"a": [1]}, measure=REWARD), TERMINAL)
    assert [column.title for column in table.columns][1] == "mean reward"


def test_the_caption_explains_the_columns_that_are_shown_and_no_others(made):
    words = {"Difference", "choosing", "per round", "Memory", "Std. error", "Interval"}

    def explained(text):
        return {word for word in words if word in text}

    few = printed(lambda console: show(console, outcome(comparison({"a": [1], "b": [2]}))))
    assert explained(few) == {"per round"}
    text = printed(lambda console: show(console, outcome(made)))
    assert explained(text) == {"Difference", "choosing", "Std. error"}
    assert explained(caption(ranking_table(made, PAGE).keys)) == words
    page = report.render(outcome(comparison({"a": [1], "b": [2]})), None)
    assert explained(page[page.index("Mean over the runs") :].partition("</p>")[0]) == {
        "per round",
        "Memory",
    }


def test_an_experiment_is_shown_with_its_headline(made):
    text = printed(lambda console: show(console, outcome(made)), width=80)
    assert "h1, 100 rounds" in text
    assert "good has the lowest regret" in text
