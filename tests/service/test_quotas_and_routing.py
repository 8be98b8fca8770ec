"""Token buckets, and paths that lead to operations."""

from dataclasses import dataclass

import pytest

from jostle.service.quotas import Quotas
from jostle.service.routing import Router


class Clock:
    now = 100.0

    def __call__(self):
        return self.now


def test_a_bucket_lets_its_rate_through():
    clock = Clock()
    quotas = Quotas(clock)
    passed = 0
    for _ in range(10_000):  # 100 s at 100 requests/s
        passed += quotas.take("shop", 7.0) == 0.0
        clock.now += 0.01
    assert abs(passed - (7 * 100 + 7)) <= 1


def test_the_wait_is_exact():
    clock = Clock()
    quotas = Quotas(clock)
    assert quotas.take("shop", 4.0, 4) == 0.0
    assert quotas.take("shop", 4.0, 3) == pytest.approx(0.75)
    clock.now += 0.75
    assert quotas.take("shop", 4.0, 3) == 0.0


def test_a_batch_larger_than_the_bucket_passes_when_it_is_full_and_is_paid_off():
    clock = Clock()
    quotas = Quotas(clock)
    assert quotas.take("shop", 2.0, 10) == 0.0
    assert quotas.take("shop", 2.0, 1) == pytest.approx(4.5)


def test_a_new_rate_counts_at_once_and_apps_do_not_share():
    quotas = Quotas(Clock())
    assert quotas.take("shop", 1.0) == 0.0
    assert quotas.take("shop", 1.0) > 0.0
    assert quotas.take("other", 1.0) == 0.0
    assert quotas.take("shop", 5.0) == 0.0


@dataclass
class Route:
    method: str
    path: str


def test_paths_are_split_before_they_are_decoded():
    router = Router([Route("GET", "/apps"), Route("GET", "/apps/{app}/x"), Route("PUT", "/apps")])
    assert set(router.find(b"/apps").methods) == {"GET", "PUT"}
    assert router.find(b"/apps/a%2Fb/x").parameters == ["a/b"]
    assert router.find(b"/apps/%C3%A9/x").parameters == ["é"]
    for path in (
        b"",
        b"/",
        b"apps",
        b"/apps/",
        b"/apps/a",
        b"/apps//x",
        b"/apps/%FF/x",
        b"/apps/a/x/",
    ):
        assert router.find(path) is None


def test_ambiguous_tables_are_refused():
    with pytest.raises(ValueError, match="ambiguous"):
        Router([Route("GET", "/apps/{app}"), Route("GET", "/apps/all")])
    with pytest.raises(ValueError, match="twice"):
        Router([Route("GET", "/apps"), Route("GET", "/apps")])
