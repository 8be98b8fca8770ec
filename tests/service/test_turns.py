"""Under overload requests queue up in the event loop: those that wait too long are refused."""

import asyncio
import time

import pytest

from jostle.service.turns import Turns

from http_support import DECISION, Site

PATH = "/v1/apps/shop/decisions"


@pytest.fixture
def site(tmp_path):
    site = Site(tmp_path, patience=0.3)
    yield site
    site.close()


def test_requests_that_wait_too_long_for_their_turn_are_refused(site, monkeypatch):
    decide = site.service.decide

    async def slow(*arguments):
        time.sleep(0.2)  # decisions are made in the event loop
        return await decide(*arguments)

    monkeypatch.setattr(site.service, "decide", slow)

    async def ask(path, body=None):
        key = {"authorization": f"Bearer {site.admin}"}
        return await site.client.request("POST" if body else "GET", path, json=body, headers=key)

    async def together():
        asked = [ask(PATH, DECISION) for _ in range(5)]
        return await asyncio.gather(*asked, ask("/healthz"))

    answers = site.loop.run(together())
    assert [answer.status_code for answer in answers] == [201, 201, 503, 503, 503, 200]
    assert answers[2].headers["retry-after"]
    assert site.request("POST", PATH, DECISION).status_code == 201


def test_a_turn_ends_after_what_waits_already():
    async def play():
        turns, waits = Turns(), []

        async def step():
            waits.append(turns.waited())
            time.sleep(0.01)

        await asyncio.gather(*(step() for _ in range(3)))
        await asyncio.sleep(0)
        await step()
        return waits

    first, second, third, later = asyncio.run(play())
    assert (first, later) == (0.0, 0.0)
    assert 0.01 <= second < third - 0.009
