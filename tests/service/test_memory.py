"""Memory of processes that run for months: garbage and what is free goes back."""

import gc
import threading
import weakref
from pathlib import Path

import pytest

from jostle.service import memory
from jostle.service.memory import Housekeeper, give_back

SIZE, BLOCK = 64 * 2**20, 4096


class Circle:
    """Garbage that only a search finds."""

    def __init__(self, freed):
        self.itself = self
        weakref.finalize(self, freed.set)


@pytest.fixture(autouse=True)
def no_other_searches():
    gc.disable()
    yield
    gc.enable()


def test_garbage_is_freed_now_and_then():
    freed = threading.Event()
    Circle(freed)
    assert not freed.is_set()
    housekeeper = Housekeeper(every=0.01)
    try:
        assert freed.wait(10.0)
    finally:
        housekeeper.close()
    assert not housekeeper._thread.is_alive()


@pytest.mark.skipif(memory._trim is None, reason="the C library is not that of GNU")
def test_free_memory_goes_back_to_the_system():
    """Blocks below the size from which the C library maps them, with one in use behind them."""
    blocks = [bytearray(BLOCK) for _ in range(SIZE // BLOCK)]
    last = bytearray(BLOCK)
    used = resident()
    del blocks
    give_back()
    assert resident() < used - SIZE / 2
    assert len(last) == BLOCK


def test_elsewhere_only_garbage_is_freed(monkeypatch):
    monkeypatch.setattr(memory, "_trim", None)
    freed = threading.Event()
    Circle(freed)
    give_back()
    assert freed.is_set()


def resident():
    """Bytes of memory that this process has."""
    return int(Path("/proc/self/statm").read_text().split()[1]) * 4096
