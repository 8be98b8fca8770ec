"""A schema refuses what does not fit, or counts it and reads it as missing."""

import json

import numpy as np
import pytest

from jostle.features import Boolean, Category, Encoder, Number, Schema

CONTEXT = {
    "user": {"age": Number(0, 120), "member": Boolean()},
    "device": Category("phone", "desktop", required=True),
    "vector": Number(many=True),
}
ACTION = {"price": Number(least=0), "tags": Category(many=True)}
GOOD = {"user": {"age": 30, "member": True}, "device": "phone", "vector": [1.0, 2]}
MISFITS = [
    ({"user": {"age": 200}}, "context.user.age", "must be between 0 and 120, not 200"),
    ({"user": {"age": "old"}}, "context.user.age", "must be a number, not 'old'"),
    ({"user": {"age": True}}, "context.user.age", "must be a number, not True"),
    ({"user": {"age": float("nan")}}, "context.user.age", "must be between"),
    ({"user": {"member": 1}}, "context.user.member", "must be True or False"),
    ({"user": 3}, "context.user", "must be a mapping"),
    ({"user": {"shoe": 3}}, "context.user.shoe", "is not in the schema"),
    ({"device": "watch"}, "context.device", "must be one of 'phone', 'desktop', not 'watch'"),
    ({"device": None}, "context.device", "is required, but missing"),
    ({"vector": [1.0, "x"]}, "context.vector", "must be a number, not 'x'"),
]


def test_what_fits_is_encoded_as_without_a_schema():
    encoder = Encoder(64, schema=Schema(CONTEXT, ACTION))
    actions = [{"id": "a", "price": 3, "tags": ["x", "y"]}, {"id": "b"}]
    np.testing.assert_array_equal(encoder.encode(GOOD, actions), Encoder(64).encode(GOOD, actions))


@pytest.mark.parametrize(("change", "path", "message"), MISFITS)
def test_misfits_are_refused_by_their_path(change, path, message):
    encoder = Encoder(64, schema=Schema(CONTEXT))
    with pytest.raises(ValueError, match=f"^{path} {message}"):
        encoder.encode({**GOOD, **change}, ["a"])


@pytest.mark.parametrize(("change", "path", "message"), MISFITS)
def test_or_counted_and_read_as_missing(change, path, message):
    encoder = Encoder(64, schema=Schema(CONTEXT, misfits="count"))
    record = {**GOOD, **change}
    rows = encoder.encode(record, ["a"])
    assert dict(encoder.schema.counts) == {path: 1}
    if isinstance(change.get("user"), dict):
        record["user"] = {}
    else:
        record[path.split(".")[1]] = None
    np.testing.assert_array_equal(rows, Encoder(64).encode(record, ["a"]))


def test_actions_are_named_by_their_place():
    encoder = Encoder(64, schema=Schema(action=ACTION))
    with pytest.raises(ValueError, match=r"^actions\[1\]\.price must be between 0 and inf"):
        encoder.encode({}, [{"id": "a", "price": 1}, {"id": "b", "price": -1}])


def test_nothing_is_counted_if_the_request_is_refused():
    encoder = Encoder(64, schema=Schema(CONTEXT, misfits="count"))
    with pytest.raises(ValueError, match=r"actions\[0\]\.x"):
        encoder.encode({**GOOD, "device": "watch"}, [{"x": float("inf")}])
    assert not encoder.schema.counts


def test_a_schema_is_part_of_the_data():
    encoder = Encoder(64, schema=Schema(CONTEXT, ACTION, misfits="count"))
    encoder.encode({**GOOD, "device": "watch"}, ["a"])
    copy = Encoder.from_data(json.loads(json.dumps(encoder.as_data())))
    copy.encode({**GOOD, "device": "watch"}, ["a"])
    assert dict(copy.schema.counts) == {"context.device": 2}
    assert copy.schema.as_data()["context"] == encoder.schema.as_data()["context"]


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Schema({"a": int}), "schema of context.a must be a Number"),
        (lambda: Schema(3), "schema of context must be a mapping"),
        (lambda: Schema(misfits="drop"), "misfits must be 'refuse' or 'count'"),
        (lambda: Number(3, 2), "least must be at most most = 2"),
    ],
)
def test_bad_schemas_are_refused(make, message):
    with pytest.raises((TypeError, ValueError), match=message):
        make()
