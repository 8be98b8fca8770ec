"""The recommendation environment: its laws on made-up arrays, then the real data."""

from functools import partial
from pathlib import Path

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from jostle import NPR, LinUCB, Uniform, simulate
from jostle.datasets import authors_events, hetrec
from jostle.datasets.embeddings import vectors
from jostle.datasets.embeddings.node2vec import node2vec
from jostle.environments import Recommendation
from jostle.environments.recommendation.likes import Likes, distinct

from requirements import package
from support import assert_same, nbytes, no_compilation

USERS, ITEMS, SHOWN = 6, 40, 5
MANY = 30_000  # rounds
IDLE = 2  # likes nothing
GREEDY = 4  # likes all but as many as must be shown beside one that is liked


def made_up(seed=0, **settings):
    generator = np.random.default_rng(seed)
    likes = generator.random((USERS, ITEMS)) < 0.3
    likes[IDLE] = False
    likes[GREEDY] = True
    likes[GREEDY, generator.permutation(ITEMS)[: SHOWN - 1]] = False
    users = generator.normal(size=(USERS, 3))
    items = generator.normal(size=(ITEMS, 2))
    pairs = generator.permutation(np.argwhere(likes))
    settings = {"shown": SHOWN, "scaling": "raw"} | settings
    return Recommendation.from_arrays(users, items, pairs, **settings), likes, users, items


def rounds_of(environment, count, seed=0):
    return jax.tree.map(np.asarray, _rounds_of(environment, jax.random.key(seed), count))


@partial(jax.jit, static_argnums=2)
def _rounds_of(environment, key, count):
    observe = jax.vmap(environment.observe, (None, 0, 0))
    return observe(environment.init(key), jax.random.split(key, count), jnp.arange(count))


def test_a_round_shows_one_liked_item_and_no_item_twice():
    environment, likes, users, items = made_up()
    shown = rounds_of(environment, MANY)
    assert shown.mask.all()
    assert shown.arms.shape == (MANY, SHOWN)
    assert shown.contexts.shape == (MANY, SHOWN, environment.features)
    assert (likes[shown.user[:, None], shown.arms].sum(axis=1) == 1).all()
    assert all(len(set(row)) == SHOWN for row in shown.arms.tolist())
    wanted = np.concatenate(
        [np.broadcast_to(users[shown.user][:, None], (MANY, SHOWN, 3)), items[shown.arms]], axis=2
    )
    np.testing.assert_allclose(shown.contexts, wanted.astype(np.float32))


def test_users_liked_items_others_and_places_are_drawn_uniformly():
    environment, likes, _, _ = made_up()
    shown = rounds_of(environment, MANY)
    active = np.flatnonzero(likes.any(axis=1))
    assert_uniform(np.bincount(shown.user, minlength=USERS)[active])
    assert IDLE not in shown.user
    liked = likes[shown.user[:, None], shown.arms]
    assert_uniform(liked.sum(axis=0))  # the place of the liked one
    for user in active:
        of_user = shown.user == user
        arms, good = shown.arms[of_user], liked[of_user]
        assert_uniform(np.bincount(arms[good], minlength=ITEMS)[likes[user]])
        assert_uniform(np.bincount(arms[~good], minlength=ITEMS)[~likes[user]])


def assert_uniform(counts):
    """No count strays by more than 5 standard deviations from their mean."""
    mean = counts.mean()
    assert np.abs(counts - mean).max() <= 5 * np.sqrt(mean), counts


def test_reward_is_one_for_the_liked_item_and_regret_is_what_is_missing():
    environment, likes, _, _ = made_up()
    shown = rounds_of(environment, MANY)
    indices = np.arange(MANY) % SHOWN

    @jax.jit
    @partial(jax.vmap, in_axes=(None, 0, 0))
    def rewarded(environment, shown, index):
        return environment.reward(None, None, None, shown, index)

    outcome = rewarded(environment, shown, indices)
    liked = likes[shown.user, shown.arms[np.arange(MANY), indices]]
    assert 0 < liked.sum() < MANY
    np.testing.assert_array_equal(outcome.reward, liked)
    np.testing.assert_array_equal(outcome.regret, ~liked)


