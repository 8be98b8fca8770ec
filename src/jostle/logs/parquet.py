"""Logs in Parquet files, in chunks."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from jostle.core.optional import require
from jostle.logs import schema
from jostle.logs.columns import seconds
from jostle.logs.log import Log

KEY = b"jostle"
"""Where the file's metadata has the header."""


def facts(path: Path) -> dict[str, Any]:
    """What the header states."""
    parquet = require("pyarrow.parquet", extra="evaluation")
    with parquet.ParquetFile(path) as file:
        metadata = file.schema_arrow.metadata or {}
    return schema.facts_of(metadata.get(KEY), str(path))


def chunks(path: Path, rows: int) -> Iterator[dict[str, Any]]:
    """The columns of ``rows`` rows at a time."""
    parquet = require("pyarrow.parquet", extra="evaluation")
    with parquet.ParquetFile(path) as file:
        names = schema.check_columns(file.schema_arrow.names, str(path))
        for batch in file.iter_batches(batch_size=rows, columns=names):
            yield {
                name: _array(column, name)
                for name, column in zip(batch.schema.names, batch.columns, strict=True)
            }


class Writer:
    """Writes chunks to a Parquet file; its schema is that of the first."""

    def __init__(self, path: Path):
        self._path = path
        self._file: Any = None

    def write(self, log: Log) -> None:
        """Append a chunk."""
        arrow = require("pyarrow", extra="evaluation")
        parquet = require("pyarrow.parquet", extra="evaluation")
        arrays = {name: _listed(arrow, array) for name, array in log.as_columns().items()}
        table = arrow.table(arrays)
        table = table.replace_schema_metadata({KEY: schema.header_of(log).encode()})
        if self._file is None:
            self._file = parquet.ParquetWriter(self._path, table.schema, compression="zstd")
        self._file.write_table(table.cast(self._file.schema))

    def close(self) -> None:
        """Finish the file."""
        if self._file is not None:
            self._file.close()


def _listed(arrow: Any, array: np.ndarray) -> Any:
    """An array of any number of dimensions as lists of fixed size."""
    flat = arrow.array(np.ascontiguousarray(array).reshape(-1))
    for size in reversed(array.shape[1:]):
        flat = arrow.FixedSizeListArray.from_arrays(flat, size)
    return flat


def _array(column: Any, name: str) -> np.ndarray:
    """A column as an array; lists must be equally long."""
    shape = [len(column)]
    while hasattr(column, "flatten") and str(column.type).startswith(
        ("list", "large_list", "fixed_size_list")
    ):
        if column.null_count:
            raise ValueError(f"column {name!r} must have a list in every row, but some have none")
        values = column.flatten()
        size, rest = divmod(len(values), max(len(column), 1))
        lengths = column.value_lengths().to_numpy(zero_copy_only=False)
        if rest or np.any(lengths != size):
            raise ValueError(
                f"column {name!r} must have lists of the same length in every row; pad them, and "
                "say in mask which arms are present"
            )
        shape.append(size)
        column = values
    array: np.ndarray = column.to_numpy(zero_copy_only=False)
    if array.dtype.kind == "M":
        array = seconds(array)
    if array.dtype == object:  # numbers with nulls among them
        try:
            array = np.array([np.nan if value is None else value for value in array], np.float64)
        except (TypeError, ValueError):
            raise ValueError(
                f"column {name!r} must hold numbers, not {column.type}; read the table with Polars "
                "or pandas and use Log.from_frame, which numbers the names of arms"
            ) from None
    return array.reshape(shape)
