"""Learning, versions and replay: the state is a function of the log."""

import time

import msgspec
import numpy as np
import pytest
from service_support import SMALL

from jostle.logs import read
from jostle.service.exports import Selection, write_export
from jostle.service.fold import Fold
from jostle.service.log.records import Closed, Kind, decode
from jostle.service.log.sqlite import SqliteLog
from jostle.service.messages import ActionItem, EvaluationRequest, Retention
from jostle.service.problems import Invalid, NotFound
from jostle.service.replay import replay


def play(bench, count, first=0):
    """Decisions on numbers and words, with rewards that depend on both."""
    rng = np.random.default_rng(first)
    actions = [ActionItem(id=each, features={"price": 2.0 * i}) for i, each in enumerate("xyz")]
    for i in range(first, first + count):
        found = bench.decide(
            str(i),
            context={"hour": float(rng.integers(24)), "who": "a"},
            actions=actions,
            user=f"user {i % 3}",
        )
        action = msgspec.json.decode(found.body)["action"]
        if rng.random() < 0.7:
            bench.reward(str(i), float(action == "y") + 0.1 * rng.random())
        bench.clock.now += 2
        if i % 5 == 0:
            bench.run(bench.service.close_due())
    bench.pass_time(10)


def newest(bench):
    return bench.service.models("a")[0]


def test_replay_gives_the_same_state_and_every_logged_probability(bench):
    bench.create()
    for first in (0, 12, 24):
        play(bench, 12, first)
        bench.learn()
    assert newest(bench).observations == 36
    found = replay(bench.data, "a", verify=True)
    assert found.errors == ()
    assert (found.decisions, found.versions, found.observations) == (36, 3, 36)
    assert found.sha256 == newest(bench).sha256
    later = replay(bench.data, "a", from_snapshot=True)
    assert later.sha256 == found.sha256
    assert later.start > 0


def test_batches_of_any_size_learn_the_same(bench):
    bench.create()
    play(bench, 20)
    bench.learn()
    app = bench.learner.apps["a"]
    app.fold = Fold()
    while app.step(limit=1):
        pass
    assert app.fold.sha256() == newest(bench).sha256


def test_every_decision_is_learned_exactly_once_whatever_restarts(bench):
    bench.create()
    for first in (0, 6, 12):
        play(bench, 6, first)
        bench.learn()
        bench.restart()
    bench.learn()
    log = SqliteLog(bench.data)
    closed = [decode(each) for each in log.records() if each.kind == Kind.CLOSED]
    log.close()
    assert len({each.decided for each in closed}) == len(closed) == 18
    assert all(isinstance(each, Closed) for each in closed)
    assert newest(bench).observations == 18


def test_going_back_forgets_what_was_learned_since_and_replay_repeats_it(bench):
    bench.create()
    play(bench, 6)
    bench.learn()
    first = newest(bench)
    play(bench, 6, 6)
    bench.learn()
    bench.run(bench.service.roll_back("a", first.version))
    assert bench.service.statistics("a").learned == 6
    bench.restart()
    assert bench.service.statistics("a").learned == 6
    play(bench, 3, 12)
    bench.learn()
    assert newest(bench).observations == 9
    found = replay(bench.data, "a", verify=True)
    assert (found.errors, found.sha256) == ((), newest(bench).sha256)
    with pytest.raises(NotFound):
        bench.run(bench.service.roll_back("a", 99))


def test_a_pinned_version_decides_while_learning_goes_on(bench):
    bench.create()
    play(bench, 6)
    bench.learn()
    version = newest(bench).version
    bench.run(bench.service.pin("a", version))
    play(bench, 6, 6)
    bench.learn()
    assert bench.service.statistics("a").learned == 6
    bench.restart()
    assert bench.service.models("a")[-1].pinned
    assert bench.service.statistics("a").learned == 6
    bench.run(bench.service.pin("a", None))
    assert bench.service.statistics("a").learned == 12
    assert replay(bench.data, "a", verify=True).errors == ()


def test_a_model_moves_to_another_app_if_it_fits(bench):
    bench.create()
    play(bench, 6)
    bench.learn()
    content = bench.service.export_model("a", newest(bench).version).read_bytes()
    bench.create(app="b")
    imported = bench.run(bench.service.import_model("b", content))
    assert (imported.sha256, imported.source) == (newest(bench).sha256, "imported")
    assert bench.service.statistics("b").learned == 6
    bench.decide("e", app="b")
    bench.pass_time(10)
    bench.learn()
    found = replay(bench.data, "b", verify=True)
    assert (found.errors, found.observations) == ((), 7)
    bench.create(msgspec.structs.replace(SMALL, dimensions=16), app="c")
    damaged = content[:-2000] + bytes(2000)
    for app, bad in (("c", content), ("b", damaged), ("b", b"nonsense")):
        with pytest.raises(Invalid, match="not a model for this app"):
            bench.run(bench.service.import_model(app, bad))


