"""The real data sets against what is known about them."""

import time
from pathlib import Path

import numpy as np
import pytest

from jostle.datasets import (
    authors_events,
    catalog,
    encode,
    fetch,
    hetrec,
    load,
    load_table,
    paths,
    verify,
)

from dataset_support import Site, zipped

pytestmark = pytest.mark.usefixtures("real_data")

# fmt: off
LETTERS = [
    789, 766, 736, 805, 768, 775, 773, 734, 755, 747, 739, 761, 792,
    783, 753, 803, 783, 758, 748, 796, 813, 764, 752, 787, 786, 734,
]
# fmt: on
CLASSES = {
    "adult": [37_155, 11_687],
    "mushroom": [4_208, 3_916],
    "shuttle": [45_586, 50, 171, 8_903, 3_267, 10, 13],
    "letter": LETTERS,
    "covertype": [211_840, 283_301, 35_754, 2_747, 9_493, 17_367, 20_510],
    "magic": [12_332, 6_688],
}
# One-hot categories that occur (and missing ones), numbers, indicators, the constant.
FEATURES = {
    "adult": 6 + 99 + 3 + 1,
    "mushroom": 115 + 1 + 1,  # veil-type has one value only and is dropped
    "shuttle": 9 + 1,
    "letter": 16 + 1,
    "covertype": 10 + 44 + 1,
    "magic": 10 + 1,
}
MISSING_ROWS = {"adult": 2_399 + 1_221, "mushroom": 2_480}


@pytest.mark.parametrize("name", catalog.CATALOG)
def test_every_file_is_the_published_one(name: str) -> None:
    report = verify(name)
    assert report.ok, [(finding.file.name, finding.note) for finding in report.wrong]


@pytest.mark.parametrize("name", CLASSES)
def test_rows_features_and_classes(name: str) -> None:
    entry, found = catalog.table(name), load_table(name)
    assert (found.rows, found.features) == (entry.rows, entry.features)
    assert len(found.classes) == entry.classes
    assert np.bincount(found.labels).tolist() == CLASSES[name]
    assert not np.isnan(found.numeric).any()
    missing = (found.codes == -1).any(axis=1).sum() if found.codes.size else 0
    assert missing == MISSING_ROWS.get(name, 0)


@pytest.mark.parametrize("name", CLASSES)
def test_both_encodings(name: str) -> None:
    found = load_table(name)
    practical = load(name)
    assert practical.x.shape == (found.rows, FEATURES[name])
    assert practical.x.dtype == np.float32
    assert np.abs(practical.x).max() <= 3.0
    assert np.all(practical.x[:, -1] == 1.0)
    paper = encode(found, "paper")
    assert paper.x.shape == (found.rows, found.features)
    np.testing.assert_allclose(np.linalg.norm(paper.x, axis=1), 1.0, rtol=1e-4)


def test_rows_keep_their_order() -> None:
    first = load_table("covertype")
    assert first.numeric[0, :3].tolist() == [2596, 51, 3]
    assert first.labels[0] == 4
    assert np.bincount(first.labels[:11_340]).tolist() == [1_620] * 7
    assert first.codes[:, :4].sum(axis=1).min() == first.codes[:, 4:].sum(axis=1).max() == 1
    adult = load_table("adult")
    assert adult.numeric[[0, 32_561], 0].tolist() == [39, 25]
    assert adult.labels[:32_561].sum() == 7_841


def test_the_second_load_of_covertype_is_fast() -> None:
    load_table("covertype")
    start = time.perf_counter()
    load_table("covertype")
    assert time.perf_counter() - start < 2.0  # 0.05 s on a quiet machine


def test_lastfm() -> None:
    data = hetrec.read("lastfm")
    assert data.source == "original"
    assert len(data.users) == 1_892
    assert len(data.items) == 17_632 + 390
    assert len(data.tags) == 11_946
    assert data.positives.shape == (92_834, 2)
    assert np.unique(data.positives[:, 1]).size == 17_632
    assert data.taggings.shape == (186_479, 3)
    assert data.friends.shape == (25_434, 2)
    tagged = hetrec.read("lastfm", positives="tagged").positives
    assert tagged.shape == (71_064, 2)
    assert np.unique(tagged[:, 1]).size == 12_523


def test_delicious() -> None:
    data = hetrec.read("delicious")
    assert len(data.users) == 1_867
    assert len(data.items) == 69_226
    assert len(data.tags) == 53_388
    assert data.item_tags.shape == (487_131, 3)
    assert data.friends.shape == (15_328, 2)
    assert np.unique(data.friends).size == 1_861
    rows = {"original": (437_593, 104_799), "partial": (271_417, 97_661)}
    assert (len(data.taggings), len(data.positives)) == rows[data.source]


@pytest.mark.parametrize(
    ("name", "events", "users", "unknown", "cosine"),
    [
        ("lastfm", 18_820, 370, [], 0.75),
        ("delicious", 19_289, 344, [340, 378, 426, 457, 461, 579], 0.93),
    ],
)
def test_the_authors_files(
    name: str, events: int, users: int, unknown: list[int], cosine: float
) -> None:
    data = hetrec.read(name, positives="tagged")
    found = authors_events.read(data)
    assert found.pools.shape == (events, 25)
    assert np.unique(found.users).size == users
    assert (np.flatnonzero(~found.embedded) + 1).tolist() == unknown
    assert len(found.clusters) == len(data.users)
    liked = set(map(tuple, data.positives.tolist()))
    owners = found.users.tolist()
    assert all(pair in liked for pair in zip(owners, found.pools[:, 0].tolist(), strict=True))
    each = np.repeat(found.users, 24).tolist()
    others = zip(each, found.pools[:, 1:].ravel().tolist(), strict=True)
    assert not any(pair in liked for pair in others)
    unit = found.vectors[found.embedded]
    unit = unit / np.linalg.norm(unit, axis=1, keepdims=True)
    place = np.cumsum(found.embedded) - 1
    near = (unit[place[data.friends[:, 0]]] * unit[place[data.friends[:, 1]]]).sum(axis=1)
    assert near.mean() == pytest.approx(cosine, abs=0.01)


def test_the_published_archive_with_its_own_line_ends(
    real_data: Path, site: Site, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    entry = catalog.get("lastfm")
    members = {}
    for file in entry.files:
        place = paths.find_in(real_data / entry.folder, file.name)
        if place is not None and not file.origin:
            with paths.open_bytes(place) as stream:
                members[file.name] = stream.read().replace(b"\n", b"\r\n")
    here = hetrec.read("lastfm")
    site.files["/datasets/hetrec2011/hetrec2011-lastfm-2k.zip"] = zipped(members)
    monkeypatch.setenv("JOSTLE_DATA", str(tmp_path / "data"))
    monkeypatch.setenv("JOSTLE_CACHE", str(tmp_path / "cache"))
    fetch("lastfm", base=site.base)
    assert verify("lastfm").original
    there = hetrec.read("lastfm")
    for field in ("users", "items", "tags", "positives", "taggings", "item_tags", "friends"):
        np.testing.assert_array_equal(getattr(there, field), getattr(here, field))
