"""Files of logs: formats, chunks, headers."""

import json

import numpy as np
import pytest

from jostle.logs import Log, LogWriter, read, scan, write

ROWS = 50


def example(**changes):
    generator = np.random.default_rng(0)
    found = {
        "actions": generator.integers(3, size=ROWS),
        "rewards": generator.random(ROWS),
        "probabilities": generator.dirichlet(np.ones(3), ROWS),
        "contexts": generator.random((ROWS, 3, 2)),
        "arms": np.tile([5, 7, 9], (ROWS, 1)),
        "mask": np.ones((ROWS, 3), bool),
        "users": generator.integers(4, size=ROWS),
        "times": np.arange(ROWS),
        "labels": [f"arm {i}" for i in range(12)],
        "adaptive": True,
    }
    return Log.from_arrays(**{**found, **changes})


@pytest.mark.parametrize("suffix", [".parquet", ".jsonl"])
@pytest.mark.parametrize(
    "changes",
    [{}, {"contexts": None, "arms": None, "mask": None, "labels": None}],
    ids=["everything", "the least"],
)
def test_files_there_and_back(tmp_path, suffix, changes):
    log, path = example(**changes), tmp_path / f"log{suffix}"
    write(log, path)
    back = read(path)
    for name, array in log.as_columns().items():
        np.testing.assert_array_equal(back.as_columns()[name], array)
    assert (back.labels, back.adaptive, back.spec) == (log.labels, True, log.spec)
    assert [len(chunk) for chunk in scan(path, rows=20).chunks()][-1] <= 20
    assert [path.name for path in tmp_path.iterdir()] == [path.name]


def test_a_log_is_written_in_chunks_and_only_if_all_goes_well(tmp_path):
    with LogWriter(tmp_path / "log.parquet") as writer:
        for chunk in example().chunks(7):
            writer.write(chunk)
    assert len(read(tmp_path / "log.parquet")) == ROWS
    with pytest.raises(TypeError), LogWriter(tmp_path / "other.parquet") as writer:
        writer.write(example(), "one argument too many")
    assert [path.name for path in tmp_path.iterdir()] == ["log.parquet"]


def test_bad_rows_of_a_file_have_the_numbers_of_the_file(tmp_path):
    path = tmp_path / "log.jsonl"
    rows = [{"action": 0, "reward": 1, "probability": 0.5} for _ in range(10)]
    rows[7]["reward"] = None
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    with pytest.raises(ValueError, match="rewards must be finite numbers: row 7"):
        read(path)
    assert len(read(path, repair="drop-rows")) == 9
    chunks = list(scan(path, rows=4, repair="missing-reward-is-zero").chunks())
    assert sum(len(chunk) for chunk in chunks) == 10


def test_a_table_without_header_says_how_many_arms_it_has(tmp_path):
    path = tmp_path / "log.parquet"
    polars = pytest.importorskip("polars")
    polars.DataFrame(
        {"action": [0, 1, 4], "reward": [1.0, 0, 1], "probability": [0.2, 0.2, 0.2]}
    ).write_parquet(path)
    assert [chunk.shown for chunk in scan(path, rows=1).chunks()] == [5, 5, 5]


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("log.txt", "", "unknown suffix of a log '.txt'"),
        ("log.jsonl", "not json\n", "line 1: not JSON"),
        ("log.jsonl", '{"action": 0}\n', "has no column 'reward'"),
        ("log.jsonl", '{"format": "jostle-log", "version": 9}\n', "version 9 of the format"),
        ("log.jsonl", '{"format": "other", "version": 1}\n', "not a jostle log"),
        ("log.csv", "a,b\n1,2\n", "does not have the columns of the Open Bandit Dataset"),
        ("log.jsonl", "", "is empty"),
    ],
)
def test_other_files_are_refused(tmp_path, name, text, message):
    (tmp_path / name).write_text(text)
    with pytest.raises(ValueError, match=message):
        read(tmp_path / name)


def test_a_missing_file_is_named(tmp_path):
    with pytest.raises(FileNotFoundError, match=r"log\.parquet does not exist"):
        scan(tmp_path / "log.parquet")
