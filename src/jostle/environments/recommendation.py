"""The recommendation bandits of Section 5.3: which of 25 items is the one that the user likes?"""

from typing import Any, NamedTuple, Self

import jax
import jax.numpy as jnp
import numpy as np

from jostle.checks import finite, lookup, numeric, unknown, whole
from jostle.datasets import banditlib, hetrec, vectors
from jostle.environments.base import Environment
from jostle.environments.likes import Likes, distinct
from jostle.records import Record, data, static
from jostle.types import Outcome, Round

DRAWN, AUTHORS = "drawn", "authors"
UNIT, STANDARD, RAW = "unit", "standard", "raw"
OWN = "own"
"""The name of a recommendation made from a user's own arrays."""


class Catalogue(Record):
    """What is known of users and items: vectors, who likes what, and any pools given as events."""

    user_vectors: Any = data()  # (users, user dimensions)
    item_vectors: Any = data()  # (items, components)
    likes: Likes = data()
    active: Any = data()  # the users who like something
    item_ids: Any = data()  # (items,): the published id of each item
    user_ids: Any = data()  # (users,)
    event_users: Any = data(default=None)  # (events,), or None when rounds are drawn
    event_pools: Any = data(default=None)  # (events, shown)
    source: str = static(default=OWN)

    def __repr__(self) -> str:
        users, items = len(self.user_vectors), len(self.item_vectors)
        return f"{users} users, {items} items, {len(self.likes.items)} liked ({self.source})"


class RecommendationState(NamedTuple):
    """The order in which the events come; None when rounds are drawn."""

    order: Any


