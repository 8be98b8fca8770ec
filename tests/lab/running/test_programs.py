import jax
import pytest

from jostle.lab.running import programs


@pytest.mark.skipif(not programs.LIMIT.exists(), reason="mappings are limited on Linux")
def test_programs_are_dropped_when_they_are_too_many():
    program = jax.jit(lambda x: x + 1)
    program(1.0)
    assert not programs.make_room()
    assert program._cache_size() == 1
    assert programs.make_room(share=0.0)
    assert program._cache_size() == 0
