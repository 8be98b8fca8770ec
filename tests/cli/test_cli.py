import contextlib
import io
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from rich.console import Console
from typer.testing import CliRunner

import jostle
from jostle.cli import app, session
from jostle.cli.run import _stamped_folder
from jostle.lab.results.folder import Store, read
from jostle.lab.running.prepare import prepare
from jostle.lab.spec.experiment import Experiment
from lab.examples import comparison

JOSTLE = [sys.executable, "-c", "from jostle.cli import app; app()"]


@pytest.fixture(scope="module", autouse=True)
def compiled_once(tmp_path_factory):
    patch = pytest.MonkeyPatch()
    patch.setenv("JAX_COMPILATION_CACHE_DIR", str(tmp_path_factory.mktemp("compiled")))
    patch.setenv("JAX_PERSISTENT_CACHE_MIN_COMPILE_TIME_SECS", "0")
    patch.setenv("COLUMNS", "100")
    yield
    patch.undo()


def call(*arguments):
    return CliRunner().invoke(app, [str(argument) for argument in arguments])


def alive(group):
    """The processes of a group, a moment after they were told to end."""
    for _ in range(50):
        left = []
        for path in Path("/proc").glob("[0-9]*/stat"):
            with contextlib.suppress(OSError):  # it ended while we looked
                state, _, its_group = path.read_text().rpartition(")")[2].split()[:3]
                if its_group == str(group) and state != "Z":
                    left.append(path.parent.name)
        if not left:
            break
        time.sleep(0.1)
    return left


@pytest.mark.study
def test_told_nothing_it_plays_a_first_look_and_told_an_environment_only_that(tmp_path):
    result = call("run", "-n", 10, "-s", 1, "-p", "uniform", "-o", tmp_path / "out", "-j", 1)
    assert result.exit_code == 0, result.output
    first = read(tmp_path / "out")
    assert [plan.environment for plan in first.plans] == ["h1", "wheel:delta=0.5"]
    assert len(first.runs()) == 2
    small = ["-n", 10, "-s", 1, "-p", "uniform", "-e", "coins"]
    assert call("run", *small, "-o", tmp_path / "coins", "-j", 1).exit_code == 0
    assert [plan.environment for plan in read(tmp_path / "coins").plans] == ["coins"]


