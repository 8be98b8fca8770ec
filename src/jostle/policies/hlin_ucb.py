"""HLinUCB: a linear model of observed and hidden item features (Wang, Wu and Wang, 2016)."""

from collections.abc import Mapping
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp

from jostle.core.arrays import Scores
from jostle.core.record import leaf, static
from jostle.core.validation import whole
from jostle.models.ridge import SMALLEST_REGULARISATION, Ridge, lengths, replaced
from jostle.policies._probabilities import ScoringPolicy
from jostle.policies.base import UNKNOWN_ARMS
from jostle.types import NOBODY, Feedback, Round

START = 0.1
"""The standard deviation of hidden features before anything is known about them."""


class HLinUCBState(NamedTuple):
    """A regression per user (A_u, b_u, theta_u) and per item (C_a, d_a), and hidden features."""

    users: Ridge  # (users, d + l ...)
    items: Ridge  # (items, l ...)
    hidden: Any  # (items, l): v_a, random until item a is first chosen
    seed: Any  # (2,) uint32: what the random ones are drawn from


class HLinUCB(ScoringPolicy):
    """LinUCB for each user, on item features some of which are hidden and learnt on the way.

    Wang, Wu and Wang, "Learning Hidden Features for Contextual Bandits", CIKM 2016, Algorithm 1.
    The reward of item a to user u is (x_a, v_a) . theta_u plus noise, with v_a in R^l unknown.
    Both are fitted by alternating ridge regressions, theta_u given v_a and v_a given theta_u:

        A_u = lambda_1 I + sum (x, v)(x, v)',        theta_u = A_u^-1 sum r (x, v)
        C_a = lambda_2 I + sum theta^v theta^v',     v_a = C_a^-1 sum theta^v (r - x . theta^x)
        score_a = (x_a, v_a) . theta_u + alpha_u sqrt((x_a, v_a)' A_u^-1 (x_a, v_a))
                                       + alpha_a sqrt(theta_u^v' C_a^-1 theta_u^v)

    where theta_u = (theta^x, theta^v). The sums are over the rounds of user u or of item a, with
    the other's estimate of that time, so that a round touches one user and one item only, and costs
    O((d + l)^2) however many there are. Users are identified by user id, items by arm
    id. A user without an id is user 0; so is one whose id is ``users`` or more, but nothing is
    learnt from them. An arm without an id has no hidden features (v = 0).

    Arguments:
        features: d, the length of a context vector (of the item, or of the item for this user).
        hidden: l, the number of hidden features per item.
        users: the number of users.
        exploration: alpha_u.
        item_exploration: alpha_a; by default alpha_u.
        regularisation: lambda_1, of the users' regressions.
        item_regularisation: lambda_2, of the items'; by default lambda_1.
        others: see ``KnowsProbabilities``.

    Whoever tunes alpha_u and lambda_1 alone tunes all four, as items follow users by default.
    """

    behaviour = 2  # 1: alpha_a = 0.3 and lambda_2 = 0.1, whatever the users' were

    hidden: int = static(default=5)
    users: int = static(default=1)
    exploration: Any = leaf(default=0.3)
    item_exploration: Any = leaf(default=None, optional=True)
    regularisation: Any = leaf(default=0.1, least=SMALLEST_REGULARISATION)
    item_regularisation: Any = leaf(default=None, least=SMALLEST_REGULARISATION, optional=True)

    def check(self) -> None:
        """Reject bad arguments."""
        super().check()
        whole("hidden", self.hidden)
        whole("users", self.users)

    @property
    def effective_item_exploration(self) -> Any:
        """alpha_a."""
        return self.exploration if self.item_exploration is None else self.item_exploration

    @property
    def effective_item_regularisation(self) -> Any:
        """lambda_2."""
        given = self.item_regularisation
        return self.regularisation if given is None else given

    def settings(self) -> Mapping[str, Any]:
        """All settings by name, those of the items as they are in effect."""
        return {
            **super().settings(),
            "item_exploration": self.effective_item_exploration,
            "item_regularisation": self.effective_item_regularisation,
        }

    def init(self, key: jax.Array) -> HLinUCBState:
        """No observation; one item."""
        users = Ridge.many(self.users, self.features + self.hidden, self.regularisation)
        seed = jax.random.key_data(key)
        return HLinUCBState(users, self._items(1), self._hidden(seed, 0, 1), seed)

    def reserve(self, state: HLinUCBState, *, observations: int, arms: int | None) -> HLinUCBState:
        """Room for more items."""
        arms = UNKNOWN_ARMS if arms is None else arms
        held = state.hidden.shape[0]
        if arms <= held:
            return state
        hidden = self._hidden(state.seed, held, arms)
        return state._replace(
            items=state.items.joined(self._items(arms - held)),
            hidden=jnp.concatenate([state.hidden, hidden]),
        )

    def scores(self, state: HLinUCBState, round: Round) -> Scores:
        """Upper confidence bounds, for the uncertainty of both user and item."""
        xp = round.contexts.__array_namespace__()
        user = state.users.row(self._user(round.user))
        named = (round.arms != NOBODY)[:, None]
        hidden = xp.where(named, state.hidden[round.arms], 0)
        contexts = xp.concatenate([round.contexts, hidden], axis=1)
        taste = xp.where(named, user.now.theta[self.features :], 0)
        item_roots = state.items.now.root[round.arms]
        item_widths = lengths(xp.squeeze(taste[:, None, :] @ item_roots, 1))
        bounds: Scores = (
            user.estimates(contexts)
            + self.exploration * user.widths(contexts)
            + self.effective_item_exploration * item_widths
        )
        return bounds

    def learn(self, state: HLinUCBState, key: jax.Array, feedback: Feedback) -> HLinUCBState:
        """The user's regression given the hidden features, then the item's given the user's."""
        x, reward, arm, user_id, _ = feedback
        who, slot = self._user(user_id), jnp.maximum(arm, 0)
        v = state.hidden[slot]
        named = arm != NOBODY
        context = jnp.concatenate([x, v * named])

        def of_user(user: Ridge) -> Ridge:
            return user.observe(context, reward)

        def of_item(item: Ridge, _: jax.Array) -> tuple[Ridge, jax.Array]:
            item = item.observe(theta_v, reward - x @ theta_x)
            return item, item.now.theta

        # Branches, because the compiler would fuse anything simpler with the write of the row and
        # then copy whole tables in order to read one while it writes the other.
        known = user_id < self.users
        user = jax.lax.cond(known, of_user, lambda user: user, state.users.row(who))
        theta_x, theta_v = user.now.theta[: self.features], user.now.theta[self.features :]
        item, v = jax.lax.cond(
            known & named, of_item, lambda item, v: (item, v), state.items.row(slot), v
        )
        return state._replace(
            users=state.users.with_row(who, user),
            items=state.items.with_row(slot, item),
            hidden=replaced(state.hidden, slot, v),
        )

    def deciding(self, state: HLinUCBState) -> HLinUCBState:
        """The regressions without the parts that only learning needs."""
        users, items = state.users.deciding(), state.items.deciding()
        return state._replace(users=users, items=items, seed=None)

    @property
    def needs_arms(self) -> bool:
        """Items are identified by their ids."""
        return True

    @property
    def on_host(self) -> bool:
        """A decision is a look-up and a few matrix products."""
        return True

    def _user(self, user: Any) -> Any:
        return user * ((user >= 0) & (user < self.users))

    def _items(self, count: int) -> Ridge:
        return Ridge.many(count, self.hidden, self.effective_item_regularisation)

    def _hidden(self, seed: jax.Array, start: int, stop: int) -> jax.Array:
        """The first hidden features of items start ... stop - 1, each a function of its id."""
        keys = jax.vmap(jax.random.fold_in, (None, 0))(
            jax.random.wrap_key_data(seed), jnp.arange(start, stop)
        )
        return START * jax.vmap(lambda key: jax.random.normal(key, (self.hidden,)))(keys)
