import base64
import gzip
import io
import stat
import zipfile
from pathlib import Path

import pytest

from jostle.datasets.acquire import lzw
from jostle.datasets.acquire.unpack import ArchiveError, unpack

from dataset_support import everything_under, zipped

SQUARES = " ".join(str(number * number) for number in range(300)).encode()
# SQUARES as the Unix program writes it; long enough for its codes to grow from 9 to 10 bits.
COMPRESSED = base64.b64decode(
    """
H52QMEDEAEEDRA6BNkDIqAFiRkIaB20UxDEwBoyAMWRUpFEwho2DMXIklLFQYY2ROA7OkFHQ4UAaFwnSeImjYA0ZB2vc
SGijpI2dIG7gDFoTRM2BOWKKrAiDpUAYKQXGOCmQJMOMIgU6BMmx482KNmJ6pChwZ8eaIHM4VNiUoUaPCmXAOChjBoyC
LGEMXBhTRti9N+4qxDFXYQ64dkvOiLF2JcSGDlvSIOsw5gyhA2fUbCnyIMysNKwSnEGVY1QaPQvS2PkyacAadwfWiFG0
xsqcqxOeLKkTaI0cQ8MWTT1QYkwbJ4sLLWgDR9TAVIWWvDEj642TB2/c4BgU+ECKMXHIIFtTolGJB52vTVrSe8Icnw2G
LZiDMNOLGJvqfQqzI4ywIEEFVwwWlURgXQkRyBFIHplHoHMVaSRWXRpVVQN3Ge0EEk5ZMSYaYzRQxVhzIFXnVAwz2bAR
TBihNpNAkxU1FVYC2QbUVD1dVQMON6o4lEeadWSDRGC5VpZHFW134k5RxXBDDiKKZyBaCfL4kUBJYahWhSGFhVF9ZMnl
EV53PSYXdSMV6BZjcGkEoEIhCUaSmHHBFhBJ9im0mJwzxFfXDW3CVBJLM6zFEnoKQWTeQuPtdVJfv1XoF0t4IXelXymN
JJ1b11Elww3O0SUlXjgkN5iROLG0F5RFcThUYkDZlWNDc8XqoUpjtSTXi45Z9qmKkGXUUp9RFVpqQn2K1udvyCqqkm3c
kYZZQypaJhFlzZl3GUsq7dQYYYodhaxzhZkoWHV/EYRfQP3tBxNhqmVUWIpwhdYWQYQ+NN5jNKxkXr/NvTRTTBx9JRN8
qtl2ZYhPPtRTSahZSlBgp13n1GpLEVQTwc69CNG+BOUgVE56+fYfbxb5NtVQs9VnE6Wy4RSTbS6BYJt4NoUW1YXX6XYT
b9jppuKVJ0lkE6AV6uSlzYSRteNJNmWZE5RreekTDLPxZFFhKsLGnFz75XicXWGTJphxXIcIF3L3IqcwCEPeFZGlzFGs
3NIBV5gtdx95FFFnCQUmWmA9B5XRc7Q5JVTNI8dEHUcDUedyUCEOdR0MQPU8nYqZ/2S5UEVpdxRRLBKV8ZM3TXRRVIRJ
TJFoFDVsFILp4cQdDqRVeFR4qJF3k3mlonUewEYJzpCVcDknV3rkTgSfXg==
    """
)


@pytest.fixture
def place(tmp_path: Path) -> Path:
    folder = tmp_path / "deep" / "folder"
    folder.mkdir(parents=True)
    return folder


def archive_of(place: Path, content: bytes) -> Path:
    archive = place.parent / "archive.zip"
    archive.write_bytes(content)
    return archive


def test_requested_files_are_uncompressed_whatever_form_they_have(place: Path) -> None:
    archive = archive_of(
        place,
        zipped(
            {
                "top/a.txt": b"A",
                "b.txt.gz": gzip.compress(b"B" * 100_000),
                "c.txt.Z": COMPRESSED,
                "not requested": b"",
            }
        ),
    )
    found = unpack(archive, place, ["a.txt", "b.txt", "c.txt", "absent.txt"])
    assert found == everything_under(place) == ["a.txt", "b.txt", "c.txt"]
    assert (place / "a.txt").read_bytes() == b"A"
    assert (place / "b.txt").read_bytes() == b"B" * 100_000
    assert (place / "c.txt").read_bytes() == SQUARES


