import subprocess
import sys

import pytest

from jostle.datasets import catalog
from jostle.datasets.uci_schemas import SCHEMAS

ROWS = {
    "adult": (48_842, 14, 2),
    "mushroom": (8_124, 22, 2),
    "shuttle": (58_000, 9, 7),
    "letter": (20_000, 16, 26),
    "covertype": (581_012, 54, 7),
    "magic": (19_020, 10, 2),
}


def test_it_has_the_eight_sets_of_the_paper() -> None:
    assert set(catalog.CATALOG) == {*ROWS, "lastfm", "delicious"}


@pytest.mark.parametrize("name", ROWS)
def test_schema_and_entry_agree(name: str) -> None:
    entry, schema = catalog.table(name), SCHEMAS[name]
    assert (entry.rows, entry.features, entry.classes) == ROWS[name]
    assert len(schema.features) == entry.features
    assert len(schema.classes) == entry.classes
    assert set(schema.labels.values()) == set(range(entry.classes))
    required = {file.name for file in entry.files if file.role == "required"}
    assert required == set(schema.files)
    assert schema.categories | schema.indicators <= set(schema.features)


@pytest.mark.parametrize("name", catalog.CATALOG)
def test_every_entry_says_what_a_user_must_know(name: str) -> None:
    entry = catalog.get(name)
    assert entry.title
    assert entry.citation
    assert entry.licence
    assert entry.url.startswith("https://")
    assert entry.url.endswith(".zip")
    names = [file.name for file in entry.files]
    assert len(set(names)) == len(names)
    for file in entry.files:
        assert file.sha256 is None or len(file.sha256) == 64
        assert file.sha256 or file.header, "without a checksum there must be a header to check"
        assert all(entry.file(other).role == "partial" for other in file.stand_ins)
        assert (file.role == "partial") <= bool(file.origin)


def test_an_unknown_name_is_answered_with_the_nearest() -> None:
    with pytest.raises(ValueError, match="unknown data set 'mushrom'; did you mean 'mushroom'"):
        catalog.get("mushrom")


def test_a_recommendation_set_is_no_table() -> None:
    with pytest.raises(ValueError, match=r"hetrec\.read\('lastfm'\)"):
        catalog.table("lastfm")


def test_importing_the_package_is_light() -> None:
    heavy = ["jax", "gensim", "matplotlib", "pandas", "platformdirs", "polars", "scipy", "sklearn"]
    code = f"import sys, jostle.datasets; print([m for m in {heavy} if m in sys.modules])"
    result = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    assert result.stdout.strip() == "[]"
