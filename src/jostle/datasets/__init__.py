"""The data sets of the paper: downloading, verifying, parsing and encoding them.

``fetch`` downloads a set from its publisher, ``load`` reads a classification set as arrays,
``hetrec.read`` a recommendation set. What needs a package of the extra ``data`` imports it on first
use.
"""

from jostle.datasets import authors_events, catalog, embeddings, hetrec
from jostle.datasets.acquire.fetch import fetch
from jostle.datasets.acquire.verify import verify
from jostle.datasets.encode import Encoded, encode
from jostle.datasets.paths import MissingDataError, path
from jostle.datasets.table import Table
from jostle.datasets.uci import load, load_table

__all__ = [
    "Encoded",
    "MissingDataError",
    "Table",
    "authors_events",
    "catalog",
    "embeddings",
    "encode",
    "fetch",
    "hetrec",
    "load",
    "load_table",
    "path",
    "verify",
]
