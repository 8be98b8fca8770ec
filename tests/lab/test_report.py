import json
import re
from html.parser import HTMLParser

import pytest

from jostle.lab.report import render
from lab.examples import comparison, facts

HOSTILE = "</script><img src=x onerror=alert(1)>\"'&{{command}}"
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


@pytest.fixture(scope="module")
def text():
    names = ("npr", "uniform", HOSTILE)
    made = comparison({"npr": [10, 12], "uniform": [30, 31], HOSTILE: [40, None]})
    return render(made, facts(names), b"\x89PNG")


def test_the_page_parses_and_holds_every_policy(text):
    page = Page(text)
    rows = [
        attrs["data-value"] for tag, attrs in page.tags if tag == "th" and "data-value" in attrs
    ]
    assert rows == ["npr", "uniform", HOSTILE]
    for name in rows:
        assert page.text.count(name) >= 2  # in the table and among the settings
    data = json.loads(next(s for s in page.scripts if s.startswith('{"rounds"')))
    assert [curve["name"] for curve in data["curves"]] == rows
    assert data["curves"][0]["mean"][-1] == pytest.approx(11)
    assert data["curves"][0]["error"][-1] == pytest.approx(1)
    assert data["rounds"][0] == 1
    assert data["rounds"][-1] == 100


def test_the_page_needs_nothing_else(text):
    page = Page(text)
    assert all(link.startswith("data:") for link in page.links)
    assert not re.search(r"https?://|@import|url\(|fetch\(|XMLHttp", text)
    assert "default-src 'none'" in text


def test_hostile_names_stay_text(text):
    page = Page(text)
    assert sum(tag == "img" for tag, _ in page.tags) == 1  # ours, for browsers without scripts
    assert sum(tag == "script" for tag, _ in page.tags) == 2
    assert not any(key.startswith("on") for _, attrs in page.tags for key in attrs)
    assert "<img src=x" not in text


def test_the_page_says_what_is_missing(text):
    assert "5 of 6 runs were finished" in text
    assert "(seed 1)" in text
    assert "Stopped early" not in render(comparison({"a": [1]}), facts(["a"]), b"")
