"""The report in a browser: charts draw, read and hide; tables sort; it fits a phone."""

import pytest

from jostle.lab.analysis.curves import curves, frame
from jostle.lab.render.html import report
from jostle.lab.render.palette import strokes
from jostle.lab.render.text import labels
from jostle.lab.spec.plan import REWARD
from lab.examples import comparison, outcome, tune

pytestmark = pytest.mark.study
LONG = "neural-ucb:covariance=full,width=128,step_size=0.001"
HOSTILE = "</script><img src=x onerror=alert(1)>"
FINALS = {"npr": [10, 12, 11], "uniform": [90, 95, 91], LONG: [20, 21, 25], HOSTILE: [30] * 3}
NAMES = [*labels(["npr", LONG, HOSTILE]).values(), "uniform ↑ 92"]  # the best first


def panels():
    """Of regret, where a curve leaves the frame, and of reward."""
    return (
        comparison(FINALS, times={"npr": (0.1, 2)}),
        comparison(FINALS, environment="lastfm", measure=REWARD),
    )


@pytest.fixture(scope="module")
def address(tmp_path_factory):
    folder = tmp_path_factory.mktemp("report")
    chosen = {"npr": [{}, {"noise": 0.1}, {"noise": 0.1}]}
    first, second = panels()
    made = outcome(
        tune(first, chosen),
        second,
        rounds=100,
        tuning={"method": "grid", "rounds": 20},
        title="Two panels",
    )
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


def settle(page):
    """Wait until what was asked for is drawn."""
    page.execute_async_script(
        "const done = arguments[0]; requestAnimationFrame(() => requestAnimationFrame(done))"
    )


def limits(page, figure):
    settle(page)
    return page.execute_script(
        "const y = arguments[0].chart.scales.y; return [y.min, y.max]", figure
    )


def drawn_colours(page, figure):
    """The colours on the canvas of a chart, as #RRGGBB."""
    settle(page)
    found = page.execute_script(
        """const canvas = arguments[0].querySelector("canvas"), {width, height} = canvas;
        const options = {willReadFrequently: true};
        const copy = new OffscreenCanvas(width, height).getContext("2d", options);
        copy.drawImage(canvas, 0, 0);
        const {data} = copy.getImageData(0, 0, width, height);
        const found = new Set();
        for (let i = 0; i < data.length; i += 4)
          if (data[i + 3] === 255) found.add((data[i] << 16) | (data[i + 1] << 8) | data[i + 2]);
        return [...found];""",
        figure,
    )
    return {f"#{value:06X}" for value in found}


def column(page, number):
    return [cell.text for cell in css(page, f"section table tbody tr > :nth-child({number})")[:4]]


def test_the_page_opens_with_all_its_curves(page):
    assert page.title == "Two panels · jostle"
    assert len(css(page, "figure.chart")) == 2
    assert all(canvas.rect["width"] > 500 for canvas in css(page, "figure.chart canvas"))
    first, second = css(page, "figure.chart")
    assert drawn_colours(page, first) >= {strokes(FINALS)[name].colour for name in FINALS}
    assert [name.text for name in css(first, ".name")] == NAMES
    assert css(first, ".value")[0].text == "11.0 ± 0.6"
    assert css(second, ".name")[-1].text == "npr"
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
    colour = strokes(FINALS)["npr"].colour
    assert colour not in drawn_colours(page, first)
    assert colour in drawn_colours(page, second)
    button.click()
    assert colour in drawn_colours(page, first)
    for each in css(first, ".legend button"):  # hiding the last one shows all again
        each.click()
    assert len(css(first, ".legend button[aria-pressed=true]")) == 4


def test_the_axis_is_that_of_the_figure(page):
    first, second = (limits(page, figure) for figure in css(page, "figure.chart"))
    for panel, found in zip(panels(), (first, second), strict=True):
        framed = frame(panel, curves(panel))
        assert found == pytest.approx([framed.low, framed.high])
    figure = css(page, "figure.chart")[0]
    for button in css(figure, ".legend button")[:3]:
        button.click()
    assert limits(page, figure)[1] > 92  # only the curve that had left is shown: now it stays
    assert css(figure, ".name")[-1].text == "uniform"


def test_hovering_shows_values(page):
    from selenium.webdriver import ActionChains

    figure = css(page, "figure.chart")[0]
    area, reading = css(figure, ".u-over")[0], css(figure, ".reading")[0]
    assert reading.text == "round 100"
    page.execute_script("arguments[0].scrollIntoView({block: 'center'})", area)
    ActionChains(page, duration=0).move_to_element(area).perform()
    settle(page)
    share = int(reading.text.removeprefix("round ")) / 100
    assert share == pytest.approx(0.5, abs=0.02)
    value = css(figure, ".value")[0].text
    assert float(value.partition(" ±")[0]) == pytest.approx(11 * share, abs=0.06)
    ActionChains(page, duration=0).move_to_element(css(page, "h1")[0]).perform()
    settle(page)
    assert reading.text == "round 100"


def test_arrow_keys_show_them_too(page):
    figure = css(page, "figure.chart")[0]
    plot, reading = css(figure, ".plot")[0], css(figure, ".reading")[0]
    plot.send_keys("\ue011")  # Home
    settle(page)
    assert reading.text == "round 1"
    plot.send_keys("\ue00c")  # Escape
    settle(page)
    assert reading.text == "round 100"


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
    assert all(canvas.rect["width"] <= 360 for canvas in css(page, "figure.chart canvas"))
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
