"""The demo: its visitors, and the command."""

import os
import signal
import subprocess
import sys
from collections import Counter
from types import SimpleNamespace

import pytest

from jostle.cli.demo_traffic import ADVERTS, DUPLICATES, LATE, Shop, run


class Decided:
    """A client that always shows the same advert, and remembers what it was sent."""

    def __init__(self, advert):
        self.advert, self.requests, self.clicks = advert, [], []

    def decide(self, context, actions, *, baseline=None):
        self.requests.append((context, actions, baseline))
        return SimpleNamespace(action=self.advert, event_id=str(len(self.requests)))

    def reward(self, event_id, value, *, reward_id=None):
        self.clicks.append((event_id, value, reward_id))


def test_visitors_click_late_twice_or_never():
    client = Decided(ADVERTS[1])
    shop = Shop(client, wait=20.0, seed=1)
    count = 4000
    expected = sum(shop.visit(0.0) for _ in range(count))
    in_time = shop.send_clicks(20.0)
    sent = in_time + shop.send_clicks(1e9)
    assert len(client.clicks) == sent
    clicked = Counter(event for event, *_ in client.clicks)
    assert len(clicked) == pytest.approx(expected, abs=5 * expected**0.5)
    twice = sum(times == 2 for times in clicked.values()) / len(clicked)
    error = 5 * (0.25 / len(clicked)) ** 0.5
    assert twice == pytest.approx(DUPLICATES, abs=error)
    # Exponential with a mean of six seconds: 3.6 % come after twenty by themselves.
    assert 1 - in_time / sent == pytest.approx(LATE + (1 - LATE) * 0.0357, abs=error)
    context, actions, baseline = client.requests[0]
    assert set(context) == {"device", "daytime", "hour"}
    assert [action["id"] for action in actions] == list(ADVERTS)
    assert baseline in ADVERTS


def test_visitors_come_at_their_rate_until_they_are_stopped():
    now = [0.0]

    def stopped(seconds):
        now[0] += seconds
        return now[0] >= 30.0

    visitors = run(Shop(Decided("shoes"), 20.0), 7.0, stopped, lambda: now[0])
    assert visitors == pytest.approx(30 * 7, abs=2)


@pytest.mark.study
def test_ctrl_c_stops_everything_and_leaves_nothing(tmp_path):
    process = subprocess.Popen(
        [sys.executable, "-m", "jostle", "demo", "--no-browser", "--rate", "5"],
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "TMPDIR": str(tmp_path)},
    )
    said = "".join(process.stdout.readline() for _ in range(3))
    assert "/dashboard/apps/default" in said
    assert len(list(tmp_path.glob("jostle-demo-*"))) == 1
    process.send_signal(signal.SIGINT)
    assert "visitors came" in process.communicate(timeout=60)[0]
    assert process.returncode == 0
    assert not list(tmp_path.glob("jostle-demo-*"))
