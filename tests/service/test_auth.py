"""Keys and grants."""

import json
import stat

import pytest

from jostle.service.auth import Access, Keys
from jostle.service.roles import EVERY_APP


@pytest.fixture
def keys(tmp_path):
    return Keys(tmp_path / "keys.json")


def test_a_key_is_found_by_its_text_only(keys):
    id, key = keys.create({"shop": ["read"]}, "a name")
    assert keys.find(key).key == id
    secret = key.split("_", 2)[2]
    for other in (
        "", "jostle", f"jostle_{id}_", key[:-1], key + "A", key.upper(), f"x{key}",
        key.replace("jostle", "other"), f"jostle_00000000_{secret}",
    ):  # fmt: skip
        assert keys.find(other) is None


def test_keys_are_stored_as_salted_hashes_that_only_the_owner_can_read(keys):
    tokens = [keys.create({"shop": ["read"]})[1] for _ in range(2)]
    text = keys.path.read_text()
    for token in tokens:
        assert token.split("_", 2)[2] not in text
    stored = json.loads(text)["keys"]
    assert len({key["salt"] for key in stored}) == len({key["hash"] for key in stored}) == 2
    assert all(len(key["hash"]) == 64 for key in stored)
    assert stat.S_IMODE(keys.path.stat().st_mode) == 0o600


def test_keys_have_256_random_bits(keys):
    secrets = {keys.create({"shop": ["read"]})[1].split("_", 2)[2] for _ in range(20)}
    assert len(secrets) == 20
    assert all(len(secret) == 43 for secret in secrets)  # base 64: 6 bits each


def test_changes_by_another_process_are_noticed(keys, monkeypatch):
    other = Keys(keys.path)
    id, key = other.create({"shop": ["read"]})
    assert keys.find(key) is not None
    other.revoke(id)
    keys._read_at = -10.0  # a second later
    assert keys.find(key) is None
    _, first = keys.create({"shop": ["read"]})
    _, second = other.create({"shop": ["read"]})  # nothing that the first wrote is lost
    assert Keys(keys.path).find(first)
    assert Keys(keys.path).find(second)


def test_a_damaged_file_keeps_the_present_keys_valid_and_stops_a_start(keys, caplog):
    _, key = keys.create({"shop": ["read"]})
    keys.path.write_text("{")
    keys._read_at = -10.0
    assert keys.find(key) is not None
    assert "keys_unreadable" in caplog.text
    with pytest.raises(ValueError, match="is not a file of keys"):
        Keys(keys.path).all()


@pytest.mark.parametrize("grants", [{}, {"shop": []}, {"shop": ["owner"]}])
def test_bad_grants(keys, grants):
    with pytest.raises(ValueError, match=r"grants|unknown role"):
        keys.create(grants)
    assert not keys.path.exists()


def test_roles_are_per_app():
    access = Access("k", {"shop": ["read"], "blog": ["admin"], EVERY_APP: ["decide"]})
    assert access.roles("shop") == ["decide", "read"]
    assert access.roles("blog") == ["decide", "reward", "read", "admin"]
    assert access.roles("other") == ["decide"]
    assert access.allows("shop", frozenset({"read", "admin"}))
    assert not access.allows("other", frozenset({"read", "admin"}))
    assert access.allows_giving({"blog": ["read"]})
    assert not access.allows_giving({"blog": ["read"], "shop": ["read"]})
    assert not access.allows_giving({EVERY_APP: ["read"]})
