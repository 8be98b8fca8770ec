"""The CSV of the Open Bandit Dataset: there and back, and what it cannot hold."""

import numpy as np
import pytest

from jostle import LinTS
from jostle.environments import Synthetic
from jostle.logs import Log, LogWriter, read, scan, write
from jostle.simulation import simulate

ROWS, ARMS = 60, 4


def clicks(**changes):
    """A log that the form can hold."""
    generator = np.random.default_rng(0)
    found = {
        "actions": generator.integers(ARMS - 1, size=ROWS),  # the last arm is never chosen
        "rewards": generator.integers(2, size=ROWS),
        "probabilities": generator.uniform(0.01, 1.0, ROWS),
        "contexts": generator.normal(size=(ROWS, 3)),
        "times": 1_574_553_634.76283 + np.arange(ROWS) / 7,
        "shown": ARMS,
    }
    return Log.from_arrays(**{**found, **changes})


def test_the_csv_of_the_open_bandit_dataset(tmp_path):
    path = tmp_path / "all.csv"
    path.write_text(
        ",timestamp,item_id,position,click,propensity_score,user_feature_0,user_feature_1\n"
        "0,2019-11-24 00:00:01+00:00,2,1,0,0.25,u,x\n"
        "1,2019-11-24 00:00:03+00:00,0,3,1,0.5,v,x\n"
        "2,2019-11-24 00:00:04+00:00,3,1,0,0.25,u,y\n"
    )
    for log in (read(path), read(path, repair="drop-rows")):
        np.testing.assert_array_equal(log.actions, [2, 0, 3])
        np.testing.assert_array_equal(log.rewards, [0, 1, 0])
        np.testing.assert_array_equal(log.probabilities, [0.25, 0.5, 0.25])
        np.testing.assert_array_equal(np.diff(log.times), [2, 1])
        # Indicators of position 1 and 3, of u and v, and of x and y.
        np.testing.assert_array_equal(
            log.contexts, [[1, 0, 1, 0, 1, 0], [0, 1, 0, 1, 1, 0], [1, 0, 1, 0, 0, 1]]
        )
        assert log.shown == 4
    assert [len(chunk) for chunk in scan(path, rows=2).chunks()] == [2, 1]


@pytest.mark.parametrize(
    "changes",
    [
        {},
        {"contexts": None, "times": None},
        {"contexts": np.eye(5, dtype=np.float32)[np.arange(ROWS) % 5]},
        {"mask": np.ones((ROWS, ARMS), bool)},
    ],
    ids=["numbers and times", "the least", "indicators", "a mask of all arms"],
)
def test_there_and_back(tmp_path, changes):
    log, path = clicks(**changes), tmp_path / "log.csv"
    with LogWriter(path) as writer:
        for chunk in log.chunks(7):
            writer.write(chunk)
    back = read(path)
    assert set(back.as_columns()) == set(log.as_columns()) - {"mask"}
    for name, array in back.as_columns().items():
        expected = log.as_columns()[name]
        # Times are kept to the microsecond.
        np.testing.assert_allclose(array, expected, rtol=0, atol=6e-7 * (name == "time"))
    assert (back.spec, back.shown) == (log.spec, ARMS)
    write(scan(path, rows=11), tmp_path / "again.csv")
    assert (tmp_path / "again.csv").read_text() == path.read_text()
    assert {each.name for each in tmp_path.iterdir()} == {"log.csv", "again.csv"}