@pytest.mark.study
def test_a_small_run_writes_everything(tmp_path):
    folder = tmp_path / "out"
    small = ["-e", "h1:features=4,pool=6,shown=3", "-p", "uniform,lab.own:First", "-n", 50, "-s", 2]
    result = call("run", *small, "-o", folder, "-j", 1)
    assert result.exit_code == 0, result.output
    assert "[4/4]" in result.output
    assert "lowest regret" in result.output
    assert str(folder / "report.html") in result.output
    names = {path.name for path in folder.iterdir()}
    assert names >= {"manifest.json", "trials.parquet", "figure.png", "figure.svg", "report.html"}
    outcome = read(folder)
    assert outcome.plans[0].policies == ("uniform", "lab.own:First")
    assert len(outcome.runs()) == 4

    again = call("run", *small, "-o", folder)  # nothing is left to do
    assert again.exit_code == 0
    assert "[4/4]" not in again.output
    assert len(read(folder).sessions) == 1
    other = call("run", *small, "-o", folder, "-n", 60)
    assert other.exit_code == 2
    assert "experiment.rounds: 50 there, 60 now" in other.output
    assert call("report", folder).exit_code == 0
    assert "4 of 4 trials are finished" in call("status", folder).output
    renewed = call("run", *small, "-o", folder, "-s", 1, "--renew")  # the last option counts
    assert renewed.exit_code == 0
    assert len(read(folder).runs()) == 2


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["-p", "nrp"], "did you mean 'npr'"),
        (["-p", "npr:nois=2"], "did you mean 'noise'"),
        (["-p", "nowhere.at.all:Mine"], "cannot import"),
        (["-p", ","], "policies is empty"),
        (["-e", "h3"], "did you mean 'h"),
        (["-n", "0"], "--rounds"),
        (["-s", "many"], "--seeds"),
        (["-t", "grit"], "did you mean 'grid'"),
        (["fig1z"], "did you mean 'fig1"),
        (["--engine", "rya"], "did you mean 'ray'"),
        (["--new", "-o", "out"], "leave out --output"),
        (["--address", "localhost:1"], "address needs engine 'ray'"),
    ],
)
def test_bad_arguments_get_one_clear_line(arguments, message, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    result = call("run", *arguments)
    assert result.exit_code == 2
    assert message in result.output
    assert "Traceback" not in result.output
    assert list(tmp_path.iterdir()) == []


def test_a_foreign_folder_is_left_alone(tmp_path):
    (tmp_path / "thesis.txt").write_text("precious")
    result = call("run", "-p", "uniform", "-n", 5, "-s", 1, "-o", tmp_path)
    assert result.exit_code == 2
    assert "is not empty" in result.output
    assert [path.name for path in tmp_path.iterdir()] == ["thesis.txt"]


@pytest.mark.study
def test_a_failing_policy_is_reported_and_leaves_nothing(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    result = call("run", "-p", "lab.own:Broken", "-n", 5, "-s", 1)
    assert result.exit_code == 1
    assert "lab.own:Broken on h1, seed 0: RuntimeError: broken on purpose" in result.output
    assert "own.py" in result.output  # the traceback
    assert list((tmp_path / "runs").iterdir()) == []


def test_help_and_version():
    assert call("--version").output.strip() == jostle.__version__
    text = call("run", "--help").output
    for word in ("Examples", "--environment", "--policies", "--rounds", "--seeds", "--jobs"):
        assert word in text


def test_help_does_not_import_jax():
    code = "import sys, jostle.cli; sys.exit('jax' in sys.modules or 'numpy' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def interrupt(folder, line):
    """Give a command that never ends in ``folder``; Ctrl-C once it prints ``line``. Its output."""
    endless = ["-e", "h1:features=4,pool=6,shown=3", "-p", "uniform,npr.descent", "-n", "100000"]
    process = subprocess.Popen(
        [*JOSTLE, "run", *endless, "-s", "2", "-j", "2"],
        cwd=folder,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    try:
        printed = process.stdout.readline()
        assert line in printed, process.stderr.read()
        os.killpg(process.pid, signal.SIGINT)
        stopped = time.monotonic()
        output, errors = process.communicate(timeout=60)
        assert alive(process.pid) == []
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
    assert process.returncode == 130
    assert time.monotonic() - stopped < 20
    return printed + output, errors


@pytest.mark.skipif(os.name == "nt", reason="signals to process groups are POSIX")
@pytest.mark.study
def test_ctrl_c_keeps_what_is_finished(tmp_path):
    """A real Ctrl-C: the terminal sends it to the command and to its children alike."""
    output, errors = interrupt(tmp_path, "uniform, seed")
    assert "Interrupted." in errors
    assert "of 4 runs are finished; run the same command to continue." in errors
    assert "Traceback" not in errors + output
    assert "uniform" in output
    [folder] = (tmp_path / "runs").iterdir()
    outcome = read(folder)
    assert {run.trial.policy for run in outcome.runs()} == {"uniform"}
    assert ("npr.descent", 1) in {(trial.policy, trial.seed) for trial in outcome.missing()}
    assert (folder / "report.html").exists()

    output, _ = interrupt(tmp_path, "Continuing runs/")  # the same command
    assert f"{len(outcome.runs())} of 4 runs are finished" in output
    assert list((tmp_path / "runs").iterdir()) == [folder]
    kept = {run.trial: run.seconds for run in read(folder).runs()}
    assert all(kept[run.trial] == run.seconds for run in outcome.runs())


def test_a_finished_run_gets_a_new_folder_and_an_unfinished_one_is_continued(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    world = "h1:features=4,pool=6,shown=3"
    experiment = Experiment("few", world, "uniform", rounds=20, seeds=2)
    manifest, other = prepare(experiment), prepare(experiment.replace(rounds=30))
    console = Console(file=io.StringIO())

    def begin(number, finished, content=manifest):
        folder = Path(f"runs/few-20260101-00000{number}")
        panel = comparison({"uniform": [1.0, 2.0]}, rounds=20, environment=world)
        with Store(folder, content) as store:
            for run in panel.runs[:finished]:
                store.add(run)
        return folder

    def continued(new=False):
        folder = _stamped_folder(console, manifest, new)
        return folder if folder.exists() else None

    assert continued() is None
    begin(1, finished=2)
    begin(2, finished=1, content=other)
    assert continued() is None
    older, newer = begin(3, finished=1), begin(4, finished=0)
    Path("runs/few-mine").mkdir()
    assert continued() == newer
    assert f"Continuing {newer}, where 0 of 2 runs are finished" in console.file.getvalue()
    assert continued(new=True) is None
    with Store(newer, manifest):  # it is being written
        assert continued() == older


def test_missing_data_is_said_in_words(monkeypatch, tmp_path):
    monkeypatch.setenv("JOSTLE_DATA", str(tmp_path))
    result = CliRunner().invoke(app, ["run", "-e", "mushroom", "-p", "uniform", "-n", "10"])
    assert result.exit_code == 1
    assert "jostle data fetch mushroom" in result.stderr
    assert "Traceback" not in result.output


def test_a_large_covariance_is_announced_before_it_is_made(monkeypatch, capsys):
    monkeypatch.setattr(session, "ANNOUNCED_BYTES", 1000)
    policy = "neural-ucb:covariance=full"
    session.prepare(
        Experiment("large", "h1:features=3,pool=4,shown=2", ("uniform", policy), rounds=10)
    )
    announced = capsys.readouterr().out.splitlines()
    assert announced == [f"{policy}: 0.01 GiB per run for its full covariance"]


def test_only_a_policy_of_the_figures_can_be_asked_for(tmp_path):
    wrong = call("reproduce", "fig1b", "--only", "npr.papr", "-o", tmp_path / "out")
    assert wrong.exit_code == 2
    assert "unknown policy of --only 'npr.papr'; did you mean 'npr.paper'" in wrong.output
    assert not (tmp_path / "out").exists()
