"""The tool behind `make mutants`, as far as it needs no mutants."""

import pytest

from documents import ROOT

from mutants import rooms


@pytest.mark.parametrize("room", rooms.ROOMS)
def test_each_source_file_of_a_room_has_tests_and_each_of_them_exists(room):
    folder, _ = rooms.ROOMS[room]
    tests = rooms.files(room)
    if folder:  # else a few files among others
        there = (ROOT / rooms.SOURCE / folder).glob("*.py")
        wanted = {p.relative_to(ROOT).as_posix() for p in there if p.name != "__init__.py"}
        assert set(tests) == wanted
    for file, guards in tests.items():
        assert (ROOT / file).is_file()
        for name in guards.files:
            assert (ROOT / name).is_file(), f"{file}: {name}"


def test_samples_are_nested_repeat_by_seed_and_leave_out_annotations():
    mutations = pytest.importorskip("mutants.mutations", exc_type=ImportError)
    files = ["src/jostle/models/history.py", "src/jostle/policies/selection.py"]
    small, large = (mutations.sample(ROOT, files, size, seed=0) for size in (5, 20))
    assert large[:5] == small
    assert mutations.sample(ROOT, files, 5, seed=1) != small
    for mutant in large:
        gone, came = mutant.diff((ROOT / mutant.file).read_text())[:2]
        assert gone[1:] != came[1:]
    code = "def f(x: int | None, *, y: int = 2) -> int | None:\n    z: int | str = x * 3\n"
    found = {m.code(code) for m in mutations.mutants("f.py", code)}
    assert found
    assert all("int | None" in c and "int | str" in c and "*, y" in c for c in found)
    assert any("x / 3" in c for c in found)
    assert any("x *  4" in c or "x * 4" in c for c in found)