def test_liked_items_and_others_are_counted_in_order():
    """User u likes the items whose bit is set in u: every set of six items there is."""
    users, items = 64, 6
    liked = (np.arange(users)[:, None] >> np.arange(items)) & 1 == 1
    likes = Likes.of(np.argwhere(liked)[::-1], users)
    places = jnp.arange(items)

    @jax.jit
    @partial(jax.vmap, in_axes=(None, 0))
    def ask(likes, user):
        answers = likes.nth(user, places), likes.nth_other(user, places)
        return likes.count(user), *answers, likes.contains(user, places)

    counts, good, others, contained = map(np.asarray, ask(likes, jnp.arange(users)))
    np.testing.assert_array_equal(counts, liked.sum(axis=1))
    np.testing.assert_array_equal(contained, liked)
    for user, count in enumerate(counts):
        assert good[user, :count].tolist() == np.flatnonzero(liked[user]).tolist()
        assert others[user, : items - count].tolist() == np.flatnonzero(~liked[user]).tolist()


def test_distinct_numbers_are_a_uniform_set():
    draw = jax.jit(jax.vmap(lambda key: distinct(key, 3, 5)))
    drawn = np.sort(np.asarray(draw(jax.random.split(jax.random.key(0), 10_000))), axis=1)
    sets, counts = np.unique(drawn, axis=0, return_counts=True)
    assert len(sets) == 10  # all of 3 out of 5
    assert_uniform(counts)
    assert sorted(distinct(jax.random.key(1), 5, 5).tolist()) == list(range(5))


def test_the_same_seed_gives_the_same_rounds_and_another_seed_others():
    environment = made_up()[0]
    assert_same(rounds_of(environment, MANY), rounds_of(environment, MANY))
    other = rounds_of(environment, MANY, seed=7)
    assert not np.array_equal(other.arms, rounds_of(environment, MANY).arms)


def test_facts():
    environment = made_up()[0]
    assert (environment.features, environment.pool, environment.rounds) == (5, None, None)
    assert (environment.arms, environment.users, environment.source) == (ITEMS, USERS, "own")
    assert repr(environment.catalogue).startswith(f"{USERS} users, {ITEMS} items, ")


def test_arrays_are_inputs_and_not_part_of_the_program():
    """Other data of the same shape, and another seed, run in the program there is."""
    first, likes, users, items = made_up()
    policy = LinUCB(first.features)
    simulate(policy, first, rounds=20, seed=0)
    # Users in another order: the same number of pairs, all else different.
    pairs = np.argwhere(likes[::-1])
    again = Recommendation.from_arrays(-users, items + 1, pairs, shown=SHOWN, scaling="raw")
    with no_compilation():
        simulate(policy, first, rounds=20, seed=1)
        simulate(policy, again, rounds=20, seed=1)


def test_memory_is_that_of_the_pairs():
    users, items = 2_000, 60_000
    generator = np.random.default_rng(0)
    pairs = np.column_stack(
        [np.repeat(np.arange(users), 10), generator.integers(items, size=20_000)]
    )
    environment = Recommendation.from_arrays(
        np.ones((users, 2)), np.ones((items, 2)), pairs, scaling="raw"
    )
    assert nbytes(environment) < 3_000_000  # a table of users x items would have 120 million bits
    assert len(set(rounds_of(environment, 1).arms[0].tolist())) == 25


def test_scalings_and_rows_of_which_nothing_is_known():
    generator = np.random.default_rng(0)
    users, items = generator.normal(2, 3, size=(9, 3)), generator.normal(size=(30, 2))
    users[4], items[7] = 0, 0
    pairs = np.array([[0, 1], [4, 7]])
    make = partial(Recommendation.from_arrays, users, items, pairs, shown=5)
    for scaling in ("standard", "unit", "raw"):
        found = make(scaling=scaling).catalogue
        np.testing.assert_array_equal(found.user_vectors[4], 0)
        np.testing.assert_array_equal(found.item_vectors[7], 0)
    rows = np.delete(np.asarray(make(scaling="unit").catalogue.user_vectors), 4, axis=0)
    np.testing.assert_allclose(np.linalg.norm(rows, axis=1), 1, rtol=1e-5)
    rows = np.delete(np.asarray(make().catalogue.user_vectors), 4, axis=0)
    np.testing.assert_allclose(rows.mean(axis=0), 0, atol=1e-6)
    np.testing.assert_allclose(rows.std(axis=0), 1, rtol=1e-5)
    np.testing.assert_allclose(make(scaling="raw").catalogue.user_vectors, users, rtol=1e-6)
    constant = Recommendation.from_arrays(np.ones((9, 3)), items, pairs, shown=5)
    np.testing.assert_array_equal(constant.catalogue.user_vectors, 0)  # and not nan


