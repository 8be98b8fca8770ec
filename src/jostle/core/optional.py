"""Optional dependencies: packages that only an extra of jostle installs, imported on first use."""

import importlib
from types import ModuleType

_DISTRIBUTIONS = {"sklearn": "scikit-learn"}
"""Names on the package index, where they differ from the name that is imported."""


class MissingExtraError(ImportError):
    """A package of an optional extra is not installed; the message names the extra."""


def require(module: str, *, extra: str) -> ModuleType:
    """Import a module that belongs to an optional extra of jostle.

    Call it inside the function that needs the package, so that importing jostle never does.

    Arguments:
        module: the name to import, such as ``"polars"`` or ``"sklearn.decomposition"``.
        extra: the extra of jostle that installs it, such as ``"data"``.

    Raises:
        MissingExtraError: the package, or one that it depends on, is not installed.
    """
    try:
        return importlib.import_module(module)
    except ModuleNotFoundError as error:
        missing = (error.name or module).partition(".")[0]
        package = _DISTRIBUTIONS.get(missing, missing)
        raise MissingExtraError(
            f"{package} is not installed; this feature needs the extra {extra!r}: "
            f"pip install 'jostle[{extra}]'",
            name=error.name,
        ) from error
