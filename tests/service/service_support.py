"""A service with a clock and a learner that tests move by hand, in one process."""

import asyncio

from jostle.service.learner import Learner
from jostle.service.messages import ActionItem, Config, DecisionRequest, RewardRequest
from jostle.service.service import Service
from jostle.service.service_settings import ServiceSettings

SMALL = Config(policy="lin-ts", dimensions=8, wait=10.0)
SETTINGS = ServiceSettings(learner=False, synchronous="normal", close_interval=3600.0)


class Clock:
    """Time that passes when told to."""

    def __init__(self):
        self.now = 1_000.0

    def __call__(self):
        return self.now


class Bench:
    """A service, its clock, and its learner."""

    def __init__(self, data, settings=SETTINGS):
        self.data, self.settings, self.clock = data, settings, Clock()
        self.learner = None
        self.service = Service.open(data, settings, self.clock)
        self.loop = asyncio.new_event_loop()

    def run(self, coroutine):
        return self.loop.run_until_complete(coroutine)

    def create(self, config=SMALL, app="a"):
        self.run(self.service.create_app(app, config))
        return self

    def decide(self, event_id=None, app="a", **request):
        return self.run(self.service.decide(app, make_request(event_id, **request)))

    def reward(self, event_id, value=1.0, app="a", **request):
        return self.run(self.service.reward(app, event_id, RewardRequest(value=value, **request)))

    def pass_time(self, seconds):
        self.clock.now += seconds
        self.run(self.service.close_due())

    def learn(self):
        """Fold over everything that is closed, publish it, and keep a snapshot."""
        if self.learner is None:
            self.learner = Learner(self.data, self.service._heard, publish=0.0, snapshot=0.0)
        while self.learner.step():
            pass
        self.run(self.service._writer.call(lambda log: None))  # after what the learner announced

    def restart(self):
        self.stop_learner()
        self.service.close()
        self.service = Service.open(self.data, self.settings, self.clock)

    def stop_learner(self):
        if self.learner is not None:
            self.learner.close()
            self.learner = None

    def close(self):
        self.stop_learner()
        self.service.close()
        self.loop.close()


def make_request(event_id=None, **request):
    request.setdefault("context", {"hour": 3.0})
    actions = request.pop("actions", ("x", "y"))
    items = [each if isinstance(each, ActionItem) else ActionItem(id=each) for each in actions]
    return DecisionRequest(event_id=event_id, actions=items, **request)
