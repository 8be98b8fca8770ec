"""Logs that deciders write: what evaluation reads of them, and what a crash leaves."""

import itertools
import json

import numpy as np
import pytest

from jostle import Decider, LinUCB, Uniform
from jostle.evaluation import evaluate
from jostle.features import Encoder
from jostle.logs import read, scan

SIZE = 16
RATES = {"phone": {"a": 0.8, "b": 0.2, "c": 0.1}, "desktop": {"a": 0.1, "b": 0.3, "c": 0.6}}


class Clock:
    """A clock that tests set."""

    def __init__(self):
        self.now = 0.0

    def __call__(self):
        return self.now


def made(path, clock, policy=None, **settings):
    policy = LinUCB(SIZE, floor=0.3) if policy is None else policy
    settings = {"wait": 5, "default_reward": 0.0, **settings}
    return Decider(policy, Encoder(SIZE), clock=clock, log=path, **settings)


def step(decider, clock, t):
    """Decision t of a fixed stream, and its reward a little later; the actions vary."""
    rng = np.random.default_rng(t)
    clock.now = float(t)
    device, actions = str(rng.choice(list(RATES))), ["a", "b", "c"][: 2 + t % 2]
    decision = decider.decide({"device": device}, actions, id=f"d{t}")
    if rng.random() < RATES[device][decision.action]:
        decider.reward(decision.id, 1.0)
    return decision


def run(decider, clock, times):
    return [step(decider, clock, t) for t in times]


@pytest.mark.study
def test_evaluation_of_a_decider_s_log_finds_the_truth(tmp_path):
    clock, path = Clock(), tmp_path / "log.jsonl"
    decider = made(path, clock)
    decisions = run(decider, clock, range(400))
    clock.now += 10
    decider.advance()
    log = read(path)
    assert len(log) == 400
    assert log.labels == ("a", "b", "c")
    assert log.adaptive
    assert [decision.index for decision in decisions] == log.actions.tolist()
    assert log.times.tolist() == list(range(400))
    # By definition: the mean of r 1[a] / p.
    taken = np.array([decision.action == "a" for decision in decisions])
    chances = np.array([decision.probability for decision in decisions])
    expected = np.mean(log.rewards * taken / chances)
    found = evaluate(log, "a", estimators="ips")["ips"]
    assert found.value == pytest.approx(expected, abs=1e-9)
    truth = np.mean([rates["a"] for rates in RATES.values()])
    error = np.std(log.rewards * taken / chances) / np.sqrt(len(log))
    assert abs(found.value - truth) < 5 * error
    assert error < 0.08


def test_rows_of_different_lengths_are_padded_and_named(tmp_path):
    clock, path = Clock(), tmp_path / "log.jsonl"
    decider = made(path, clock, Uniform(SIZE))
    for t in range(7):
        step(decider, clock, t)
    clock.now += 10
    decider.save(tmp_path / "decider.npz")
    log = read(path)
    present = [[True, True, bool(t % 2)] for t in range(7)]
    assert log.mask.tolist() == present
    assert log.arms.tolist() == [[0, 1, 2 if t % 2 else -1] for t in range(7)]
    assert log.contexts.shape == (7, 3, SIZE)
    assert not log.contexts[0, 2].any()
    halves = list(scan(path, rows=1).chunks())  # some chunks have no third arm
    assert all(chunk.shown == 3 for chunk in halves)
    assert [chunk.arms.tolist() for chunk in halves] == [[row] for row in log.arms.tolist()]


def test_parquet_is_written_when_the_decider_is_saved_or_synced(tmp_path):
    clock = Clock()
    deciders = [made(tmp_path / name, clock, Uniform(SIZE)) for name in ("a.jsonl", "b.parquet")]
    for decider, t in itertools.product(deciders, range(8)):
        step(decider, clock, t)
        clock.now = 0
    for decider in deciders:
        clock.now = 20
        decider.advance()
        decider.sync_log()
    one, other = read(tmp_path / "a.jsonl"), read(tmp_path / "b.parquet")
    assert other.labels == one.labels
    assert len(other) == 8
    for name, column in one.as_columns().items():
        np.testing.assert_array_equal(other.as_columns()[name], column)


