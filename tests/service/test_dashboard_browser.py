"""The dashboard in a real browser: sign in, read charts, roll back; on a phone and in the dark."""

import re
import socket
import threading
import time

import numpy as np
import pytest

import jostle
from jostle.service.dashboard import page_data

from dashboard_support import ACTIONS, FakeService, application, statistics
from served_process import ServedProcess

pytestmark = pytest.mark.study
LIGHT_PAPER, DARK_PAPER = "rgb(255, 255, 255)", "rgb(20, 23, 27)"


class Served:
    """A dashboard over simulated statistics, behind a real web server."""

    def __init__(self, folder):
        import uvicorn

        from jostle.service.auth import Keys

        keys = Keys(folder / "keys.json")
        self.admin, self.reader = (keys.create({"shop": [role]})[1] for role in ("admin", "read"))
        self.service = FakeService(shop=statistics(), mail=statistics(decisions=0))
        self.socket = socket.create_server(("127.0.0.1", 0))
        self.address = f"http://127.0.0.1:{self.socket.getsockname()[1]}/dashboard"
        self.server = uvicorn.Server(
            uvicorn.Config(application(self.service, keys), log_config=None, lifespan="off")
        )
        self.thread = threading.Thread(target=self.server.run, args=([self.socket],), daemon=True)
        self.thread.start()

    def stop(self):
        self.server.should_exit = True
        self.thread.join()
        self.socket.close()


@pytest.fixture
def served(tmp_path, monkeypatch):
    monkeypatch.setattr(page_data, "REFRESH", 3600)  # tests renew pages by themselves
    served = Served(tmp_path)
    yield served
    served.stop()


@pytest.fixture
def page(browser, served):
    browser.delete_all_cookies()
    browser.get_log("browser")
    browser.get(served.address)
    yield browser
    assert browser.get_log("browser") == []  # nothing was refused by the policy of the pages
    browser.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": []})


def css(page, selector):
    return page.find_elements("css selector", selector)


def sign_in(page, key):
    css(page, "#key")[0].send_keys(key)
    css(page, ".sign-in button")[0].click()
    wait_until(lambda: css(page, ".look-up"))  # the end of the page


def wait_until(condition, seconds=10.0):
    limit = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < limit, "it did not happen in time"
        time.sleep(0.05)


def press(page, text):
    """Click the button or link of that text."""
    found = [each for each in css(page, "button, a") if each.text == text]
    page.execute_script("arguments[0].scrollIntoView({block: 'center'})", found[0])
    found[0].click()


def test_an_admin_signs_in_rolls_back_and_signs_out(page, served):
    assert page.title == "Sign in · jostle"
    sign_in(page, served.admin)
    assert page.title == "shop · jostle"
    assert css(page, "h1")[0].text == "It earns more than your baseline"
    press(page, "Roll back")
    wait_until(lambda: css(page, ".confirm"))
    assert css(page, "h1")[0].text == "Roll shop back to version 3?"
    press(page, "Roll back to version 3")
    wait_until(lambda: css(page, ".look-up"))
    assert css(page, ".notice")[0].text.startswith("Rolled back.")
    press(page, "Pin")
    wait_until(lambda: css(page, ".confirm"))
    press(page, "Cancel")
    wait_until(lambda: css(page, ".look-up"))
    assert served.service.done == [("roll_back", "shop", 3)]
    press(page, "Sign out")
    wait_until(lambda: css(page, "#key"))
    assert page.title == "Sign in · jostle"
    page.back()
    page.refresh()
    assert page.title == "Sign in · jostle"


def test_a_reader_sees_and_does_not_act(page, served):
    sign_in(page, served.reader)
    assert len(css(page, "figure.chart")) == 6
    assert css(page, ".models tbody tr")
    assert not css(page, ".models .button")


def test_charts_are_drawn_and_read(page, served):
    from selenium.webdriver import ActionChains

    sign_in(page, served.reader)
    for curves in css(page, ".axes"):
        assert curves.rect["width"] > 300
        assert curves.rect["height"] > 150
    colours = {
        page.execute_script("return getComputedStyle(arguments[0]).fill", path)
        for path in css(page, "#shares path")
    }
    assert len(colours) == len(ACTIONS)
    assert css(page, "img") == []
    plot = css(page, "#shares .plot")[0]
    page.execute_script("arguments[0].scrollIntoView({block: 'center'})", plot)
    ActionChains(page, duration=0).move_to_element(plot).perform()
    reading = css(page, "#shares .reading")[0].text
    # The table has the same numbers, for those who cannot see or point.
    css(page, "#shares summary")[0].click()
    assert css(page, "#shares tbody tr")[0].is_displayed()
    heads, *rows = page.execute_script(
        """return [...document.querySelectorAll("#shares tr")].map(
            (row) => [...row.children].map((cell) => cell.textContent.replace("\\u00a0", " ")))"""
    )

    def read(row):
        pairs = zip(heads[1:], row[1:], strict=True)
        return "\n".join([f"from {row[0]}", *(f"{head}: {cell}" for head, cell in pairs)])

    assert reading in map(read, rows[20:40])  # in the middle
    plot.send_keys("\ue011")  # Home
    assert css(page, "#shares .reading")[0].text == read(rows[0])
    plot.send_keys("\ue00c")  # Escape
    assert css(page, "#shares .reading")[0].text == ""


