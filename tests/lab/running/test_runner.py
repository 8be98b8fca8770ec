"""Experiments that are killed at random moments lose nothing that was finished."""

import contextlib
import json
import os
import random
import signal
import subprocess
import sys
import time
from unittest.mock import Mock

import numpy as np
import pytest

import jostle.lab
from jostle.lab.results.folder import FolderError, locked, read
from jostle.lab.results.outcome import Outcome
from jostle.lab.running.prepare import prepare
from jostle.lab.running.provenance import commit
from jostle.lab.running.reuse import reusable_runs
from jostle.lab.running.runner import perform
from jostle.lab.running.worker import WorkerError
from jostle.lab.spec.experiment import Experiment, Tuning
from jostle.policies import Uniform

WORLD = "h1:features=4,pool=6,shown=3"
FIELDS = {"environments": [WORLD], "policies": ["uniform", "lab.own:First"], "rounds": 300}
COMMAND = [sys.executable, "-c", "from jostle.cli import app; app()", "run", "-e", WORLD]
PATHS = os.pathsep.join(["tests", os.environ.get("PYTHONPATH", "")])
COMMAND += ["-p", "uniform,lab.own:First", "-n", "300", "-s", "150", "-j", "2"]


def test_a_run_from_python(tmp_path):
    outcome = jostle.lab.run(folder=tmp_path / "a", jobs=1, seeds=2, **FIELDS)
    assert repr(outcome) == "Results('experiment', 4 of 4 runs)"
    assert len(outcome.frame()) == 4 * 200
    again = jostle.lab.run(folder=tmp_path / "a", jobs=1, seeds=2, **FIELDS)
    assert again.frame().equals(outcome.frame())
    assert len(again.sessions) == 1  # there was nothing left to do
    assert jostle.lab.read(tmp_path / "a").table().equals(outcome.table())
    assert "uniform" in outcome._repr_html_()
    assert outcome.plot().axes
    with pytest.raises(FolderError, match=r"experiment.seeds"):
        jostle.lab.run(folder=tmp_path / "a", jobs=1, seeds=3, **FIELDS)


def test_some_policies_may_be_played_now_and_the_others_later(tmp_path):
    manifest = prepare(
        Experiment(
            "parts", (WORLD,), ("lin-ucb", "lin-ucb:exploration=0.1", "uniform"), rounds=50, seeds=2
        )
    )
    first = perform(manifest, tmp_path / "a", only=["lin-ucb:exploration=0.1", "uniform"])
    assert {trial.policy for trial in first.missing()} == {"lin-ucb"}
    assert {run.trial.policy for run in first.runs()} == {"lin-ucb:exploration=0.1", "uniform"}
    assert not perform(manifest, tmp_path / "a").missing()
    every_form = perform(manifest, tmp_path / "b", only=["lin-ucb"])
    assert {trial.policy for trial in every_form.missing()} == {"uniform"}


@pytest.mark.study
def test_trials_that_another_experiment_has_played_are_not_played_again(tmp_path):
    first = jostle.lab.run(folder=tmp_path / "a", jobs=1, seeds=2, **FIELDS)
    wider = Experiment(
        "wider", (WORLD, f"{WORLD},noise=0.2"), FIELDS["policies"], FIELDS["rounds"], seeds=2
    )
    (tmp_path / "broken" / "parts").mkdir(parents=True)
    manifest = (tmp_path / "a" / "manifest.json").read_text()
    (tmp_path / "broken" / "manifest.json").write_text(manifest)
    (tmp_path / "broken" / "parts" / "half.parquet").write_bytes(b"PAR1")
    others = [tmp_path / "none", tmp_path / "broken", tmp_path / "a"]
    outcome = perform(prepare(wider), tmp_path / "b", others=others)
    assert not outcome.missing()
    assert (outcome.sessions[0]["trials"], outcome.sessions[0]["taken"]) == (4, 4)
    taken = {run.trial: run.seconds for run in outcome.runs()}
    assert all(taken[run.trial] == run.seconds for run in first.runs())
    tuned = wider.replace(tuning=Tuning("grid", rounds=100))
    elsewhere = read(tmp_path / "b")
    assert not list(reusable_runs(Outcome(prepare(tuned)), [tmp_path / "b"]))
    assert not list(reusable_runs(elsewhere, [tmp_path / "a"]))  # it misses nothing