@pytest.mark.parametrize("lost", [0, 7])
def test_saving_loses_and_repeats_no_row(tmp_path, lost):
    """Also if rows were written after the decider was saved, and then the process died."""
    clock = Clock()
    alone = made(tmp_path / "alone.jsonl", clock)
    for t in range(40):
        step(alone, clock, t)
    clock.now, path = 0.0, tmp_path / "log.jsonl"
    decider = made(path, clock)
    for t in range(20):
        step(decider, clock, t)
    decider.save(tmp_path / "decider.npz")
    written = path.read_bytes()
    for t in range(20, 20 + lost):
        step(decider, clock, t)
    known = {f"d{t}" for t in range(20)}
    after = [json.loads(line)["id"] for line in path.read_bytes()[len(written) :].splitlines()]
    decider = Decider.load(tmp_path / "decider.npz", clock=clock, log=path)
    for t in range(20, 40):
        step(decider, clock, t)
    ids = [json.loads(line)["id"] for line in path.read_text().splitlines()[1:]]
    assert [id for id in ids if id in known] == [f"d{t}" for t in range(20)]
    if lost:
        assert set(after) & known  # some that were open when the decider was saved
    else:
        assert path.read_text() == (tmp_path / "alone.jsonl").read_text()


def test_a_torn_row_is_cut_off_and_a_shorter_file_is_refused(tmp_path):
    clock, path = Clock(), tmp_path / "log.jsonl"
    decider = made(path, clock, Uniform(SIZE))
    for t in range(10):
        step(decider, clock, t)
    decider.save(tmp_path / "decider.npz")
    whole = path.read_bytes()
    path.write_bytes(whole + b'{"id": "d9", "tim')
    Decider.load(tmp_path / "decider.npz", clock=clock, log=path)
    assert path.read_bytes() == whole
    path.write_bytes(whole[:-100])
    with pytest.raises(ValueError, match="fewer than the"):
        Decider.load(tmp_path / "decider.npz", clock=clock, log=path)


def test_open_decisions_keep_what_a_log_needs_only_if_there_is_one(tmp_path):
    clock = Clock()
    for path, kept in ((None, False), (tmp_path / "log.jsonl", True)):
        clock.now = 0.0
        decider = made(path, clock, Uniform(SIZE))
        step(decider, clock, 0)
        entry = next(iter(decider._ledger.open.values()))
        assert (entry.shown is not None) == kept


def test_a_log_without_chances_is_warned_of_and_other_logs_are_refused(tmp_path):
    clock, path = Clock(), tmp_path / "log.jsonl"
    decider = made(path, clock, LinUCB(SIZE))
    step(decider, clock, 0)
    clock.now += 10
    with pytest.warns(UserWarning, match="give the policy a floor"):
        run(decider, clock, range(20, 40))
    with pytest.raises(ValueError, match="suffix of a log"):
        made(tmp_path / "log.csv", clock)
    with pytest.raises(ValueError, match="not a log of this kind"):
        made(path, clock, mode="apprentice")
    with pytest.raises(ValueError, match="not a log of this kind"):
        Decider(Uniform(8), Encoder(8), log=path)


def test_an_apprentice_logs_the_baseline_and_needs_its_probability(tmp_path):
    clock, path = Clock(), tmp_path / "log.jsonl"
    decider = made(path, clock, mode="apprentice")
    with pytest.raises(ValueError, match="baseline_probability is missing"):
        decider.decide({}, ["a", "b"], baseline="b")
    for t in range(4):
        decision = decider.decide({}, ["a", "b"], baseline="b", baseline_probability=0.25)
        decider.reward(decision.id, float(t))
    clock.now += 10
    decider.advance()
    log = read(path)
    assert log.probabilities.tolist() == [0.25] * 4
    assert log.all_probabilities is None
    assert log.actions.tolist() == [1] * 4
    assert log.rewards.tolist() == [0.0, 1.0, 2.0, 3.0]
    assert log.adaptive is None