def test_damaged_snapshots_are_skipped_for_older_ones_and_said_so(bench):
    bench.create()
    play(bench, 6)
    bench.learn()
    play(bench, 6, 6)
    bench.learn()
    expected = newest(bench)
    path = bench.service.export_model("a", expected.version)
    content = bytearray(path.read_bytes())
    middle = len(content) // 2
    content[middle : middle + 500] = bytes(500)
    path.write_bytes(content)
    bench.restart()
    bench.learn()
    assert any("is skipped" in each for each in bench.service.health().problems)
    assert newest(bench).sha256 == expected.sha256


def test_erased_users_leave_tombstones_and_replay_starts_after_them(bench):
    bench.create()
    play(bench, 9)
    bench.decide("open", user="user 1")
    bench.learn()
    assert bench.run(bench.service.erase("a", "user 1")) == 4
    assert bench.run(bench.service.erase("a", "user 1")) == 0
    found = bench.service.decision("a", "1")
    assert (found["state"], found["request"]) == ("erased", None)
    for path in bench.data.glob("log.sqlite*"):
        assert b"user 1" not in path.read_bytes()
    bench.learn()
    play(bench, 3, 9)
    bench.learn()
    again = replay(bench.data, "a", verify=True)
    assert again.start > 0
    assert again.sha256 == newest(bench).sha256
    assert bench.service.statistics("a").open == 0


def test_the_log_is_exported_in_the_schema_of_logs(bench, tmp_path):
    bench.create()
    play(bench, 8)
    bench.learn()
    bench.decide("narrow", actions=("x",))
    bench.pass_time(10)
    write_export(bench.data, "a", tmp_path / "log.parquet", Selection())
    log = read(tmp_path / "log.parquet")
    assert (len(log), log.shown, log.labels) == (9, 3, ("x", "y", "z"))
    assert log.mask[-1].tolist() == [True, False, False]
    assert log.users.max() < log.spec.users == 4  # three, and those without an id
    first = bench.service.decision("a", "0")
    assert log.labels[log.chosen_arms()[0]] == first["answer"]["action"]
    assert log.probabilities[0] == first["answer"]["probability"]
    assert log.rewards[0] == first["closed"]["reward"]
    assert log.times[0] == first["decided_at"]


@pytest.mark.study
def test_retention_archives_what_a_snapshot_covers(bench):
    bench.create(msgspec.structs.replace(SMALL, retention=Retention(days=1.0)))
    play(bench, 6)
    bench.learn()
    bench.clock.now += 2 * 86_400
    bench.decide("new")
    assert bench.run(bench.service.retain("a")) > 12
    assert bench.run(bench.service.retain("a")) == 0
    with pytest.raises(NotFound):
        bench.service.decision("a", "0")
    bench.pass_time(10)
    bench.learn()
    found = replay(bench.data, "a", verify=True)
    assert (found.errors, found.observations) == ((), 7)
    archived = list((bench.data / "apps/a/archive").glob("*.parquet"))
    assert len(read(archived[0])) == 6


@pytest.mark.study
def test_an_export_is_a_process_of_its_own(bench):
    bench.create()
    with pytest.raises(Invalid, match="no closed decisions"):
        bench.run(bench.service.export_log("a"))
    play(bench, 3)
    assert len(read(bench.run(bench.service.export_log("a")))) == 3


@pytest.mark.study
def test_an_evaluation_is_a_job(bench):
    bench.create(msgspec.structs.replace(SMALL, floor=0.3))
    play(bench, 40)
    bench.learn()
    request = EvaluationRequest(policies=["uniform", "current"], interval="normal")
    job = bench.run(bench.service.evaluate("a", request))
    for _ in range(300):
        found = bench.service.evaluation("a", job)
        if found.state in ("done", "failed"):
            break
        time.sleep(0.2)
    assert found.error is None
    assert {each["target"] for each in found.estimates} == {"uniform", "current", "logged"}
    assert bench.service.evaluations("a")[0].rows == 40
    with pytest.raises(Invalid) as error:
        bench.run(bench.service.evaluate("a", EvaluationRequest(policies=["os:system"])))
    assert error.value.path == "policies[0]"
