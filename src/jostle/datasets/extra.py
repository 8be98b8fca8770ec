"""Packages that only the recommendation sets need, imported when they are first used."""

import importlib
from typing import Any

_PACKAGES = {"sklearn": "scikit-learn", "gensim": "gensim", "scipy": "scipy"}


def need(module: str) -> Any:
    """The module, or an ``ImportError`` that says how to get it."""
    try:
        return importlib.import_module(module)
    except ModuleNotFoundError as error:
        package = _PACKAGES[module.partition(".")[0]]
        raise ImportError(
            f"the features of users and items need {package}, which is not installed "
            f"({error}); get it with: pip install 'jostle[data]'",
            name=module,
        ) from error
