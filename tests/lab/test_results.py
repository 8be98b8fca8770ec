import json

import pytest

from jostle.lab import results
from jostle.writing import atomic
from lab.examples import comparison, facts, same


def test_what_is_saved_is_loaded(tmp_path):
    made = comparison({"npr": [10, 12], "x/y": [30, None]}, rounds=2000, times={"npr": (0.01, 1)})
    results.save(made, facts(), tmp_path)
    loaded, how = results.load(tmp_path)
    assert same(made, loaded)
    assert loaded.plan == made.plan
    assert loaded.times == made.times
    assert how == facts() or how.command == "jostle run"
    content = json.loads((tmp_path / "results.json").read_text("utf-8"))
    assert content["missing"] == [["x/y", 1]]
    assert content["summary"][0]["regret"] == pytest.approx(11)
    assert {"jostle", "jax", "numpy", "python"} <= content["facts"]["versions"].keys()


def test_default_folders_are_named_after_the_environment_and_never_shared(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(results.time, "strftime", lambda _: "20260101-000000")
    folders = [results.make_folder(None, "h1:pool=none") for _ in range(3)]
    assert [str(f) for f in folders] == [
        f"runs/h1-pool-none-20260101-000000{tail}" for tail in ("", "-2", "-3")
    ]


def test_folders_with_content_are_refused(tmp_path):
    assert results.make_folder(tmp_path / "new" / "deep", "h1").is_dir()
    assert results.make_folder(tmp_path / "new" / "deep", "h1")  # still empty
    (tmp_path / "file").write_text("mine")
    with pytest.raises(ValueError, match="is not empty"):
        results.make_folder(tmp_path, "h1")
    with pytest.raises(ValueError, match="is a file"):
        results.make_folder(tmp_path / "file", "h1")
    with pytest.raises(ValueError, match="cannot be made"):
        results.make_folder(tmp_path / "file" / "below", "h1")
    results.save(comparison({"npr": [1]}), facts(), tmp_path / "new")
    with pytest.raises(ValueError, match="holds the results of another run"):
        results.make_folder(tmp_path / "new", "h1")
    assert (tmp_path / "file").read_text() == "mine"


def test_foreign_folders_are_not_loaded(tmp_path):
    with pytest.raises(ValueError, match="no results"):
        results.load(tmp_path)
    (tmp_path / "results.json").write_text('{"format": "other"}')
    with pytest.raises(ValueError, match="no results"):
        results.load(tmp_path)


def test_a_failed_write_leaves_the_file_as_it_was(tmp_path):
    path = tmp_path / "file"
    path.write_bytes(b"before")

    def fail():
        with atomic(path) as file:
            file.write(b"after")
            raise RuntimeError("midway")

    with pytest.raises(RuntimeError, match="midway"):
        fail()
    assert path.read_bytes() == b"before"
    assert list(tmp_path.iterdir()) == [path]
