"""The paper's data sets: a catalogue, download and verification, parsing and encoding."""

from jostle.datasets import banditlib, catalog, hetrec
from jostle.datasets.acquire.fetch import fetch
from jostle.datasets.acquire.verify import verify
from jostle.datasets.encode import Encoded, encode
from jostle.datasets.loading import load, table
from jostle.datasets.paths import MissingDataError, path
from jostle.datasets.table import Table

__all__ = [
    "Encoded",
    "MissingDataError",
    "Table",
    "banditlib",
    "catalog",
    "encode",
    "fetch",
    "hetrec",
    "load",
    "path",
    "table",
    "verify",
]
