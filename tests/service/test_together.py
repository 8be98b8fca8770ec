"""Decisions that come together are made together, and each is what it would be alone."""

import asyncio
import json

import pytest
from service_support import SETTINGS, Bench

from jostle.service import together
from jostle.service.messages import ActionItem, Config, DecisionRequest
from jostle.service.problems import Busy, Problem
from jostle.service.replay import replay
from jostle.service.together import MOST, Together

SMALL = Config(
    policy="npr.online:random_features=4,members=4,width=4,batch=4,memory=16", dimensions=8
)


def request(event, actions=3):
    """With numbers and strings, and another number of actions now and then."""
    kinds = ["hat", "shoe"]
    return DecisionRequest(
        context={"hour": event % 5, "device": "phone"},
        actions=[
            ActionItem(id=f"a{k}", features={"price": 1.5 * k + event, "kind": kinds[k % 2]})
            for k in range(actions)
        ],
        event_id=f"e{event}",
    )


BAD = DecisionRequest(context={"hour": 1}, actions=[ActionItem(id="x")] * 2, event_id="bad")
SAME = DecisionRequest(
    context={"hour": 1}, actions=[ActionItem(id="y", features={"f": float("nan")})], event_id="nan"
)
REQUESTS = [request(0), BAD, request(1), request(2, 5), SAME, request(3), request(4, 1)]


@pytest.fixture
def benches(tmp_path):
    made = [Bench(tmp_path / name, SETTINGS).create(SMALL) for name in ("one", "batch", "gather")]
    yield made
    for bench in made:
        bench.close()


def alone(bench, each):
    try:
        return bench.run(bench.service.decide("a", each))
    except Problem as problem:
        return problem


def shown(outcome):
    return (outcome.detail, outcome.path) if isinstance(outcome, Problem) else outcome.body


def test_decisions_made_together_are_those_made_one_by_one(benches, monkeypatch):
    """In a batch or in one turn of the loop; bytes, problems and what replay makes of them."""
    monkeypatch.setattr(together, "MOST", 3)
    one, batch, gather = benches

    async def at_once(requests):
        asked = (gather.service.decide("a", each) for each in requests)
        return await asyncio.gather(*asked, return_exceptions=True)

    for more in (0, 100):  # before and after something was learned
        requests = [request(more + i, 3 + i % 2) for i in range(5)] + REQUESTS * (more == 0)
        first = [alone(one, each) for each in requests]
        second = batch.run(batch.service.decide_many("a", requests))
        third = gather.run(at_once(requests))
        assert [shown(each) for each in second] == [shown(each) for each in first]
        assert [shown(each) for each in third] == [shown(each) for each in first]
        for bench in benches:
            for place in range(5):
                bench.reward(f"e{more + place}", float(place), final=True)
            bench.learn()
            bench.learn()  # the record of the version that was kept, which answers refer to
    for bench in benches:
        found = replay(bench.data, "a", verify=True)
        assert (found.decisions, found.errors) == (13 - 3, ())
    kept = json.loads(first[0].body)
    assert kept["model"]["position"] > 0


def test_whoever_has_waited_too_long_keeps_others_away():
    async def play():
        waiting = Together(lambda key, requests, since: requests, patience=-1.0)
        first = asyncio.ensure_future(waiting.ask("a", 1))
        await asyncio.sleep(0)  # it has asked, and is decided after what comes now
        with pytest.raises(Busy):
            await waiting.ask("a", 2)
        return await first, await waiting.ask("a", 3)

    # The loop runs `_work` after this step, so that the second request finds the first waiting.
    assert asyncio.run(play()) == (1, 3)


def test_an_error_is_everybodys_and_who_has_gone_is_left_out():
    seen = []

    def decide(key, requests, since):
        seen.append(requests)
        if "bad" in requests:
            raise RuntimeError("broken")
        return requests

    async def play():
        waiting = Together(decide, patience=9.0)
        asked = [asyncio.ensure_future(waiting.ask("a", each)) for each in ("gone", "x")]
        await asyncio.sleep(0)
        asked[0].cancel()
        assert await asked[1] == "x"
        both = await asyncio.gather(
            waiting.ask("a", "bad"), waiting.ask("a", "y"), return_exceptions=True
        )
        assert [type(each) for each in both] == [RuntimeError, RuntimeError]

    asyncio.run(play())
    assert seen[-1] == ["bad", "y"]


def test_requests_wait_for_a_commit_under_way_but_not_for_long():
    groups, busy = [], [True]

    def decide(_, requests, __):
        groups.append(list(requests))
        return requests

    together = Together(decide, 1.0, lambda: busy[0])

    async def ask():
        first = asyncio.ensure_future(together.ask("app", 0))
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        second = asyncio.ensure_future(together.ask("app", 1))
        assert await first == 0
        assert await second == 1
        many = [together.ask("app", each) for each in range(MOST)]
        assert await asyncio.gather(*many) == list(range(MOST))
        busy[0] = False
        assert await together.ask("app", 2) == 2

    asyncio.run(asyncio.wait_for(ask(), 60))
    assert groups == [[0, 1], list(range(MOST)), [2]]
