"""The encoder against a plain reference, and what users rely on."""

import json
import math
import subprocess
import sys

import numpy as np
import pandas as pd
import polars as pl
import pytest
import xxhash

from jostle import Agent, LinUCB, Uniform
from jostle.features import Encoder
from jostle.features.hashing import CONSTANT

MASK = 2**64 - 1
USER = {
    "device": "phone",
    "hour": 9,
    "tags": ["a", "b"],
    "user": {"age": 30.5, "vip": True, "city": {"name": "Ulm"}},
    "vector": [0.5, -2.0],
    "nothing": None,
}
ITEMS = [{"id": "x", "price": 3.0, "kind": "book"}, {"id": "y", "kind": "film"}, {"kind": "book"}]


def mixed(first, second):
    """SplitMix64's finaliser, as published, on one pair of Python's integers."""
    z = (first * 0x9E3779B97F4A7C15 + second) & MASK
    z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & MASK
    z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & MASK
    return z ^ (z >> 31)


def read(record, seed):
    """(hash, value, is a flag) of every feature, numbers without moments, one by one."""
    found = []
    for name, value in record.items():
        here = name.encode()
        if isinstance(value, bool | int | float):
            number = float(value) if isinstance(value, bool) else math.asinh(value)
            clipped = min(max(number, -3.0), 3.0)
            found.append((xxhash.xxh64(b"number" + here, seed).intdigest(), clipped, False))
            found.append((xxhash.xxh64(b"present" + here, seed).intdigest(), 1.0, True))
        elif isinstance(value, dict):
            found += read(value, xxhash.xxh64(b"inside" + here, seed).intdigest())
        elif isinstance(value, list) and not isinstance(value[0], str):
            inside = xxhash.xxh64(b"inside" + here, seed).intdigest()
            found += read({str(i): each for i, each in enumerate(value)}, inside)
        elif value is not None:
            named = xxhash.xxh64(b"name" + here, seed).intdigest()
            for each in value if isinstance(value, list) else [value]:
                found.append((xxhash.xxh64(b"text" + each.encode(), named).intdigest(), 1.0, False))
    return found


def reference(context, action, size):
    """The row of the crossed form, feature by feature."""
    context = read(context, xxhash.xxh64(b"rootcontext", 0).intdigest())
    space = xxhash.xxh64(b"rootaction", 0).intdigest()
    rest = {name: value for name, value in action.items() if name != "id"}
    identity = read({"id": action["id"]}, space) if "id" in action else []
    own = read(rest, space)
    anchors = [(CONSTANT, 1.0), *((h, v) for h, v, flag in own if not flag)]
    features = [(CONSTANT, 1.0), *((h, v) for h, v, _ in identity + own)]
    if not own:
        anchors = [(h, v) for h, v, _ in identity]
        features = list(anchors)
    for h, v, flag in context:
        pairs = anchors[:1] if flag else anchors
        scale = (0.5 if len(pairs) > 1 else 1) / math.sqrt(len(pairs))
        features += [(mixed(h, g), v * w * scale) for g, w in pairs]
    row = np.zeros(size)
    for h, v in features:
        row[((h >> 32) * size) >> 32] += v * (1 - 2 * (h & 1))
    return row


def test_the_hash_is_the_published_one():
    assert xxhash.xxh64(b"").intdigest() == 0xEF46DB3751D8E999


@pytest.mark.parametrize("size", [64, 100])
@pytest.mark.parametrize("actions", [ITEMS, [{"id": "a"}, {"id": "b"}]])
def test_rows_are_those_of_the_definition(size, actions):
    rows = Encoder(size).encode(USER, actions)
    assert rows.shape == (len(actions), size)
    assert rows.dtype == np.float32
    for row, action in zip(rows, actions, strict=True):
        np.testing.assert_allclose(row, reference(USER, action, size), atol=1e-5)


def test_an_action_may_be_its_id_alone():
    encoder = Encoder(64)
    np.testing.assert_array_equal(
        encoder.encode(USER, ["a", 7]), encoder.encode(USER, [{"id": "a"}, {"id": "7"}])
    )


