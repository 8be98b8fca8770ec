import json
import re
from html.parser import HTMLParser

import pytest

from jostle.lab.analysis.curves import curves, frame
from jostle.lab.render.html import report
from jostle.lab.spec.plan import REWARD
from lab.examples import comparison, growth, outcome, statistics, tune

HOSTILE = "</script><img src=x on=f()>\"'&{{kind}}"
VOID = {"meta", "link", "img", "br"}


class Page(HTMLParser):
    """Checks that elements nest, and collects what there is to check."""

    def __init__(self, text):
        super().__init__()
        self.open, self.tags, self.links, self.text, self.scripts = [], [], [], "", []
        self.feed(text)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))
        self.links += [value for key, value in attrs if key in ("src", "href", "srcset", "action")]
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        if self.open and self.open[-1] == "script":
            self.scripts.append(data)
        else:
            self.text += data

    def count(self, tag):
        return sum(each == tag for each, _ in self.tags)


@pytest.fixture(scope="module")
def made():
    finals = {"npr": [10, 12, 11], "uniform": [30, 31, 32], HOSTILE: [40, None, None]}
    panels = [
        tune(comparison(finals), {"npr": [{"noise": 0.1}, {}, {}]}),
        comparison(finals, environment=HOSTILE, measure=REWARD),
    ]
    return outcome(*panels, name="both", title=HOSTILE, tuning={"method": "halving", "rounds": 20})


@pytest.fixture(scope="module")
def text(made):
    return report.render(made, b"\x89PNG")


def test_the_page_parses_and_holds_every_policy_in_every_panel(text):
    page = Page(text)
    rows = [
        attrs["data-value"] for tag, attrs in page.tags if tag == "th" and "data-value" in attrs
    ]
    assert rows[:3] == ["npr", "uniform", HOSTILE]  # the lowest regret first
    assert rows[3:6] == [HOSTILE, "uniform", "npr"]  # the highest reward first
    first, second = json.loads(next(s for s in page.scripts if s.startswith("[{")))
    assert [curve["name"] for curve in first["curves"]] == rows[:3]
    assert first["curves"][0]["mean"][-1] == pytest.approx(11)
    assert first["curves"][0]["error"][-1] == pytest.approx(3**-0.5, abs=1e-3)
    assert (first["rounds"][0], first["rounds"][-1]) == (1, 100)
    assert (first["baseline"], second["baseline"]) == (None, 1)
    assert second["curves"][0]["mean"][-1] == pytest.approx(0.8)
    assert page.text.count(HOSTILE) > 8


def test_the_page_says_what_was_tested_and_tuned_and_how_it_was_made(text):
    told = " ".join(Page(text).text.split())
    assert "Behind npr, beyond the noise of the seeds: uniform." in told
    assert f"Too few shared seeds with npr to test: {HOSTILE}" in told
    assert "95% paired t-interval (Student, Biometrika 6, 1908)" in told
    assert "as named (2 seeds); noise 0.1 (1 seed)" in told
    assert "very stream that is reported" in told
    assert "12 s for 6 runs" in told
    assert "local, 2 processes" in told
    assert "python 3.12, jostle 0.1.0" in told


def test_what_is_beyond_the_noise_is_said_in_words():
    clear = {"a": [10, 11, 12], "b": [20, 22, 23], "c": [40, 41, 42]}
    assert "All 2 others are behind a, beyond the noise" in report.render(
        outcome(comparison(clear)), None
    )
    near = {"a": [10, 30, 20], "b": [31, 11, 30]}
    told = report.render(outcome(comparison(near)), None)
    assert "Not distinguished from a by these seeds: b (+4.0 (-" in told
    assert "beyond the noise" not in report.render(outcome(comparison({"a": [1]})), None)


def test_the_page_needs_nothing_else(text):
    page = Page(text)
    assert all(link.startswith("data:") for link in page.links)
    banner = "/*! https://github.com/leeoniya/uPlot (v1.6.32) */"
    assert text.count(banner) == 1
    ours = text.replace(banner, "")
    assert not re.search(r"https?://|@import|url\((?!#)|fetch\(|XMLHttp", ours)
    assert "default-src 'none'" in text


def test_hostile_names_stay_text(text):
    page = Page(text)
    assert page.count("img") == 1  # ours, for browsers without scripts
    assert page.count("script") == 4  # uPlot, the data, its charts, the tables
    assert not any(key.startswith("on") for _, attrs in page.tags for key in attrs)
    assert "<img src=x" not in text


