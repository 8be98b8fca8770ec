"""The stateful front for applications: choose, learn, save, load, for months."""

import operator
import os
import threading
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from jostle import serialization as saving
from jostle.core.contexts import Blocks
from jostle.core.validation import finite, numeric, whole
from jostle.policies.base import Policy
from jostle.types import NOBODY, Choice, Feedback, Round

FIRST_ROOM = 256  # observations; doubled whenever it is full
LARGEST_ID = 2**24  # arm ids index an array, so they are small whole numbers
LARGEST_CHUNK = 1024  # observations handed to one compiled call


class Agent:
    """A policy at work: it owns the state and the randomness, and checks what it is given.

    Arguments:
        policy: what chooses and learns.
        seed: decides everything random.

    Bad input is refused by a ``ValueError`` or ``TypeError`` that names the argument, and changes
    nothing. Decisions run on the host in NumPy where the policy allows it, learning is compiled.
    Calls may come from several threads.
    """

    def __init__(self, policy: Policy, seed: int = 0):
        if not isinstance(policy, Policy):
            raise TypeError(f"policy must be a jostle policy, such as NPR(...), not {policy!r}")
        self.policy = policy
        # What a decision asks of its policy is asked once: a property costs half a microsecond.
        self._on_host, self._needs_arms = policy.on_host, policy.needs_arms
        self._takes_blocks, self._features = policy.takes_blocks, _features(policy)
        self._spec = policy.spec
        self.seed = whole("seed", seed, least=0)
        self.decisions = 0
        self.observations = 0
        self._room = {"observations": FIRST_ROOM, "arms": 0}
        self._generator = np.random.default_rng(self.seed)
        self._init_key, self._choose_key, self._learn_key = jax.random.split(
            jax.random.key(self.seed), 3
        )
        self._state = _init(policy, self._init_key, **self._room)
        self._view: Any = None
        self._plain: tuple[np.ndarray, np.ndarray] = (np.ones(0, bool), np.zeros(0, np.int32))
        self._lock = threading.Lock()

    def choose(self, contexts: Any, *, arms: Any = None, user: Any = None, mask: Any = None) -> int:
        """The index of the arm to take, of k arms with ``contexts`` of shape (k, features).

        Arguments:
            contexts: one row an arm; k may differ from call to call.
            arms: the id of each arm (0, 1, 2, ...), if arms come back.
            user: the id of who asks.
            mask: which arms may be chosen; all by default.
        """
        return int(self.decide(contexts, arms=arms, user=user, mask=mask).index)

    def decide(
        self, contexts: Any, *, arms: Any = None, user: Any = None, mask: Any = None
    ) -> Choice:
        """Like ``choose``, but with the scores of all arms and, if known, their probabilities."""
        round = self._round(contexts, arms, user, mask)
        if self._on_host:
            choice = self.policy.choose(self._deciding(), self._generator, round)
        else:
            key = jax.random.fold_in(self._choose_key, self.decisions)
            with self._lock:  # learning reuses the memory of the state it was given
                choice = _choose(self.policy, self.policy.deciding(self._state), key, round)
        self.decisions += 1
        return choice

    def learn(self, context: Any, reward: Any, *, arm: Any = None, user: Any = None) -> None:
        """Learn from a context that was taken and its reward, or from a batch of them.

        A batch has contexts of shape (n, features) and n rewards (and arm ids); learning from it
        is the same as learning from its rows one by one.
        """
        feedback = self._feedback(context, reward, arm, user)
        count = len(feedback.reward)
        with self._lock:
            self._make_room(self.observations + count, int(feedback.arm.max(initial=NOBODY)) + 1)
            for start in range(0, count, LARGEST_CHUNK):
                piece = slice(start, start + LARGEST_CHUNK)
                chunk = jax.tree.map(operator.itemgetter(piece), feedback)
                size = len(chunk.reward)
                self._state = _learn(
                    self.policy,
                    self._state,
                    self._learn_key,
                    np.int32(self.observations),
                    jax.tree.map(_pad, chunk),
                    np.int32(size),
                )
                self.observations += size
                self._view = None

    @property
    def state(self) -> Any:
        """A copy of the policy's state."""
        with self._lock:
            return jax.tree.map(jnp.copy, self._state)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write everything to one file, whole or not at all."""
        with self._lock:
            header = {
                "policy": saving.describe(self.policy),
                "seed": self.seed,
                "decisions": self.decisions,
                "observations": self.observations,
                "room": self._room,
                "generator": self._generator.bit_generator.state,
            }
            saving.write(path, header, self._state)

    @classmethod
    def load(cls, path: str | os.PathLike[str], policy: Policy | None = None) -> "Agent":
        """The agent saved at ``path``; it continues as if it had never stopped.

        ``policy`` is needed only if the saved one had parts of your own making.
        """
        header, leaves = saving.read(path)
        agent = cls(saving.rebuild(header["policy"]) if policy is None else policy, header["seed"])
        like = jax.eval_shape(lambda: _init(agent.policy, agent._init_key, **header["room"]))
        agent._state = saving.restore(agent.policy, like, leaves)
        agent._room = header["room"]
        agent.decisions = header["decisions"]
        agent.observations = header["observations"]
        agent._generator.bit_generator.state = header["generator"]
        return agent

    def __repr__(self) -> str:
        return f"Agent({type(self.policy).__name__}, observations={self.observations})"

    def _deciding(self) -> Any:
        view = self._view
        if view is None:
            with self._lock:
                # Copies, since learning reuses the memory of the state it was given.
                view = self._view = jax.tree.map(np.array, self.policy.deciding(self._state))
        return view

    def _make_room(self, observations: int, arms: int) -> None:
        room = {
            "observations": _doubled(self._room["observations"], observations),
            "arms": _doubled(self._room["arms"], arms),
        }
        if room != self._room:
            self._state = self.policy.reserve(self._state, **room)
            self._room = room
            self._view = None

    def _round(self, contexts: Any, arms: Any, user: Any, mask: Any) -> Round:
        contexts = finite("contexts", contexts)
        features = self._features
        if contexts.ndim != 2 or contexts.shape[1] != features:
            raise ValueError(
                f"contexts must have shape (arms, {features}), not {_shape(contexts.shape)}"
            )
        k = contexts.shape[0]
        if k == 0:
            raise ValueError("contexts must hold at least one arm, but has no rows")
        if len(self._plain[0]) != k:
            self._plain = (np.ones(k, bool), np.full(k, NOBODY, np.int32))
        present, ids = self._plain
        if mask is not None:
            present = np.asarray(mask)
            if present.shape != (k,) or present.dtype != bool:
                raise ValueError(
                    f"mask must be {k} booleans, one an arm, not {present.dtype} "
                    f"of shape {_shape(present.shape)}"
                )
            if not present.any():
                raise ValueError("mask leaves no arm to choose from")
        if arms is not None:
            ids = self._ids("arms", arms, k)
            if ids.max() >= self._room["arms"]:
                with self._lock:
                    self._make_room(0, int(ids.max()) + 1)
        elif self._needs_arms:
            raise ValueError("arms is missing: this policy tells arms apart by their ids")
        shown = Blocks(contexts, ids) if self._takes_blocks else contexts
        return Round(shown, present, ids, self._user(user))

    def _feedback(self, context: Any, reward: Any, arm: Any, user: Any) -> Feedback:
        contexts = finite("context", context)
        rewards = finite("reward", reward)
        features = self._features
        if contexts.ndim not in (1, 2) or contexts.shape[-1] != features:
            raise ValueError(
                f"context must have shape ({features},), or (n, {features}) for a batch, "
                f"not {_shape(contexts.shape)}"
            )
        if rewards.shape != contexts.shape[:-1]:
            wanted = "one number" if contexts.ndim == 1 else f"{len(contexts)} numbers"
            raise ValueError(
                f"reward must be {wanted}, to go with context of shape {_shape(contexts.shape)}, "
                f"not of shape {_shape(rewards.shape)}"
            )
        contexts, rewards = contexts.reshape(-1, features), rewards.reshape(-1)
        n = len(rewards)
        if arm is None and self._needs_arms:
            raise ValueError("arm is missing: this policy tells arms apart by their ids")
        ids = np.full(n, NOBODY, np.int32) if arm is None else self._ids("arm", arm, n)
        users = (
            np.broadcast_to(self._user(user), (n,))
            if user is None or np.ndim(user) == 0
            else (self._users(user, n))
        )
        chosen = Blocks(contexts, ids) if self._takes_blocks else contexts
        return Feedback(chosen, rewards, ids, users)

    def _ids(self, name: str, value: Any, count: int) -> np.ndarray:
        limit = self._spec.pool or self._spec.blocks or LARGEST_ID
        return _small_ids(name, value, count, limit)

    def _user(self, user: Any) -> np.int32:
        return np.int32(NOBODY) if user is None else self._users(user, 1)[0]

    def _users(self, users: Any, count: int) -> np.ndarray:
        return _small_ids("user", users, count, self._spec.users or LARGEST_ID)


def _features(policy: Policy) -> int:
    """The length of a context as it is given: in blocks, without its zeros."""
    return policy.features // (policy.spec.blocks or 1 if policy.takes_blocks else 1)


def _small_ids(name: str, value: Any, count: int, limit: int = LARGEST_ID) -> np.ndarray:
    ids = np.atleast_1d(numeric(name, value))
    if ids.dtype.kind not in "iu":
        raise TypeError(f"{name} must be whole numbers, not of dtype {ids.dtype}")
    if ids.shape != (count,):
        raise ValueError(f"{name} must be {count} ids, not of shape {_shape(ids.shape)}")
    if count and (ids.min() < 0 or ids.max() >= limit):
        worst = ids.min() if ids.min() < 0 else ids.max()
        raise ValueError(f"{name} must be ids from 0 to {limit - 1}, but holds {worst}")
    return ids.astype(np.int32, copy=False)


def _shape(shape: tuple[int, ...]) -> str:
    return str(tuple(int(n) for n in shape))


def _doubled(room: int, wanted: int) -> int:
    return room if wanted <= room else 1 << (wanted - 1).bit_length()


def _pad(rows: np.ndarray) -> np.ndarray:
    """Rows up to the next power of two, so that few sizes of batch are ever compiled."""
    extra = _doubled(1, len(rows)) - len(rows)
    return np.concatenate([rows, np.zeros((extra, *rows.shape[1:]), rows.dtype)]) if extra else rows


def _choose(policy: Policy, view: Any, key: jax.Array, round: Round) -> Choice:
    """The compiled choice, for a number of arms padded to a power of two."""
    k = len(round.mask)
    padded = jax.tree.map(_pad, round._replace(user=()))._replace(user=round.user)
    choice = jax.device_get(_compiled_choose(policy, view, key, padded))
    parts = (None if part is None else part[:k] for part in choice[1:])
    return Choice(choice.index, *parts)


@jax.jit(static_argnames=("observations", "arms"))
def _init(policy: Policy, key: jax.Array, *, observations: int, arms: int) -> Any:
    return policy.reserve(policy.init(key), observations=observations, arms=arms)


@jax.jit
def _compiled_choose(policy: Policy, view: Any, key: jax.Array, round: Round) -> Choice:
    return policy.choose(view, key, round)


@jax.jit(donate_argnums=1)
def _learn(
    policy: Policy, state: Any, key: jax.Array, seen: Any, feedback: Feedback, count: Any
) -> Any:
    """Learn from the first ``count`` rows, one after another."""

    def step(i: jax.Array, state: Any) -> Any:
        row = jax.tree.map(lambda rows: rows[i], feedback)
        return policy.learn(state, jax.random.fold_in(key, seen + i), row)

    return jax.lax.fori_loop(0, count, step, state)
