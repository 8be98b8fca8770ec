import pytest


@pytest.fixture(scope="session", autouse=True)
def compiled_once(tmp_path_factory):
    """Let worker processes share what they compile, so that the tests take seconds, not minutes."""
    patch = pytest.MonkeyPatch()
    patch.setenv("JAX_COMPILATION_CACHE_DIR", str(tmp_path_factory.mktemp("compiled")))
    patch.setenv("JAX_PERSISTENT_CACHE_MIN_COMPILE_TIME_SECS", "0")
    yield
    patch.undo()