def test_the_page_says_what_is_missing(made, text):
    assert "14 of 18 runs are finished" in text
    assert report.missing_text(made).startswith(f"h1: {HOSTILE} (seeds 1, 2). ")
    whole = outcome(comparison({"a": [1]}))
    assert report.missing_text(whole) == ""
    assert "Not complete" not in report.render(whole, None)
    assert report.missing_text(outcome(comparison({"a": [None, None]}))) == "all"
    assert report.missing_text(outcome(comparison({"a": [1, None]}))) == "a (seed 1)"


def test_the_page_says_how_settings_were_tuned():
    chosen = {"npr": [{"noise": 0.1}, {}, {"noise": 0.1}]}
    made = tune(comparison({"npr": [1, 2, 3], "uniform": [9, 9, None]}), chosen, candidates=5)
    page = Page(report.render(outcome(made, tuning={"method": "grid", "rounds": 20}), None)).text
    assert "noise 0.1 (2 seeds); as named (1 seed)" in page
    assert "300 rounds while they were compared, 41% of 740 rounds in all" in page
    assert "on the first rounds of the very stream that is reported" in page
    assert "nothing to tune" in page
    untuned = report.render(outcome(comparison({"npr": [1]})), None)
    assert "What was tuned" not in untuned


def test_an_experiment_of_which_nothing_is_finished_has_a_page_too():
    page = Page(report.render(outcome(comparison({"a": [None]}), sessions=()), None))
    assert "No run is finished." in page.text
    assert page.count("table") == page.count("figure") == 0


@pytest.mark.parametrize("timed", [True, False])
def test_times_are_shown_as_a_picture_and_tables(timed):
    page = Page(report.render(growth(timed=timed), b"\x89PNG"))
    assert page.count("img") == 1
    assert page.count("noscript") == 0
    assert page.count("table") == 3
    assert "h1, size 64" in page.text


def test_statistics_are_those_of_the_data_catalogue():
    page = Page(report.render(statistics(), None))
    cells = [attrs["data-value"] for _, attrs in page.tags if "data-value" in attrs]
    mushroom, letter, lastfm, h1 = (cells[i : i + 9] for i in range(0, 36, 9))
    assert mushroom[1:7] == ["Mushroom", "8124", "22", "2", "", ""]
    assert letter[2:] == ["20000", "16", "26", "", "", "16 x 26", "encoding paper"]
    assert lastfm[2:7] == ["", "", "", "1892", "17632"]
    assert h1[8] == "function h1, features 50"


def test_saving_writes_the_page_and_its_figures(tmp_path):
    paths = report.save(outcome(comparison({"a": [1, 2]})), tmp_path)
    assert [path.name for path in paths] == ["report.html", "figure.png", "figure.svg"]
    assert sorted(tmp_path.iterdir()) == sorted([tmp_path / path.name for path in paths])


def test_the_index_has_a_card_for_each_experiment(tmp_path):
    one, two = outcome(comparison({"a": [1, None]}), title=HOSTILE), statistics()
    (tmp_path / "x y").mkdir()
    report.save(one, tmp_path / "x y")
    text = report.index([(one, "x y"), (two, "sets")], tmp_path).read_text("utf-8")
    page = Page(text)
    links = [attrs["href"] for tag, attrs in page.tags if tag == "a"]
    assert links == ["./x%20y/report.html", "./sets/report.html"]
    assert page.count("img") == 1
    assert "<img src=x" not in text
    assert "2 experiments · 1 run · 1 missing" in page.text
    assert "a has a mean regret of 1.0" in page.text


def test_the_index_says_when_there_are_too_few_seeds(tmp_path):
    few = outcome(comparison({"a": [10], "b": [31]}))
    text = report.index([(few, "few")], tmp_path).read_text("utf-8")
    assert "Fewer than three shared seeds" in Page(text).text
    assert "Fewer than three shared seeds" in Page(report.render(few, None)).text


def test_the_chart_is_framed_as_the_figure_is():
    made = comparison({"a": [10], "b": [12], "uniform": [1000]})
    (data,) = json.loads(
        next(s for s in Page(report.render(outcome(made), None)).scripts if s.startswith("[{"))
    )
    low, high = frame(made, curves(made))[1:3]
    staying = [curve for curve in data["curves"] if not curve["leaves"]]
    assert [curve["name"] for curve in staying] == ["a", "b"]
    assert min(curve["low"] for curve in staying) == low
    assert max(curve["high"] for curve in staying) == high
    assert data["curves"][2]["name_beyond_frame"] == "uniform ↑ 1,000"