def test_normalised_reward_of_a_random_choice_is_one():
    environment = made_up()[0]
    np.testing.assert_allclose(environment.normalised([1, 0, 1]), [5, 2.5, 10 / 3])
    assert environment.normalised(np.ones((2, 4))).tolist() == [[SHOWN] * 4] * 2
    rewards = simulate(Uniform(environment.features), environment, rounds=5_000).rewards
    assert 0.85 < environment.normalised(rewards)[-1] < 1.15


def test_shown_can_be_replaced_and_other_arguments_of_own_data_cannot():
    environment = made_up()[0]
    assert rounds_of(environment.replace(shown=2), 3).arms.shape == (3, 2)
    with pytest.raises(ValueError, match=r"only shown can be replaced.*'scaling'"):
        environment.replace(scaling="unit")


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"shown": SHOWN + 1}, f"shown must be at most {SHOWN}, not {SHOWN + 1}"),
        ({"shown": 1}, "shown must be at least 2, not 1"),
        ({"scaling": "units"}, "unknown scaling 'units'; did you mean 'unit'"),
        ({"positives": [[0.5, 1.0]]}, "rows of two whole numbers"),
        ({"positives": [[0, 1, 2]]}, r"not of shape \(1, 3\)"),
        ({"positives": np.zeros((0, 2), int)}, r"not of shape \(0, 2\)"),
        ({"positives": [[0, ITEMS]]}, rf"items 0 to {ITEMS - 1}, not \[0, {ITEMS}\]"),
        ({"positives": [[-1, 0]]}, "users 0 to"),
        ({"users": np.ones(3)}, r"users must have one vector per row, not shape \(3,\)"),
        ({"items": np.full((ITEMS, 1), np.nan)}, "items must be finite"),
    ],
)
def test_bad_arrays_are_named(changes, message):
    _, likes, users, items = made_up()
    given = {"users": users, "items": items, "positives": np.argwhere(likes), "shown": SHOWN}
    with pytest.raises(ValueError, match=message):
        Recommendation.from_arrays(**given | changes)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"name": "lastfn"}, "unknown recommendation data set 'lastfn'; did you mean 'lastfm'"),
        ({"positives": "heard"}, "positives of 'lastfm'.*'heard'"),
        ({"name": "delicious", "positives": "listened"}, "choose from 'tagged'|'listened'"),
        ({"events": "author"}, "unknown events 'author'; did you mean 'authors'"),
        ({"events": "authors", "positives": "listened"}, "events='authors'"),
        ({"events": "authors", "user_dimensions": 50}, "user_dimensions must be 25"),
        ({"events": "authors", "shown": 20}, "shown must be 25"),
        ({"components": 0}, "components must be at least 1"),
        ({"user_dimensions": 0}, "user_dimensions must be at least 1"),
        ({"feature_seed": -1}, "feature_seed must be at least 0"),
        ({"scaling": "none"}, "unknown scaling 'none'"),
    ],
)
def test_bad_arguments_are_named_before_anything_is_read(settings, message, monkeypatch):
    monkeypatch.setattr(hetrec, "read", None)
    with pytest.raises(ValueError, match=message):
        Recommendation(**{"name": "lastfm"} | settings)


def test_a_catalogue_is_not_to_be_given():
    with pytest.raises(TypeError, match="catalogue is loaded by name: leave it out, instead of 5"):
        Recommendation("lastfm", catalogue=5)


# --- The real data ---------------------------------------------------------------------------


@pytest.fixture(scope="session")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("cache")


