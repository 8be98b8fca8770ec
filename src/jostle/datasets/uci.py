"""Loading the classification sets of the UCI repository: check, parse, cache, encode."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from jostle.core.optional import require
from jostle.datasets import catalog, paths
from jostle.datasets.acquire import verify
from jostle.datasets.acquire.verify import WrongDataError
from jostle.datasets.cache import Arrays, cached, fingerprint
from jostle.datasets.columns import MISSING, Column
from jostle.datasets.delimited import read_delimited
from jostle.datasets.encode import Encoded, encode
from jostle.datasets.table import Table
from jostle.datasets.uci_schemas import SCHEMAS, Schema

if TYPE_CHECKING:
    import polars as pl

_VERSION = 1  # increase it when the stored arrays change, so that old caches are not read
_MISSING_TEXT = "?"  # in all six sets
_COMMENT = "|"  # begins the first line of adult.test


def load(name: str, encoding: str = "practical") -> Encoded:
    """Load a classification set as a matrix of features and a vector of classes.

    Arguments:
        name: "adult", "covertype", "letter", "magic", "mushroom" or "shuttle".
        encoding: "practical" or "paper"; see ``jostle.datasets.encode``.
    """
    return encode(load_table(name), encoding)


def load_table(name: str) -> Table:
    """Load a classification set parsed but not encoded.

    The first call checks the raw files against the published checksums and parses them. The result
    is cached under a checksum of the stored files, so that later calls do neither.
    """
    entry = catalog.table(name)
    schema = SCHEMAS[name]

    def build() -> Arrays:
        table = parse(schema, verify.require(name, *schema.files))
        if (table.rows, table.features) != (entry.rows, entry.features):
            raise WrongDataError(
                f"{name!r} has {table.rows} rows of {table.features} features, "
                f"expected {entry.rows} rows of {entry.features}"
            )
        return _to_arrays(table)

    places = paths.locate(name, *schema.files)
    return _from_arrays(cached(name, fingerprint(places, _VERSION), build), schema)


def parse(schema: Schema, places: Sequence[Path]) -> Table:
    """Parse the stored files of a set, in the order of the schema's ``files``, into one table.

    The categories of a column are those that occur, in alphabetical order.
    """
    require("polars", extra="data")
    import polars as pl

    frame = pl.concat([_read(schema, place) for place in places])
    columns, numeric, codes = [], [], []
    for name in schema.features:
        values = frame[name]
        if name in schema.categories:
            texts = values.replace(_MISSING_TEXT, None)
            categories = tuple(texts.drop_nulls().unique().sort())
            codes.append(texts.cast(pl.Enum(categories)).to_physical().cast(pl.Int8))
            columns.append(Column(name, categories))
        elif name in schema.indicators:
            codes.append(values)
            columns.append(Column(name, ("0", "1")))
        else:
            numeric.append(values.cast(pl.Float32))
            columns.append(Column(name))
    return Table(
        columns=tuple(columns),
        numeric=_matrix(numeric, len(frame), np.float32),
        codes=_matrix([each.fill_null(MISSING) for each in codes], len(frame), np.int8),
        labels=frame[schema.label].to_numpy(writable=True),
        classes=schema.classes,
    )


def _read(schema: Schema, place: Path) -> pl.DataFrame:
    """One file as a frame of numbers, indicators, categories as text, and indices of classes."""
    require("polars", extra="data")
    import polars as pl

    def kind(name: str) -> type[pl.DataType]:
        if name == schema.label or name in schema.categories:
            return pl.String
        # Rounded to float32 afterwards, as NumPy does when it parses text.
        return pl.Int8 if name in schema.indicators else pl.Float64

    frame = read_delimited(
        place,
        has_header=False,
        schema={name: kind(name) for name in schema.columns},
        separator=schema.separator,
        comment_prefix=_COMMENT,
    ).with_columns(pl.col(pl.String).str.strip_chars())
    for name in schema.columns:
        if frame[name].null_count():
            row = frame[name].to_list().index(None)
            raise WrongDataError(f"{place}: row {row} has no value for {name!r}")
    labels = frame[schema.label].replace_strict(
        dict(schema.labels), default=None, return_dtype=pl.Int32
    )
    if labels.null_count():
        row = labels.to_list().index(None)
        raise WrongDataError(
            f"{place}: row {row} has the class {frame[schema.label][row]!r}, expected one of "
            f"{', '.join(schema.labels)}"
        )
    return frame.with_columns(labels)


def _matrix(columns: Sequence[pl.Series], rows: int, kind: type[np.generic]) -> np.ndarray:
    if not columns:
        return np.empty((rows, 0), kind)
    return np.stack([column.to_numpy() for column in columns], axis=1)


def _to_arrays(table: Table) -> Arrays:
    categories = [column.categories or () for column in table.columns if column.categories]
    return {
        "numeric": table.numeric,
        "codes": table.codes,
        "labels": table.labels,
        "names": np.array([column.name for column in table.columns], dtype=np.str_),
        "sizes": np.array([len(column.categories or ()) for column in table.columns]),
        "categories": np.array([text for group in categories for text in group], dtype=np.str_),
    }


def _from_arrays(arrays: Arrays, schema: Schema) -> Table:
    columns, start = [], 0
    texts = arrays["categories"].tolist()
    for name, size in zip(arrays["names"].tolist(), arrays["sizes"].tolist(), strict=True):
        columns.append(Column(name, tuple(texts[start : start + size]) if size else None))
        start += size
    return Table(
        columns=tuple(columns),
        numeric=arrays["numeric"],
        codes=arrays["codes"],
        labels=arrays["labels"],
        classes=schema.classes,
    )