def test_another_span_is_loaded_in_place(page, served):
    sign_in(page, served.reader)
    page.execute_script("window.same = true")
    press(page, "week")
    chosen = "return document.querySelector('.spans [aria-current]').textContent"
    wait_until(lambda: page.execute_script(chosen) == "week")
    assert page.current_url.endswith("?span=week")
    assert page.execute_script("return window.same")  # not a new page
    assert css(page, "#live")[0].get_attribute("aria-busy") is None


def test_a_page_renews_itself_and_says_when_it_cannot(page, served):
    sign_in(page, served.reader)
    assert "running" in css(page, ".tiles")[0].text
    served.service.problems = ["The learner is being restarted."]
    page.execute_script("renew(location.href, false)")
    wait_until(lambda: css(page, ".warning"))
    assert css(page, ".warning")[0].text == "The learner is being restarted."
    served.stop()
    page.execute_script("renew(location.href, false)")
    wait_until(lambda: css(page, "#state.failed"))
    assert "what you see is older" in css(page, "#state")[0].text
    page.get_log("browser")  # that the server did not answer


def test_it_fits_a_phone(page, served):
    size = {"width": 360, "height": 740, "deviceScaleFactor": 1, "mobile": True}
    page.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
    for key in (None, served.admin):
        if key:
            sign_in(page, key)
        widths = page.execute_script(
            "return [innerWidth, document.documentElement.scrollWidth, document.body.scrollWidth]"
        )
        assert widths == [360, 360, 360]
    for each in css(page, ".axes, .button, .bars, .tiles div"):
        assert each.rect["x"] >= 0
        assert each.rect["x"] + each.rect["width"] <= 360
    for text in css(page, ".axes text:not(.spare)"):
        assert text.rect["x"] >= 0
        assert text.rect["height"] >= 10  # it can be read
    press(page, "Roll back")
    wait_until(lambda: css(page, ".confirm"))
    press(page, "Roll back to version 3")
    wait_until(lambda: css(page, ".notice"))
    assert served.service.done == [("roll_back", "shop", 3)]


def test_it_is_dark_where_that_is_preferred(page, served):
    def paper():
        return page.execute_script("return getComputedStyle(document.body).backgroundColor")

    assert paper() == LIGHT_PAPER
    dark = {"features": [{"name": "prefers-color-scheme", "value": "dark"}]}
    page.execute_cdp_cmd("Emulation.setEmulatedMedia", dark)
    assert paper() == DARK_PAPER
    sign_in(page, served.admin)
    assert paper() == DARK_PAPER
    text = page.execute_script("return getComputedStyle(document.querySelector('.axes text')).fill")
    assert min(map(int, text.removeprefix("rgb(").rstrip(")").split(","))) > 120


def test_the_real_service_shows_what_it_learns_and_rolls_back(browser, tmp_path):
    served = ServedProcess(tmp_path, JOSTLE_SERVE_CORE_SNAPSHOT="0.5")
    try:
        client = jostle.Client(served.address, served.key)
        client.put_config({"policy": "lin-ts", "dimensions": 16, "wait": 0.2})
        rng = np.random.default_rng(0)
        for _ in range(4):
            requests = [
                {"context": {"hour": hour}, "actions": ["a", "b"], "baseline": "a"}
                for hour in rng.integers(24, size=64).tolist()
            ]
            decided = client.decide_many(requests)
            client.reward_many(
                {"event_id": each.event_id, "value": float(each.action == "b"), "final": True}
                for each in decided
            )
        wait_until(lambda: any(each.observations for each in client.models()), 60.0)
        browser.delete_all_cookies()
        browser.get_log("browser")
        browser.get(f"{served.address}/")
        sign_in(browser, served.key)
        assert browser.title == "default · jostle"
        wait_until(lambda: len(css(browser, "figure.chart")) == 6)
        assert "256 decisions among 2 actions" in css(browser, "#panel-choices")[0].text
        assert "Choosing at random would have earned" in css(browser, "#panel-learning")[0].text
        assert "hour" in css(browser, "#panel-features")[0].text
        press(browser, "Roll back")
        wait_until(lambda: css(browser, ".confirm"))
        version = int(re.search(r"version (\d+)", css(browser, "h1")[0].text)[1])
        press(browser, f"Roll back to version {version}")
        wait_until(lambda: css(browser, ".notice"))
        assert next(each.version for each in client.models() if each.active) >= version
        (event,) = client.decide_many([{"actions": ["a", "b"], "event_id": "last"}])
        browser.get(f"{served.address}/dashboard/apps/default/decisions?event=last")
        assert f'"action": "{event.action}"' in css(browser, "main")[0].text
        assert browser.get_log("browser") == []
        client.close()
    finally:
        served.stop()


def test_without_scripts_everything_but_reading_works(page, served):
    page.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": True})
    try:
        sign_in(page, served.admin)
        assert len(css(page, "figure.chart")) == 6
        next(each for each in css(page, ".spans a") if each.text == "day").click()
        wait_until(lambda: page.current_url.endswith("?span=day"))
    finally:
        page.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": False})
