"""``Fold``: the state of an app as a function of its log.

Closed decisions are learned in the order of their positions, each exactly once, in batches that do
not change the result (``Agent.learn`` promises that a batch is the same as its rows one by one).
There is no clock in it, so replaying the log gives the same state.
"""

import hashlib
import io
import json
from collections.abc import Callable
from typing import Any

import jax
import msgspec
import numpy as np

from jostle import serialization
from jostle.agent import Agent
from jostle.service.configuration import learning_policy, make_encoder
from jostle.service.log.records import (
    Closed,
    ConfigSet,
    Kind,
    ModelChange,
    Observation,
    Record,
    decode,
    observation,
)
from jostle.service.messages import Config

Data = tuple[dict[str, Any], list[np.ndarray]]
"""JSON data and arrays: what a snapshot holds."""
Recall = Callable[[int], Data]
"""Gives the state of a version by its number."""
MOST_ROWS = 4096
"""Observations that are learned at a time."""


class Fold:
    """One app's model, learned from the log up to ``position``."""

    def __init__(self) -> None:
        self.config: Config | None = None
        self.epoch = 0
        """The position of the configuration that the model began with."""
        self.position = 0
        self.version = 0
        """The latest numbered version that the model contains."""
        self.newest = 0
        """The highest number of any version."""
        self.versions: dict[int, int] = {}
        """The position of each version."""
        self.barrier = 0
        """Where the model was last replaced, by going back, by import or by configuration."""
        self._agent: Agent | None = None
        self._moments: Any = None
        self._rows: list[tuple[Observation, float]] = []

    @property
    def agent(self) -> Agent:
        """The agent that learns."""
        assert self._agent is not None, "the log has no configuration yet"
        return self._agent

    @property
    def moments(self) -> list[Any]:
        """What the encoder has learned of numbers."""
        found: list[Any] = self._moments.moments
        return found

    def apply(self, records: list[Record], decided: dict[int, bytes], recall: Recall) -> int:
        """Fold over the next records of this app; returns how many observations were learned.

        Arguments:
            records: of kinds from ``CLOSED`` on, in the order of their positions.
            decided: the bodies of the decisions that they close, by position.
            recall: gives the state of an earlier version.
        """
        learned = 0
        for record in records:
            body = decode(record)
            if record.kind == Kind.CLOSED:
                learned += self._close(body, decided)
            elif body is not None:
                self._learn()
                if record.kind == Kind.CONFIG:
                    self._configure(record.position, body)
                elif record.kind == Kind.MODEL:
                    self._change(record.position, body, recall)
            self.position = record.position
        self._learn()
        return learned

    def _close(self, closed: Closed | None, decided: dict[int, bytes]) -> int:
        body = None if closed is None else decided.get(closed.decided)
        seen = None if body is None else observation(body)
        if closed is None or seen is None or seen.epoch != self.epoch:
            return 0
        if seen.numbers:
            self._moments.observe_numbers(dict(seen.numbers))
        if closed.reward is None or seen.mode == "log_only":
            return 0
        self._rows.append((seen, closed.reward))
        if len(self._rows) >= MOST_ROWS:
            self._learn()
        return 1

    def _learn(self) -> None:
        if self._rows:
            seen = [each for each, _ in self._rows]
            vectors = np.frombuffer(b"".join([each.vector for each in seen]), np.float32)
            arms = [each.arm for each in seen] if self.agent.policy.needs_arms else None
            rewards = np.array([reward for _, reward in self._rows])
            self.agent.learn(vectors.reshape(len(seen), -1), rewards, arm=arms)
            self._rows.clear()

    def _configure(self, position: int, body: ConfigSet) -> None:
        self.config = msgspec.json.decode(body.config, type=Config)
        if body.epoch == 0:
            self.epoch = self.barrier = position
            self.version = 0
            self._agent = Agent(learning_policy(self.config), self.config.seed)
            self._moments = make_encoder(self.config)

    def _change(self, position: int, body: ModelChange, recall: Recall) -> None:
        if body.change in ("learned", "imported"):
            self.newest = max(self.newest, body.version)
            self.versions[body.version] = body.position if body.change == "learned" else position
        if body.change == "learned" and body.position >= self.barrier:
            self.version = body.version
        elif body.change in ("imported", "rolled_back"):
            if body.content:
                file = io.BytesIO(body.content)
                self._take(*serialization.read_file(file, "an imported model", "model"))
            else:
                self._take(*recall(body.version))
            self.version, self.barrier = body.version, position

    def as_data(self) -> tuple[dict[str, Any], Any]:
        """What a snapshot holds."""
        agent, state = self.agent.as_data()
        header = {
            "epoch": self.epoch,
            "position": self.position,
            "model_version": self.version,
            "newest": self.newest,
            "versions": list(self.versions.items()),
            "barrier": self.barrier,
            "config": msgspec.to_builtins(self.config),
            "moments": self.moments,
            "agent": agent,
        }
        return header, state

    @classmethod
    def from_data(cls, header: dict[str, Any], leaves: list[np.ndarray]) -> "Fold":
        """The state that ``as_data`` described."""
        fold = cls()
        fold.config = msgspec.convert(header["config"], Config)
        fold.epoch, fold.position = header["epoch"], header["position"]
        fold.version, fold.newest = header["model_version"], header["newest"]
        fold.barrier = header["barrier"]
        fold.versions = dict(header["versions"])
        fold._take(header, leaves)
        return fold

    @classmethod
    def imported(
        cls, config: Config, epoch: int, header: dict[str, Any], leaves: list[np.ndarray]
    ) -> "Fold":
        """What another app has learned, for an app with this configuration."""
        fold = cls()
        fold.config, fold.epoch = config, epoch
        fold._take(header, leaves)
        return fold

    def _take(self, header: dict[str, Any], leaves: list[np.ndarray]) -> None:
        """Continue with what another state had learned."""
        assert self.config is not None
        self._agent = Agent.from_data(header["agent"], leaves)
        self._moments = make_encoder(self.config).with_moments(header["moments"])

    def sha256(self) -> str:
        """The hash of what was learned, whatever the position and the numbers of versions."""
        header, state = self.as_data()
        return sha256_of(header, jax.tree.leaves(state))


def sha256_of(header: dict[str, Any], leaves: list[np.ndarray]) -> str:
    """The hash of what a state has learned: its agent and its moments."""
    learned = {"agent": header["agent"], "moments": header["moments"]}
    found = hashlib.sha256(json.dumps(learned, sort_keys=True).encode())
    for leaf in leaves:
        array = np.ascontiguousarray(leaf)
        found.update(f"{array.dtype} {array.shape}".encode())
        found.update(array.tobytes())
    return found.hexdigest()
