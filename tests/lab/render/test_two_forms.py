"""The paper's figures in both forms, from outcomes whose every number is known."""

import pytest

from jostle.factory import make_environment
from jostle.lab.analysis.two_forms import form_differences, two_forms
from jostle.lab.render.pages import render
from jostle.lab.render.two_forms import BY_MINIBATCHES, overview
from jostle.lab.spec.experiment import Tuning
from jostle.lab.spec.paper import PAPER
from jostle.peers.catalog import make_player
from lab.examples import comparison, outcome

THEIRS = {"npr.paper": [100, 90, 110, 100], "lin-ucb": [200, 210, 190, None]}
OURS = {"npr": [60, 62, 58], "epsilon-greedy": [70, 70, 70], "lin-ucb": [200, 210, 190]}
PAPER_SETTINGS = {
    "network": "PaperNetwork",
    "optimiser": "sgd",
    "steps": 20,
    "fitting": "pooled",
    "pool": 100,
    "decay": 0.0,
    "average": 0.0,
}
JOSTLE_SETTINGS = {
    "network": "MLP",
    "linear": True,
    "optimiser": "adam",
    "steps": 2,
    "fitting": "auto",
    "pool": 100,
    "decay": 0.2,
    "average": 0.9,
}


def figure(name, finals, settings, **fields):
    made = outcome(comparison(finals, rounds=2000), name=name, **fields)
    for policies in made.manifest.policies.values():
        for policy in policies:
            policies[policy] = dict(settings)
    return made


PAPERS = figure("fig1a", THEIRS, PAPER_SETTINGS, tuning=Tuning("grid", defaults=False))
JOSTLES = figure("fig1a-jostle", OURS, JOSTLE_SETTINGS, tuning="halving")


def flowing(outcomes, links=None, page="fig1a"):
    """A page in one line, and the list of experiments, wherever lines wrap."""
    pages = render(outcomes, links or {}, "jostle summary x")
    return " ".join((pages[page] + pages["experiments"]).split())


def test_both_forms_are_compared_by_algorithm_and_seed():
    (played,) = two_forms([JOSTLES, PAPERS])
    ((environment, (npr, linear)),) = form_differences(played).items()
    assert environment == "h1"
    assert (npr.paper.mean, npr.jostle.mean) == (100, 60)
    assert (npr.paper.runs, npr.jostle.runs) == (4, 3)
    assert npr.paired.mean == pytest.approx(-40)  # of the three seeds that both have
    assert npr.paired.seeds == 3
    assert linear.same_policy
    assert not npr.same_policy


def test_a_figure_has_one_page_with_both_forms_and_what_differs():
    page = flowing([PAPERS, JOSTLES], {"fig1a": "a.png", "fig1a-jostle": "b.png"})
    assert page.count("# fig1a: Regret on h1") == 1
    places = [
        page.index(text)
        for text in (
            "## In the paper's forms",
            "(a.png)",
            "| npr.paper |",
            "Not complete: 7 of 8 runs are finished",
            "## In jostle's forms",
            "(b.png)",
            "| epsilon-greedy |",
            "## The two forms compared",
        )
    ]
    assert places == sorted(places)
    assert (
        "- npr: 100.0 ± 4.1 in the paper's form (npr.paper, 4 runs), 60.0 ± 1.2 in jostle's (npr, "
        "3 runs): 40% less; on the 3 seeds that both have, -40.0 (" in page
    )
    assert "- lin-ucb, which is the same in both: 200.0 ± 5.8 (3 runs)" in page
    assert (
        "The paper's form has no biases, no linear path, plain gradient descent of 20 steps, no "
        "decay and no averaging; jostle's has biases, a linear path, Adam of 2 steps, decay and "
        "averaging. The paper's forms are tuned by grid, jostle's are tuned by halving." in page
    )


def test_a_form_that_was_not_played_is_said_to_be_missing():
    page = flowing([JOSTLES])
    assert "# fig1a: Regret on h1" in page
    assert "Not played. `jostle reproduce fig1a --profile paper --out results` plays it." in page
    assert "Not played in the paper's forms: fig1a." in page
    assert "The two forms compared" not in page
    page = flowing([PAPERS])
    assert "`jostle reproduce fig1a-jostle --profile standard --out results` plays it." in page
    short = figure("fig1a", {"npr.paper": [None]}, PAPER_SETTINGS)
    page = flowing([short, JOSTLES])
    assert "No algorithm has finished runs of the same length in both forms." in page


def test_runs_of_another_length_are_not_compared():
    short = outcome(comparison(THEIRS, rounds=100), name="fig1a")
    assert form_differences(two_forms([short, JOSTLES])[0]) == {}


def test_the_top_of_the_page_says_what_follows_the_papers_protocol():
    names = ("npr.paper:fitting=minibatch", "neural-ucb.paper:covariance=full,fitting=minibatch")
    panel = comparison(dict.fromkeys(names, [5.0] * 10), rounds=10_000, environment="adult")
    protocol = {"tuning": Tuning("grid", defaults=False), "policies": names, "fewer": {names[1]: 3}}
    exact = outcome(panel, name="fig2a", **protocol)
    text = overview(two_forms([exact, PAPERS, figure("fig4a-jostle", OURS, JOSTLE_SETTINGS)]))
    by_protocol, otherwise = text.split("by another protocol")
    assert "by its protocol" in by_protocol
    assert "fig2a (with full covariance 3 runs; by mini-batches)." in by_protocol
    assert "fig1a (7 of 8 runs finished)" in otherwise
    assert "Not played in the paper's forms: fig4a." in otherwise
    assert BY_MINIBATCHES in flowing([exact], page="fig2a")
    assert BY_MINIBATCHES not in flowing([PAPERS])


def test_the_page_states_how_the_papers_networks_are_fitted():
    name = next(each for each in PAPER["fig2a"].policies if each.startswith("npr.paper"))
    settings = make_player(name, make_environment("h1:pool=none")).settings()
    assert f"mini-batches of {settings['batch']}, in {settings['steps']} steps" in BY_MINIBATCHES
    fitted = {each for each in PAPER if any("fitting=minibatch" in p for p in PAPER[each].policies)}
    assert {each[:4] for each in fitted} == {"fig2", "fig3", "fig6"}
