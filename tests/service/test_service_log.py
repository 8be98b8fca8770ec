"""The log: groups, full disks, and files of this and earlier releases."""

import asyncio
import shutil
from pathlib import Path

import pytest
from service_support import SETTINGS, Bench, make_request
from typer.testing import CliRunner

from jostle.cli import app as command
from jostle.service.log.base import Entry, Event, LogFullError, State, Trail
from jostle.service.log.records import SCHEMA, Kind, Record, decode
from jostle.service.log.sqlite import SqliteLog
from jostle.service.problems import Busy
from jostle.service.replay import replay
from jostle.service.service_settings import ServiceSettings

FIXTURE = Path(__file__).parent / "data" / "log-1"


def test_records_are_stored_as_they_are(tmp_path):
    log = SqliteLog(tmp_path, write=True)
    bodies = [b"", b"\x00\x01", bytes(range(256)) * 100]
    with log.transaction():
        entries = [Entry(1, 4, 0.1 + i, 'é"\\\n', body) for i, body in enumerate(bodies)]
        assert log.append(entries) == 1
        assert log.append([Entry(2, 1, 5.0, None, b"x")]) == 4
    assert [record.body for record in log.records()] == [*bodies, b"x"]
    assert [record.event for record in log.records()] == ['é"\\\n'] * 3 + [None]
    assert {record.version for record in log.records()} == {SCHEMA}
    assert [record.position for record in log.scan(0, app=1, least_kind=4, limit=2)] == [1, 2]
    assert log.lag(1, 1) == (2, 1.1)


def test_events_are_found_again_and_due_in_order(tmp_path):
    log = SqliteLog(tmp_path, write=True)
    trail = Trail(2, 0.1 + 0.2, ["r", '"'], [3, 4], True, "ä", 0.3, None)
    events = [
        Event(1, "b", 7, "d", State.OPEN, 20.0, trail),
        Event(1, "a", 8, "d", State.DEFERRED, 10.0, Trail()),
        Event(1, "c", 9, "d", State.CLOSED, 5.0, Trail()),
        Event(2, "b", 9, "d", State.EARLY, 5.0, Trail()),
    ]
    with log.transaction():
        log.put_events(events)
    assert log.find_events([(1, "b"), (2, "b"), (3, "b")]) == {
        (1, "b"): events[0],
        (2, "b"): events[3],
    }
    assert log.due_events(1, 15.0, 9) == [events[1]]
    assert log.due_events(1, 25.0, 9) == [events[1], events[0]]
    assert log.count_open() == {1: 2, 2: 1}


def test_a_failed_transaction_leaves_nothing(tmp_path):
    log = SqliteLog(tmp_path, write=True, most_bytes=40 * 8192)
    with log.transaction():
        log.append([Entry(1, 1, 0.0, None, b"kept")])
    with pytest.raises(LogFullError), log.transaction():
        log.append([Entry(1, 1, 0.0, None, bytes(10**6))])
    with log.transaction():
        assert log.append([Entry(1, 1, 0.0, None, b"next")]) == 2
    assert [record.body for record in log.records()] == [b"kept", b"next"]


def test_other_files_and_later_versions_are_refused(tmp_path):
    (tmp_path / "log.sqlite").write_bytes(b"")
    with pytest.raises(ValueError, match="not a log that this jostle reads"):
        SqliteLog(tmp_path)
    with pytest.raises(FileNotFoundError, match="expected the log of a service"):
        SqliteLog(tmp_path / "nowhere")
    with pytest.raises(ValueError, match="open the log with the jostle that wrote it"):
        decode(Record(1, 1, Kind.CLOSED, SCHEMA + 1, 0.0, None, b""))


def test_a_full_disk_is_busy_and_recovers(tmp_path):
    settings = ServiceSettings(
        learner=False, synchronous="normal", close_interval=3600.0, most_disk=60 * 8192
    )
    bench = Bench(tmp_path, settings).create()
    answers = {}

    def fill():
        for i in range(1000):
            answers[str(i)] = bench.decide(str(i), context={"text": "x" * 500}).body

    with pytest.raises(Busy, match="cannot be written") as error:
        fill()
    assert error.value.headers == {"Retry-After": "5"}
    health = bench.service.health()
    assert not health.ready
    assert "cannot be written" in " ".join(health.problems)
    bench.run(
        bench.service._writer.call(
            lambda log: log.run("PRAGMA max_page_count = 100000"), transaction=False
        )
    )
    refused = str(len(answers))
    assert bench.decide(refused, context={"text": "x" * 500}).created
    assert bench.service.health().ready
    for event, body in answers.items():
        assert bench.decide(event, context={"text": "x" * 500}).body == body
    assert bench.service.statistics("a").totals.decisions == len(answers) + 1
    bench.close()


def test_a_full_queue_is_busy_and_nothing_of_it_is_logged(tmp_path):
    bench = Bench(tmp_path, ServiceSettings(learner=False, queue=4, group=2)).create()

    async def crowd():
        calls = [bench.service.decide("a", make_request(str(i))) for i in range(40)]
        return await asyncio.gather(*calls, return_exceptions=True)

    found = bench.run(crowd())
    refused = [each for each in found if isinstance(each, Busy)]
    assert len(refused) == 36
    assert bench.service.statistics("a").totals.decisions == 4
    bench.close()


def test_a_batch_larger_than_the_queue_is_accepted_alone(tmp_path):
    bench = Bench(tmp_path, ServiceSettings(learner=False, queue=4)).create()
    requests = [make_request(str(i)) for i in range(8)]
    assert len(bench.run(bench.service.decide_many("a", requests))) == 8
    bench.close()


def test_a_log_of_schema_1_opens_and_replays(tmp_path):
    """The files were written by 0.2.0; whoever changes the schema must still read them."""
    shutil.copytree(FIXTURE, tmp_path / "data")
    bench = Bench(tmp_path / "data", SETTINGS)
    assert bench.service.apps() == ["a"]
    assert bench.service.decision("a", "1")["closed"]["reward"] == 0.5
    assert bench.service.decision("a", "deferred")["state"] == "deferred"
    totals = bench.service.statistics("a").totals
    assert (totals.decisions, totals.rewards, totals.late) == (5, 2, 1)
    assert bench.reward("2", 1.0, reward_id="again") == "joined"
    bench.pass_time(1e6)
    assert bench.service.decision("a", "2")["closed"]["reward"] == 1.0
    bench.learn()
    assert replay(tmp_path / "data", "a").observations == 4
    bench.close()


def test_the_command_prints_the_hash(bench):
    bench.create()
    bench.decide("e")
    bench.pass_time(10)
    bench.learn()
    found = CliRunner().invoke(command, ["replay", str(bench.data), "--verify"])
    assert found.exit_code == 0
    assert bench.service.models("a")[0].sha256 in found.output
    assert "1 decisions, 1 versions verified" in found.output
    assert CliRunner().invoke(command, ["replay", str(bench.data), "-a", "b"]).exit_code == 2
    assert CliRunner().invoke(command, ["replay", "nowhere"]).exit_code == 1
