"""The catalogue of data sets: the eight sets of the paper, by name."""

from collections.abc import Mapping
from types import MappingProxyType

from jostle.core import validation as checks
from jostle.datasets.catalog.entry import Dataset, File, HetRecSet, TableSet
from jostle.datasets.catalog.hetrec import DELICIOUS, LASTFM
from jostle.datasets.catalog.uci import ADULT, COVERTYPE, LETTER, MAGIC, MUSHROOM, SHUTTLE

__all__ = ["CATALOG", "Dataset", "File", "HetRecSet", "TableSet", "get", "table"]

CATALOG: Mapping[str, Dataset] = MappingProxyType(
    {
        entry.name: entry
        for entry in (ADULT, MUSHROOM, SHUTTLE, LETTER, COVERTYPE, MAGIC, LASTFM, DELICIOUS)
    }
)


def get(name: str) -> Dataset:
    """The entry of a data set; an unknown name raises an error that suggests similar ones."""
    entry: Dataset = checks.lookup("data set", name, dict(CATALOG))
    return entry


def table(name: str) -> TableSet:
    """The entry of a classification set; a recommendation set raises an error."""
    entry = get(name)
    if isinstance(entry, TableSet):
        return entry
    raise ValueError(
        f"name must be a classification data set, but {name!r} is a recommendation set; "
        f"read it with jostle.datasets.hetrec.read({name!r})"
    )