class Recommendation(Environment):
    """Each round a user comes, and one of the items shown is liked by that user; the others not.

    A context is the user's vector and the item's, end to end. Choosing the liked item brings 1,
    another 0. Arm ids are places in ``catalogue.item_ids``, user ids in ``catalogue.user_ids``.

    In a drawn round the user is drawn uniformly among those who like anything; then one item among
    those the user likes, and the others among the items that the user does not like but somebody
    does (for Last.fm these are the paper's 17,632 artists). All draws are exact and uniform, the
    order is shuffled, and there is no end of rounds.

    Arguments:
        name: "lastfm" or "delicious", of HetRec 2011; see ``from_arrays`` for other data.
        positives: what counts as liked: on Last.fm "listened" (as the paper says) or "tagged" (as
            in its group's public files); on Delicious "tagged" (bookmarked). By default the first.
        events: "drawn", or "authors" for the pools and the 25-dimensional user vectors that the
            paper's group published, in an order shuffled by the seed; each event comes once.
        shown: items a round (k = 25).
        components: principal components of an item's tags (25 in the paper).
        user_dimensions: of the node2vec vectors (50 in the paper; the authors' have 25).
        scaling: "unit" makes each user's and each item's vector of length 1, "standard" every
            feature of mean 0 and variance 1, "raw" takes them as computed.
        feature_seed: of the computation of the vectors, which does not hang on the seed of a
            simulation: all runs meet the same vectors.
        catalogue: what was loaded; leave it out.
    """

    name: str = static()
    positives: str | None = static(default=None)
    events: str = static(default=DRAWN)
    shown: int = static(default=25)
    components: int = static(default=25)
    user_dimensions: int | None = static(default=None)
    scaling: str = static(default=STANDARD)
    feature_seed: int = static(default=0)
    catalogue: Catalogue = data(default=None)

    @classmethod
    def from_arrays(
        cls, users: Any, items: Any, positives: Any, *, shown: int = 25, scaling: str = STANDARD
    ) -> Self:
        """Your own data: user vectors, item vectors, and the liked (user, item) pairs as rows."""
        users, items = (_table(n, v) for n, v in (("users", users), ("items", items)))
        pairs = _pairs(positives, len(users), len(items))
        catalogue = _catalogue(
            users, items, pairs, np.arange(len(users)), np.arange(len(items)), scaling, OWN
        )
        return cls(OWN, shown=shown, scaling=scaling, catalogue=catalogue)

    def check(self) -> None:
        """Refuse bad arguments, and load what they name."""
        whole("shown", self.shown, least=2)
        if self.catalogue is None:
            self._settle()
            object.__setattr__(self, "catalogue", _load(self))
        elif not isinstance(self.catalogue, Catalogue):
            raise TypeError(f"catalogue must be left out, not {self.catalogue!r}")
        if self.events == DRAWN:
            items, most = len(self.catalogue.item_vectors), int(np.max(_counts(self.catalogue)))
            if self.shown > items - most + 1:
                raise ValueError(
                    f"shown must be at most {items - most + 1}, not {self.shown}: of the {items} "
                    f"items some user likes {most}, and only one of those is shown"
                )

    def _settle(self) -> None:
        """Check the arguments that name data, and fill in the defaults that hang on others."""
        kinds = lookup("recommendation data set", self.name, hetrec.POSITIVES)
        if self.events not in (DRAWN, AUTHORS):
            raise ValueError(unknown("events", self.events, (DRAWN, AUTHORS)))
        theirs = self.events == AUTHORS
        if theirs:
            kinds = ("tagged",)
        positives = kinds[0] if self.positives is None else self.positives
        if positives not in kinds:
            what = f"positives of {self.name} with events={self.events!r}:"
            raise ValueError(unknown(what, positives, kinds))
        wanted = 25 if theirs else 50
        dimensions = wanted if self.user_dimensions is None else self.user_dimensions
        if theirs and (dimensions, self.shown) != (25, 25):
            raise ValueError(
                "with events='authors', user_dimensions and shown must be 25, as the authors' are, "
                f"not {dimensions} and {self.shown}"
            )
        whole("feature_seed", self.feature_seed, least=0)
        object.__setattr__(self, "positives", positives)
        object.__setattr__(self, "user_dimensions", whole("user_dimensions", dimensions))

    def replace(self, **changes: Any) -> Self:
        """The same with some fields changed; the data are loaded anew if they hang on those."""
        if self.name != OWN and changes.keys() - {"shown"}:
            changes.setdefault("catalogue", None)
        return super().replace(**changes)

    @property
    def features(self) -> int:
        """The user's and the item's together: 75 in the paper."""
        return self.catalogue.user_vectors.shape[1] + self.catalogue.item_vectors.shape[1]

    @property
    def arms(self) -> int:
        """How many items there are."""
        return self.catalogue.item_vectors.shape[0]

    @property
    def users(self) -> int:
        """How many users there are, those who like nothing included."""
        return self.catalogue.user_vectors.shape[0]

    @property
    def rounds(self) -> int | None:
        """The number of events; None when rounds are drawn."""
        events = self.catalogue.event_users
        return None if events is None else events.shape[0]

    @property
    def source(self) -> str:
        """Which files were read: "original", "partial" (see ``datasets.hetrec``), or "own"."""
        return self.catalogue.source

    def init(self, key: jax.Array) -> RecommendationState:
        """Shuffle the events, if there are any."""
        if self.rounds is None:
            return RecommendationState(None)
        return RecommendationState(jax.random.permutation(key, self.rounds))

    def observe(self, state: RecommendationState, key: jax.Array, t: jax.Array) -> Round:
        """A user, one item that the user likes and others that the user does not, shuffled."""
        pool_key, order_key = jax.random.split(key)
        user, pool = self._event(state, t) if self.rounds else self._draw(pool_key)
        arms = jax.random.permutation(order_key, pool)
        who = jnp.broadcast_to(
            self.catalogue.user_vectors[user],
            (self.shown, self.catalogue.user_vectors.shape[1]),
        )
        contexts = jnp.concatenate([who, self.catalogue.item_vectors[arms]], axis=1)
        return Round(contexts, jnp.ones(self.shown, bool), arms, user)

    def reward(
        self, state: RecommendationState, key: jax.Array, round: Round, index: jax.Array
    ) -> Outcome:
        """1 if the user likes the item, else 0; the best shown always brings 1."""
        liked = self.catalogue.likes.contains(round.user, round.arms[index]).astype(jnp.float32)
        return Outcome(liked, 1 - liked)

    def normalised(self, rewards: Any) -> np.ndarray:
        """Cumulative reward after each round, over that of a random choice, as the paper plots it.

        Of a random choice we take the expectation, t / shown after t rounds, which is exact; the
        paper divides by one random run.
        """
        rewards = numeric("rewards", rewards)
        chance = np.arange(1, rewards.shape[-1] + 1) / self.shown
        return np.cumsum(rewards, axis=-1, dtype=np.float64) / chance

    def _draw(self, key: jax.Array) -> tuple[jax.Array, jax.Array]:
        likes, active = self.catalogue.likes, self.catalogue.active
        user_key, liked_key, other_key = jax.random.split(key, 3)
        user = active[jax.random.randint(user_key, (), 0, active.shape[0])]
        count = likes.count(user)
        liked = likes.nth(user, jax.random.randint(liked_key, (), 0, count))
        places = distinct(other_key, self.shown - 1, self.arms - count)
        return user, jnp.append(likes.nth_other(user, places), liked)

    def _event(self, state: RecommendationState, t: jax.Array) -> tuple[jax.Array, jax.Array]:
        event = state.order[t]
        return self.catalogue.event_users[event], self.catalogue.event_pools[event]


