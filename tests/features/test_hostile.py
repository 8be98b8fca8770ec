"""Hostile records: an error that names the path, and nothing changed."""

import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from jostle.features import Encoder

DEEP = {"a": {"b": {"c": {"d": {"e": {"f": 1}}}}}}
SELF: dict = {}
SELF["me"] = SELF
HOSTILE = [
    ({"user": {"age": float("nan")}}, "context.user.age must be a finite number, not nan"),
    ({"user": {"age": float("-inf")}}, "context.user.age must be a finite number"),
    ({"n": 10**400}, "context.n must be a finite number, not one that is too large"),
    ({"text": "x" * 10_000_000}, "context.text must have at most 4096 characters, not 10000000"),
    ({f"k{i}": 1 for i in range(10_000)}, "context must hold at most 1024 values"),
    ({"list": ["x"] * 10_000}, "context.list must hold at most 1024 values"),
    ({"list": list(range(600)), "more": list(range(600))}, "must hold at most 1024 values"),
    ({"v": np.zeros(5000)}, "context.v must hold at most 1024 values"),
    (DEEP, "context.a.b.c.d.e must be at most 4 mappings deep"),
    (SELF, "must be at most 4 mappings deep"),
    ({"when": object()}, "context.when must be a string, a number"),
    ({"when": np.datetime64("2020-01-01")}, "context.when must be a string"),
    ({"raw": b"bytes"}, "context.raw must be a string"),
    ({"lone": "\ud800"}, "context.lone must be Unicode text"),
    ({"\ud800": 1}, "names must be Unicode text"),
    ({3: "x"}, "context must have strings as names, not a int"),
    ({"n" * 300: "x"}, "has a name of 300 characters"),
    ({"mixed": ["a", 1]}, r"context.mixed\[0\] must be a number like the others"),
    ({"mixed": [1.0, None]}, r"context.mixed\[1\] must be a number"),
    ({"flags": [True, False]}, r"context.flags\[0\] must be a number"),
    ({"ids": {1, 2}}, "context.ids must hold strings only"),
    ({"v": np.zeros((2, 2))}, "context.v must be an array of numbers of one dimension"),
    ({"v": [1.0, float("nan")]}, "context.v.1 must be a finite number"),
    (["not", "a", "mapping"], "context must be a mapping"),
    (None, "context must be a mapping"),
]


@pytest.mark.parametrize(("record", "message"), HOSTILE)
def test_errors_name_the_path_and_nothing_changes(record, message):
    encoder = Encoder(64)
    encoder.encode({"known": "yes"}, ["a"])
    before = json.dumps(encoder.as_data())
    with pytest.raises((TypeError, ValueError), match=message) as caught:
        encoder.encode(record, ["b"])
    assert len(str(caught.value)) < 400
    str(caught.value).encode()  # printable anywhere
    if isinstance(record, dict):
        for actions in ([{"id": "x", **record}], ["z", record]):
            where = message.replace("context", rf"actions\[{len(actions) - 1}\]")
            with pytest.raises((TypeError, ValueError), match=where):
                encoder.encode({"new": "name"}, actions)
    with pytest.raises((TypeError, ValueError)):
        encoder.observe(record, ["a"])
    assert json.dumps(encoder.as_data()) == before


@pytest.mark.parametrize(
    ("actions", "message"),
    [
        ([], "actions must hold at least one action"),
        ("abc", "actions must be a list of actions, or a data frame, not a str"),
        ({"a": 1}, "actions must be a list of actions, or a data frame, not a dict"),
        (None, "actions must be a list"),
        ([None], r"actions\[0\]"),
        ([{}], r"actions\[0\] must have an id or features, and has neither"),
        ([{"id": 1.5}], r"actions\[0\].id must be a string or a whole number, not 1.5"),
        ([True], r"actions\[0\].id must be a string or a whole number, not True"),
        (["a", 2.5], r"actions\[1\].id must be a string or a whole number"),
        (["a", "\ud800"], r"actions\[1\].id must be Unicode text"),
    ],
)
def test_bad_actions_are_refused(actions, message):
    with pytest.raises((TypeError, ValueError), match=message):
        Encoder(64).encode({}, actions)


def test_many_hostile_actions_are_refused_by_their_path():
    """Beyond some number, actions are read column by column; the errors are the same."""
    for bad in (float("nan"), 10**400, "\ud800", "x" * 5000):
        actions = [{"price": 1.0 if not isinstance(bad, str) else "x", "kind": "a"}] * 40
        actions[17] = {"price": bad, "kind": "a"}
        with pytest.raises(ValueError, match=r"actions\[17\]\.price must"):
            Encoder(64).encode({}, actions)


keys = st.text(max_size=6) | st.just("id") | st.integers() | st.none()
values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(st.characters(), max_size=8)
    | st.text(st.characters(categories=["Cs", "L"]), max_size=3)
    | st.binary(max_size=3),
    lambda inside: (
        st.lists(inside, max_size=4)
        | st.dictionaries(keys, inside, max_size=4)
        | st.tuples(inside, inside)
    ),
    max_leaves=12,
)
records = st.dictionaries(keys, values, max_size=6)


@settings(max_examples=60, deadline=None)
@given(context=records, actions=st.lists(records | values, max_size=4))
def test_anything_is_encoded_or_refused_with_a_path(context, actions):
    encoder = Encoder(16)
    encoder.encode({"known": 1.5}, ["a"])
    before = json.dumps(encoder.as_data())
    try:
        rows, refusal = encoder.encode(context, actions), None
    except (TypeError, ValueError) as error:
        refusal = str(error)
    if refusal is not None:
        assert refusal.startswith(("context", "actions"))
        refusal.encode()
        assert json.dumps(encoder.as_data()) == before
        return
    assert rows.shape == (len(actions), 16)
    assert np.isfinite(rows).all()
    np.testing.assert_array_equal(encoder.encode(context, actions), rows)  # encoding changes none
    copy = Encoder.from_data(json.loads(json.dumps(encoder.as_data())))
    np.testing.assert_array_equal(copy.encode(context, actions), rows)


plain = st.dictionaries(
    st.text(st.characters(codec="utf-8"), min_size=1, max_size=5),
    st.text(st.characters(codec="utf-8"), max_size=5)
    | st.floats(-1e9, 1e9)
    | st.booleans()
    | st.lists(st.sampled_from("abc"), max_size=3),
    max_size=5,
)


@settings(max_examples=50, deadline=None)
@given(context=plain, seed=st.randoms())
def test_the_order_of_names_does_not_matter(context, seed):
    encoder = Encoder(64)
    items = list(context.items())
    seed.shuffle(items)
    np.testing.assert_allclose(
        encoder.encode(dict(items), ["a", "b"]), encoder.encode(context, ["a", "b"]), atol=1e-5
    )
