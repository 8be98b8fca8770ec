import random
from pathlib import Path

import pytest

from jostle.datasets.acquire import download as module
from jostle.datasets.acquire.download import FetchError, download

from dataset_support import Site, everything_under

CONTENT = random.Random(0).randbytes(300_000)


@pytest.fixture
def target(tmp_path: Path) -> Path:
    folder = tmp_path / "in"
    folder.mkdir()
    return folder / "file.zip"


def test_a_file_comes_whole_with_progress(site: Site, target: Path) -> None:
    site.files["/f"] = CONTENT
    seen: list[tuple[int, int | None]] = []
    download(f"{site.base}/f", target, progress=lambda done, total: seen.append((done, total)))
    assert target.read_bytes() == CONTENT
    assert seen[-1] == (len(CONTENT), len(CONTENT))
    assert [done for done, _ in seen] == sorted(done for done, _ in seen)
    assert everything_under(target.parent) == ["file.zip"]


def test_a_cut_connection_is_taken_up_where_it_broke(site: Site, target: Path) -> None:
    site.files["/f"] = CONTENT
    site.cuts = [100_000, 50_000]
    download(f"{site.base}/f", target, pause=0.0)
    assert target.read_bytes() == CONTENT
    assert site.ranges == [None, "bytes=100000-", "bytes=150000-"]


def test_a_file_that_changed_meanwhile_is_begun_again(site: Site, target: Path) -> None:
    site.files["/f"] = CONTENT
    site.cuts = [100_000]

    def change() -> None:
        if site.ranges:
            site.tag, site.files["/f"] = '"v2"', CONTENT[::-1]

    site.on_request = change
    download(f"{site.base}/f", target, pause=0.0)
    assert target.read_bytes() == CONTENT[::-1]


@pytest.mark.parametrize("tag", [None, 'W/"weak"'])
def test_without_a_sure_mark_of_the_version_nothing_is_joined(
    site: Site, target: Path, tag: str | None
) -> None:
    site.files["/f"], site.tag, site.cuts = CONTENT, tag, [1_000]
    download(f"{site.base}/f", target, pause=0.0)
    assert target.read_bytes() == CONTENT
    assert site.ranges == [None, None]


def test_a_passing_fault_is_tried_again(site: Site, target: Path) -> None:
    site.files["/f"], site.failures = CONTENT, [503, 429]
    download(f"{site.base}/f", target, pause=0.0)
    assert target.read_bytes() == CONTENT


def test_not_found_is_final(site: Site, target: Path) -> None:
    with pytest.raises(FetchError, match=r"/nothing: the server answered 404"):
        download(f"{site.base}/nothing", target, pause=0.0)
    assert len(site.ranges) == 1
    assert not target.exists()


def test_a_server_that_always_breaks_off_is_given_up(site: Site, target: Path) -> None:
    site.files["/f"], site.cuts = CONTENT, [0] * 100
    with pytest.raises(FetchError, match="broke after 0 of 300,000 bytes"):
        download(f"{site.base}/f", target, pause=0.0)
    assert len(site.ranges) == module.ATTEMPTS
    assert not target.exists()


def test_an_endless_answer_is_stopped(site: Site, target: Path) -> None:
    site.files["/f"] = CONTENT
    with pytest.raises(FetchError, match="exceeds the limit of 1,000 bytes"):
        download(f"{site.base}/f", target, limit=1_000)
    assert not target.exists()


def test_a_refused_connection_says_so(target: Path) -> None:
    with pytest.raises(FetchError, match=r"cannot download http://127\.0\.0\.1:1/f"):
        download("http://127.0.0.1:1/f", target, pause=0.0)


def test_other_schemes_are_refused(target: Path) -> None:
    with pytest.raises(ValueError, match="url must begin with http"):
        download("file:///etc/hostname", target)