def test_columns_and_single_actions_give_the_same_rows():
    rng = np.random.default_rng(0)
    items = [
        {"id": i, "kind": f"k{rng.integers(5)}", "price": float(rng.normal()), "n": int(i**3)}
        for i in range(50)
    ]
    for interactions in ("crossed", "product", "none"):
        for ids in (True, False):
            encoder = Encoder(64, interactions=interactions, ids=ids)
            for _ in range(10):
                encoder.observe(USER, items)
            single = np.concatenate([encoder.encode(USER, [item]) for item in items])
            np.testing.assert_allclose(encoder.encode(USER, items), single, atol=1e-5)
            pairs = encoder.encode_pairs([USER] * 50, items)
            np.testing.assert_allclose(pairs, single, atol=1e-5)


def test_the_same_rows_in_another_process():
    code = (
        "import json; from jostle.features import Encoder\n"
        f"rows = Encoder(32).encode({USER!r}, {ITEMS!r}); print(json.dumps(rows.tolist()))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    np.testing.assert_array_equal(
        Encoder(32).encode(USER, ITEMS), np.array(json.loads(done.stdout), np.float32)
    )


def test_equal_values_of_different_kinds_are_not_confused_by_the_cache():
    encoder = Encoder(64)
    rows = [encoder.encode({}, [{"x": value}])[0] for value in (1, True, "1", 2.0)]
    again = [Encoder(64).encode({}, [{"x": value}])[0] for value in (1, True, "1", 2.0)]
    np.testing.assert_array_equal(rows, again)
    assert len({row.tobytes() for row in rows}) == 4


def test_missing_differs_from_zero_and_from_false():
    encoder = Encoder(64)
    present = [encoder.encode({"x": value}, ["a"]) for value in (0, None)]
    assert not np.array_equal(*present)
    np.testing.assert_array_equal(present[1], encoder.encode({}, ["a"]))
    assert not np.array_equal(encoder.encode({"x": False}, ["a"]), encoder.encode({}, ["a"]))


@pytest.mark.parametrize("interactions", ["product", "none"])
def test_other_interactions_tell_contexts_and_actions_apart(interactions):
    encoder = Encoder(64, interactions=interactions)
    rows = encoder.encode(USER, ITEMS)
    other = encoder.encode({**USER, "device": "desktop"}, ITEMS)
    assert len({row.tobytes() for row in [*rows, *other]}) == 6


def test_the_product_is_one_of_projections():
    encoder = Encoder(64, interactions="product")
    one, two = encoder.encode({"a": "p"}, ["x"])[0], encoder.encode({"a": "q"}, ["x"])[0]
    both = encoder.encode({"a": ["p", "q"]}, ["x"])[0]
    np.testing.assert_allclose(one[32:] + two[32:], both[32:], atol=1e-6)  # bilinear
    assert np.abs(one[32:]).max() == pytest.approx(1 / math.sqrt(32))


def test_frames_and_their_rows_are_records():
    items = [{"kind": "book", "price": 3.0}, {"kind": "film", "price": None}]
    encoder = Encoder(64)
    expected = encoder.encode(items[0], items)
    frame, polars = pd.DataFrame(items), pl.DataFrame(items)
    for context in (frame.iloc[0], next(frame.itertuples(index=False)), polars.row(0, named=True)):
        for actions in (frame, polars, [row for _, row in frame.iterrows()]):
            np.testing.assert_array_equal(encoder.encode(context, actions), expected)


