import gzip
from pathlib import Path

import pytest

from jostle.datasets import paths, verify
from jostle.datasets.acquire import verify as integrity
from jostle.datasets.acquire.verify import Status, inspect
from jostle.datasets.catalog.entry import File

from dataset_support import CONTENT, sha


def put(name: str, content: bytes) -> Path:
    folder = paths.path("toy")
    folder.mkdir(parents=True, exist_ok=True)
    place = folder / name
    place.write_bytes(content)
    return place


@pytest.mark.usefixtures("toy")
def test_files_are_found_plain_or_gzipped_and_read_alike() -> None:
    assert paths.find("toy", "toy.data") is None
    packed = put("toy.data.gz", gzip.compress(CONTENT))
    assert paths.find("toy", "toy.data") == packed
    plain = put("toy.data", CONTENT)
    assert paths.find("toy", "toy.data") == plain
    for place in (packed, plain):
        with paths.open_bytes(place) as stream:
            assert stream.read() == CONTENT
        assert inspect(File("toy.data", 2, sha(CONTENT)), place).status is Status.OK


@pytest.mark.usefixtures("toy")
def test_verify_tells_every_state() -> None:
    report = verify("toy")
    assert {finding.status for finding in report.findings} == {Status.MISSING}
    assert not report.ok
    assert report.missing == ("toy.data",)

    put("toy.data", CONTENT)
    assert verify("toy").ok
    assert verify("toy").original

    put("notes.txt", b"changed\n")
    report = verify("toy")
    assert report.status("notes.txt") == "wrong checksum"
    assert not report.ok
    assert report.original

    put("toy.data", CONTENT[:-3])
    with pytest.raises(integrity.WrongDataError, match="jostle data fetch toy"):
        integrity.require("toy", "toy.data")


@pytest.mark.usefixtures("toy")
def test_a_cut_gzip_file_is_wrong_not_an_accident() -> None:
    put("toy.data.gz", gzip.compress(CONTENT)[:-9])
    assert verify("toy").status("toy.data") is Status.MALFORMED


@pytest.mark.parametrize("chunk", [1, 2, 3, 1 << 20])
def test_line_ends_do_not_matter_where_the_archive_has_its_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, chunk: int
) -> None:
    monkeypatch.setattr(integrity, "_CHUNK", chunk)
    place = tmp_path / "tags.dat"
    place.write_bytes(b"id\tvalue\r\n1\tx\r\r\n")
    lines = sha(b"id\tvalue\n1\tx\r\n")
    assert inspect(File("tags.dat", 2, lines, text=True), place).status is Status.OK
    assert inspect(File("tags.dat", 2, lines), place).status is Status.WRONG
    assert inspect(File("tags.dat", 2, sha(place.read_bytes())), place).status is Status.OK


def test_without_a_checksum_rows_and_header_are_the_check(tmp_path: Path) -> None:
    place = tmp_path / "pairs.dat"
    place.write_bytes(b"a\tb\r\n1\t2\r\n3\t4")
    assert inspect(File("pairs.dat", 3, header="a\tb"), place).status is Status.UNVERIFIED
    short = inspect(File("pairs.dat", 4, header="a\tb"), place)
    assert short.status is Status.MALFORMED
    assert short.note == "it has 3 lines, expected 4"
    other = inspect(File("pairs.dat", 3, header="a\tc"), place)
    assert other.status is Status.MALFORMED
    assert "header 'a\\tb'" in other.note


def test_partial_files_stand_in_only_together() -> None:
    def finding(name: str, status: Status, **more: object) -> integrity.Finding:
        return integrity.Finding(File(name, 1, **more), status)  # type: ignore[arg-type]

    def report(first: Status, second: Status) -> integrity.Report:
        return integrity.Report(
            "x",
            Path(),
            (
                finding("whole", Status.MISSING, stand_ins=("p", "q")),
                finding("p", first, role="partial"),
                finding("q", second, role="partial"),
            ),
        )

    assert report(Status.OK, Status.OK).ok
    assert not report(Status.OK, Status.OK).original
    assert report(Status.OK, Status.MISSING).missing == ("whole",)
