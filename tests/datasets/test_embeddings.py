"""Vectors of items and users of made-up data; the tests of environments use the real sets."""

import hashlib
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from jostle.core.optional import MissingExtraError
from jostle.datasets import paths
from jostle.datasets.embeddings import vectors
from jostle.datasets.embeddings.node2vec import Graph, node2vec, random_walks
from jostle.datasets.embeddings.tfidf_pca import tfidf_pca
from jostle.datasets.hetrec import HetRec

from requirements import package

KINDS, ITEMS, TAGS = 3, 60, 30


@pytest.fixture(scope="module")
def needs_extra() -> None:
    for name in ("sklearn", "gensim"):
        package(name)


def tagged_items() -> np.ndarray:
    """Items of three kinds, each kind with ten tags of its own; items 7 and 11 have none."""
    generator = np.random.default_rng(0)
    rows = [
        (item, 10 * (item % KINDS) + tag, generator.integers(1, 9))
        for item in range(ITEMS)
        if item not in (7, 11)
        for tag in generator.permutation(10)[:6]
    ]
    return np.array(rows)


def two_circles(size: int = 20) -> np.ndarray:
    """Two groups of friends joined by one friendship, and after them a user without friends."""
    generator = np.random.default_rng(0)
    pairs = generator.integers(size, size=(2, 6 * size, 2)) + np.array([0, size])[:, None, None]
    return np.concatenate([*pairs, [[0, size]]])


def cosines(rows: np.ndarray) -> np.ndarray:
    unit = rows / np.linalg.norm(rows, axis=1, keepdims=True)
    return unit @ unit.T


@pytest.mark.study
@pytest.mark.usefixtures("needs_extra")
def test_items_with_the_same_tags_lie_together() -> None:
    found = tfidf_pca(tagged_items(), ITEMS + 1, components=4)
    assert found.shape == (ITEMS + 1, 4)
    assert found.dtype == np.float32
    tagged = np.delete(np.arange(ITEMS), (7, 11))
    alike = cosines(found[tagged])
    same = tagged[:, None] % KINDS == tagged % KINDS
    assert alike[same].mean() > 0.8
    assert alike[~same].mean() < 0


@pytest.mark.usefixtures("needs_extra")
def test_components_are_those_of_the_centred_tf_idf() -> None:
    rows = tagged_items()
    found = tfidf_pca(rows, ITEMS, components=3)
    counts = np.zeros((ITEMS, TAGS))
    np.add.at(counts, (rows[:, 0], rows[:, 1]), rows[:, 2])
    counts = counts[counts.any(axis=1)]
    rarity = np.log((1 + len(counts)) / (1 + (counts > 0).sum(axis=0))) + 1
    weighted = counts * rarity
    weighted /= np.linalg.norm(weighted, axis=1, keepdims=True)
    left, sizes, _ = np.linalg.svd(weighted - weighted.mean(axis=0), full_matrices=False)
    expected = left[:, :3] * sizes[:3]
    tagged = np.unique(rows[:, 0])
    np.testing.assert_allclose(np.abs(found[tagged]), np.abs(expected), atol=1e-5)


@pytest.mark.usefixtures("needs_extra")
def test_an_item_without_tags_is_at_the_mean() -> None:
    found = tfidf_pca(tagged_items(), ITEMS + 1, components=4)
    np.testing.assert_array_equal(found[[7, 11, ITEMS]], 0)
    np.testing.assert_allclose(found.mean(axis=0), 0, atol=1e-6)


def test_too_many_components_are_refused() -> None:
    with pytest.raises(
        ValueError, match=r"components must be less than .* their tags, 30, but is 30"
    ):
        tfidf_pca(tagged_items(), ITEMS, components=30)


@pytest.mark.parametrize(("p", "q"), [(1.0, 1.0), (0.25, 4.0), (4.0, 0.5)])
def test_walks_follow_edges(p: float, q: float) -> None:
    edges = two_circles()
    graph = Graph(edges, nodes=41)
    found = random_walks(graph, walks_per_node=3, length=12, p=p, q=q)
    assert found.shape == (3 * 40, 12)
    assert np.bincount(found[:, 0], minlength=41).tolist() == [3] * 40 + [0]
    assert graph.adjacent(found[:, :-1], found[:, 1:]).all()
    friends = {(a, b) for a, b in edges.tolist()} | {(b, a) for a, b in edges.tolist()}
    pairs = zip(found[:, :-1].ravel().tolist(), found[:, 1:].ravel().tolist(), strict=True)
    assert set(pairs) <= {(a, b) for a, b in friends if a != b}


def test_walks_turn_as_p_and_q_say() -> None:
    """From 0 to 1: node 2 is a friend of both, 3 of 1 only; back has weight 1/p, 3 has 1/q."""
    graph = Graph(np.array([[0, 1], [0, 2], [1, 2], [1, 3]]), nodes=4)
    found = random_walks(graph, walks_per_node=20_000, length=3, p=4.0, q=0.5)
    from_zero = found[(found[:, 0] == 0) & (found[:, 1] == 1)]
    shares = np.bincount(from_zero[:, 2], minlength=4) / len(from_zero)
    weights = np.array([0.25, 0, 1, 2])
    np.testing.assert_allclose(shares, weights / weights.sum(), atol=0.03)


