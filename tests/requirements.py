"""What tests need of the machine: data, packages, programs.

A test whose requirement is missing is skipped. With ``JOSTLE_REQUIRE_ALL=1`` in the environment, as
in continuous integration, it fails instead, so that nothing is left out unnoticed.
"""

import importlib
import os
from pathlib import Path
from types import ModuleType
from typing import NoReturn

import pytest

DATA = os.environ.get("JOSTLE_DATA")  # as it was before any test changed it


def unavailable(reason: str) -> NoReturn:
    """Skip the test, or fail it if everything is required."""
    if os.environ.get("JOSTLE_REQUIRE_ALL") == "1":
        pytest.fail(f"JOSTLE_REQUIRE_ALL=1, but {reason}", pytrace=False)
    pytest.skip(reason)


def real_data_folder() -> Path:
    """The folder of the real data sets."""
    if not DATA:
        unavailable("the real data are missing: set JOSTLE_DATA to the folder that contains them")
    return Path(DATA)


def package(name: str) -> ModuleType:
    """An optional package."""
    try:
        return importlib.import_module(name)
    except ImportError as error:
        unavailable(f"{name} is not installed: {error}")
