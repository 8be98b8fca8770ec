"""``Decider``: decisions on records, with identities and rewards that come late."""

import math
import os
import threading
import time
from collections import Counter
from collections.abc import Callable
from typing import Any

import jax
import numpy as np

from jostle import serialization
from jostle.agent import Agent
from jostle.core.validation import number, unknown, whole
from jostle.decisions.apprenticeship import Apprenticeship, Report
from jostle.decisions.closing import Closing, Log
from jostle.decisions.decision_log import DecisionLog
from jostle.decisions.ledger import Decision, Entry, Late, Ledger
from jostle.decisions.policies import agent_for
from jostle.decisions.requests import Request, agreement, answer, check_id, ranked
from jostle.decisions.rewards import check_aggregation, check_reward
from jostle.features.encoder import Encoder, arm_id
from jostle.features.hashing import digest
from jostle.policies.base import Policy
from jostle.types import Choice

LEARN, APPRENTICE, LOG_ONLY = "learn", "apprentice", "log_only"
MODES = (LEARN, APPRENTICE, LOG_ONLY)


class Decider:
    """Chooses among actions given as records, and learns when their rewards have come.

        decider = jostle.Decider(policy="lin-ucb", wait=3600, default_reward=0.0)
        decision = decider.decide({"hour": 9, "device": "phone"}, [{"id": "a", "price": 3}, "b"])
        decider.reward(decision.id, 1.0)

    A decision is open for ``wait``, collects rewards, and is then closed: its rewards become one
    by ``aggregation``, or the default reward if there were none, and the policy learns from the row
    that was decided on. Until then nothing is learned from it, because rewards that come fast are
    seldom typical. Decisions are closed by the clock, whenever ``decide``, ``reward``, ``advance``
    or ``save`` is called. Any number of threads may call.

    Arguments:
        policy: text such as "npr" or "lin-ucb:exploration=0.1", a policy, or an ``Agent`` that has
            learned already.
        encoder: turns records into rows; by default ``Encoder()``, as wide as a given policy.
        wait: how long a decision stays open, in the unit of the clock (seconds). None: the first
            reward closes a decision, and nothing else does.
        default_reward: the reward of a decision that had none when it was closed. None: nothing is
            learned from it.
        aggregation: "first", "last", "sum", "mean", "max" or "min" of the rewards, in the order
            they came.
        mode: "learn"; "apprentice" returns the caller's baseline, learns from that, and tells how
            the policy would have done (``apprenticeship``); "log_only" learns nothing, and returns
            the baseline if there is one.
        pending: how many decisions may be open. If another one comes, the oldest is closed early:
            learned from if it has had a reward, else dropped (not given the default reward, since
            its time was not over), and counted as "evicted". As many closed decisions are
            remembered.
        clock: returns the time. If it goes back, time stands still until it has caught up.
        seed: determines everything random, and the ids of decisions whose caller gives none.
        learn_at_once: close a decision at its first reward, instead of waiting.
        log: a file (``.jsonl`` or ``.parquet``) for closed decisions that have a reward, which
            ``jostle evaluate`` and ``jostle.evaluation`` read; give the policy a ``floor``, such as
            0.05, so that every action has a chance. Or a function that is called with each
            ``ClosedDecision``.
    """

    def __init__(
        self,
        policy: str | Policy | Agent = "npr",
        encoder: Encoder | None = None,
        *,
        wait: float | None = None,
        default_reward: float | None = None,
        aggregation: str = "last",
        mode: str = LEARN,
        pending: int = 10_000,
        clock: Callable[[], float] = time.time,
        seed: int = 0,
        learn_at_once: bool = False,
        log: Log | str | os.PathLike[str] | None = None,
    ):
        if mode not in MODES:
            raise ValueError(unknown("mode", mode, MODES))
        if wait is not None:
            number("wait", wait)
        if default_reward is not None:
            default_reward = check_reward("default_reward", default_reward)
            if wait is None:
                raise ValueError("default_reward needs wait=, after which it is given")
        if encoder is None:
            known = policy.policy if isinstance(policy, Agent) else policy
            encoder = Encoder(known.features) if isinstance(known, Policy) else Encoder()
        self.encoder = encoder
        self.agent = agent_for(policy, encoder, seed)
        self.mode, self.clock = mode, clock
        self.default_reward = default_reward
        self.seed = whole("seed", seed, least=0)
        self._ledger = Ledger(
            None if wait is None else float(wait),
            check_aggregation(aggregation),
            bool(learn_at_once) or wait is None,
            whole("pending", pending),
        )
        self._apprenticeship = Apprenticeship()
        self._log = self._opened(log) if isinstance(log, str | os.PathLike) else None
        self._closing = Closing(
            None if mode == LOG_ONLY else self.agent,
            self.encoder,
            self._apprenticeship,
            aggregation,
            default_reward,
            log if self._log is None else self._log,  # type: ignore[arg-type]
        )
        self._latest = -math.inf
        self._named = 0
        self._lock = threading.RLock()

    def decide(
        self,
        context: Any,
        actions: Any,
        id: str | None = None,
        baseline: Any = None,
        baseline_probability: float | None = None,
    ) -> Decision:
        """Choose one of the actions.

        Arguments:
            context: a record; see ``Encoder``.
            actions: a list of ids or records, or a data frame.
            id: of this decision. The same id and request give the same answer, however often and
                whatever was learned in between; another request under a used id is refused.
            baseline: the action, by its id, that the caller would take (mode "apprentice").
            baseline_probability: the probability with which the caller has chosen it.
        """
        with self._lock:
            now = self._advance()
            request = Request(context, actions, baseline, baseline_probability)
            if id is not None and (known := self._ledger.find(check_id("id", id))) is not None:
                return answer(known, request)
            names = request.names
            chosen = request.baseline_index(
                required=self.mode == APPRENTICE,
                logged=self._log is not None and self.mode != LEARN,
            )
            rows, numbers = self.encoder.encode_and_count(context, request.actions)
            arms = None
            if self.agent.policy.needs_arms:
                arms = [arm_id(name) for name in names]
            choice = self.agent.decide(rows, arms=arms)
            decision = self._decision(id, request, choice, chosen)
            entry = Entry(decision, request.digest, now, math.inf, rows[decision.index].copy(), {})
            if self._log is not None:
                entry.shown = self._log.shown(rows, names, choice.probabilities)
            if numbers:
                entry.notes["numbers"] = [[name, values] for name, values in numbers.items()]
            if arms is not None:
                entry.notes["arm"] = arms[decision.index]
            if self.mode == APPRENTICE:
                entry.notes["agreement"] = agreement(choice, decision.index)
            self._close(self._ledger.make_room(), evicted=True)
            self._close(self._ledger.add(entry, now))
            return decision

    def reward(self, id: str, value: float, reward_id: str | None = None) -> str:
        """Count a reward of a decision, and return what became of it.

        "pending": counted, and learned when the decision is closed. "closed": counted, and it
        closed the decision. "early": kept until the decision comes. "duplicate": ignored, because
        a reward of the same ``reward_id`` was counted. "late": its decision is closed, so it is
        kept apart (``late``) and not learned.
        """
        check_id("id", id)
        if reward_id is not None:
            check_id("reward_id", reward_id)
        value = check_reward("value", value)
        with self._lock:
            now = self._advance()
            state, closed = self._ledger.reward(id, value, reward_id, now)
            self._close(closed)
            return state

    def advance(self) -> None:
        """Close the decisions whose time is over; all other methods do this too."""
        with self._lock:
            self._advance()

    def locked(self) -> threading.RLock:
        """A lock to hold, ``with decider.locked():``, while using its agent or encoder."""
        return self._lock

    @property
    def counts(self) -> Counter[str]:
        """How many "decisions" there were, "rewards", "closed" and so on; see docs/decisions.md."""
        with self._lock:
            counts = Counter(self._ledger.counts)
            counts["open"] = len(self._ledger.open)
            return counts

    @property
    def late(self) -> list[Late]:
        """The latest rewards that came after their decision was closed."""
        with self._lock:
            return list(self._ledger.late)

    @property
    def apprenticeship(self) -> Report:
        """How the policy compares with the baseline (mode "apprentice")."""
        with self._lock:
            return self._apprenticeship.report()

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write everything to one file, open decisions included, whole or not at all."""
        with self._lock:
            self._advance()
            agent, state = self.agent.as_data()
            ledger, *tables = self._ledger.as_data()
            width = self.encoder.features
            stacked = [np.array(rows, np.float32).reshape(len(rows), width) for rows in tables]
            header = {
                "agent": agent,
                "encoder": self.encoder.as_data(),
                "ledger": ledger,
                "settings": self._settings(),
                "apprenticeship": self._apprenticeship.as_data(),
                "latest": self._latest,
                "named": self._named,
                "log": None if self._log is None else self._log.save(),
            }
            serialization.write(path, header, [*jax.tree.leaves(state), *stacked], "decider")

    def sync_log(self) -> None:
        """Bring the rows of the log to the disk, and write a Parquet file; ``save`` does it too."""
        with self._lock:
            if self._log is not None:
                self._log.save()

    @classmethod
    def load(
        cls,
        path: str | os.PathLike[str],
        policy: Policy | None = None,
        *,
        clock: Callable[[], float] = time.time,
        log: Log | str | os.PathLike[str] | None = None,
    ) -> "Decider":
        """The decider saved at ``path``; it continues as if it had never stopped.

        ``policy`` is needed only if the saved one had parts of your own making. With the same
        ``log`` as before the file is continued: no row is lost or repeated, not even those that
        were written after the decider was saved.
        """
        header, leaves = serialization.read(path, "decider")
        agent = Agent.from_data(header["agent"], leaves[:-2], policy)
        encoder = Encoder.from_data(header["encoder"])
        decider = cls(agent, encoder, clock=clock, log=log, **header["settings"])
        decider._ledger.load(header["ledger"], leaves[-2], leaves[-1])
        if decider._log is not None and header["log"] is not None:
            for id in decider._log.ids_since(header["log"]) & decider._ledger.open.keys():
                decider._ledger.open[id].shown = None  # it is there already
        decider._apprenticeship.load(header["apprenticeship"])
        decider._latest, decider._named = header["latest"], header["named"]
        return decider

    def __repr__(self) -> str:
        policy = type(self.agent.policy).__name__
        return f"Decider({policy}, mode={self.mode!r}, open={len(self._ledger.open)})"

    def _opened(self, path: str | os.PathLike[str]) -> DecisionLog:
        policy = self.agent.policy
        if self.mode != APPRENTICE and not policy.knows_probabilities:
            raise ValueError(
                f"log needs a policy that states its probabilities, and {type(policy).__name__} "
                "does not (see Policy.choose_with_probabilities)"
            )
        return DecisionLog(path, features=self.encoder.features, own=self.mode == LEARN)

    def _settings(self) -> dict[str, Any]:
        ledger = self._ledger
        return {
            "wait": ledger.wait,
            "default_reward": self.default_reward,
            "aggregation": ledger.aggregation,
            "mode": self.mode,
            "pending": ledger.pending,
            "seed": self.seed,
            "learn_at_once": ledger.at_once,
        }

    def _advance(self) -> float:
        now = self.clock()
        number("clock()", now, -math.inf)
        self._latest = now = max(self._latest, float(now))
        self._close(self._ledger.due(now))
        return now

    def _decision(
        self, id: str | None, request: Request, choice: Choice, chosen: int | None
    ) -> Decision:
        """The policy's choice, or the baseline if the mode says so."""
        names, index = request.names, int(choice.index)
        probability = None
        if self.mode != LEARN and chosen is not None:
            index, probability = chosen, request.baseline_probability
        elif choice.probabilities is not None:
            probability = float(choice.probabilities[index])
        ranking = [names[i] for i in ranked(choice.scores, index)]
        return Decision(id or self._new_id(), names[index], probability, ranking, index)

    def _new_id(self) -> str:
        while True:
            self._named += 1
            id = digest(f"{self.seed}:{self._named}".encode())
            if self._ledger.find(id) is None:
                return id

    def _close(self, entries: list[Entry], evicted: bool = False) -> None:
        """Learn from decisions that the ledger has closed."""
        if entries:
            self._closing.close(entries, self._latest, self._ledger.counts, evicted)
