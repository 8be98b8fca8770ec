import io

import pytest
from rich.console import Console

from jostle.lab.analysis.ranking import as_html, as_rich, memory_text, rows
from jostle.lab.render.headline import headline, headlines
from jostle.lab.spec.plan import REWARD
from lab.examples import comparison, growth, outcome, statistics


@pytest.fixture
def made():
    finals = {"slow:noise=1": [10, 20, 60], "good": [1, 2, 3], "once": [5, None, None]}
    return comparison(finals, times={"good": (0.0125, 1.5), "slow:noise=1": (0.000001, 0.0)})


def test_rows_against_numbers_by_hand(made):
    good, once, slow = rows(made)
    # Of 1, 2, 3: mean 2, deviation 1. Of 10, 20, 60: mean 30, squares 400 + 100 + 900 over 2.
    assert good[:4] == ("good", 1, pytest.approx(2), pytest.approx(3**-0.5))
    assert good[4:] == (None, None, None, 0.25, 0.0125, 1.5, 2048, 3)
    assert slow[1:4] == (3, pytest.approx(30), pytest.approx((700 / 3) ** 0.5))
    assert slow.difference == pytest.approx(28)  # of 9, 18, 57
    assert slow.difference_low < 28 < slow.difference_high
    assert once[:5] == ("once", 2, pytest.approx(5), None, None)  # one shared seed tests nothing
    assert once[-1] == 1


def test_the_best_is_first_by_either_measure_and_equals_share_a_rank():
    finals = {"a": [40, 44], "b": [50, 54], "c": [54, 50]}
    assert [row.policy for row in rows(comparison(finals))] == ["a", "b", "c"]
    by_reward = rows(comparison(finals, measure=REWARD))
    assert [(row.policy, row.rank) for row in by_reward] == [("b", 1), ("c", 1), ("a", 3)]
    assert by_reward[2].mean == pytest.approx(0.84)


def test_both_tables_show_the_same_cells(made):
    text = io.StringIO()
    Console(file=text, width=160).print(as_rich(made, "[bold]odd[/]"))
    page = as_html(made)
    cells = ["slow (noise 1)", "2.0", "0.6", "+28.0", "0.0125", "1.5000", "30.0", "15.3"]
    for cell in (*cells, "-"):
        assert cell in text.getvalue()
        assert f">{cell}<" in page
    assert ">2 KiB<" in page
    assert max(map(len, text.getvalue().splitlines()[1:])) <= 100
    assert "<0.0001" in text.getvalue()
    assert "&lt;0.0001" in page
    assert "[bold]odd[/]" in text.getvalue()  # names are not markup


def test_columns_with_nothing_in_them_are_left_out():
    page = as_html(comparison({"a": [1, 2], "b": [3, 4]}))
    assert "mean regret" in page
    for absent in ("choosing", "learning", "difference", "interval"):
        assert absent not in page
    assert "mean reward" in as_html(comparison({"a": [1]}, measure=REWARD))


def test_memory_is_told_in_units():
    told = [memory_text(size) for size in (None, 12, 2048, 3.5 * 2**20, 2**31)]
    assert told == ["-", "12 B", "2 KiB", "3.5 MiB", "2 GiB"]


def test_the_headline_is_sure_only_when_the_seeds_are():
    sentence, certainty = headline(comparison({"a": [10, 11, 12], "b": [20, 22, 23]}))
    assert sentence == (
        "a has the lowest regret: 11.0 ± 0.6 after 100 rounds of h1, 49% below the 21.7 of b."
    )
    assert certainty.startswith("The lead is beyond the noise of 3 seeds: 10.7 (95% interval ")
    noisy = comparison({"a": [10, 30, 20], "b": [31, 11, 30]})
    assert "within the noise of 3 seeds: +4.0" in headline(noisy)[1]
    assert "Fewer than three" in headline(comparison({"a": [10], "b": [31]}))[1]
    assert headline(comparison({"a": [10]})) == (
        "a has a mean regret of 10.0 after 100 rounds of h1.",
        "",
    )
    assert headline(comparison({"a": [None]})) == ("No run on h1 was finished.", "")
    assert headline(comparison({"a": [0, 0, 0], "b": [0, 0, 0]}))[1].startswith(
        "The lead is within"
    )


def test_the_headline_of_rewards_praises_the_highest():
    made = comparison({"low": [50, 51, 52], "high": [80, 82, 81]}, measure=REWARD)
    sentence, certainty = headline(made)
    assert sentence == (
        "high has the highest normalised reward: 1.620 ± 0.012 after 100 rounds of h1, "
        "59% above the 1.020 of low."
    )
    assert "beyond the noise of 3 seeds: 0.600" in certainty


def test_the_headline_of_a_front_says_whether_the_first_is_worth_its_cost():
    made = comparison({"a": [10, 11, 12], "b": [5, 6, 7], "c": [20, 30, 40], "d": [9, 12, 12]})
    prices = {"a": 1.0, "b": 2.0, "c": 0.5, "d": 0.1}
    made.runs = [run._replace(round_ms=prices[run.trial.policy]) for run in made.runs]
    ((sentence, certainty),) = headlines(outcome(made, figure="front"))
    assert sentence == "a has a mean regret of 11.0 ± 0.6 at 1 ms a round of h1."
    assert certainty == (
        "Beyond the noise of the seeds nothing is better for less, and b is better for more."
    )
    made.runs = [run._replace(round_ms=1 / run.round_ms) for run in made.runs]
    ((_, certainty),) = headlines(outcome(made, figure="front"))
    assert "seeds b is better for less, and nothing is better for more" in certainty
    few = comparison({"a": [10], "b": [31]})
    assert "Fewer than three" in headlines(outcome(few, figure="front"))[0][1]
    assert headlines(outcome(comparison({"a": [None]}), figure="front"))[0][0].startswith("No run")


def test_headlines_of_times_tell_times():
    fast_and_slow = comparison({"a": [1], "b": [1]}, times={"a": (0.5, 1.5), "b": (0.1, 0.4)})
    ((sentence, _),) = headlines(outcome(fast_and_slow, figure="bars"))
    assert sentence == "b takes 0.5 ms a round of h1; a 2 ms, 4 times as much."
    ((sentence, _),) = headlines(outcome(comparison({"a": [1]}), figure="bars"))
    assert sentence == "Nothing was timed on h1."
    ((sentence, _),) = headlines(growth(sizes=(10, 100)))
    # From 0.01 + 0.1 to 0.1 + 10 ms, and from 0.01 + 0.2 to 0.1 + 20 ms.
    assert sentence.startswith("From width 10 to 100 on h1")
    assert sentence.endswith("a factor of: npr 91.8, lin-ucb 95.7.")
    assert headlines(statistics()) == [("4 environments; nothing was played.", "")]
