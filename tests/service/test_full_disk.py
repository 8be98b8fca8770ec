"""A disk that is full when a transaction is committed, not before."""

import asyncio
from contextlib import contextmanager

import pytest

from jostle.service.log.base import LogFullError
from jostle.service.problems import Busy


def test_a_call_whose_commit_fails_is_busy_and_the_writer_lives(bench, monkeypatch):
    bench.create()
    log = bench.service._log

    @contextmanager
    def full():
        yield
        raise LogFullError("the log cannot be written: full")

    with monkeypatch.context() as patch:
        patch.setattr(log, "transaction", full)
        with pytest.raises(Busy):
            bench.run(asyncio.wait_for(bench.service._writer.call(lambda log: 1), 10))
        assert not bench.service.health().writable
    assert bench.run(asyncio.wait_for(bench.service._writer.call(lambda log: 1), 10)) == 1
    assert bench.service.health().writable
    assert bench.decide("x").created