def test_rows_as_other_readers_see_them(tmp_path):
    polars = pytest.importorskip("polars")
    log = clicks(times=np.arange(ROWS) + 0.5)
    write(log, tmp_path / "log.csv")
    table = polars.read_csv(tmp_path / "log.csv", try_parse_dates=True)
    np.testing.assert_array_equal(table["item_id"], log.actions)
    np.testing.assert_array_equal(table["click"], log.rewards)
    np.testing.assert_array_equal(table["propensity_score"], log.probabilities)
    np.testing.assert_array_equal(table["user_feature_2"], log.contexts[:, 2])
    assert table["position"].unique().to_list() == [1]
    assert str(table["timestamp"][0]) == "1970-01-01 00:00:00.500000+00:00"
    assert table.columns[-1] == f"user-item_affinity_{ARMS - 1}"


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"rewards": np.r_[np.zeros(57), 0.5, 0, 0]}, "other than 0 and 1 .* row 57 has 0.5"),
        ({"probabilities": np.full((ROWS, ARMS), 0.25)}, r"hold probabilities: .*drop=\['prob"),
        ({"users": np.zeros(ROWS), "adaptive": False}, r"drop=\['user', 'adaptive'\]"),
        ({"labels": list("abcd")}, r"cannot hold labels"),
        ({"contexts": np.zeros((ROWS, ARMS, 2))}, "cannot hold features of each arm"),
        ({"arms": np.tile([3, 1, 0, 2], (ROWS, 1))}, "cannot hold ids of the arms of each row"),
        ({"mask": np.arange(ARMS) < np.full((ROWS, 1), 3)}, "cannot hold which arms are absent"),
        ({"times": np.full(ROWS, 1.6e12)}, "seconds since 1970 .*drop='time'"),
        ({"times": -np.ones(ROWS)}, "seconds since 1970"),
    ],
)
def test_what_it_cannot_hold_is_refused(tmp_path, changes, message):
    path = tmp_path / "log.csv"
    with pytest.raises(ValueError, match=message):
        write(clicks(**changes), path)
    assert list(tmp_path.iterdir()) == []


def test_what_may_be_left_out(tmp_path):
    every = np.full((ROWS, ARMS), 0.25)
    log = clicks(probabilities=every, users=np.zeros(ROWS), labels=list("abcd"), adaptive=True)
    write(log, tmp_path / "log.csv", drop=("probabilities", "user", "labels", "adaptive"))
    back = read(tmp_path / "log.csv")
    np.testing.assert_array_equal(back.probabilities, 0.25)
    assert (back.all_probabilities, back.users, back.labels, back.adaptive) == (None,) * 4
    write(log, tmp_path / "log.parquet", drop="user")
    assert read(tmp_path / "log.parquet").users is None
    with pytest.raises(ValueError, match=r"unknown part .* 'users'; did you mean 'user'"):
        log.without("users")


def test_a_simulation_refuses_it_before_it_begins(tmp_path):
    environment = Synthetic()
    policy = LinTS.for_environment(environment, floor=0.1)
    with pytest.raises(ValueError, match=r"log must be a \.parquet or \.jsonl file"):
        simulate(policy, environment, rounds=10, log=tmp_path / "log.csv")


def test_features_that_are_numbers_are_taken_as_they_are(tmp_path):
    path = tmp_path / "log.csv"
    path.write_text(
        "item_id,click,propensity_score,user_feature_0,user_feature_1\n1,0,0.5,7,1\n0,1,0.5,2.5,x\n"
    )
    log = read(path)
    np.testing.assert_array_equal(log.contexts, [[7, 1, 0], [2.5, 0, 1]])
    assert log.times is None


def test_two_columns_of_a_name_and_another_encoding_are_refused(tmp_path):
    path = tmp_path / "log.csv"
    path.write_text("item_id,click,click,propensity_score\n0,1,0,0.5\n")
    with pytest.raises(ValueError, match=r"log\.csv has two columns 'click'"):
        read(path)
    path.write_bytes(b"item_id,position,click,propensity_score,user_feature_0\n0,1,1,0.5,\xe9\n")
    with pytest.raises(ValueError, match=r"log\.csv cannot be read: .*UTF8"):
        read(path)


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ("a,1,1,2019-01-01,0.5,u", "log.csv cannot be read: .*'a'"),
        ("0,1,yes,2019-01-01,0.5,u", "log.csv cannot be read: .*'yes'"),
        ("0,1,1,2019-01-01", "log.csv cannot be read: .*Expected 6 columns, got 4"),
        (",1,1,2019-01-01,0.5,u", "item_id is empty"),
        ("-1,1,1,2019-01-01,0.5,u", "actions must be indices from 0"),
        ("0,1,,2019-01-01,0.5,u", "rewards must be finite numbers: row 1"),
        ("0,1,1,2019-01-01,0,u", "must be above 0: row 1"),
        ("0,1,1,,0.5,u", "timestamp is empty in 1 of 2 rows"),
        ("0,1,1,soon,0.5,u", "timestamp must hold times"),
    ],
)
def test_bad_rows_are_named(tmp_path, rows, message):
    path = tmp_path / "log.csv"
    path.write_text(
        "item_id,position,click,timestamp,propensity_score,user_feature_0\n"
        f"0,1,1,2019-01-01,0.5,u\n{rows}\n"
    )
    with pytest.raises(ValueError, match=message):
        read(path)
