"""The study of coverage: its truth, its targets, and a few logs."""

import numpy as np
import pytest

from jostle.benchmarks import evaluation_coverage as coverage
from jostle.simulation import simulate


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
    assert found["truth"] == pytest.approx(coverage.RATES.mean())
    assert 0 < found["ips normal width"] < found["sequence width"] < found["running width"] < 1
