import os
import time
import warnings
from pathlib import Path

import pytest

from jostle.datasets import fetch, path, verify
from jostle.datasets.acquire.download import FetchError
from jostle.datasets.catalog.entry import TableSet

from dataset_support import CONTENT, Site, everything_under, zipped

URL = "/static/toy+set.zip"

pytestmark = pytest.mark.usefixtures("toy")


def test_a_good_archive_is_installed_and_nothing_else(site: Site, folders: Path) -> None:
    site.files[URL] = zipped({"toy.data": CONTENT, "notes.txt": b"hello\n", "more/Index": b"?"})
    seen: list[int] = []
    folder = fetch("toy", base=site.base, progress=lambda done, _: seen.append(done))
    assert folder == path("toy")
    assert verify("toy").ok
    assert seen[-1] == len(site.files[URL])
    assert everything_under(folders) == [
        "data",
        "data/toy-folder",
        "data/toy-folder/notes.txt",
        "data/toy-folder/toy.data",
    ]


def test_what_is_here_is_not_fetched_again_unless_forced(site: Site) -> None:
    site.files[URL] = zipped({"toy.data": CONTENT})
    for force, requests in ((False, 1), (False, 1), (True, 2)):
        fetch("toy", base=site.base, force=force)
        assert len(site.ranges) == requests


def test_a_cut_download_is_resumed(site: Site) -> None:
    site.files[URL] = zipped({"toy.data": CONTENT})
    site.cuts = [40]
    fetch("toy", base=site.base, pause=0.0)
    assert site.ranges == [None, "bytes=40-"]
    assert verify("toy").ok


@pytest.mark.parametrize(
    ("archive", "message"),
    [
        (zipped({"toy.data": CONTENT + b"x"}), "does not contain the published toy.data.*sha256"),
        (zipped({"other": b""}), "does not contain the published toy.data.*missing"),
        (zipped({"toy.data": CONTENT})[:-30], "archive is damaged"),
        (b"<html>Sorry</html>", "archive is damaged"),
        (zipped({"toy.data": CONTENT, "../evil": b""}), "leaves the folder"),
    ],
    ids=["wrong checksum", "other files", "cut", "a page", "hostile"],
)
def test_a_bad_archive_leaves_no_trace(
    site: Site, folders: Path, archive: bytes, message: str
) -> None:
    site.files[URL] = archive
    with pytest.raises(FetchError, match=message):
        fetch("toy", base=site.base, pause=0.0)
    assert everything_under(folders) == []


def test_not_found_leaves_no_trace(site: Site, folders: Path) -> None:
    with pytest.raises(FetchError, match="404"):
        fetch("toy", base=site.base)
    assert everything_under(folders) == []


def test_what_was_here_survives_a_failed_fetch(site: Site) -> None:
    folder = path("toy")
    folder.mkdir(parents=True)
    (folder / "toy.data").write_bytes(b"my own")
    site.files[URL] = zipped({"toy.data": b"wrong"})
    with pytest.raises(FetchError):
        fetch("toy", base=site.base)
    assert everything_under(folder.parent) == ["toy-folder", "toy-folder/toy.data"]
    assert (folder / "toy.data").read_bytes() == b"my own"


def test_new_files_join_those_that_no_archive_holds(site: Site) -> None:
    folder = path("toy")
    folder.mkdir(parents=True)
    (folder / "extra.tsv").write_bytes(CONTENT)
    (folder / "toy.data.gz").write_bytes(b"half a fi")
    site.files[URL] = zipped({"toy.data": CONTENT})
    fetch("toy", base=site.base)
    assert everything_under(folder) == ["extra.tsv", "toy.data"]
    assert verify("toy").ok


def test_a_wrong_optional_file_is_left_out(site: Site) -> None:
    site.files[URL] = zipped({"toy.data": CONTENT, "notes.txt": b"new edition\n"})
    assert everything_under(fetch("toy", base=site.base)) == ["toy.data"]


def test_an_interrupt_leaves_no_trace(site: Site, folders: Path) -> None:
    site.files[URL] = zipped({"toy.data": CONTENT})

    def interrupt(_: int, __: int | None) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        fetch("toy", base=site.base, progress=interrupt)
    assert everything_under(folders) == []


def test_what_a_killed_process_left_is_swept_but_not_what_runs(site: Site, folders: Path) -> None:
    old, new = folders / "data" / ".fetch-toy-old", folders / "data" / ".fetch-toy-new"
    for place in (old, new):
        place.mkdir(parents=True)
    before = time.time() - 3 * 24 * 3600
    os.utime(old, (before, before))
    site.files[URL] = zipped({"toy.data": CONTENT})
    fetch("toy", base=site.base)
    assert not old.exists()
    assert new.exists()


def test_a_data_folder_that_cannot_be_written_is_named(
    site: Site, folders: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "mkdir", refuse)
    with pytest.raises(FetchError, match="set JOSTLE_DATA to a folder that you can write to"):
        fetch("toy", base=site.base)
    assert site.ranges == []
    assert everything_under(folders) == []


def test_arguments_are_named(toy: TableSet) -> None:
    with pytest.raises(ValueError, match="unknown data set 'toi'"):
        fetch("toi")
    with pytest.raises(ValueError, match="base must be an address"):
        fetch("toy", base="localhost")
    assert toy.url.endswith(URL)


def test_the_warning_filter_is_on() -> None:
    """Sockets and files left open would be ResourceWarnings, which fail these tests."""
    with pytest.raises(ResourceWarning):
        warnings.warn("left open", ResourceWarning, stacklevel=1)