@pytest.fixture
def real(cache: Path, real_data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Vectors are computed once a session, and of short walks, which take a second, not twenty."""
    package("gensim")
    monkeypatch.setenv("JOSTLE_CACHE", str(cache))
    monkeypatch.setattr(vectors, "node2vec", partial(node2vec, walks_per_node=2, length=20))


# The items that somebody likes, and the pairs.
COUNTS = {
    ("lastfm", "listened", "original"): (17_632, 92_834),
    ("lastfm", "tagged", "original"): (12_523, 71_064),
    ("delicious", "tagged", "original"): (69_226, 104_799),
    ("delicious", "tagged", "partial"): (66_006, 97_661),
}
USER_COUNTS = {"lastfm": 1_892, "delicious": 1_867}


@pytest.mark.usefixtures("real")
@pytest.mark.parametrize(
    ("name", "positives"), [("lastfm", None), ("lastfm", "tagged"), ("delicious", None)]
)
def test_drawn_rounds_of_the_real_sets(name, positives):
    environment = Recommendation(name, positives=positives)
    known = hetrec.read(name, positives)
    assert environment.positives == known.feedback
    assert environment.source == known.source
    assert (environment.features, environment.shown) == (75, 25)
    items, pairs = COUNTS[name, environment.positives, environment.source]
    assert (environment.arms, environment.users) == (items, USER_COUNTS[name])
    assert environment.catalogue.likes.items.shape == (pairs,)
    assert (environment.pool, environment.rounds) == (None, None)
    shown = rounds_of(environment, 2_000)
    assert all(len(set(row)) == 25 for row in shown.arms.tolist())
    users = known.users[shown.user]
    np.testing.assert_array_equal(users, np.asarray(environment.catalogue.user_ids)[shown.user])
    found = np.asarray(environment.catalogue.item_ids)[shown.arms]
    good = {(known.users[u], known.items[i]) for u, i in known.positives.tolist()}
    liked = [[(user, item) in good for item in row] for user, row in zip(users, found, strict=True)]
    assert (np.sum(liked, axis=1) == 1).all()
    assert np.isfinite(shown.contexts).all()


@pytest.mark.usefixtures("real")
@pytest.mark.parametrize(("name", "events"), [("lastfm", 18_820), ("delicious", 19_289)])
def test_the_authors_events(name, events):
    environment = Recommendation(name, events="authors")
    assert (environment.rounds, environment.features) == (events, 50)
    assert environment.users == USER_COUNTS[name]
    known = hetrec.read(name, "tagged")
    theirs = authors_events.read(known)
    shown = rounds_of(environment, events)
    rewards = jax.vmap(jax.vmap(environment.catalogue.likes.contains, (None, 0)))(
        shown.user, shown.arms
    )
    assert (np.asarray(rewards).sum(axis=1) == 1).all()
    order = np.asarray(environment.init(jax.random.key(0)).order)
    assert sorted(order.tolist()) == list(range(events))
    assert order.tolist() != sorted(order.tolist())
    np.testing.assert_array_equal(shown.user, theirs.users[order])
    ids = np.asarray(environment.catalogue.item_ids)[shown.arms]
    np.testing.assert_array_equal(np.sort(ids), np.sort(known.items[theirs.pools[order]]))
    np.testing.assert_array_equal(ids[np.asarray(rewards)], known.items[theirs.pools[order, 0]])
    with pytest.raises(ValueError, match=f"rounds must be at most {events} here"):
        simulate(Uniform(50), environment, rounds=events + 1)


@pytest.mark.usefixtures("real")
def test_settings_of_the_real_sets_can_be_replaced():
    environment = Recommendation("lastfm", scaling="unit", components=10)
    assert environment.features == 60
    lengths = np.linalg.norm(environment.catalogue.user_vectors, axis=1)
    np.testing.assert_allclose(lengths, 1, rtol=1e-5)
    other = environment.replace(positives="tagged", components=5)
    assert (other.features, other.arms, other.scaling) == (55, 12_523, "unit")
    theirs = environment.replace(events="authors")
    assert (theirs.features, theirs.positives, theirs.rounds) == (35, "tagged", 18_820)


@pytest.mark.usefixtures("real")
def test_linear_policy_beats_chance_on_lastfm_by_a_clear_factor():
    environment = Recommendation("lastfm")
    rewards = simulate(LinUCB(environment.features), environment, rounds=2_000).rewards
    assert environment.normalised(rewards)[-1] > 4


@pytest.mark.usefixtures("real")
def test_npr_beats_chance_on_lastfm_by_a_clear_factor():
    environment = Recommendation("lastfm")
    rewards = simulate(NPR(environment.features), environment, rounds=3_000).rewards
    assert environment.normalised(rewards)[-1] > 3.5  # five seeds gave 4.6 to 5.7
