"""The harnesses of ``make torture``, small: that they work, and that what they claim holds.

Those that measure times (load, overload, soak) are not here: machines that run tests are shared.
"""

import random

import pytest

from torture import faulty_disk, kills, power_loss, probabilities, regret
from torture.faulty_disk import HEAD, SYNC, TRUNCATE, WRITE


def quiet(sentence):
    """Say nothing."""


def note(kind, place, data=b"", name=b"f"):
    return HEAD.pack(kind, len(name), place, len(data)) + name + data


def test_only_what_was_synced_survives_a_power_loss():
    journal = note(WRITE, 0, b"abcd") + note(SYNC, 0) + note(WRITE, 2, b"xy") + note(TRUNCATE, 1)
    rng = random.Random(0)
    after, dropped = faulty_disk.after_power_loss({}, journal, rng, keep=False)
    assert (after, dropped) == ({"f": b"abcd"}, 2)
    synced, _ = faulty_disk.after_power_loss({}, journal + note(SYNC, 0), rng, keep=False)
    assert synced == {"f": b"a"}
    cut, _ = faulty_disk.after_power_loss({"f": b"old"}, journal[:-1], rng, keep=False)
    assert cut == {"f": b"abcd"}
    cut, dropped = faulty_disk.after_power_loss(
        {"f": b"old"}, note(WRITE, 0, b"n")[:-1], rng, False
    )
    assert (cut, dropped) == ({"f": b"old"}, 0)


def test_some_writes_survive_by_chance():
    journal = b"".join(note(WRITE, 4 * i, b"1234") for i in range(200))
    after, dropped = faulty_disk.after_power_loss({}, journal, random.Random(0), keep=True)
    assert 50 < dropped < 150
    assert 0 < after["f"].count(b"1234") < 150


@pytest.mark.study
@pytest.mark.parametrize(
    "harness",
    [
        pytest.param(lambda folder: kills.run(folder, 3, quiet), id="kills"),
        pytest.param(lambda folder: power_loss.run(folder, 10, quiet), id="power loss"),
        pytest.param(
            lambda folder: probabilities.run(folder, 1000, quiet, "lin-ts"), id="probabilities"
        ),
        pytest.param(
            lambda folder: regret.run(
                folder,
                100,
                quiet,
                problems=("clicks",),
                seeds=range(1),
                policy="lin-ts",
                bar=None,
            ),
            id="regret",
        ),
    ],
)
def test_what_is_claimed_holds(harness, tmp_path):
    outcome = harness(tmp_path)
    assert not outcome.errors, outcome
    assert outcome.passed
