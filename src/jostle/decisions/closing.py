"""What happens to decisions when they are closed: their rewards are settled, and learned."""

from collections import Counter
from collections.abc import Callable

import numpy as np

from jostle.agent import Agent
from jostle.decisions.apprenticeship import Apprenticeship
from jostle.decisions.decision_log import DecisionLog
from jostle.decisions.ledger import Entry
from jostle.decisions.requests import ClosedDecision
from jostle.features.encoder import Encoder

Log = Callable[[ClosedDecision], None]


class Closing:
    """Settles closed decisions and passes them on to whoever learns from them.

    Arguments:
        agent: learns from rows and rewards; None if nobody does.
        encoder: learns the moments of numbers.
        apprenticeship: compares the policy with a baseline.
        aggregation: how several rewards become one.
        default_reward: that of a decision which had none; None if there is none.
        log: called with every closed decision, or writes those that have a reward.
    """

    def __init__(
        self,
        agent: Agent | None,
        encoder: Encoder,
        apprenticeship: Apprenticeship,
        aggregation: str,
        default_reward: float | None,
        log: Log | DecisionLog | None,
    ):
        self._agent, self._encoder, self._log = agent, encoder, log
        self._apprenticeship = apprenticeship
        self._aggregation, self._default_reward = aggregation, default_reward

    def close(
        self, entries: list[Entry], now: float, counts: Counter[str], evicted: bool = False
    ) -> None:
        """Learn from decisions that the ledger has closed; ``evicted`` ones before their time."""
        learned: list[tuple[Entry, float]] = []
        for entry in entries:
            if "numbers" in entry.notes:
                self._encoder.observe_numbers(dict(entry.notes["numbers"]))
            reward = entry.tally.total(self._aggregation)
            if reward is None and not evicted and self._default_reward is not None:
                reward = self._default_reward
                counts["defaulted"] += 1
            if reward is None:
                counts["unrewarded"] += 1
            else:
                learned.append((entry, reward))
                if "agreement" in entry.notes:
                    known = entry.decision.probability
                    self._apprenticeship.add(entry.notes["agreement"], known, reward)
            if isinstance(self._log, DecisionLog):
                if reward is not None and entry.shown is not None:
                    self._log.write(entry.decision, entry.opened, entry.shown, reward)
                    counts["logged"] += 1
            elif self._log is not None:
                self._log(ClosedDecision.of(entry, reward, now))
        if learned and self._agent is not None:
            counts["learned"] += len(learned)
            arms = [entry.notes["arm"] for entry, _ in learned if "arm" in entry.notes]
            vectors = np.stack([entry.vector for entry, _ in learned])
            self._agent.learn(vectors, [reward for _, reward in learned], arm=arms or None)
