"""Folders of version 1 become folders of version 2, exactly where that can be known."""

import json

import polars
import pytest
from typer.testing import CliRunner

from jostle.cli import app
from jostle.lab.results.folder import FolderError, Store, read
from jostle.lab.running.migrate import COMMIT, experiment_folders, migrate_folder
from jostle.lab.running.prepare import prepare
from jostle.lab.spec.experiment import Experiment
from lab.examples import comparison

THIRD = 0.3333333333
EXPERIMENT = Experiment(
    "old",
    (f"h1:features=4,pool=6,shown=3,noise={THIRD}",),
    ("npr.descent:width=8", "uniform"),
    rounds=20,
    seeds=(0,),
)


def old_text(value):
    """A setting as version 1 wrote it."""
    if isinstance(value, float):
        return f"{value:g}"
    return "none" if value is None else str(value)


@pytest.fixture
def old(tmp_path):
    """A folder as jostle 0.1 wrote it, with a run."""
    manifest = prepare(EXPERIMENT)
    folder = tmp_path / "old"
    panel = comparison({"uniform": [3.0]}, rounds=20, environment=EXPERIMENT.environments[0])
    with Store(folder, manifest) as store:
        for run in panel.runs:
            store.add(run)
        store.compact()
    content = manifest.as_mapping()
    content["version"] = 1
    del content["behaviour"]
    for those in (content["environments"], *content["policies"].values()):
        for settings in those.values():
            settings |= {name: old_text(value) for name, value in settings.items()}
    npr = content["policies"][EXPERIMENT.environments[0]]["npr.descent:width=8"]
    parts = [f"{name}={npr.pop(name)}" for name in ("width", "depth", "linear")]
    npr["network"] = f"MLP({', '.join(parts)})"
    npr["noise"] = "0.7"  # a default that has changed since
    (folder / "manifest.json").write_text(json.dumps(content))
    trials = folder / "trials.parquet"
    polars.read_parquet(trials).drop("behaviour", "commit").write_parquet(trials)
    return folder


def test_a_folder_of_version_1_is_converted_once(old):
    with pytest.raises(FolderError, match=f"jostle migrate {old}"):
        read(old)
    with pytest.raises(FolderError, match="jostle migrate"):
        Store(old, prepare(EXPERIMENT))
    before = polars.read_parquet(old / "trials.parquet")
    result = CliRunner().invoke(app, ["migrate", str(old.parent)])
    assert result.exit_code == 0, result.output
    assert "noise stays 0.7 as recorded (now 0.1)" in result.output
    outcome = read(old)
    manifest, now = outcome.manifest, prepare(EXPERIMENT)
    [world] = EXPERIMENT.environments
    assert manifest.environments == now.environments
    assert manifest.environments[world]["noise"] == THIRD
    assert manifest.policies[world]["uniform"] == now.policies[world]["uniform"]
    exact = now.policies[world]["npr.descent:width=8"]
    assert manifest.policies[world]["npr.descent:width=8"] == {**exact, "noise": 0.7}
    assert manifest.behaviour == now.behaviour
    assert [run.commit for run in outcome.runs()] == [COMMIT]
    assert outcome.runs()[0].behaviour == now.behaviour_of(outcome.runs()[0].trial)
    after = polars.read_parquet(old / "trials.parquet")
    assert after.drop("behaviour", "commit").equals(before)

    files = {path: path.read_bytes() for path in old.glob("*.*")}
    assert migrate_folder(old) is None
    assert files == {path: path.read_bytes() for path in old.glob("*.*")}


def test_names_of_settings_that_have_changed(old):
    """A conversion that was interrupted before its last step, the manifest, is repeated."""
    trials = old / "trials.parquet"
    text = (old / "manifest.json").read_text()
    migrate_folder(old)
    renamed = EXPERIMENT.environments[0] + ",told=true"
    (old / "manifest.json").write_text(text.replace(EXPERIMENT.environments[0], renamed))
    frame = polars.read_parquet(trials).drop("behaviour", "commit")
    frame.with_columns(polars.lit(renamed).alias("environment")).write_parquet(trials)
    notes = migrate_folder(old)
    assert any("cannot be built" in note for note in notes)  # h1 has no such setting
    world = EXPERIMENT.environments[0] + ",full_information=true"
    assert read(old).plans[0].environment == world
    assert {run.trial.environment for run in read(old).runs()} == {world}


def test_folders_that_hold_no_experiment_are_named(tmp_path):
    assert experiment_folders([tmp_path / "nowhere"]) == [tmp_path / "nowhere"]
    with pytest.raises(FolderError, match="there is no folder"):
        migrate_folder(tmp_path / "nowhere")
    with pytest.raises(FolderError, match="holds no experiment"):
        migrate_folder(tmp_path)