def test_walks_depend_on_the_seed_alone() -> None:
    graph = Graph(two_circles(), nodes=41)
    first = random_walks(graph, walks_per_node=2, length=6, p=0.5, q=2.0, seed=1)
    np.testing.assert_array_equal(
        first, random_walks(graph, walks_per_node=2, length=6, p=0.5, q=2.0, seed=1)
    )
    assert not np.array_equal(
        first, random_walks(graph, walks_per_node=2, length=6, p=0.5, q=2.0, seed=2)
    )


@pytest.mark.parametrize(
    ("settings", "name"),
    [({"p": 0}, "p"), ({"q": -1}, "q"), ({"walks_per_node": 0}, "walks_per_node")],
)
def test_bad_arguments_of_walks_are_named(settings: dict[str, float], name: str) -> None:
    with pytest.raises(ValueError, match=f"^{name} must be at least"):
        random_walks(Graph(two_circles(), nodes=41), **settings)


@pytest.mark.usefixtures("needs_extra")
def test_friends_lie_together_and_who_has_none_is_nowhere() -> None:
    found = node2vec(two_circles(), 41, dimensions=8, epochs=5)
    assert found.shape == (41, 8)
    assert found.dtype == np.float32
    np.testing.assert_array_equal(found[40], 0)
    alike = cosines(found[:40])
    within = (np.arange(40)[:, None] < 20) == (np.arange(40) < 20)
    assert alike[within].mean() > alike[~within].mean() + 0.2


def test_a_graph_without_edges_is_refused() -> None:
    with pytest.raises(ValueError, match="edges must hold at least one edge"):
        node2vec(np.zeros((0, 2), int), 5)


PROGRAM = """
import sys
sys.path[:0] = sys.argv[1:]
from test_embeddings import both
print(both())
"""


def both() -> str:
    """A checksum of vectors of both kinds."""
    found = node2vec(two_circles(), 41, dimensions=8, walks_per_node=2, length=10)
    items = tfidf_pca(tagged_items(), ITEMS, components=4)
    return hashlib.sha256(found.tobytes() + items.tobytes()).hexdigest()


@pytest.mark.study
@pytest.mark.usefixtures("needs_extra")
def test_vectors_are_the_same_in_every_process() -> None:
    """In another process strings have other hashes, on which nothing may depend."""
    tests = Path(__file__).parent
    seed = "1" if os.environ.get("PYTHONHASHSEED") != "1" else "2"
    run = subprocess.run(
        [sys.executable, "-c", PROGRAM, str(tests), str(tests.parent)],
        env=os.environ | {"PYTHONHASHSEED": seed},
        capture_output=True,
        text=True,
        check=True,
    )
    assert run.stdout.strip() == both()


def made_up(folder: Path, text: str = "raw") -> HetRec:
    """A set whose one file is there, so that vectors of it can be cached."""
    place = paths.path("lastfm")
    place.mkdir(parents=True, exist_ok=True)
    (place / "artists.dat").write_text(text)
    empty = np.zeros((0, 3), np.int32)
    return HetRec(
        name="lastfm",
        source="original",
        feedback="listened",
        files=("artists.dat",),
        users=np.arange(41),
        items=np.arange(ITEMS),
        tags=np.arange(TAGS),
        positives=empty[:, :2],
        taggings=empty,
        item_tags=tagged_items(),
        friends=two_circles(),
    )


class Counted:
    def __init__(self, compute: object):
        self.compute, self.calls = compute, 0

    def __call__(self, *arguments: object, **settings: object) -> np.ndarray:
        self.calls += 1
        return self.compute(*arguments, **settings)  # type: ignore[operator]


@pytest.mark.usefixtures("needs_extra")
@pytest.mark.parametrize(
    ("function", "get"),
    [("tfidf_pca", vectors.item_vectors), ("node2vec", vectors.user_vectors)],
)
def test_vectors_are_computed_once_and_again_when_in_doubt(
    function: str, get: object, folders: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    compute = Counted(getattr(vectors, function))
    monkeypatch.setattr(vectors, function, compute)
    data = made_up(folders)
    first = get(data, 4)  # type: ignore[operator]
    np.testing.assert_array_equal(get(data, 4), first)  # type: ignore[operator]
    assert compute.calls == 1
    (place,) = (paths.cache_folder() / "parsed").iterdir()
    place.write_bytes(place.read_bytes()[:-100])
    np.testing.assert_array_equal(get(data, 4), first)  # type: ignore[operator]
    assert compute.calls == 2
    # Other settings are kept beside it, and other raw data make new vectors.
    assert get(data, 3).shape[1] == 3  # type: ignore[operator]
    get(data, 4)  # type: ignore[operator]
    assert compute.calls == 3
    get(made_up(folders, "other"), 4)  # type: ignore[operator]
    assert compute.calls == 4


@pytest.mark.parametrize(
    ("missing", "distribution", "get"),
    [
        ("sklearn", "scikit-learn", lambda: tfidf_pca(tagged_items(), ITEMS, components=4)),
        ("gensim", "gensim", lambda: node2vec(two_circles(), 41, walks_per_node=1, length=2)),
    ],
)
def test_a_missing_package_is_named_with_the_command_that_gets_it(
    missing: str, distribution: str, get: object, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in [name for name in sys.modules if name.partition(".")[0] == missing]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, missing, None)
    with pytest.raises(MissingExtraError, match=rf"^{distribution} is not .*'jostle\[data\]'"):
        get()  # type: ignore[operator]
