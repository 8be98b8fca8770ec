"""The folder of an experiment: what is in it survives, and nothing else gets in."""

import json

import numpy as np
import pytest

from jostle.lab.results import parquet
from jostle.lab.results.folder import FolderError, Store, locked, read
from jostle.lab.results.manifest import Manifest
from jostle.lab.results.model import Candidate, Run, Timed, Times, thinned
from jostle.lab.spec.experiment import Experiment
from jostle.lab.spec.plan import Plan, Trial
from lab.examples import behaviour

EXPERIMENT = Experiment("e", ("h1", "h2"), ("npr", "uniform"), 1000, (0, 1))
PLANS = tuple(Plan(name, ("npr", "uniform"), 1000, (0, 1)) for name in ("h1", "h2"))
MANIFEST = Manifest(
    EXPERIMENT,
    PLANS,
    {"h1": {"noise": 0.1}, "h2": {}},
    {"h1": {"npr": {"noise": 0.03}, "uniform": {}}, "h2": {"npr": {}, "uniform": {}}},
    behaviour(PLANS),
)


def run(environment="h1", policy="npr", seed=0, scale=1.0):
    points = thinned(1000)
    return Run(
        Trial(environment, policy, 1000, seed),
        np.sqrt(points) * scale,
        points / 3,
        {"noise": 0.1},
        (Candidate({}, 250, 3.5), Candidate({"noise": 0.1}, 250, 2.5)),
        1.5,
        None,
        1234,
        {"simulation": 1, "environment": 1, "policy": 1},
        "0123abc+changes",
    )


def test_what_is_added_is_read_again(tmp_path):
    with Store(tmp_path, MANIFEST) as store:
        store.add(run())
        store.add(run("h2", "uniform", 1, 2.0))
        outcome = read(tmp_path)
        outcome.add(Timed("h1", "npr", Times(0.5, 0.25)))
        store.keep_times(outcome)
        store.keep_session({"command": "jostle run"})
    for _ in range(2):  # before and after the parts are put together
        outcome = read(tmp_path)
        assert outcome.experiment == EXPERIMENT
        assert outcome.manifest == MANIFEST
        first, second = sorted(outcome.runs(), key=lambda each: each.trial)
        assert first.trial == run().trial
        assert first[3:] == run()[3:]
        np.testing.assert_array_equal(first.regrets, run().regrets)
        np.testing.assert_array_equal(second.rewards, run().rewards)
        assert len(outcome.missing()) == 6
        assert outcome.comparisons[0].times == {"npr": Times(0.5, 0.25)}
        assert outcome.sessions == [{"command": "jostle run"}]
        with Store(tmp_path, MANIFEST) as store:
            store.compact()
        assert list((tmp_path / "parts").iterdir()) == []


def test_a_trial_that_is_in_two_files_counts_once(tmp_path):
    with Store(tmp_path, MANIFEST) as store:
        store.add(run())
        parquet.write(tmp_path / "trials.parquet", [run(), run(seed=1)])
        assert len(read(tmp_path).runs()) == 2
        store.compact()
    assert len(read(tmp_path).runs()) == 2


def test_only_one_process_writes(tmp_path):
    with Store(tmp_path, MANIFEST):
        assert locked(tmp_path)
        with pytest.raises(FolderError, match="another process is writing to"):
            Store(tmp_path, MANIFEST)
    assert not locked(tmp_path)
    with Store(tmp_path, MANIFEST):
        pass


def test_another_experiment_is_refused_with_the_difference(tmp_path):
    with Store(tmp_path, MANIFEST) as store:
        store.add(run())
    changed = json.loads(json.dumps(MANIFEST.as_mapping()))
    changed["experiment"]["rounds"] = 2000
    changed["policies"]["h1"]["npr"]["noise"] = 0.1 + 0.2
    with pytest.raises(FolderError) as caught:
        Store(tmp_path, Manifest.from_mapping(changed))
    assert "experiment.rounds: 1000 there, 2000 now" in str(caught.value)
    assert "policies.h1.npr.noise: 0.03 there, 0.30000000000000004 now" in str(caught.value)
    assert len(read(tmp_path).runs()) == 1
    with Store(tmp_path, MANIFEST):  # the refusal left no lock behind
        pass


def test_foreign_and_damaged_folders_are_refused(tmp_path):
    (tmp_path / "thesis.txt").write_text("precious")
    with pytest.raises(FolderError, match="is not empty"):
        Store(tmp_path, MANIFEST)
    with pytest.raises(FolderError, match="holds no experiment"):
        read(tmp_path)
    with pytest.raises(FolderError, match="there is no folder"):
        read(tmp_path / "nowhere")
    with pytest.raises(FolderError, match="is a file"):
        Store(tmp_path / "thesis.txt", MANIFEST)
    folder = tmp_path / "mine"
    with Store(folder, MANIFEST) as store:
        store.add(run())
    part = next((folder / "parts").iterdir())
    part.write_bytes(part.read_bytes()[:50])
    with pytest.raises(FolderError, match=r"parquet' cannot be read .*; delete it"):
        read(folder)
    content = (folder / "manifest.json").read_text()
    (folder / "manifest.json").write_text(content.replace('"curves"', '"rings"'))
    with pytest.raises(FolderError, match=r"manifest.json' cannot be read: unknown figure 'rings'"):
        read(folder)
    (folder / "manifest.json").write_text("{")
    with pytest.raises(FolderError, match=r"manifest.json' cannot be read"):
        read(folder)


def test_the_frame_has_every_point(tmp_path):
    with Store(tmp_path, MANIFEST) as store:
        store.add(run())
    frame = read(tmp_path).frame()
    assert frame.columns == ["environment", "policy", "seed", "round", "regret", "reward"]
    assert len(frame) == 200
    assert frame["regret"][-1] == pytest.approx(np.sqrt(1000))
