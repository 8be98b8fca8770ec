"""Reading delimited text files, plain or gzipped, with Polars."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from jostle.core.optional import require
from jostle.datasets import paths
from jostle.datasets.acquire.verify import WrongDataError

if TYPE_CHECKING:
    import polars as pl


def read_delimited(place: Path, **options: Any) -> pl.DataFrame:
    """Read a stored file with ``polars.read_csv`` and the given options, leaving out blank lines.

    Quotes have no meaning in any of these files. A file that does not parse raises
    ``WrongDataError`` with its path.
    """
    require("polars", extra="data")
    import polars as pl

    with paths.open_bytes(place) as stream:
        content = stream.read()
    try:
        frame = pl.read_csv(content, quote_char=None, **options)
    except pl.exceptions.PolarsError as error:
        raise WrongDataError(f"{place}: {_first_line(error)}") from error
    return frame.filter(~pl.all_horizontal(pl.all().is_null()))


def read_integers(place: Path, columns: int, separator: str = "\t") -> np.ndarray:
    """Read the first columns of a file with a header as a matrix of int64.

    The other columns may hold text in any encoding.
    """
    require("polars", extra="data")
    import polars as pl

    frame = read_delimited(
        place,
        columns=list(range(columns)),
        separator=separator,
        encoding="utf8-lossy",
        infer_schema=False,
        truncate_ragged_lines=True,
    )
    try:
        return frame.cast(pl.Int64).to_numpy(order="c")
    except pl.exceptions.PolarsError as error:
        raise WrongDataError(f"{place}: expected whole numbers: {_first_line(error)}") from error


def _first_line(error: Exception) -> str:
    """What went wrong, without the advice on Polars that follows."""
    return str(error).partition("\n")[0]
