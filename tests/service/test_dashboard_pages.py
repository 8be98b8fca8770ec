"""Pages of the dashboard over a service whose statistics are known."""

import re
import time
import xml.etree.ElementTree as ElementTree

import pytest

from jostle.service.dashboard.charts import Line, Time, column_chart, line_chart
from jostle.service.dashboard.rewards import headline, verdict
from jostle.service.dashboard.text import number

from dashboard_support import HOSTILE, Browser, FakeService, statistics


@pytest.fixture(scope="module")
def page():
    return Browser(FakeService()).get("/apps/shop").text


def figures(text):
    """The charts of a page: their SVG, which must be well-formed."""
    return {
        name: ElementTree.fromstring(svg)
        for name, svg in re.findall(
            r'<figure class="chart" id="(\w+)">.*?(<svg class="axes".*?</svg>\n<line.*?</svg>)',
            text,
            re.DOTALL,
        )
    }


def test_every_question_has_an_answer_and_a_chart(page):
    assert set(figures(page)) == {
        *("reward", "shares", "explored", "unrewarded", "latency", "traffic"),
    }
    for title in ("Is it learning?", "What does it choose?", "How much does it explore?"):
        assert title in page
    assert "It earns more than your baseline" in page
    assert 'class="empty"' not in page


def test_charts_show_the_numbers_of_their_tables(page):
    for svg in figures(page).values():
        assert [each.attrib["d"] for each in svg.iter("path")]
    rows = re.findall(r'<tr><th scope="row">(\d\d:\d\d)</th>(.*?)</tr>', page)
    assert len(rows) == 20 + 5 * 60  # the means are of three buckets each


def test_what_applications_send_is_text(page):
    assert HOSTILE not in page
    assert "&lt;/script&gt;&lt;img src=x" in page


def test_the_page_loads_nothing_from_elsewhere(page):
    addresses = re.findall(r'(?:href|src|action)="([^"]*)"', page)
    assert all(each.startswith(("/dashboard/", "?", "data:,")) for each in addresses)
    assert "style=" not in page  # the policy of the page would forbid it
    assert not re.search(r"<script(?! src=)|\son\w+=\"", page)
    answer = Browser(FakeService()).get("/apps/shop")
    policy = answer.headers["content-security-policy"]
    assert policy.startswith("default-src 'none'; style-src 'self'; script-src 'self'")
    assert "unsafe" not in policy


def test_an_app_without_decisions_says_how_to_begin():
    text = Browser(FakeService(shop=statistics(decisions=0))).get("/apps/shop").text
    assert "Waiting for the first decision" in text
    assert "curl http://localhost/v1/apps/shop/decisions" in text
    assert not figures(text)
    assert "No version has been saved yet" in text


def test_a_quiet_time_is_empty_but_not_an_error():
    quiet = statistics(decisions=0)
    quiet.totals.decisions = 1000
    text = Browser(FakeService(shop=quiet)).get("/apps/shop?span=week").text
    assert text.count('class="empty"') >= 6
    assert "Too few closed decisions in this time" in text


def test_few_decisions_are_no_verdict():
    few = statistics(count=3, decisions=2, gap=(0, 0))
    text = Browser(FakeService(shop=few)).get("/apps/shop").text
    assert "too few" in text.lower()


def test_problems_of_the_service_are_on_top():
    service = FakeService()
    service.problems = ["The disk is full."]
    assert '<p class="warning" role="status">The disk is full.</p>' in (
        Browser(service).get("/apps/shop").text
    )


def test_an_error_of_ours_is_a_page_that_tells_nothing():
    class Broken(FakeService):
        def models(self, app):
            raise RuntimeError("secret")

    answer = Browser(Broken()).get("/apps/shop")
    assert answer.status_code == 500
    assert "an error of the dashboard" in answer.text
    assert "secret" not in answer.text


def test_several_apps_are_listed_and_one_is_shown():
    answer = Browser(FakeService()).get("/")
    assert (answer.status_code, answer.headers["location"]) == (303, "/dashboard/apps/shop")
    service = FakeService(shop=statistics(), mail=statistics(decisions=0))
    text = Browser(service).get("/").text
    assert re.findall(r'class="card" href="([^"]+)"', text) == [
        *("/dashboard/apps/shop", "/dashboard/apps/mail"),
    ]
    assert re.search(r"0\.28\d \(0\.27\d to 0\.29\d\)", text)


def test_the_span_is_asked_for():
    asked = []

    class Watched(FakeService):
        def statistics(self, app, since=None, buckets=60):
            asked.append((since, buckets))
            return super().statistics(app, since, buckets)

    browser = Browser(Watched())
    for span in ("minutes", "hour", "day", "week", "month", "nonsense"):
        assert browser.get(f"/apps/shop?span={span}").status_code == 200
    lengths = [time.time() - since for since, _ in asked]
    hours = [1 / 6, 1, 24, 7 * 24, 30 * 24, 1]
    assert lengths == pytest.approx([3600 * each for each in hours], abs=60)


def test_an_apprentice_is_compared_with_its_baseline():
    watched = statistics(mode="apprentice")
    for bucket in watched.buckets:
        bucket.policy, bucket.uniform = bucket.uniform, type(bucket.uniform)()
    assert headline(watched) == "The policy would earn less than your baseline"
    assert verdict(watched).startswith("Your baseline earned 0.28")
    assert "The policy would have earned 0.2" in verdict(watched)


def test_a_difference_within_the_noise_is_none():
    early = statistics(count=6, gap=(0, 0))
    for bucket in early.buckets:
        bucket.baseline = type(bucket.baseline)()
    assert headline(early) == "It earns as much as choosing at random, within the noise"


def test_a_decision_is_looked_up():
    browser = Browser(FakeService())
    found = browser.get("/apps/shop/decisions?event=order-17").text
    assert "&lt;/script&gt;&lt;img src=x" in found
    missing = browser.get("/apps/shop/decisions?event=other")
    assert missing.status_code == 404
    assert "shop has no decision" in missing.text


def test_lines_break_where_nothing_happened():
    axis = Time([0.0, 60.0, 120.0, 180.0], 60.0)
    line = Line("a", "c0", [1.0, None, 2.0, 4.0])
    chart = line_chart("x", "x", axis, [line], number)
    assert chart.layers[0].path == "M15.0 750.0L235.0 750.0M625.0 500.0L875.0 0.0"
    assert [row[1] for row in chart.rows] == ["1.00", "\N{EN DASH}", "2.00", "4.00"]


def test_columns_stack():
    axis = Time([0.0, 60.0], 60.0)
    parts = [Line("a", "c0", [0.25, None]), Line("b", "c1", [0.75, None])]
    first, second = column_chart("x", "x", axis, parts, number, whole=1.0).layers
    assert first.path == "M30.0 750.0h440.0V1000.0H30.0z"
    assert second.path == "M30.0 0.0h440.0V750.0H30.0z"
