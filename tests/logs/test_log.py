"""Logs from arrays and frames: shapes, checks with row numbers, repairs, chunks."""

import datetime

import numpy as np
import pytest

from jostle.logs import BadLogError, Log
from jostle.logs.joining import join
from jostle.types import BanditSpec

ROWS, ARMS = 40, 3


def arrays(**changes):
    generator = np.random.default_rng(0)
    probabilities = generator.dirichlet(np.ones(ARMS), ROWS)
    found = {
        "actions": generator.integers(ARMS, size=ROWS),
        "rewards": generator.random(ROWS),
        "probabilities": probabilities,
    }
    return {**found, **changes}


def changed(name, row, value):
    array = np.array(arrays()[name], float)
    array[row] = value
    return {name: array}


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        (changed("rewards", 7, np.nan), "rewards must be finite numbers: row 7 .*missing-reward"),
        (changed("rewards", 3, np.inf), "rewards must be finite numbers: row 3"),
        (changed("actions", 5, 3), "actions must be indices from 0 to 2: row 5"),
        (changed("actions", 6, -1), "actions must be indices from 0 to 2: row 6"),
        (changed("probabilities", 4, [0.2, 0.2, 0.2]), "must sum to 1: row 4 .*renormalise"),
        (
            changed("probabilities", 9, [-0.5, 0.5, 1.0]),
            "must not be missing or below 0: row 9|above 0: row 9",
        ),
        (changed("probabilities", 9, np.nan), "must not be missing: row 9"),
        ({"probabilities": np.r_[np.ones(39), 0.0]}, "must be above 0: row 39"),
        ({"probabilities": np.r_[1.5, np.ones(39)]}, "must be at most 1: row 0"),
        ({"contexts": np.full((ROWS, 2), np.nan)}, "contexts must be finite numbers: rows 0, 1"),
        (changed("actions", 8, np.nan), "actions must be indices from 0 to 2: row 8"),
        (changed("actions", 8, 0.5), "actions must be indices from 0 to 2: row 8"),
        (changed("actions", 8, np.inf), "actions must be indices from 0 to 2: row 8"),
        (changed("rewards", 2, 1e300), "rewards must be at most 1e\\+100 in size: row 2"),
        ({"probabilities": np.r_[1e-320, np.ones(39)]}, "must be at least 1e-100: row 0"),
        ({"actions": np.full(ROWS, 10**8), "probabilities": np.ones(ROWS)}, "shown is 100,000,001"),
        ({"shown": 0}, "shown must be at least 1, not 0"),
        ({"actions": 3}, r"actions must have shape \(n,\), not \(\)"),
        ({"mask": np.ones(ROWS)}, r"mask must have shape \(n, arms\), not \(40,\)"),
        ({"arms": np.full((ROWS, ARMS), -5)}, "arms must be ids from 0, or -1 for none: rows 0"),
        ({"users": np.full(ROWS, -5)}, "users must be ids from 0, or -1 for none: rows 0"),
        (
            {"arms": np.full((ROWS, ARMS), 9), "arm_total": 4},
            "arm_total is 4, but the rows have 10",
        ),
        ({"users": np.full(ROWS, 4), "user_total": 4}, "user_total is 4, but the rows have 5"),
        ({"labels": ["a"]}, "the number of labels is 1, but the rows have 3"),
        ({"labels": list("aba")}, "labels must differ from each other, but 'a' is there twice"),
        ({"rewards": np.zeros(3)}, "rewards must have 40 rows, as actions has, not 3"),
        ({"contexts": np.zeros(ROWS)}, r"contexts must have shape \(n, features\) or \(n, arms"),
        ({"contexts": np.zeros((ROWS, 4, 2))}, "contexts must have 3 arms in each row, not 4"),
        ({"repair": "dropp"}, "unknown repair 'dropp'; did you mean 'drop-rows'"),
    ],
)
def test_bad_logs_are_refused_with_row_numbers(changes, message):
    with pytest.raises(ValueError, match=message):
        Log.from_arrays(**arrays(**changes))


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"labels": "abc"}, "labels must be a sequence of names"),
        ({"labels": 5}, "labels must be a sequence of names"),
        ({"adaptive": "no"}, "adaptive must be True, False or None, not 'no'"),
        ({"arm_total": "3"}, "arm_total must be a whole number"),
        ({"repair": 3}, "repair must be a name or several"),
    ],
)
def test_arguments_of_another_kind_are_refused(changes, message):
    with pytest.raises(TypeError, match=message):
        Log.from_arrays(**arrays(**changes))


def test_many_bad_rows_are_counted_from_where_the_chunk_begins():
    rewards = np.full(ROWS, np.nan)
    with pytest.raises(BadLogError, match="rows 100, 101, 102, 103, 104 and 35 more"):
        Log.from_arrays(**arrays(rewards=rewards), first_row=100)


def test_absent_arms_cannot_be_chosen_and_have_no_probability():
    mask = np.ones((ROWS, ARMS), bool)
    mask[11, 0] = False
    with pytest.raises(BadLogError, match="absent arms must have probability 0: row 11"):
        Log.from_arrays(**arrays(), mask=mask)
    with pytest.raises(BadLogError, match="chosen arms must be present: row"):
        Log.from_arrays([0, 0], [1, 1], [0.5, 0.5], mask=[[True, True], [False, True]])


