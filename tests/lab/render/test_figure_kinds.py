import pytest

from jostle.lab.render.figure_kinds import RENDERERS, renderer_of
from jostle.lab.render.figures import draw as figures
from jostle.lab.render.html import report
from jostle.lab.render.pages import render
from jostle.lab.spec.figure_kinds import FIGURE_KINDS
from lab.examples import comparison, growth, outcome, statistics


def test_every_kind_an_experiment_can_ask_for_can_be_shown():
    assert RENDERERS.keys() == FIGURE_KINDS.keys()


@pytest.mark.parametrize("name", RENDERERS)
def test_every_kind_has_a_headline_a_report_and_a_page(name):
    if name == "growth":
        made = growth()
    elif name == "statistics":
        made = statistics()
    else:
        finals = {"npr": [10, 11, 12], "npr:steps=2": [20, 22, 24]}
        made = outcome(comparison(finals, times={"npr": (1.0, 2.0)}), figure=name)
    headlines = renderer_of(made).headlines(made)
    assert headlines
    assert report.render(made, None).count("<li>") >= len(headlines)
    page = render([made], {}, "jostle summary x")[made.experiment.name]
    assert headlines[0].sentence in " ".join(page.split())
    if RENDERERS[name].draw is None:
        with pytest.raises(ValueError, match="has no figure, only a table"):
            figures.draw(made)
    else:
        assert figures.draw(made).axes
