"""Files of logs: formats, chunks, headers."""

import datetime
import json

import numpy as np
import pytest

from jostle.logs import Log, LogWriter, read, scan, write

ROWS = 50
ROW = '{"action": 0, "probability": 0.5, "reward": 1}\n'
SHORT = "".join(ROW.replace("}", f', "features": {x}}}') for x in ([[1], [2]], [[1]]))


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


def test_rows_with_other_columns_than_those_before_are_refused(tmp_path):
    for suffix in (".parquet", ".jsonl"):
        with LogWriter(tmp_path / f"log{suffix}") as writer:
            writer.write(example())
            with pytest.raises(ValueError, match="log must have the columns of the rows before"):
                writer.write(example(contexts=np.zeros((ROWS, 3, 5))))


def test_a_parquet_file_cut_in_half_or_damaged_is_named(tmp_path):
    path = tmp_path / "log.parquet"
    write(example(), path)
    content = path.read_bytes()
    for damaged in (content[: len(content) // 2], content[:60] + bytes(80) + content[140:]):
        path.write_bytes(damaged)
        with pytest.raises(ValueError, match=r"log\.parquet cannot be read"):
            read(path)


def test_a_parquet_file_of_text_or_without_times(tmp_path):
    polars = pytest.importorskip("polars")
    columns = {"action": ["a", "b"], "reward": [1.0, 0], "probability": [0.5, 0.5]}
    polars.DataFrame(columns).write_parquet(tmp_path / "log.parquet")
    with pytest.raises(ValueError, match=r"column 'action' must hold numbers.* Log\.from_frame"):
        read(tmp_path / "log.parquet")
    when = [datetime.datetime(2020, 1, 1), None]
    columns |= {"action": [0, 1], "time": when}
    polars.DataFrame(columns).write_parquet(tmp_path / "log.parquet")
    np.testing.assert_array_equal(read(tmp_path / "log.parquet").times, [1_577_836_800, np.nan])


def test_columns_called_format_and_version_are_no_header(tmp_path):
    path = tmp_path / "log.jsonl"
    path.write_text("\ufeff" + ROW.replace("}", ', "format": "x", "version": 2}'))
    assert len(read(path)) == 1


def test_writing_needs_a_log_and_a_folder(tmp_path):
    with pytest.raises(TypeError, match=r"log must be a jostle log.*not list"):
        write([1], tmp_path / "log.parquet")
    with pytest.raises(FileNotFoundError, match=r"the folder .*nowhere does not exist"):
        write(example(), tmp_path / "nowhere" / "log.parquet")


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
        ("log.jsonl", '{"format": "jostle-log", "version"\n', "header that is not JSON"),
        ("log.jsonl", '["format", "version"]\n', "line 1: expected an object, not list"),
        ("log.jsonl", ROW + "[" * 100_000, "line 2: cannot be read .*recursion"),
        ("log.jsonl", ROW.replace("1}", "9" * 5000 + "}"), "line 1: cannot be read .*5000 digits"),
        ("log.jsonl", "\xff\x8b", "cannot be read: 'utf-8' codec"),
        ("log.jsonl", ROW.replace("1}", "1, 'x': 2}").replace("'", '"') * 2 + "{", "line 3: not"),
        ("log.jsonl", ROW.replace("0.5", '"half"'), "column 'probability' must hold numbers"),
        ("log.jsonl", SHORT, "column 'features' .*, unless 'mask' says which arms are present"),
        ("log.parquet", "", "log.parquet cannot be read: .*size is 0 bytes"),
        ("log.parquet", "no Parquet at all", "log.parquet cannot be read: .*magic bytes"),
        ("log.csv", "\x8b\xff\xfe", "does not have the columns"),
    ],
)
def test_other_files_are_refused(tmp_path, name, text, message):
    (tmp_path / name).write_text(text, encoding="latin-1")
    with pytest.raises(ValueError, match=message):
        read(tmp_path / name)


def test_a_missing_file_is_named(tmp_path):
    with pytest.raises(FileNotFoundError, match=r"log\.parquet does not exist"):
        scan(tmp_path / "log.parquet")


@pytest.mark.parametrize("suffix", [".parquet", ".jsonl"])
def test_ids_that_appear_late_are_counted(tmp_path, suffix):
    """Whoever writes chunk by chunk need not know how many arms and users there will be."""
    path = tmp_path / f"log{suffix}"
    with LogWriter(path) as writer:
        for first in (0, 2):
            arms = np.tile([first, first + 1], (3, 1))
            writer.write(
                Log.from_arrays(
                    [0, 1, 0], np.ones(3), np.full((3, 2), 0.5), arms=arms, users=[first] * 3
                )
            )
    scanned = scan(path, rows=3)
    assert (scanned.spec.arms, scanned.spec.users) == (4, 3)
    assert all(chunk.arm_count == 4 and chunk.shown == 2 for chunk in scanned.chunks())


def test_an_empty_log_is_not_written(tmp_path):
    with pytest.raises(ValueError, match="log must have at least one row"):
        write(example()[:0], tmp_path / "log.parquet")
    assert not list(tmp_path.iterdir())
