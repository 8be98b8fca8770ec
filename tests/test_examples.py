"""The examples run, draw their pictures, are short, and show what they say."""

import importlib.util
from pathlib import Path

import matplotlib as mpl
import numpy as np
import pytest

mpl.use("agg")

FOLDER = Path(__file__).parent.parent / "examples"
SHORT = {
    "late_clicks": {"visitors": 320},
    "dynamic_pricing": {"customers": 150},
    "migrate_from_a_rule": {"logged": 150, "visitors": 60},
    "cost_of_delay": {"rounds": 60, "seeds": (0,), "policies": ("lin-ucb",), "delays": (0, 5)},
}


def example(name):
    spec = importlib.util.spec_from_file_location(name, FOLDER / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_every_example_is_played():
    assert {path.stem for path in FOLDER.glob("*.py")} == set(SHORT)


@pytest.mark.parametrize(
    "name", [pytest.param(n, marks=[pytest.mark.study] * (n == "cost_of_delay")) for n in SHORT]
)
def test_it_runs_and_draws(name, tmp_path):
    assert len((FOLDER / f"{name}.py").read_text().splitlines()) < 80
    picture = tmp_path / "picture.png"
    found = example(name).main(**SHORT[name], picture=picture)
    values = list(found.values()) if isinstance(found, dict) else found
    assert np.isfinite(values).all()
    assert picture.stat().st_size > 5000


@pytest.mark.study
def test_they_show_what_they_say():
    ours, uniform, best = example("late_clicks").main(visitors=3000)
    assert uniform < 0.75 * ours < best
    ours, single, best = example("dynamic_pricing").main(customers=2000)
    assert single < ours < best
    rule, cold, warm = example("migrate_from_a_rule").main(visitors=500)
    assert rule < cold < warm
