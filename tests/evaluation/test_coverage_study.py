"""The study of coverage: its truth, its targets, and a few logs."""

import json
from pathlib import Path

import numpy as np
import pytest

from jostle.benchmarks import coverage_tables
from jostle.benchmarks import evaluation_coverage as coverage
from jostle.simulation import simulate

DOCS = Path(__file__).parents[2] / "docs"
CONTENT = json.loads((DOCS / "evaluation_coverage.json").read_text())


def test_the_page_shows_the_figures_of_the_study():
    page = (DOCS / "evaluation.md").read_text()
    assert coverage_tables.replaced(page, CONTENT) == page
    assert set(coverage.LOGGERS) <= set(CONTENT)


def test_figures_are_written_into_a_page_and_nothing_else_is_changed(tmp_path):
    figures, page = tmp_path / "figures.json", tmp_path / "page.md"
    figures.write_text(json.dumps(CONTENT))
    page.write_text(f"before\n{coverage_tables.BEGIN}\nold\n{coverage_tables.END}\nafter\n")
    coverage_tables.write(figures, page)
    text = page.read_text()
    assert text.startswith("before\n")
    assert text.endswith("\nafter\n")
    assert "old" not in text
    held = [CONTENT["npr"][target]["ips normal held"] for target in coverage.TARGETS]
    cell = f"| {100 * np.mean(held):.1f} ({100 * min(held):.1f}) |"
    assert f"| NPR while learning, floor 0.05 {cell}" in text
    coverage_tables.write(figures, page)
    assert page.read_text() == text


def test_rows_are_found_again_by_another_process():
    for name in coverage.LOGGERS:
        first, second = (coverage.logger(name) for _ in range(2))
        key = coverage.key_of(name, first, {"uniform": np.full((8, 3), 1 / 3)})
        assert key == coverage.key_of(name, second, {"uniform": np.full((8, 3), 1 / 3)})
        assert key != coverage.key_of(name, first, {"uniform": np.full((8, 3), 0.3)})
        # An address would differ between processes.
        assert " at 0x" not in json.dumps(coverage.serialization.describe(first))


@pytest.mark.study
def test_the_truth_of_the_study_is_that_of_its_environment(tmp_path):
    environment = coverage.KnownRates()
    log = simulate(coverage.logger("uniform"), environment, rounds=6000, seed=3, log=True).log
    kinds = coverage.kinds_of(log)
    for kind in range(coverage.KINDS):
        for arm in range(coverage.ARMS):
            rows = (kinds == kind) & (log.actions == arm)
            rate = coverage.RATES[kind, arm]
            error = np.sqrt(rate * (1 - rate) / rows.sum())
            assert abs(log.rewards[rows].mean() - rate) < 5 * error
    fixed = simulate(coverage.logger("epsilon-greedy"), environment, rounds=50, log=True).log
    assert fixed.adaptive is False
    assert fixed.all_probabilities.min() == pytest.approx(0.2 / coverage.ARMS)
    path, tables = tmp_path / "rows.jsonl", {"uniform": np.full((8, 3), 1 / 3)}
    coverage.study("uniform", 2, tables, coverage.Rows(path))
    before = path.read_text()
    found = coverage.study("uniform", 3, tables, coverage.Rows(path))["uniform"]
    assert path.read_text().startswith(before)  # it continues, and repeats nothing
    assert len(path.read_text().splitlines()) == 3
    finished = path.read_text()
    path.write_text(finished + '["key", 3, {"ips')  # a row that was being written
    assert coverage.study("uniform", 3, tables, coverage.Rows(path))["uniform"] == found
    assert path.read_text() == finished
    assert found["truth"] == pytest.approx(coverage.RATES.mean())
    assert 0 < found["ips normal width"] < found["sequence width"] < found["running width"] < 1
