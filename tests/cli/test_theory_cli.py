"""``jostle theory``: a complete small study, and the errors for bad arguments."""

import json
from functools import partial

import numpy as np
import pytest
from typer.testing import CliRunner

from jostle import UCB1
from jostle.cli import app
from jostle.theory.kernel_convergence import check_kernel_convergence
from jostle.theory.lemma_c_1_gradient_descent import check_gradient_descent
from jostle.theory.perturbation_study import run_perturbation_study
from jostle.theory.watched_run import watch_run

SMALL = "h1:features=4,pool=6,shown=6"


def call(*arguments):
    return CliRunner().invoke(app, ["theory", *map(str, arguments)])


def watch_ucb1(problem, policy, rounds):
    assert policy.features == problem.features
    return watch_run(problem, UCB1(policy.features), rounds)


@pytest.mark.study
def test_a_small_study_writes_and_prints_everything(tmp_path, monkeypatch):
    monkeypatch.setenv("COLUMNS", "100")
    # Every policy is constructed, but UCB1 plays in its place, and networks have the sizes that
    # tests/theory uses: this test is about the page, and would mostly compile otherwise.
    monkeypatch.setattr("jostle.theory.study.watch_run", watch_ucb1)
    monkeypatch.setattr("jostle.theory.perturbation_study.watch_run", watch_ucb1)
    forms = ("ntk-perturbed:noise=0.1", "npr.paper:step_size=9,steps=5")
    small = {
        "run_perturbation_study": lambda environment, default, **settings: run_perturbation_study(
            environment, forms, draws=9, probed=20, settle=5, **settings
        ),
        "check_gradient_descent": partial(check_gradient_descent, widths=(16, 256), draws=2),
        "check_kernel_convergence": partial(check_kernel_convergence, widths=(16, 64, 256)),
    }
    for name, check in small.items():
        monkeypatch.setattr(f"jostle.theory.study.{name}", check)
    folder = tmp_path / "out"
    result = call(SMALL, "-n", 60, "-s", 2, "-m", 16, "-o", folder)
    assert result.exit_code == 0, result.output
    for words in (
        "effective dimension",
        "bound on the regret",
        "times the regret of NPR",
        "NTKPerturbed, theory",
        "Lemma 4.1",
        "Lemma 4.2",
        "Lemma 4.3",
        "Lemma 4.4",
        "Lemma 4.5",
        "Lemma 4.6",
        "Lemma C.1",
        "[holds]",
        "playing NPR.descent, seed 1",
        "(tolerance: at most 15.0%)",
        "What the perturbation really does",
        "diverges",
    ):
        assert words in result.output, words
    names = {path.name for path in folder.iterdir()}
    assert {"theory.txt", "theory.png", "theory.json", "lemma-4.1.png", "regret.png"} <= names
    assert "perturbation.png" in names
    content = json.loads((folder / "theory.json").read_text())
    assert content["bound"]["total"] > max(content["final_regrets"]["NPR.descent"])
    assert set(content["findings"]) >= {"lemma-4.1", "lemma-4.4", "lemma-4.6", "shape", "kernel"}
    assert all(np.isfinite(each["tolerance"]) for each in content["findings"].values())
    forms = content["perturbation"]["forms"]
    assert forms["converged fit"]["share"][0] == 1
    assert forms["npr.paper:step_size=9,steps=5"]["share"][0] is None
    page = (folder / "theory.txt").read_text()
    assert page in result.output
    assert max(map(len, page.splitlines())) <= 100


@pytest.mark.study
def test_the_perturbation_alone(tmp_path):
    folder = tmp_path / "out"
    result = call(
        SMALL, "-n", 60, "-s", 1, "-m", 16, "--perturbation", "lin-ts,uniform", "-o", folder
    )
    assert result.exit_code == 0, result.output
    assert {path.name for path in folder.iterdir()} == {
        "theory.txt",
        "theory.json",
        "perturbation.png",
    }
    forms = json.loads((folder / "theory.json").read_text())["perturbation"]["forms"]
    assert list(forms) == ["converged fit", "lin-ts", "uniform"]
    assert len(forms["lin-ts"]["final_regrets"]) == 1
    assert (folder / "theory.txt").read_text() in result.output


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["h3"], "did you mean 'h"),
        (["h1:pool=none"], "fixed pool of arms"),
        ([SMALL, "-n", "10"], "rounds must be at least 4 K = 24"),
        ([SMALL, "-n", "60", "--lambda", "0.5"], "lam must be at least"),
        ([SMALL, "-n", "60", "-m", "7"], "width must be even"),
        ([SMALL, "-n", "60", "-m", "7", "--perturbation", "npr"], "width must be even"),
        ([SMALL, "--perturbation", "nrp"], "did you mean 'npr'"),
        ([SMALL, "-n", "4", "--perturbation", "npr"], "rounds must be enough"),
    ],
)
def test_bad_arguments_get_one_line_and_leave_no_files(arguments, message, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    result = call(*arguments)
    assert result.exit_code == 2
    assert message in result.output
    assert "Traceback" not in result.output
    assert [path for path in tmp_path.rglob("*") if path.is_file()] == []


def test_the_help_teaches():
    text = call("--help").output
    for word in ("Examples", "Theorem 4.7", "--rounds", "--lambda", "theory.png", "--perturbation"):
        assert word in text
