"""A small server loop to be killed: it decides, rewards, and prints what was acknowledged.

python crash_server.py DATA NUMBER
"""

import asyncio
import sys
from pathlib import Path

from jostle.service.messages import ActionItem, Config, DecisionRequest, RewardRequest
from jostle.service.service import Service
from jostle.service.service_settings import ServiceSettings

CONFIG = Config(policy="lin-ts", dimensions=8, wait=0.2, aggregation="sum")


async def client(service, name):
    """Decide and reward without end; a line for each acknowledgement."""
    actions = [ActionItem(id=each) for each in "xyz"]
    for i in range(10**9):
        event = f"{name}-{i}"
        request = DecisionRequest(context={"i": float(i % 7)}, actions=actions, event_id=event)
        answer = await service.decide("a", request)
        print("decided", event, answer.body.decode(), flush=True)
        if i % 3:
            state = await service.reward("a", event, RewardRequest(value=1.0, reward_id="r"))
            print("rewarded", event, state, flush=True)


async def main(data, number):
    service = Service.open(data, ServiceSettings(learner=False, close_interval=0.02))
    if "a" not in service.apps():
        await service.create_app("a", CONFIG)
    print("ready", flush=True)
    await asyncio.gather(*(client(service, f"{number}-{each}") for each in range(4)))


asyncio.run(main(Path(sys.argv[1]), sys.argv[2]))
