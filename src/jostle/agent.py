"""The stateful front for applications: choose, learn, save and load, for months."""

import io
import operator
import os
import threading
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from jostle import serialization
from jostle.agent_input import InputChecks, contexts_of, decisions_in, features_of
from jostle.arm_slots import ArmSlots
from jostle.core.compiler import OPTIONS
from jostle.core.contexts import Blocks
from jostle.core.forks import note_process, refuse_after_fork
from jostle.core.validation import whole
from jostle.deciding import DecidingView, completed, round_of
from jostle.policies.base import Policy
from jostle.types import Choice, Feedback, Round

HISTORY_NUMBERS = 2**23
"""Numbers (32 MiB) that the history of an agent may hold, unless its policy has ``memory=``."""
FEWEST_OBSERVATIONS, MOST_OBSERVATIONS = 2**10, 2**20
"""Bounds on the observations that an agent remembers by that rule."""
CHUNK_NUMBERS, LONGEST_CHUNK = 2**16, 64
"""Numbers, and rows, of the batch that the compiled learning program takes."""


class Room(NamedTuple):
    """How much the state of an agent has room for; see ``Policy.reserve``."""

    observations: int
    arms: int | None


class Agent:
    """A policy at work: it owns the state and the randomness, and checks what it is given.

    Arguments:
        policy: what chooses and learns.
        seed: determines everything random.

    Bad input raises a ``ValueError`` or ``TypeError`` that names the argument, and changes nothing.

    Decisions run on the host in NumPy where the policy allows it; learning is compiled, by the
    first call of ``learn``, and never again. For that the state has a fixed size. A policy that
    learns from a history and has no ``memory=`` of its own remembers the latest observations that
    fit into 32 MiB: 2**23 / (features + 1), but at least 1,024 and at most 1,048,576 of them.

    Any number of threads may call an agent. Every decision gets random numbers of its own; no
    decision waits for another thread's learning to compile. An agent does not survive ``os.fork``
    (JAX does not): forked processes that use it get a ``RuntimeError`` that says what to do.
    The same calls give the same state, bit for bit, on machines of one type with the same versions
    of JAX, whatever the number of their cores.
    """

    def __init__(self, policy: Policy, seed: int = 0):
        if not isinstance(policy, Policy):
            raise TypeError(f"policy must be a jostle policy, such as NPR(...), not {policy!r}")
        self._process = note_process()
        self.policy = policy
        # Asked once, because a property costs half a microsecond per decision.
        self._on_host, self._takes_blocks = policy.on_host, policy.takes_blocks
        self._features = features_of(policy)
        self._arms = ArmSlots(policy)
        self._checks = InputChecks(policy, self._arms.limit)
        self.seed = whole("seed", seed, least=0)
        self.decisions = 0
        self.observations = 0
        self._generator = np.random.default_rng(self.seed)
        self._init_key, self._choose_key, self._learn_key = jax.random.split(
            jax.random.key(self.seed), 3
        )
        self._state = _init(policy, self._init_key, self._room)
        self._view: DecidingView | None = None
        self._compiled: set[Any] = set()
        # Held in this order, and none of the last two while anything is compiled:
        self._learn_lock = threading.Lock()  # one thread learns, or saves, at a time
        self._decide_lock = threading.Lock()  # one decision draws its random numbers at a time
        self._state_lock = threading.Lock()  # learning reuses the memory of the state it is given

    def choose(self, contexts: Any, *, arms: Any = None, user: Any = None, mask: Any = None) -> int:
        """Return the index of the arm to take, of k arms with contexts of shape (k, features).

        Arguments:
            contexts: one row per arm; k may differ from call to call.
            arms: the id of each arm, a whole number, if arms come back.
            user: the id of the user, a whole number.
            mask: which arms may be chosen; all by default.
        """
        index: int = self._decide(contexts, arms, user, mask, self.policy.choose).index
        return index

    def decide(
        self, contexts: Any, *, arms: Any = None, user: Any = None, mask: Any = None
    ) -> Choice:
        """Like ``choose``, but return the whole decision, to be passed to ``learn``.

        It has the ``index``, the ``scores`` of all arms, the ``probabilities`` that the arm was
        drawn from if the policy knows them, and the ``context``, ``arm`` and ``user`` that
        ``learn`` will need. The arm is as likely as with ``choose``. Log the probabilities to
        evaluate other policies later, and give the policy a ``floor`` above 0 for that, so that
        every arm has a chance.
        """
        return self._decide(contexts, arms, user, mask, self.policy.choose_with_probabilities)

    def _decide(self, contexts: Any, arms: Any, user: Any, mask: Any, choose: Any) -> Choice:
        """A decision by ``choose``, one of the policy's two ways of choosing."""
        self._check_process()
        shown = self._checks.shown(contexts, arms, user, mask)
        # Before the state is read: it may grow in between, but never shrinks.
        slots = shown.ids if arms is None else self._arms.look_up(shown.ids)
        round = round_of(shown, slots, self._takes_blocks)
        if self._on_host:
            view = self._deciding()
            with self._decide_lock:
                choice = view.choose(round, self._generator, choose)
                self.decisions += 1
        else:
            choice = self._compiled_choice(round, choose.__name__)
        return completed(choice, shown, has_arms=arms is not None, has_user=user is not None)

    def learn(
        self, context: Any, reward: Any, *, arm: Any = None, user: Any = None, weight: Any = None
    ) -> None:
        """Learn from the reward of a decision, or from a context and its reward.

        Arguments:
            context: what ``decide`` returned, or a list of such decisions; or the context of the
                arm that was taken, of shape (features,), or (n, features) for a batch.
            reward: its reward, or n rewards. Learning from a batch is the same as learning from its
                rows one by one.
            arm: the id of the arm that was taken, or n ids. Not its index among those shown, and
                not needed with a decision, which knows it.
            user: the id of the user, or n ids; likewise.
            weight: how many observations this one counts for, or n numbers; 1 by default. Not all
                policies can do that (``Policy.takes_weights``).
        """
        self._check_process()
        if decisions := decisions_in(context):
            if arm is not None or user is not None:
                raise TypeError(
                    "arm and user must be left out when learning from a decision: it has them"
                )
            context, arm, user = contexts_of(decisions, alone=isinstance(context, Choice))
        contexts, rewards, ids, users = self._checks.observed(context, reward, arm, user)
        weights = self._checks.weights(weight, len(rewards))
        with self._learn_lock:
            slots = self._arms.assign(ids)
            self._make_room()
            chosen = Blocks(contexts, slots) if self._takes_blocks else contexts
            self._learn_in_chunks(Feedback(chosen, rewards, slots, users, weights))

    @property
    def state(self) -> Any:
        """A copy of the policy's state."""
        self._check_process()
        with self._state_lock:
            return jax.tree.map(lambda leaf: jnp.asarray(np.array(leaf)), self._state)

    def deciding_view(self) -> DecidingView:
        """What decisions read now; it stays as it is while the agent learns."""
        self._check_process()
        with self._learn_lock:
            state = self._deciding()._state
            arms = ArmSlots.from_data(self.policy, self._arms.as_data())
        return DecidingView(self.policy, state, arms)

    def arm_slots(self, ids: np.ndarray) -> np.ndarray:
        """The places that arm ids have in the arrays of ``state``."""
        return self._arms.look_up(ids)

    def knows_arms(self, ids: np.ndarray) -> bool:
        """Whether it has learned about any of these large arm ids, each apart from the others."""
        return self._arms.knows(ids)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write everything to one file, whole or not at all."""
        self._check_process()
        serialization.write(path, *self.as_data())

    @classmethod
    def load(cls, path: str | os.PathLike[str], policy: Policy | None = None) -> "Agent":
        """The agent saved at ``path``; it continues as if it had never stopped.

        ``policy`` is needed only if the saved one had parts of your own making.
        """
        return cls.from_data(*serialization.read(path), policy)

    def __reduce__(self) -> Any:
        """Pickle what ``save`` writes: plain numbers, and no code that loading would run."""
        self._check_process()
        header, state = self.as_data()
        serialization.rebuild(header["policy"])  # a policy of the user's own: say so now, not later
        file = io.BytesIO()
        serialization.write_file(file, header, state)
        return _unpickled, (file.getvalue(),)

    def __deepcopy__(self, memo: Any) -> "Agent":
        self._check_process()
        header, state = self.as_data()
        return self.from_data(header, jax.tree.leaves(state), self.policy)

    def __repr__(self) -> str:
        return f"Agent({type(self.policy).__name__}, observations={self.observations})"

    def as_data(self) -> tuple[dict[str, Any], Any]:
        """What a file holds: JSON data, and a copy of the state without unused room."""
        with self._learn_lock, self._decide_lock, self._state_lock:
            header = {
                "policy": serialization.describe(self.policy),
                "seed": self.seed,
                "decisions": self.decisions,
                "observations": self.observations,
                "arms": self._arms.as_data(),
                "generator": self._generator.bit_generator.state,
            }
            whole = jax.tree.map(np.asarray, self._state)
            held = self.policy.trim(whole, observations=self.observations)
            return header, jax.tree.map(np.array, held)

    @classmethod
    def from_data(
        cls, header: dict[str, Any], leaves: list[np.ndarray], policy: Policy | None = None
    ) -> "Agent":
        """The agent that ``as_data`` described, from the arrays of its state."""
        made = serialization.rebuild(header["policy"]) if policy is None else policy
        agent = cls(made, header["seed"])
        agent._arms = ArmSlots.from_data(made, header["arms"])
        observations = header["observations"]
        like = jax.eval_shape(
            lambda: made.trim(
                _initial(made, agent._init_key, agent._room), observations=observations
            )
        )
        state = serialization.restore(made, like, leaves)
        agent._state = _reserve(made, state, agent._room)
        agent.decisions = header["decisions"]
        agent.observations = observations
        agent._generator.bit_generator.state = header["generator"]
        return agent

    def _learn_in_chunks(self, feedback: Feedback) -> None:
        count = len(feedback.reward)
        rows = max(1, min(LONGEST_CHUNK, CHUNK_NUMBERS // self._features))
        for start in range(0, count, rows):
            chunk = jax.tree.map(operator.itemgetter(slice(start, start + rows)), feedback)
            size = len(chunk.reward)
            padded = jax.tree.map(lambda part: _padded(part, rows), chunk)
            seen = np.int32(self.observations)
            rest = (self._learn_key, seen, padded, np.int32(size))
            name = "learn" if feedback.weight is None else "learn weighted"
            self._compile(_learn, (name, self._arms.capacity), *rest)
            with self._state_lock:
                self._state = _learn(self.policy, self._state, *rest)
                self._view = None
                self.observations += size
            # Not a queue of work that the next decision would have to wait for.
            jax.block_until_ready(self._state)

    def _compiled_choice(self, round: Round, way: str) -> Choice:
        """The choice of a compiled policy, for a number of arms padded to a power of two."""
        k = len(round.mask)
        size = 1 << (k - 1).bit_length()
        padded = jax.tree.map(lambda part: _padded(part, size), round._replace(user=()))
        with self._decide_lock:
            number = np.int32(self.decisions)
            self.decisions += 1
        rest = (self._choose_key, number, padded._replace(user=round.user), way)
        self._compile(_choose, (way, self._arms.capacity, size), *rest)
        with self._state_lock:
            choice = _choose(self.policy, self._state, *rest)
        choice = jax.device_get(choice)
        parts = (None if part is None else part[:k] for part in choice[1:3])
        return Choice(choice.index, *parts)

    def _compile(self, program: Any, name: Any, *arguments: Any) -> None:
        """Compile before the state is locked, so that nobody waits for it who has a program."""
        if name not in self._compiled:
            shapes = jax.tree.map(lambda x: jax.ShapeDtypeStruct(x.shape, x.dtype), self._state)
            program.lower(self.policy, shapes, *arguments).compile()
            self._compiled.add(name)

    def _deciding(self) -> DecidingView:
        view = self._view
        if view is None:
            with self._state_lock:
                # Copies, since learning reuses the memory of the state it is given.
                state = jax.tree.map(np.array, self.policy.deciding(self._state))
                view = DecidingView(self.policy, state, self._arms, passing=True)
                self._view = view
        return view

    @property
    def _room(self) -> Room:
        rows = HISTORY_NUMBERS // (self._features + 1)
        kept = min(max(rows, FEWEST_OBSERVATIONS), MOST_OBSERVATIONS)
        return Room(kept, self._arms.capacity)

    def _make_room(self) -> None:
        """Enlarge the state if ids have been assigned slots that it does not have."""
        if self._arms.grown:
            self._compile(_reserve, ("reserve", self._arms.capacity), self._room)
            with self._state_lock:
                self._state = _reserve(self.policy, self._state, self._room)
                self._view = None
            self._arms.made_room()

    def _check_process(self) -> None:
        if self._process != os.getpid():
            refuse_after_fork(self._process)


def _padded(rows: np.ndarray, size: int) -> np.ndarray:
    """``rows`` followed by zeros, ``size`` of them in all."""
    if len(rows) == size:
        return rows
    padded = np.zeros((size, *rows.shape[1:]), rows.dtype)
    padded[: len(rows)] = rows
    return padded


def _unpickled(content: bytes) -> Agent:
    return Agent.from_data(*serialization.read_file(io.BytesIO(content), "the pickle"), None)


def _initial(policy: Policy, key: jax.Array, room: Room) -> Any:
    return policy.reserve(policy.init(key), **room._asdict())


_init = jax.jit(_initial, static_argnames="room", compiler_options=OPTIONS)


@jax.jit(static_argnames="room", compiler_options=OPTIONS)
def _reserve(policy: Policy, state: Any, room: Room) -> Any:
    return policy.reserve(state, **room._asdict())


@jax.jit(static_argnames="way", compiler_options=OPTIONS)
def _choose(
    policy: Policy, state: Any, key: jax.Array, number: Any, round: Round, way: str
) -> Choice:
    """A choice by the method ``way`` of the policy."""
    choice: Choice = getattr(policy, way)(
        policy.deciding(state), jax.random.fold_in(key, number), round
    )
    return choice


@jax.jit(donate_argnums=1, compiler_options=OPTIONS)
def _learn(
    policy: Policy, state: Any, key: jax.Array, seen: Any, feedback: Feedback, count: Any
) -> Any:
    """Learn from the first ``count`` rows, one after another."""

    def step(i: jax.Array, state: Any) -> Any:
        row = jax.tree.map(lambda rows: rows[i], feedback)
        return policy.learn(state, jax.random.fold_in(key, seen + i), row)

    return jax.lax.fori_loop(0, count, step, state)