@pytest.mark.study
def test_runs_of_code_that_behaves_otherwise_are_not_reused(tmp_path, monkeypatch):
    fields = {**FIELDS, "policies": ["uniform"], "rounds": 20, "seeds": 1}
    first = jostle.lab.run(folder=tmp_path / "a", jobs=1, **fields)
    played = first.runs()[0]
    assert played.behaviour == {"simulation": 1, "environment": 1, "policy": 1}
    assert played.commit == commit()
    experiment = Experiment.from_mapping({"name": "later", **fields})
    assert len(list(reusable_runs(Outcome(prepare(experiment)), [tmp_path / "a"]))) == 1
    monkeypatch.setattr(Uniform, "behaviour", 2)
    later = prepare(experiment)
    assert not list(reusable_runs(Outcome(later), [tmp_path / "a"]))
    with pytest.raises(FolderError, match=r"behaviour.policies.uniform: 1 there, 2 now"):
        jostle.lab.run(folder=tmp_path / "a", jobs=1, **fields)
    # Workers are processes of their own and play with the code as it is.
    with pytest.raises(WorkerError, match="a worker plays with other code"):
        perform(later, tmp_path / "b")


@pytest.mark.study
def test_a_renewed_folder_keeps_what_is_played_alike(tmp_path):
    folder = tmp_path / "a"
    first = jostle.lab.run(folder=folder, jobs=1, seeds=2, **FIELDS)
    times = {run.trial: run.seconds for run in first.runs()}

    def renewed(**changes):
        outcome = jostle.lab.run(folder=folder, jobs=1, renew=True, **{**FIELDS, **changes})
        assert not outcome.missing()
        assert read(folder).manifest == outcome.manifest
        return {run.trial for run in outcome.runs() if times.get(run.trial) == run.seconds}

    assert renewed(seeds=2) == set(times)  # nothing to renew
    assert renewed(seeds=3) == set(times)
    # As if one of them had had another default then.
    policy = FIELDS["policies"][0]
    manifest = json.loads((folder / "manifest.json").read_text())
    manifest["policies"][WORLD][policy]["features"] = 77
    (folder / "manifest.json").write_text(json.dumps(manifest))
    with pytest.raises(FolderError, match=r"features: 77 there, 4 now") as refused:
        jostle.lab.run(folder=folder, jobs=1, seeds=3, **FIELDS)
    assert "--renew" in str(refused.value)
    assert renewed(seeds=3) == {trial for trial in times if trial.policy != policy}
    with pytest.raises(FolderError, match="none of which belongs to this experiment"):
        renewed(seeds=3, rounds=FIELDS["rounds"] + 1)  # as with the profile forgotten
    assert len(read(folder).runs()) == 6


@pytest.mark.study
def test_a_renewal_that_is_cut_short_leaves_the_old_experiment(tmp_path, monkeypatch):
    folder = tmp_path / "a"
    first = jostle.lab.run(folder=folder, jobs=1, seeds=2, **FIELDS)
    with monkeypatch.context() as patch:
        patch.setattr("jostle.lab.results.folder.write_json", Mock(side_effect=KeyboardInterrupt))
        with pytest.raises(KeyboardInterrupt):
            jostle.lab.run(folder=folder, jobs=1, seeds=1, renew=True, **FIELDS)
    left = read(folder)
    assert left.manifest == first.manifest
    assert {run.trial.seed for run in left.runs()} == {0}
    again = jostle.lab.run(folder=folder, jobs=1, seeds=2, **FIELDS)
    assert again.frame().equals(first.frame())


@pytest.mark.skipif(os.name == "nt", reason="signals to process groups are POSIX")
@pytest.mark.study
def test_killed_at_random_moments_it_loses_no_finished_trial(tmp_path):
    moments = random.Random(1)
    folder = tmp_path / "out"
    finished: dict = {}
    for _ in range(3):
        process = subprocess.Popen(
            [*COMMAND, "-o", str(folder)],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
            env={**os.environ, "PYTHONPATH": PATHS},
        )
        try:
            _await_more(folder, len(finished), process)
            time.sleep(moments.uniform(0, 0.5))
        finally:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()
        assert not locked(folder)
        now = {run.trial: run.regrets for run in read(folder).runs()}
        assert finished.keys() < now.keys()
        for trial, regrets in finished.items():
            np.testing.assert_array_equal(now[trial], regrets)
        finished = now
    assert len(finished) < 300  # it was always killed in mid-run


def _await_more(folder, count, process):
    for _ in range(1200):
        if len(list((folder / "parts").glob("*.parquet"))) > count or process.poll() is not None:
            return
        time.sleep(0.1)
    raise AssertionError("nothing was finished in two minutes")
