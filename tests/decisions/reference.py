"""A decider's bookkeeping in the plainest form: lists of everything, searched from the start."""

import math

AGGREGATIONS = {
    "first": lambda rewards: rewards[0],
    "last": lambda rewards: rewards[-1],
    "sum": sum,
    "mean": lambda rewards: sum(rewards) / len(rewards),
    "max": max,
    "min": min,
}


class Reference:
    """What ``Decider`` promises about ids, rewards and time."""

    def __init__(self, wait, default, aggregation, at_once, pending):
        self.wait, self.default = wait, default
        self.aggregation, self.pending = AGGREGATIONS[aggregation], pending
        self.at_once = at_once or wait is None
        self.now = -math.inf
        self.open, self.closed = [], []  # dictionaries, in the order of opening and of closing
        self.early = []  # dictionaries with id, since and rewards
        self.ended = []  # (id, reward) of every decision, as it was closed
        self.late = self.duplicates = self.unmatched = self.evicted = 0

    def tick(self, now):
        self.now = max(self.now, now)
        if self.wait is None:
            return
        for decision in [d for d in self.open if d["time"] + self.wait <= self.now]:
            self._close(decision, self.default)
        for group in [g for g in self.early if g["since"] + self.wait <= self.now]:
            self._drop(group)

    def known(self, id):
        remembered = self.closed[-self.pending :]
        return next((d for d in [*self.open, *remembered] if d["id"] == id), None)

    def decide(self, id, request, answer, now):
        """Return the earlier answer to this request, None for a new one, or "refused"."""
        self.tick(now)
        known = self.known(id)
        if known is not None:
            return known["answer"] if known["request"] == request else "refused"
        if len(self.open) >= self.pending:
            self.evicted += 1
            self._close(self.open[0], None)
        new = {"id": id, "request": request, "time": self.now, "rewards": [], "names": set()}
        self.open.append({**new, "answer": answer})
        groups = [group for group in self.early if group["id"] == id]
        for group in groups:
            self.early.remove(group)
            for value, name in group["rewards"]:
                self._reward(id, value, name)
        return None

    def reward(self, id, value, name, now):
        self.tick(now)
        return self._reward(id, value, name)

    def _reward(self, id, value, name):
        decision = self.known(id)
        if decision is None:
            return self._before(id, value, name)
        if name is not None and name in decision["names"]:
            self.duplicates += 1
            return "duplicate"
        decision["names"].add(name)
        if decision not in self.open:
            self.late += 1
            return "late"
        decision["rewards"].append(value)
        if self.at_once:
            self._close(decision, None)
            return "closed"
        return "pending"

    def _before(self, id, value, name):
        group = next((g for g in self.early if g["id"] == id), None)
        if group is None:
            if len(self.early) >= self.pending:
                self._drop(self.early[0])
            group = {"id": id, "since": self.now, "rewards": []}
            self.early.append(group)
        if name is not None and name in [each for _, each in group["rewards"]]:
            self.duplicates += 1
            return "duplicate"
        group["rewards"].append((value, name))
        return "early"

    def _drop(self, group):
        self.early.remove(group)
        self.unmatched += len(group["rewards"])

    def _close(self, decision, default):
        self.open.remove(decision)
        self.closed.append(decision)
        rewards = decision["rewards"]
        self.ended.append((decision["id"], self.aggregation(rewards) if rewards else default))
