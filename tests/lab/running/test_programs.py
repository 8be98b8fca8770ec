import jax
import pytest

from jostle.lab.running import programs


@pytest.mark.skipif(not programs.LIMIT.exists(), reason="mappings are limited on Linux")
def test_programs_are_let_go_when_they_are_too_many(monkeypatch):
    program = jax.jit(lambda x: x + 1)
    program(1.0)
    assert not programs.make_room()
    assert program._cache_size() == 1
    monkeypatch.setattr(programs, "SHARE", 0.0)
    assert programs.make_room()
    assert program._cache_size() == 0
