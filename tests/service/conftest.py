import pytest
from service_support import Bench


@pytest.fixture
def bench(tmp_path):
    made = Bench(tmp_path / "data")
    yield made
    made.close()