def test_frames_are_read_without_importing_their_libraries():
    code = (
        "import sys; from jostle.features import Encoder; Encoder().encode({'a': 1}, ['x'])\n"
        "assert not {'pandas', 'polars', 'jax'} & set(sys.modules), 'imported'"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_explanations_add_up_to_the_row():
    encoder = Encoder(64)
    terms = encoder.explain(USER, ITEMS[0])
    row = np.zeros(64)
    for term in terms:
        row[term.bucket] += term.value
    np.testing.assert_allclose(row, encoder.encode(USER, ITEMS[:1])[0], atol=1e-5)
    names = [term.name for term in terms]
    assert "action.id=x" in names
    assert "context.user.city.name=Ulm x action.kind=book" in names
    bucket = terms[names.index("action.kind=book")].bucket
    assert "action.kind=book" in encoder.names.in_bucket(bucket, 64)
    assert len(terms) == len(set(names))


def test_the_table_of_names_is_bounded():
    encoder = Encoder(64, names=5)
    for i in range(20):
        encoder.encode({"x": f"value {i}"}, ["a"])
    assert len(encoder.names) == 5
    assert encoder.names.left_out == 16
    assert any(term.name.startswith("#") for term in encoder.explain({"x": "value 19"}, "a"))


def test_what_is_remembered_is_bounded(monkeypatch):
    monkeypatch.setattr("jostle.features.reading.REMEMBERED", 50)
    monkeypatch.setattr("jostle.features.cache.MOST_ENTRIES", 10)
    encoder = Encoder(32)
    for i in range(200):
        encoder.encode({f"n{i}": f"v{i}"}, [f"a{i}"])
        assert encoder._reader._remembered <= 60
        assert len(encoder._cache._entries) <= 10


def test_a_copy_by_its_data_encodes_alike_and_goes_on_learning():
    encoder = Encoder(64, warmup=20)
    for i in range(12):
        encoder.observe({"x": float(i)}, [{"price": i * 2.0}])
    copy = Encoder.from_data(json.loads(json.dumps(encoder.as_data())))
    for each in (encoder, copy):
        for i in range(30):
            each.observe({"x": 100.0 + i}, [{"price": -i}])
    np.testing.assert_array_equal(copy.encode(USER, ITEMS), encoder.encode(USER, ITEMS))
    record = {"x": 50.0}
    np.testing.assert_array_equal(copy.encode(record, ITEMS), encoder.encode(record, ITEMS))


def test_refitting_is_a_new_version_with_moments_of_the_whole_log():
    encoder = Encoder(64)
    log = [({"x": float(i)}, ["a", "b"]) for i in range(1000)]
    for pair in log[:300]:
        encoder.observe(*pair)
    before = encoder.encode({"x": 500.0}, ["a"])
    fresh = encoder.refit(log)
    assert (encoder.version, fresh.version) == (1, 2)
    np.testing.assert_array_equal(encoder.encode({"x": 500.0}, ["a"]), before)
    centre = fresh.encode({"x": 499.5}, ["a"])
    flag_only = centre - encoder.encode({}, ["a"])
    assert np.abs(flag_only).max() == pytest.approx(1)  # the number itself is 0
    assert not np.array_equal(fresh.encode({"x": 500.0}, ["a"]), before)


def test_one_user_and_named_arms_is_all_a_policy_needs():
    """The disjoint model, for arms that come and go, with the same rows for any policy."""
    rng = np.random.default_rng(0)
    encoder = Encoder()
    right = {"phone": "a", "desktop": "b", "tv": "new"}
    earned = {}
    for policy in (LinUCB(encoder.features), Uniform(encoder.features)):
        agent, rewards = Agent(policy), []
        for i in range(400):
            user = {"device": str(rng.choice(list(right)))}
            arms = ["a", "b", "c"] if i < 150 else ["a", "b", "c", "new", f"visitor {i // 25}"]
            decision = agent.decide(encoder.encode(user, arms))
            rewards.append(float(arms[decision.index] == right[user["device"]]))
            agent.learn(decision, rewards[-1])
        earned[type(policy)] = np.mean(rewards[-100:])
    assert earned[LinUCB] > 0.85
    assert earned[Uniform] < 0.5


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"dimensions": 4}, ValueError, "dimensions must be at least 8"),
        ({"interactions": "cross"}, ValueError, "did you mean 'crossed'"),
        ({"ids": 1}, TypeError, "ids must be True or False"),
        ({"schema": {}}, TypeError, "schema must be a jostle.features.Schema"),
        ({"warmup": 0}, ValueError, "warmup must be at least 1"),
    ],
)
def test_bad_arguments_are_refused(arguments, error, message):
    with pytest.raises(error, match=message):
        Encoder(**arguments)


def test_rows_of_one_context_are_those_of_the_context_repeated_bit_for_bit():
    rng = np.random.default_rng(0)
    encoder = Encoder(64)
    context = {"hour": 3.5, "device": "phone", "gone": None, "on": True, "many": [0.5, 2.0]}
    actions = [
        "name only",
        {"id": "b", "price": float(rng.normal()), "kind": "x"},
        *({"id": i, **{f"f{j}": float(rng.normal()) for j in range(i)}} for i in range(1, 9)),
    ]
    rows = encoder.encode(context, actions)
    expected = encoder.encode_pairs([context] * len(actions), actions)
    assert rows.tobytes() == expected.tobytes()
    empty = encoder.encode({}, actions)
    assert empty.tobytes() == encoder.encode_pairs([{}] * len(actions), actions).tobytes()
