"""The learner is another process: what happens if it dies."""

import os
import signal
import time

import jax
import pytest
from service_support import SMALL, Bench

from jostle.service.learner import keep_compiled_programs
from jostle.service.replay import replay
from jostle.service.service_settings import ServiceSettings


def wait_for(condition, seconds=60.0):
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "it did not happen in time"
        time.sleep(0.05)


@pytest.mark.study
def test_a_dead_learner_is_started_again_and_deciding_goes_on(tmp_path):
    bench = Bench(tmp_path, ServiceSettings(publish=0.05, snapshot=0.5, close_interval=0.02))
    bench.create(SMALL)
    service = bench.service

    def learn_until(count):
        bench.pass_time(10)
        wait_for(lambda: service.statistics("a").learned == count)

    for i in range(5):
        bench.decide(str(i))
    learn_until(5)
    assert service.health().learner == "running"
    os.kill(service._learner.pid, signal.SIGKILL)
    wait_for(lambda: service.health().learner == "restarting" or service._learner.restarts)
    for i in range(5, 10):
        assert bench.decide(str(i)).created
    learn_until(10)
    health = service.health()
    assert (health.ready, health.learner, health.learner_restarts) == (True, "running", 1)
    wait_for(lambda: service.health().lag_records == 0)
    bench.close()
    again = replay(tmp_path, "a", verify=True)
    assert (again.errors, again.observations, again.decisions) == ((), 10, 10)


def test_compiled_programs_are_kept_where_the_user_says_or_with_the_data(tmp_path, monkeypatch):
    folder, seconds = "jax_compilation_cache_dir", "jax_persistent_cache_min_compile_time_secs"
    before = {name: getattr(jax.config, name) for name in (folder, seconds)}
    try:
        monkeypatch.setenv("JAX_COMPILATION_CACHE_DIR", "elsewhere")
        keep_compiled_programs(tmp_path)
        assert jax.config.jax_compilation_cache_dir == before[folder]
        monkeypatch.delenv("JAX_COMPILATION_CACHE_DIR")
        keep_compiled_programs(tmp_path)
        assert jax.config.jax_compilation_cache_dir == str(tmp_path / "compiled")
    finally:
        for name, value in before.items():
            jax.config.update(name, value)