def test_only_what_repair_names_is_repaired():
    rewards = arrays()["rewards"].copy()
    rewards[[3, 8]] = np.nan
    doubled = arrays()["probabilities"].copy()
    doubled[5] *= 2
    bad = arrays(rewards=rewards, probabilities=doubled)
    dropped = Log.from_arrays(**bad, repair="drop-rows")
    assert len(dropped) == ROWS - 3
    assert dropped.repairs == {"drop-rows": 3}
    both = Log.from_arrays(**bad, repair=("renormalise", "missing-reward-is-zero"))
    assert both.repairs == {"renormalise": 1, "missing-reward-is-zero": 2}
    assert both.rewards[3] == 0
    np.testing.assert_allclose(both.all_probabilities.sum(axis=1), 1)
    assert both.probabilities[5] == pytest.approx(doubled[5, both.actions[5]] / 2)
    with pytest.raises(BadLogError, match="sum to 1"):
        Log.from_arrays(**bad, repair="missing-reward-is-zero")


def test_chunks_are_the_log():
    log = Log.from_arrays(**arrays(contexts=np.random.default_rng(1).random((ROWS, 2))))
    pieces = list(log.chunks(15))
    assert [len(piece) for piece in pieces] == [15, 15, 10]
    assert [piece.first_row for piece in pieces] == [0, 15, 30]
    whole = join(pieces)
    for name, array in log.as_columns().items():
        np.testing.assert_array_equal(whole.as_columns()[name], array)


def test_the_dimensions_that_a_policy_is_built_for():
    shared = Log.from_arrays(**arrays(contexts=np.ones((ROWS, 2))))
    assert shared.spec == BanditSpec(6, blocks=3, arms=3)
    own = Log.from_arrays(**arrays(contexts=np.ones((ROWS, 3, 5))))
    assert own.spec == BanditSpec(5)
    ids = np.tile([4, 0, 2], (ROWS, 1))
    named = Log.from_arrays(**arrays(contexts=np.ones((ROWS, 3, 5))), arms=ids)
    assert named.spec == BanditSpec(5, arms=5)
    np.testing.assert_array_equal(named.chosen_arms(), np.array([4, 0, 2])[named.actions])
    assert Log.from_arrays(**arrays()).spec == BanditSpec(3, blocks=3, arms=3)


@pytest.mark.parametrize("kind", ["polars", "pandas"])
@pytest.mark.parametrize("shape", [None, (ROWS, 2), (ROWS, ARMS, 2)])
def test_frames_there_and_back(kind, shape):
    contexts = None if shape is None else np.random.default_rng(1).random(shape)
    log = Log.from_arrays(**arrays(contexts=contexts), times=np.arange(ROWS), users=np.arange(ROWS))
    back = Log.from_frame(log.to_frame(kind))
    for name, array in log.as_columns().items():
        np.testing.assert_array_equal(back.as_columns()[name], array)


@pytest.mark.parametrize("kind", ["polars", "pandas"])
def test_tables_of_others_by_the_names_of_their_columns(kind):
    library = pytest.importorskip(kind)
    frame = library.DataFrame(
        {"offer": ["b", "a", "b"], "bought": [1, 0, 1], "p": [0.5, 0.5, 0.5], "age": [20, 30, 40]}
    )
    log = Log.from_frame(frame, action="offer", reward="bought", probability="p", context=["age"])
    assert log.labels == ("a", "b")
    np.testing.assert_array_equal(log.actions, [1, 0, 1])
    np.testing.assert_array_equal(log.contexts, [[20], [30], [40]])
    with pytest.raises(ValueError, match="unknown column for reward: 'boughtt'; did you mean"):
        Log.from_frame(frame, action="offer", reward="boughtt", probability="p")
    with pytest.raises(TypeError, match="column 'offer' must hold numbers"):
        Log.from_frame(frame, action="p", reward="offer", probability="p")
    with pytest.raises(TypeError, match="frame must be a Polars or pandas DataFrame, not dict"):
        Log.from_frame({"offer": ["a"]})


@pytest.mark.parametrize("kind", ["polars", "pandas"])
@pytest.mark.parametrize("zone", [None, datetime.UTC], ids=["no zone", "UTC"])
def test_dates_of_a_frame_become_seconds(kind, zone):
    library = pytest.importorskip(kind)
    start = datetime.datetime(2020, 1, 1, 0, 0, 1, 500_000, tzinfo=zone)
    columns = {"action": [0, 1], "reward": [1, 0], "probability": [0.5, 0.5]}
    log = Log.from_frame(library.DataFrame({**columns, "time": [start, start]}))
    np.testing.assert_array_equal(log.times, 1_577_836_801.5)


def test_frames_that_cannot_be_read_are_named():
    pl, pd = pytest.importorskip("polars"), pytest.importorskip("pandas")
    row = {"action": [0], "reward": [1.0], "probability": [0.5]}
    with pytest.raises(TypeError, match=r"DataFrame, not LazyFrame: call collect\(\) first"):
        Log.from_frame(pl.DataFrame(row).lazy())
    with pytest.raises(ValueError, match="unknown column for action: 'action'"):
        Log.from_frame(pd.DataFrame([[0, 1.0, 0.5]]))
    twice = pd.DataFrame([[0, 1.0, 0.5, 0.5]], columns=[*row, "probability"])
    with pytest.raises(ValueError, match="must not have two columns 'probability'"):
        Log.from_frame(twice)


def test_a_part_of_a_log_knows_all_arms_and_users():
    early = Log.from_arrays(
        [0, 0], [1.0, 0.0], np.full((2, 2), 0.5), arms=[[0, 1], [2, 3]], users=[0, 5]
    )[:1]
    assert (early.arm_count, early.spec.arms, early.spec.users) == (4, 4, 6)
