"""Loading a classification set: check, parse, cache, encode."""

import numpy as np

from jostle.datasets import catalog
from jostle.datasets import paths as store
from jostle.datasets.acquire import verify as integrity
from jostle.datasets.cache import Arrays, cached, fingerprint
from jostle.datasets.encode import Encoded, encode
from jostle.datasets.parse import parse
from jostle.datasets.schemas import SCHEMAS, Schema
from jostle.datasets.table import Column, Table

_LAYOUT = 1  # raise it when the parser or the stored arrays change, so that old caches are not read


def load(name: str, encoding: str = "practical") -> Encoded:
    """A classification set by name, encoded: see ``jostle.datasets.encode``."""
    return encode(table(name), encoding)


def table(name: str) -> Table:
    """A classification set by name, parsed but not encoded.

    The first time, the raw files are checked against the published checksums and parsed; the
    result is cached under a checksum of the stored files, so later loads neither parse nor need
    the check again.
    """
    entry = catalog.table(name)
    schema = SCHEMAS[name]

    def build() -> Arrays:
        made = parse(schema, integrity.require(name, *schema.files))
        if (made.rows, made.features) != (entry.rows, entry.features):
            raise integrity.WrongDataError(
                f"{name!r} has {made.rows} rows of {made.features} features, "
                f"wanted {entry.rows} of {entry.features}"
            )
        return _to_arrays(made)

    places = store.locate(name, *schema.files)
    return _from_arrays(cached(name, fingerprint(places, _LAYOUT), build), schema)


def _to_arrays(made: Table) -> Arrays:
    categories = [column.categories or () for column in made.columns if column.categories]
    return {
        "numeric": made.numeric,
        "codes": made.codes,
        "labels": made.labels,
        "names": np.array([column.name for column in made.columns], dtype=np.str_),
        "sizes": np.array([len(column.categories or ()) for column in made.columns]),
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
