"""The documentation as a site: built without warnings, whole without a network, fit for a phone."""

import re
import subprocess
import sys

import pytest
from filelock import FileLock

from documents import DOCS, pages

from requirements import package

pytestmark = pytest.mark.study
SHOWN = ("index", "results/index", "results/claims", "reference/policies", "tutorials/own-policy")
WIDTHS = {"desktop": (1280, 900), "phone": (390, 844)}


@pytest.fixture(scope="module")
def site(tmp_path_factory, worker_id):
    """The site, built once for all workers of a run as ``make docs`` builds it.

    Warnings, among them broken links and pages in no toctree, fail.
    """
    for name in ("sphinx", "myst_parser", "furo"):
        package(name)
    base = tmp_path_factory.getbasetemp()
    folder = (base if worker_id == "master" else base.parent) / "site"
    errors = folder / "errors.txt"
    with FileLock(f"{folder}.lock"):
        if not errors.exists():
            folder.mkdir()
            errors.write_text(build(folder))
    assert not errors.read_text()
    return folder / "html"


def build(folder):
    """Build the site in a folder; what was wrong, or an empty text."""
    command = [sys.executable, "-m", "sphinx", "--fail-on-warning", "--keep-going", "--quiet"]
    done = subprocess.run(
        [*command, "-b", "html", "--doctree-dir", folder / "trees", DOCS, folder / "html"],
        capture_output=True, text=True, timeout=600, check=False,
    )  # fmt: skip
    return "" if done.returncode == 0 else f"exit code {done.returncode}: {done.stderr}"


def test_every_page_is_built_and_nothing_comes_from_elsewhere(site):
    for page in pages(generated=True):
        if page.startswith("docs/"):
            assert (site / page.removeprefix("docs/")).with_suffix(".html").exists()
    for path in site.rglob("*.html"):
        content = path.read_text("utf-8")
        assert not re.search(r'<(?:script|img|iframe)[^>]*src="https?:', content), path
        assert not re.search(r'<link[^>]*rel="stylesheet"[^>]*href="https?:', content), path


def test_equations_are_equations(site):
    assert "<mfrac>" in (site / "reference" / "theory.html").read_text("utf-8")
    policies = (site / "reference" / "policies.html").read_text("utf-8")
    assert "score(x) = mean(x) + | nu sigma phi(x).N + kappa rho phi(x).P |" in policies


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("colours", ["light", "dark"])
def test_pages_fit_the_screen_in_both_colours(width, colours, site, browser):
    wide, high = WIDTHS[width]
    size = {"width": wide, "height": high, "deviceScaleFactor": 1, "mobile": width == "phone"}
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
    scheme = {"name": "prefers-color-scheme", "value": colours}
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [scheme]})
    for page in SHOWN:
        browser.get((site / f"{page}.html").as_uri())
        sizes = "const page = document.documentElement; return [page.scrollWidth, page.clientWidth]"
        needed, there = browser.execute_script(sizes)
        assert needed <= there <= wide
        back = "return getComputedStyle(document.body).backgroundColor"
        channels = map(int, re.findall(r"\d+", browser.execute_script(back))[:3])
        assert (max(channels) < 60) == (colours == "dark")
        errors = [each for each in browser.get_log("browser") if each["level"] == "SEVERE"]
        assert not errors


def test_search_works_without_a_server(site, browser):
    from selenium.webdriver.support.ui import WebDriverWait

    browser.get((site / "search.html").as_uri() + "?q=propensity")
    found = WebDriverWait(browser, 20).until(
        lambda driver: driver.find_elements("css selector", "#search-results li a")
    )
    assert "Glossary" in [each.text for each in found]
