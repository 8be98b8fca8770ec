"""``Recommendation``: the bandits of Section 5.3, to find the one of 25 items that a user likes."""

from typing import Any, NamedTuple, Self

import jax
import jax.numpy as jnp
import numpy as np

from jostle.core.record import data, static
from jostle.core.validation import lookup, numeric, unknown, whole
from jostle.datasets import hetrec
from jostle.environments.base import Environment
from jostle.environments.recommendation import catalogue as catalogues
from jostle.environments.recommendation.catalogue import OWN, SCALINGS, Catalogue
from jostle.environments.recommendation.likes import distinct
from jostle.types import BanditSpec, Outcome, Round

DRAWN, AUTHORS = "drawn", "authors"
AUTHORS_SIZE = 25
"""The dimension of the authors' user vectors, and the size of their pools."""


class RecommendationState(NamedTuple):
    """The order of the events; None if rounds are drawn."""

    order: Any


class Recommendation(Environment):
    """Each round has a user and a list of items, exactly one of which the user likes.

    A context is the user's vector followed by the item's. Choosing the liked item brings 1, another
    0. Arm ids are positions in ``catalogue.item_ids``, user ids in ``catalogue.user_ids``.

    In a drawn round the user is drawn uniformly among those who like anything; then one item among
    those the user likes, and the others among the items that somebody likes but this user does not.
    All draws are exact and uniform, the order is shuffled, and the number of rounds is unlimited.

    Arguments:
        name: "lastfm" or "delicious", of HetRec 2011; see ``from_arrays`` for other data.
        positives: which items count as liked: on Last.fm "listened" (as the paper says) or "tagged"
            (as in its group's public files); on Delicious "tagged" (bookmarked). By default the
            first of these.
        events: "drawn", or "authors" for the pools and the 25-dimensional user vectors that the
            paper's group published, in an order shuffled by the seed; each event comes once.
        shown: items per round (k = 25).
        components: principal components of an item's tags (25 in the paper).
        user_dimensions: of the node2vec vectors (50 in the paper; the authors' have 25).
        scaling: "standard" gives every feature mean 0 and variance 1, "unit" each user's and each
            item's vector length 1, "raw" leaves them as computed. The paper does not say which;
            both linear and neural policies did best with the first.
        feature_seed: seed of the computation of the vectors, which does not depend on the seed of a
            simulation: all runs use the same vectors.
        catalogue: the users and items, which are loaded by name; leave it out.
    """

    name: str = static()
    positives: str | None = static(default=None)
    events: str = static(default=DRAWN)
    shown: int = static(default=25)
    components: int = static(default=25)
    user_dimensions: int | None = static(default=None)
    scaling: str = static(default="standard")
    feature_seed: int = static(default=0)
    catalogue: Catalogue = data(default=None)

    @classmethod
    def from_arrays(
        cls, users: Any, items: Any, positives: Any, *, shown: int = 25, scaling: str = "standard"
    ) -> Self:
        """Your own data: user vectors, item vectors, and the liked (user, item) pairs as rows."""
        made = catalogues.own(users, items, positives, scaling)
        return cls(
            OWN,
            shown=shown,
            components=made.item_vectors.shape[1],
            user_dimensions=made.user_vectors.shape[1],
            scaling=scaling,
            catalogue=made,
        )

    def check(self) -> None:
        """Reject bad arguments, and load the data that ``name`` stands for."""
        whole("shown", self.shown, least=2)
        if self.catalogue is None:
            object.__setattr__(self, "catalogue", self._load())
        elif not isinstance(self.catalogue, Catalogue):
            raise TypeError(
                f"catalogue is loaded by name: leave it out, instead of {self.catalogue!r}"
            )
        if self.events == DRAWN:
            most = int(np.diff(np.asarray(self.catalogue.likes.starts)).max())
            if self.shown > self._items - most + 1:
                raise ValueError(
                    f"shown must be at most {self._items - most + 1}, not {self.shown}: of the "
                    f"{self._items} items some user likes {most}, of which only one is shown"
                )

    def _load(self) -> Catalogue:
        """The data that the arguments name; fills in ``positives`` and ``user_dimensions``."""
        kinds = lookup("recommendation data set", self.name, hetrec.POSITIVES)
        if self.events not in (DRAWN, AUTHORS):
            raise ValueError(unknown("events", self.events, (DRAWN, AUTHORS)))
        theirs = self.events == AUTHORS
        kinds = ("tagged",) if theirs else kinds
        positives = kinds[0] if self.positives is None else self.positives
        if positives not in kinds:
            where = f"positives of {self.name!r} with events={self.events!r}:"
            raise ValueError(unknown(where, positives, kinds))
        dimensions = self.user_dimensions
        if dimensions is None:
            dimensions = AUTHORS_SIZE if theirs else 50
        lookup("scaling", self.scaling, SCALINGS)
        whole("components", self.components)
        whole("user_dimensions", dimensions)
        whole("feature_seed", self.feature_seed, least=0)
        object.__setattr__(self, "positives", positives)
        object.__setattr__(self, "user_dimensions", dimensions)
        if theirs:
            for argument, value in (("user_dimensions", dimensions), ("shown", self.shown)):
                if value != AUTHORS_SIZE:
                    raise ValueError(
                        f"{argument} must be {AUTHORS_SIZE} with events='authors', not {value}"
                    )
            return catalogues.authors(self.name, self.components, self.feature_seed, self.scaling)
        return catalogues.drawn(
            self.name, positives, self.components, dimensions, self.feature_seed, self.scaling
        )

    def replace(self, **changes: Any) -> Self:
        """A copy with some fields changed; data that depend on them are loaded again."""
        if changes.keys() - {"shown", "catalogue"}:
            if self.source == OWN:
                raise ValueError(
                    f"only shown can be replaced if the data are your own, not {sorted(changes)}: "
                    "call from_arrays again"
                )
            if "events" in changes and "user_dimensions" not in changes:
                changes["user_dimensions"] = None
            if {"events", "name"} & changes.keys() and "positives" not in changes:
                changes["positives"] = None
            changes.setdefault("catalogue", None)
        return super().replace(**changes)

    @property
    def spec(self) -> BanditSpec:
        """Contexts of a user's and an item's features (75 in the paper), and both kinds of ids."""
        users, items = self.catalogue.user_vectors, self.catalogue.item_vectors
        events = self.catalogue.event_users
        return BanditSpec(
            features=users.shape[1] + items.shape[1],
            arms=items.shape[0],
            users=users.shape[0],
            rounds=None if events is None else events.shape[0],
            chance=1 / self.shown,
        )

    @property
    def _items(self) -> int:
        return int(self.catalogue.item_vectors.shape[0])

    @property
    def source(self) -> str:
        """Where the data come from: "original", "partial" (see ``datasets.hetrec``), or "own"."""
        return self.catalogue.source

    def init(self, key: jax.Array) -> RecommendationState:
        """Shuffle the events, if there are any."""
        if self.rounds is None:
            return RecommendationState(None)
        return RecommendationState(jax.random.permutation(key, self.rounds))

    def observe(self, state: RecommendationState, key: jax.Array, t: jax.Array) -> Round:
        """A user, one item that the user likes and others that the user does not, shuffled."""
        draw_key, shuffle_key = jax.random.split(key)
        user, items = self._draw(draw_key) if self.rounds is None else self._event(state, t)
        arms = jax.random.permutation(shuffle_key, items)
        vector = self.catalogue.user_vectors[user]
        vectors = jnp.broadcast_to(vector, (self.shown, *vector.shape))
        contexts = jnp.concatenate([vectors, self.catalogue.item_vectors[arms]], axis=1)
        return Round(contexts, jnp.ones(self.shown, bool), arms, user)

    def reward(
        self,
        state: RecommendationState,
        key: jax.Array,
        t: jax.Array,
        round: Round,
        index: jax.Array,
    ) -> Outcome:
        """1 if the user likes the item, else 0; the best item shown always brings 1."""
        liked = self.catalogue.likes.contains(round.user, round.arms[index]).astype(jnp.float32)
        return Outcome(liked, 1 - liked)

    def normalised(self, rewards: Any) -> np.ndarray:
        """Cumulative reward after each round relative to random choices, as the paper plots it.

        The denominator is the expected reward of random choices, t / shown after t rounds, which is
        exact; the paper divides by the reward of one random strategy.
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
        places = distinct(other_key, self.shown - 1, self._items - count)
        return user, jnp.append(likes.nth_other(user, places), liked)

    def _event(self, state: RecommendationState, t: jax.Array) -> tuple[jax.Array, jax.Array]:
        event = state.order[t]
        return self.catalogue.event_users[event], self.catalogue.event_pools[event]
