"""The report as a browser shows it: it draws, reads, hides, sorts, and fits a phone."""

import shutil

import pytest

from jostle.lab.render.html import report
from jostle.lab.spec.plan import REWARD
from lab.examples import comparison, outcome, tune

BROWSER = shutil.which("chromium") or shutil.which("google-chrome")
DRIVER = shutil.which("chromedriver")
pytestmark = pytest.mark.skipif(
    not (BROWSER and DRIVER), reason="there is no Chromium with its driver"
)
FLAGS = """--headless=new --no-sandbox --disable-gpu --disable-quic --no-first-run
--disable-background-networking --disable-component-update --disable-sync --window-size=1280,1000"""
LONG = "neural-ucb:covariance=full,width=128,step_size=0.001"
HOSTILE = "</script><img src=x onerror=alert(1)>"


@pytest.fixture(scope="module")
def browser(tmp_path_factory):
    webdriver = pytest.importorskip("selenium.webdriver")
    options = webdriver.ChromeOptions()
    options.binary_location = BROWSER
    for flag in [*FLAGS.split(), f"--user-data-dir={tmp_path_factory.mktemp('profile')}"]:
        options.add_argument(flag)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    driver = webdriver.Chrome(options=options, service=webdriver.ChromeService(DRIVER))
    yield driver
    driver.quit()


@pytest.fixture(scope="module")
def address(tmp_path_factory):
    folder = tmp_path_factory.mktemp("report")
    finals = {"npr": [10, 12, 11], "uniform": [90, 95, 91], LONG: [20, 21, 25], HOSTILE: [30] * 3}
    chosen = {"npr": [{}, {"noise": 0.1}, {"noise": 0.1}]}
    panels = [
        tune(comparison(finals, times={"npr": (0.1, 2)}), chosen),
        comparison(finals, environment="lastfm", measure=REWARD),
    ]
    made = outcome(*panels, rounds=100, tuning={"method": "grid", "rounds": 20}, title="Two panels")
    path, *_ = report.save(made, folder)
    return path.as_uri()


@pytest.fixture
def page(browser, address):
    browser.get_log("browser")
    browser.get(address)
    yield browser
    assert browser.get_log("browser") == []  # neither errors nor warnings, whatever was done
    browser.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": []})


def css(page, selector):
    return page.find_elements("css selector", selector)


def column(page, number):
    return [cell.text for cell in css(page, f"section table tbody tr > :nth-child({number})")[:4]]


def test_the_page_opens_with_all_its_curves(page):
    assert page.title == "Two panels · jostle"
    assert len(css(page, "figure.chart")) == 2
    assert [len(css(each, "polyline.line")) for each in css(page, "figure.chart")] == [4, 4]
    assert all(line.rect["width"] > 500 for line in css(page, "polyline.line"))
    names = [text.text for text in css(page, "figure.chart:first-of-type text.name")]
    assert {"npr", "uniform ↑ 92"} <= set(names)
    assert css(page, "img[src=x]") == []


def test_a_click_on_a_head_sorts_up_and_down(page):
    assert column(page, 2) == ["1", "2", "3", "4"]
    head = next(each for each in css(page, "section thead button") if each.text == "mean regret")
    head.click()
    assert column(page, 3) == ["11.0", "22.0", "30.0", "92.0"]
    head.click()
    assert column(page, 3) == ["92.0", "30.0", "22.0", "11.0"]
    css(page, "section thead button")[0].click()  # the names
    assert column(page, 1)[-1] == "uniform"


def test_a_button_of_the_legend_hides_its_line(page):
    first, second = css(page, "figure.chart")
    button = css(first, ".legend button")[0]
    button.click()
    assert button.get_attribute("aria-pressed") == "false"
    assert len(css(first, "polyline.line")) == 3
    assert "npr" not in [text.text for text in css(first, "text.name")]
    assert len(css(second, "polyline.line")) == 4
    button.click()
    assert len(css(first, "polyline.line")) == 4


def test_hovering_shows_the_reading(page):
    from selenium.webdriver import ActionChains

    svg, reading = css(page, "figure.chart svg")[0], css(page, ".reading")[0]
    assert not reading.is_displayed()
    page.execute_script("arguments[0].scrollIntoView({block: 'center'})", svg)
    ActionChains(page, duration=0).move_to_element(svg).perform()
    assert reading.is_displayed()
    lines = reading.text.splitlines()
    assert lines[0].startswith("round ")
    share = int(lines[0].removeprefix("round ")) / 100
    assert lines[1] == "npr"  # the best first
    assert float(lines[2].partition(" ±")[0]) == pytest.approx(11 * share, abs=0.06)
    assert len(css(page, "figure.chart svg circle")) == 3  # a line that has left has no mark
    ActionChains(page, duration=0).move_to_element(css(page, "h1")[0]).perform()
    assert not reading.is_displayed()


def test_arrow_keys_show_it_too(page):
    svg, reading = css(page, "figure.chart svg")[1], css(page, ".reading")[1]
    svg.send_keys("\ue011")  # Home
    assert reading.text.startswith("round 1\n")
    svg.send_keys("\ue00c")  # Escape
    assert not reading.is_displayed()


def test_it_fits_a_phone(page):
    size = {"width": 360, "height": 740, "deviceScaleFactor": 1, "mobile": True}
    page.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
    page.refresh()
    for details in css(page, "details"):
        page.execute_script("arguments[0].open = true", details)
    widths = page.execute_script(
        "return [innerWidth, document.documentElement.scrollWidth, document.body.scrollWidth]"
    )
    assert widths == [360, 360, 360]
    assert css(page, "text.name") == []  # the legend names the lines
    assert all(each.rect["x"] + each.rect["width"] <= 360 for each in css(page, ".legend button"))


def test_dark_mode_is_dark(page):
    def brightness():
        colour = page.execute_script("return getComputedStyle(document.body).backgroundColor")
        return sum(int(part) for part in colour.removeprefix("rgb(").rstrip(")").split(","))

    assert brightness() == 3 * 255
    dark = {"features": [{"name": "prefers-color-scheme", "value": "dark"}]}
    page.execute_cdp_cmd("Emulation.setEmulatedMedia", dark)
    assert brightness() < 100


def test_the_index_leads_to_the_reports(browser, tmp_path):
    browser.get_log("browser")
    made = outcome(comparison({"npr": [1, 2]}), name="odd #1?")
    (tmp_path / "odd #1?").mkdir()
    report.save(made, tmp_path / "odd #1?")
    browser.get(report.index([(made, "odd #1?")], tmp_path).as_uri())
    assert browser.execute_script("return document.images[0].naturalWidth") > 100
    css(browser, "a.card")[0].click()
    assert browser.title == "odd #1? · jostle"
    assert browser.get_log("browser") == []