@pytest.mark.parametrize(
    "name", ["../a.txt", "x/../../a.txt", "/tmp/a.txt", "..\\a.txt", "C:\\a.txt", "C:a.txt"]
)
def test_a_member_that_leaves_the_folder_is_refused(place: Path, name: str) -> None:
    archive = archive_of(place, zipped({"b.txt": b"good", name: b"evil"}))
    with pytest.raises(ArchiveError, match="leaves the folder"):
        unpack(archive, place, ["a.txt", "b.txt"])
    assert everything_under(place.parent) == ["archive.zip", "folder"]


@pytest.mark.parametrize("kind", [stat.S_IFLNK, stat.S_IFIFO, stat.S_IFCHR])
def test_links_and_devices_are_refused(place: Path, kind: int) -> None:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as source:
        member = zipfile.ZipInfo("a.txt")
        member.external_attr = (kind | 0o777) << 16
        source.writestr(member, "/etc/passwd")
    with pytest.raises(ArchiveError, match="a link or a device"):
        unpack(archive_of(place, buffer.getvalue()), place, ["a.txt"])
    assert everything_under(place) == []


@pytest.mark.parametrize(
    "members",
    [
        {"a.txt": bytes(1_000_001)},
        {"a.txt.gz": gzip.compress(bytes(1_000_001))},
        {"a.txt": bytes(600_000), "b.txt": bytes(600_000)},
    ],
    ids=["plain", "gzip", "together"],
)
def test_what_unpacks_to_too_much_is_refused(place: Path, members: dict[str, bytes]) -> None:
    archive = archive_of(place, zipped(members))
    with pytest.raises(ArchiveError, match=r"exceeds the limit of [\d,]+ uncompressed bytes"):
        unpack(archive, place, ["a.txt", "b.txt"], limit=1_000_000)


@pytest.mark.parametrize(
    "damage",
    [b"", b"no zip at all", zipped({"a.txt": b"A" * 500})[:-25]],
    ids=["empty", "text", "cut"],
)
def test_damaged_archives_are_named_so(place: Path, damage: bytes) -> None:
    with pytest.raises(ArchiveError, match="damaged"):
        unpack(archive_of(place, damage), place, ["a.txt"])


def test_a_flipped_byte_is_noticed(place: Path) -> None:
    content = bytearray(zipped({"a.txt": bytes(range(256))}))
    content[60] ^= 0xFF
    with pytest.raises(ArchiveError, match="damaged"):
        unpack(archive_of(place, bytes(content)), place, ["a.txt"])


def test_damaged_members_are_named_so(place: Path) -> None:
    cut = gzip.compress(b"B" * 1000)[:-6]
    with pytest.raises(ArchiveError, match="damaged"):
        unpack(archive_of(place, zipped({"a.txt.gz": cut})), place, ["a.txt"])
    with pytest.raises(ArchiveError, match=r"a\.txt\.Z: not a \.Z file"):
        unpack(archive_of(place, zipped({"a.txt.Z": b"text"})), place, ["a.txt"])


def test_lzw_reads_what_compress_wrote() -> None:
    assert lzw.decompress(COMPRESSED, 10_000) == SQUARES
    assert lzw.decompress(bytes((0x1F, 0x9D, 0x90)), 0) == b""


def test_lzw_clears_its_table_and_skips_the_rest_of_the_group() -> None:
    group = (97 | 256 << 9).to_bytes(9, "little")  # "a", clear, six codes of padding
    assert lzw.decompress(b"\x1f\x9d\x90" + group + (98).to_bytes(2, "little"), 10) == b"ab"


def test_lzw_refuses_damage_and_excess() -> None:
    with pytest.raises(ValueError, match="limit of 100 uncompressed bytes"):
        lzw.decompress(COMPRESSED, 100)
    with pytest.raises(ValueError, match="damaged"):
        lzw.decompress(b"\x1f\x9d\x90" + (97 | 400 << 9).to_bytes(3, "little"), 100)
    with pytest.raises(ValueError, match="up to 31 bits"):
        lzw.decompress(b"\x1f\x9d\x9f", 100)
