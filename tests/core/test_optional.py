"""Without its extras jostle works, up to where one of their packages is needed."""

import subprocess
import sys

import pytest

from jostle.core.optional import MissingExtraError, require

PROGRAM = """
import sys
sys.modules.update(dict.fromkeys(("gensim", "platformdirs", "polars", "sklearn")))  # not found
import jostle
from jostle import datasets
from jostle.datasets.uci import parse
from jostle.datasets.uci_schemas import SCHEMAS
from jostle.environments import Classification, Recommendation, Synthetic

Synthetic("h1")
Classification.from_arrays([[1.0], [2.0]], ["a", "b"])
try:
    parse(SCHEMAS["mushroom"], [])
except ImportError as error:
    print(error)
"""


@pytest.mark.study
def test_environments_and_tables_of_ones_own_need_no_extra() -> None:
    run = subprocess.run(
        [sys.executable, "-c", PROGRAM], capture_output=True, text=True, check=False
    )
    assert run.returncode == 0, run.stderr
    assert run.stdout.strip() == (
        "polars is not installed; this feature needs the extra 'data': pip install 'jostle[data]'"
    )


def test_a_package_is_named_as_it_is_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    assert require("json", extra="data").dumps([1]) == "[1]"
    monkeypatch.setitem(sys.modules, "sklearn", None)
    with pytest.raises(MissingExtraError, match=r"^scikit-learn is not installed.*'jostle\[x\]'"):
        require("sklearn", extra="x")
