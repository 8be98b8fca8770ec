from pathlib import Path

import numpy as np
import pytest

from jostle.datasets import cache, paths
from jostle.datasets.cache import cached, fingerprint

ARRAYS = {"a": np.arange(20_000), "text": np.array(["x", "yy"])}


class Builder:
    def __init__(self) -> None:
        self.calls = 0

    def __call__(self) -> dict[str, np.ndarray]:
        self.calls += 1
        return dict(ARRAYS)


def files() -> list[Path]:
    return sorted((paths.cache_folder() / "parsed").iterdir())


def test_the_second_time_nothing_is_built() -> None:
    build = Builder()
    for _ in range(2):
        found = cached("toy", "k" * 64, build)
        assert found.keys() == ARRAYS.keys()
        assert all(np.array_equal(found[name], ARRAYS[name]) for name in ARRAYS)
    assert build.calls == 1
    assert [file.name for file in files()] == ["toy-" + "k" * 20 + ".npz"]


def test_a_new_key_replaces_the_old_file() -> None:
    build = Builder()
    cached("toy", "k" * 64, build)
    cached("other", "k" * 64, build)
    cached("toy", "m" * 64, build)
    assert build.calls == 3
    assert [file.name[:7] for file in files()] == ["other-k", "toy-mmm"]


def cut(content: bytes) -> bytes:
    return content[: len(content) // 2]


def flip(content: bytes) -> bytes:
    middle = len(content) // 2
    return content[:middle] + bytes((content[middle] ^ 1,)) + content[middle + 1 :]


@pytest.mark.parametrize("damage", [cut, flip, lambda _: b"", lambda _: b"nonsense"])
def test_a_damaged_file_is_made_again(damage: object) -> None:
    build = Builder()
    cached("toy", "k" * 64, build)
    (place,) = files()
    place.write_bytes(damage(place.read_bytes()))  # type: ignore[operator]
    found = cached("toy", "k" * 64, build)
    assert np.array_equal(found["a"], ARRAYS["a"])
    assert build.calls == 2
    cached("toy", "k" * 64, build)
    assert build.calls == 2


def test_pickled_content_is_not_loaded() -> None:
    build = Builder()
    cached("toy", "k" * 64, build)
    (place,) = files()
    np.savez(place, a=np.array([object()], dtype=object), _key=np.array("k" * 64))
    cached("toy", "k" * 64, build)
    assert build.calls == 2


def test_an_interrupted_write_leaves_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(cache.np, "savez", interrupt)
    with pytest.raises(KeyboardInterrupt):
        cached("toy", "k" * 64, Builder())
    assert files() == []


def test_a_cache_that_cannot_be_written_only_warns(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    blocked = tmp_path / "file"
    blocked.write_bytes(b"")
    monkeypatch.setenv("JOSTLE_CACHE", str(blocked))
    with pytest.warns(UserWarning, match="set JOSTLE_CACHE to a folder"):
        assert np.array_equal(cached("toy", "k" * 64, Builder())["a"], ARRAYS["a"])


def test_the_fingerprint_follows_content_and_parts(tmp_path: Path) -> None:
    place = tmp_path / "f"
    place.write_bytes(b"one")
    first = fingerprint([place], 1)
    assert fingerprint([place], 1) == first
    assert fingerprint([place], 2) != first
    place.write_bytes(b"two")
    assert fingerprint([place], 1) != first
