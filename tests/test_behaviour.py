"""Results are reused by behaviour numbers, so behaviour may only change together with a number."""

import json

import pytest

import record_behaviour
from behaviour_cases import FILE, NAMES, POLICIES, numbers, play, same
from jostle.policies.catalog import CATALOG, PAPER_FORMS
from policies.cases import VARIANTS

RECORDED = json.loads(FILE.read_text())


def test_every_policy_and_environment_is_recorded():
    played = {type(policy) for policy in POLICIES.values()}
    assert played == {*CATALOG.values(), *PAPER_FORMS}
    assert sorted(RECORDED) == sorted(NAMES), f"run {record_behaviour.COMMAND}"


@pytest.mark.parametrize(
    "name",
    [pytest.param(name, marks=pytest.mark.study) if name in VARIANTS else name for name in NAMES],
)
def test_behaviour_changes_only_with_its_number(name):
    before = RECORDED[name]
    if before["numbers"] != numbers(name):
        pytest.fail(f"behaviour numbers of {name!r} were raised: run {record_behaviour.COMMAND}")
    if not same(before["run"], play(name)):
        pytest.fail(record_behaviour.advice(name))


def test_recording_needs_a_raised_number(tmp_path):
    path = tmp_path / FILE.name
    changed = json.loads(FILE.read_text())
    changed["uniform"]["run"]["rewards"][0] += 0.1
    path.write_text(json.dumps(changed))
    assert record_behaviour.record(path, ["uniform"]) == ["uniform"]
    assert json.loads(path.read_text()) == changed  # refused, and nothing written
    changed["uniform"]["numbers"]["policy"] = 0
    path.write_text(json.dumps(changed))
    assert record_behaviour.record(path, ["uniform"]) == []
    recorded = json.loads(path.read_text())
    assert recorded["uniform"]["numbers"] == RECORDED["uniform"]["numbers"]
    assert same(recorded["uniform"]["run"], RECORDED["uniform"]["run"])  # machines round otherwise
    assert {**recorded, "uniform": None} == {**RECORDED, "uniform": None}
