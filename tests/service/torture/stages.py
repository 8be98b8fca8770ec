"""Where the processor time of a decision goes, in process and without HTTP.

PYTHONPATH=tests/service:src python -m torture.stages [DECISIONS AT A TIME]
"""

import asyncio
import json
import sys
import tempfile
import time
from pathlib import Path

import msgspec

from jostle.features.together import Named
from jostle.service.messages import Config, DecisionRequest, EventReward
from jostle.service.service import Service
from jostle.service.service_settings import ServiceSettings
from torture.shop import APP, REWARDED, decisions

LEARNED = 1024
"""Observations before anything is measured: by then the moments of all numbers are fixed."""
ROUNDS = 60


async def run(folder, together):
    """Microseconds of processor time per decision, by stage; the lower quartile of many rounds."""
    bodies = [json.dumps(each).encode() for each in decisions()]
    decode = msgspec.json.Decoder(DecisionRequest).decode
    requests = [decode(body) for body in bodies]
    await _learn(folder, requests)
    service = Service.open(folder, ServiceSettings(learner=False))
    app, model = service._apps[APP], service.model(APP)
    starts = range(0, len(requests) - together + 1, together)
    groups = [requests[start : start + together] for start in starts]
    shown = [[(each.context, _named(each)) for each in group] for group in groups]
    rows = [[made for made, _ in model.encoder.encode_many(each)] for each in shown]

    def generator(place):
        return service._randomness.of(0, str(place))

    stages = {
        "decode JSON": lambda i: [decode(body) for body in bodies[:together]],
        "encode": lambda i: model.encoder.encode_many(shown[i]),
        "choose": lambda i: model.deciding.decide_many(rows[i], generator),
        "encode, choose, record and answer": lambda i: service._decisions(
            app, groups[i], [0.0] * together
        ),
    }
    found = {name: _measured(stage, len(groups), together) for name, stage in stages.items()}
    durable = []
    for i in range(ROUNDS):
        start = time.process_time()
        await service.decide_many(APP, groups[i % len(groups)])
        durable.append(time.process_time() - start)
    found["the same, durable"] = _quartile(durable, together)
    service.close()
    return found


async def _learn(folder, requests):
    """Let an app of the default policy learn."""
    service = Service.open(folder, ServiceSettings())
    await service.create_app(APP, Config(wait=0.5))
    while service.model(APP).observations < LEARNED:
        answers = await service.decide_many(APP, requests)
        events = [json.loads(answer.body)["event_id"] for answer in answers[::REWARDED]]
        rewards = [EventReward(event_id=event, value=1.0) for event in events]
        await service.reward_many(APP, rewards)
        await asyncio.sleep(0.5)
    await asyncio.to_thread(service.close)


def _named(request):
    return Named([each.id for each in request.actions], [each.features for each in request.actions])


def _measured(stage, groups, together):
    times = []
    for i in range(ROUNDS):
        start = time.process_time()
        stage(i % groups)
        times.append(time.process_time() - start)
    return _quartile(times, together)


def _quartile(times, together):
    return round(sorted(times)[len(times) // 4] * 1e6 / together, 1)


if __name__ == "__main__":
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 32
    with tempfile.TemporaryDirectory() as name:
        for stage, microseconds in asyncio.run(run(Path(name), count)).items():
            print(f"{stage:<36}{microseconds:>8} us")
