import io

import pytest
from rich.console import Console

from jostle.lab.headline import headline
from jostle.lab.table import as_html, as_rich, rows
from lab.examples import comparison


@pytest.fixture
def made():
    finals = {"slow": [10, 20, 60], "good": [1, 2, 3], "once": [5, None, None]}
    return comparison(finals, times={"good": (0.0125, 1.5), "slow": (0.000001, 0.0)})


def test_rows_against_numbers_by_hand(made):
    good, once, slow = rows(made)
    # Of 1, 2, 3: mean 2, deviation 1. Of 10, 20, 60: mean 30, squares 400 + 100 + 900 over 2.
    assert good == ("good", 3, pytest.approx(2), pytest.approx(3**-0.5), 0.0125, 1.5)
    assert slow[2:4] == (pytest.approx(30), pytest.approx((700 / 3) ** 0.5))
    assert once == ("once", 1, pytest.approx(5), None, None, None)


def test_both_tables_show_the_same_cells(made):
    text = io.StringIO()
    Console(file=text, width=100).print(as_rich(rows(made), "[bold]odd[/]"))
    page = as_html(rows(made))
    for cell in ("good", "2.0", "0.6", "0.0125", "1.5000", "30.0", "15.3", "-"):
        assert cell in text.getvalue()
        assert f">{cell}<" in page
    assert "<0.0001" in text.getvalue()
    assert "&lt;0.0001" in page
    assert "[bold]odd[/]" in text.getvalue()  # names are not markup


def test_the_headline_is_sure_only_when_the_seeds_are():
    clear = headline(comparison({"a": [10, 11, 12], "b": [20, 22, 23]}))
    assert clear[0].startswith(
        "a has the lowest regret: 11.0 ± 0.6 after 100 rounds of h1, 49% below b"
    )
    assert "clear: 10.7 ± 0.3 over 3 seeds" in clear[1]
    assert "too small to be sure of" in headline(comparison({"a": [10, 30], "b": [31, 11]}))[1]
    assert "One run each" in headline(comparison({"a": [10], "b": [31]}))[1]
    assert headline(comparison({"a": [10]})) == (
        "a has a mean regret of 10.0 after 100 rounds of h1.",
        "",
    )
    assert headline(comparison({"a": [0, 0], "b": [0, 0]}))[1]
