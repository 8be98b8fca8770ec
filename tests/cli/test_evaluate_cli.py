"""``jostle evaluate``: table, report, and errors in one line."""

import json

import numpy as np
import pytest
from typer.testing import CliRunner

from jostle import LinUCB
from jostle.cli import app
from jostle.evaluation import Log, warm_started, write

ROWS = 300


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A log, and an agent that has learned from another one."""
    where = tmp_path_factory.mktemp("logs")
    generator = np.random.default_rng(0)
    for name in ("past", "log"):
        contexts = generator.normal(size=(ROWS, 2)).astype(np.float32)
        actions = generator.integers(2, size=ROWS)
        rewards = ((contexts[:, 0] > 0) == actions).astype(float)
        log = Log.from_arrays(
            actions, rewards, np.full((ROWS, 2), 0.5), contexts, adaptive=False, labels=("a", "b")
        )
        write(log, where / f"{name}.parquet")
        if name == "past":
            warm_started(LinUCB.for_environment(log), log).save(where / "agent.npz")
    return where


def call(*arguments):
    return CliRunner().invoke(app, ["evaluate", *(str(argument) for argument in arguments)])


@pytest.mark.study
def test_a_table_a_report_and_the_numbers(folder, tmp_path, monkeypatch):
    monkeypatch.setenv("COLUMNS", "100")
    out = tmp_path / "out"
    log, agent = folder / "log.parquet", folder / "agent.npz"
    done = call(log, "--policy", agent, "-p", "b", "--baseline", "logged", "-o", out)
    assert done.exit_code == 0, done.output
    text = " ".join(done.output.split())
    assert "agent.npz would have earned" in text
    assert "on one side of zero" in text
    numbers = json.loads((out / "evaluation.json").read_text())
    assert [line["target"] for line in numbers["estimates"]][::3] == ["logged", "agent.npz", "b"]
    found = {(line["target"], line["estimator"]): line for line in numbers["estimates"]}
    assert found["agent.npz", "snips"]["value"] > 0.9
    assert found["agent.npz", "snips"]["difference_low"] > 0.2
    page = (out / "report.html").read_text()
    assert page.count("data:image/png;base64") == 3
    assert "http://" not in page
    assert "agent.npz" in page


@pytest.mark.study
def test_policies_that_learn_and_guaranteed_intervals(folder, tmp_path):
    done = call(
        folder / "log.parquet", "-p", "lin-ucb", "-p", "npr", "--interval", "sequence",
        "--estimators", "snips", "--reward-range", 0, 1, "-o", tmp_path / "out",
    )  # fmt: skip
    assert done.exit_code == 0, done.output
    numbers = json.loads((tmp_path / "out" / "evaluation.json").read_text())
    assert len(numbers["estimates"]) == 3


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (["nothing.parquet", "-p", "uniform"], 1, "nothing.parquet does not exist"),
        (["{log}", "-p", "lin-ucbb"], 2, "unknown policy 'lin-ucbb'; did you mean 'lin-ucb'"),
        (["{log}", "-p", "uniform", "--estimators", "ipss"], 2, "unknown estimator 'ipss'"),
        (["{log}", "-p", "uniform", "-b", "loged"], 2, "did you mean 'logged'"),
        (["{log}", "-p", "uniform", "--estimators", "mips"], 2, "groups is missing"),
        (["{log}", "-p", "uniform", "--level", "95"], 2, "level must be between 0 and 1"),
        (["{log}", "-p", "a", "--estimators", "dr", "--model", "netwerk"], 2, "unknown model"),
        (["{log}", "-p", "a", "--largest-weight", 1.5], 2, "but the log has a weight of 2"),
        (["{junk}", "-p", "uniform"], 2, "junk.parquet cannot be read"),
        (["{log}", "-p", "uniform", "--repair", "all"], 2, "unknown repair 'all'"),
        (["{log}", "-p", "uniform", "-o", "{folder}"], 2, "is not empty"),
        (["{log}", "-p", "none.npz"], 1, "none.npz does not exist"),
    ],
)
def test_errors_are_one_line(folder, arguments, code, message):
    (folder / "junk.parquet").write_text("junk")
    places = {"log": folder / "log.parquet", "folder": folder, "junk": folder / "junk.parquet"}
    done = call(*(str(argument).format(**places) for argument in arguments))
    assert done.exit_code == code
    assert message in done.output
    assert "Traceback" not in done.output


def test_groups_of_arms_and_no_intervals(folder, tmp_path):
    done = call(
        folder / "log.parquet", "-p", "a", "--estimators", "ips,mips", "--groups", "x, y",
        "--interval", "none", "-o", tmp_path / "out",
    )  # fmt: skip
    assert done.exit_code == 0, done.output
    assert "without an interval" in " ".join(done.output.split())
    numbers = json.loads((tmp_path / "out" / "evaluation.json").read_text())
    ips, mips = (line for line in numbers["estimates"] if line["target"] == "a")
    assert ips["value"] == pytest.approx(mips["value"])  # each arm is a group of its own


def test_another_reward_model_and_a_bound_on_weights(folder, tmp_path):
    widths = {}
    for name, settings in {
        "found": ("--interval", "sequence"),
        "given": ("--interval", "sequence", "--largest-weight", 50),
        "network": ("--model", "network"),
    }.items():
        done = call(
            folder / "log.parquet", "-p", "a", "--estimators", "dr", *settings,
            "-o", tmp_path / name,
        )  # fmt: skip
        assert done.exit_code == 0, done.output
        numbers = json.loads((tmp_path / name / "evaluation.json").read_text())
        line = numbers["estimates"][1]
        widths[name] = line["high"] - line["low"]
    assert widths["given"] > widths["found"]  # 2 is what the probabilities say
    assert 0 < widths["network"] < widths["found"]


def test_two_agents_of_the_same_name_are_two_policies(folder, tmp_path):
    other = tmp_path / "other"
    other.mkdir()
    (other / "agent.npz").write_bytes((folder / "agent.npz").read_bytes())
    done = call(
        folder / "log.parquet", "-p", folder / "agent.npz", "-p", other / "agent.npz",
        "--estimators", "ips", "-o", tmp_path / "out",
    )  # fmt: skip
    assert done.exit_code == 0, done.output
    numbers = json.loads((tmp_path / "out" / "evaluation.json").read_text())
    assert len(numbers["estimates"]) == 3