def _load(wanted: Recommendation) -> Catalogue:
    known = hetrec.read(wanted.name, wanted.positives)
    items = vectors.item_vectors(known, wanted.components, wanted.feature_seed)
    if wanted.events == AUTHORS:
        theirs = banditlib.read(known)
        users, pairs = theirs.vectors, np.column_stack([theirs.users, theirs.pools[:, 0]])
        candidates, places = np.unique(theirs.pools, return_inverse=True)
        pools = places.reshape(theirs.pools.shape)
        events = {
            "event_users": jnp.asarray(theirs.users, jnp.int32),
            "event_pools": jnp.asarray(pools, jnp.int32),
        }
    else:
        users = vectors.user_vectors(known, wanted.user_dimensions or 0, wanted.feature_seed)
        pairs, candidates, events = known.positives, np.unique(known.positives[:, 1]), {}
    # Items that nobody likes are never shown: arm ids count those that may be.
    pairs = np.column_stack([pairs[:, 0], np.searchsorted(candidates, pairs[:, 1])])
    ids = known.items[candidates]
    return _catalogue(
        users, items[candidates], pairs, known.users, ids, wanted.scaling, known.source, **events
    )


def _catalogue(
    users: np.ndarray,
    items: np.ndarray,
    pairs: np.ndarray,
    user_ids: np.ndarray,
    item_ids: np.ndarray,
    scaling: str,
    source: str,
    **events: Any,
) -> Catalogue:
    scale = lookup("scaling", scaling, SCALINGS)
    return Catalogue(
        user_vectors=jnp.asarray(scale(users), jnp.float32),
        item_vectors=jnp.asarray(scale(items), jnp.float32),
        likes=Likes.of(pairs, len(users)),
        active=jnp.asarray(np.unique(pairs[:, 0]), jnp.int32),
        user_ids=jnp.asarray(user_ids, jnp.int32),
        item_ids=jnp.asarray(item_ids, jnp.int32),
        source=source,
        **events,
    )


def _counts(catalogue: Catalogue) -> np.ndarray:
    return np.diff(np.asarray(catalogue.likes.starts))


def _unit(rows: np.ndarray) -> np.ndarray:
    """Each row of length 1; rows of zeros, of which nothing is known, stay."""
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    return rows / np.where(lengths > 0, lengths, 1)


def _standard(rows: np.ndarray) -> np.ndarray:
    """Each column of mean 0 and variance 1 over the known rows; unknown rows stay zero."""
    known = np.any(rows != 0, axis=1)
    spread = rows[known].std(axis=0)
    result = np.zeros_like(rows)
    result[known] = (rows[known] - rows[known].mean(axis=0)) / np.where(spread > 0, spread, 1)
    return result


SCALINGS = {UNIT: _unit, STANDARD: _standard, RAW: lambda rows: rows}
"""How the vectors of users, and those of items, are scaled."""


def _table(name: str, value: Any) -> np.ndarray:
    table = finite(name, value)
    if table.ndim != 2 or not table.size:
        raise ValueError(f"{name} must have one row each (n, dimensions), not shape {table.shape}")
    return table


def _pairs(value: Any, users: int, items: int) -> np.ndarray:
    pairs = numeric("positives", value)
    if pairs.ndim != 2 or pairs.shape[1] != 2 or not len(pairs) or pairs.dtype.kind not in "iu":
        raise ValueError(
            "positives must be rows of two whole numbers (user, item), "
            f"not of shape {pairs.shape} and dtype {pairs.dtype}"
        )
    if pairs.min() < 0 or np.any(pairs.max(axis=0) >= (users, items)):
        raise ValueError(
            f"positives must hold users 0 to {users - 1} and items 0 to {items - 1}, "
            f"not {pairs.min(axis=0).tolist()} to {pairs.max(axis=0).tolist()}"
        )
    return pairs.astype(np.int64)
