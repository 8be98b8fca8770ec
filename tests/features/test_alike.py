"""Actions that are read together give what they give one by one, bit for bit."""

import re

import numpy as np
import pytest

from jostle.features import alike, requests
from jostle.features.encoder import Encoder
from jostle.features.requests import Reading
from jostle.features.schema import Number, Schema
from jostle.features.together import Named

KINDS = ["hat", "shoe"]


def decisions(seed):
    rng = np.random.default_rng(seed)
    return [
        (
            {"hour": int(rng.integers(24)), "device": "phone"},
            [
                {"id": f"a{k}", "kind": KINDS[k % 2], "price": float(rng.normal()), "stock": k}
                for k in range(size)
            ],
        )
        for size in (3, 3, 1, 4)
    ]


def named(records):
    parts = [({"id": each} if isinstance(each, str) else each) for each in records]
    return Named([each["id"] for each in parts], [features(each) for each in parts])


def features(record):
    return {name: value for name, value in record.items() if name != "id"}


def encode_many(encoder, asked):
    return encoder.encode_many([(context, named(actions)) for context, actions in asked])


def one_by_one(encoder, asked, monkeypatch):
    with monkeypatch.context() as patch:
        patch.setattr(requests, "read_alike", lambda *_: None)
        return [encoder.encode_and_count(*each) for each in asked]


@pytest.mark.parametrize("interactions", ["crossed", "product", "none"])
@pytest.mark.parametrize("ids", [True, False])
def test_reading_together_changes_nothing(interactions, ids, monkeypatch):
    """Without moments, while they are learned, and when they are fixed."""
    encoder = Encoder(16, interactions=interactions, ids=ids, warmup=4)
    for seed in range(4):
        asked = decisions(seed)
        expected = one_by_one(encoder, asked, monkeypatch)
        for found in (encode_many(encoder, asked), [encoder.encode_and_count(*e) for e in asked]):
            for (rows, numbers), (known_rows, known_numbers) in zip(found, expected, strict=True):
                np.testing.assert_array_equal(rows, known_rows)
                assert list(numbers.items()) == list(known_numbers.items())
        for _, numbers in expected[:2]:
            encoder.observe_numbers(numbers)


def test_decisions_of_many_shapes_are_encoded_together(monkeypatch):
    """Other names, numbers of actions, contexts, ids and strings, in one call."""
    encoder = Encoder(32, warmup=4)
    rng = np.random.default_rng(0)

    def action(k, names):
        numbers = {name: float(rng.normal()) for name in names}
        return {"id": f"a{rng.integers(9)}.{k}", **numbers, "kind": KINDS[rng.integers(2)]}

    def decision(size, names, context):
        return context, [action(k, names) for k in range(size)]

    contexts = [{}, {"hour": 3, "age": 0.5}, {"age": 0.5, "hour": 3}, {"device": "phone"}]
    asked = [
        decision(int(rng.integers(1, 6)), names, context)
        for names in (["x"], ["y", "x"], ["x", "y"], [])
        for context in contexts
        for _ in range(4)
    ]
    for _ in range(3):
        expected = one_by_one(encoder, asked, monkeypatch)
        together = encoder._crossing.encode(
            [Reading(encoder._parts).person(context) for context, _ in asked],
            [named(actions) for _, actions in asked],
        )
        assert all(each is not None for each in together)
        for found in (together, encode_many(encoder, asked)):
            for (rows, numbers), (known_rows, known_numbers) in zip(found, expected, strict=True):
                np.testing.assert_array_equal(rows, known_rows)
                assert list(numbers.items()) == list(known_numbers.items())
        for _, numbers in expected[:3]:
            encoder.observe_numbers(numbers)


def test_they_are_read_together_once_their_names_are_known(monkeypatch):
    encoder, asked = Encoder(16), decisions(0)
    encode_many(encoder, asked)
    assert alike.read_alike(asked[0][1], encoder._reader, True) is not None


@pytest.mark.parametrize(
    "odd",
    [
        {"id": "new", "kind": "hat", "price": 1.0, "stock": 1},
        {"id": "a0", "kind": "boot", "price": 1.0, "stock": 1},
        {"id": "a0", "kind": ["hat"], "price": 1.0, "stock": 1},
        {"id": "a0", "kind": "hat", "price": True, "stock": 1},
        {"id": "a0", "kind": "hat", "price": None, "stock": 1},
        {"id": "a0", "price": 1.0, "kind": "hat", "stock": 1},
        {"id": "a0", "kind": "hat", "price": 1.0, "stock": 10**400},
        {"id": "a0", "kind": "hat", "price": float("nan"), "stock": 1},
        "a0",
    ],
)
def test_anything_odd_is_left_to_reading_one_by_one(odd, monkeypatch):
    encoder, asked = Encoder(16), decisions(0)
    encode_many(encoder, asked)
    assert alike.read_alike([*asked[0][1], odd], encoder._reader, True) is None
    mixed = [asked[0], ({"hour": 1}, [odd]), asked[1]]
    found = encode_many(encoder, mixed)
    for each, (context, actions) in zip(found, mixed, strict=True):
        if isinstance(each, Exception):
            with pytest.raises(type(each), match=re.escape(str(each))):
                encoder.encode_and_count(context, actions)
        else:
            expected = encoder.encode_and_count(context, actions)[0]
            np.testing.assert_array_equal(each[0], expected)


def test_a_schema_is_kept_to():
    encoder = Encoder(16, schema=Schema(action={"price": Number()}))
    asked = [({}, [{"id": "a", "price": 1.0}]), ({}, [{"id": "a", "size": 1}])]
    found = encode_many(encoder, asked)
    assert isinstance(found[1], ValueError)
    assert found[0][0].shape == (1, 16)
