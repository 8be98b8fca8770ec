"""What Prometheus reads from /metrics."""

from collections.abc import Iterable
from typing import TYPE_CHECKING

from prometheus_client import CollectorRegistry, Counter, Histogram
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric
from prometheus_client.exposition import generate_latest

from jostle.service.problems import Problem

if TYPE_CHECKING:
    from jostle.service.service import Service

MEDIA = "text/plain; version=0.0.4; charset=utf-8"
SECONDS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 10.0)


class Metrics:
    """Counts and durations of requests, in a registry of its own."""

    def __init__(self) -> None:
        self.registry = CollectorRegistry()
        self._requests = Counter(
            "jostle_requests",
            "Requests that were answered.",
            ["operation", "app", "status"],
            registry=self.registry,
        )
        self._seconds = Histogram(
            "jostle_request_seconds",
            "Seconds from a request to its answer.",
            ["operation"],
            buckets=SECONDS,
            registry=self.registry,
        )
        # Looking labels up costs more than counting.
        self._counters: dict[tuple[str, str, int], Counter] = {}
        self._histograms: dict[str, Histogram] = {}

    def observe(self, operation: str, app: str, status: int, seconds: float) -> None:
        """One request; ``app`` is "" unless it exists, so that labels cannot be made up."""
        counter = self._counters.get((operation, app, status))
        if counter is None:
            counter = self._requests.labels(operation, app, str(status))
            self._counters[operation, app, status] = counter
        counter.inc()
        histogram = self._histograms.get(operation)
        if histogram is None:
            histogram = self._histograms[operation] = self._seconds.labels(operation)
        histogram.observe(seconds)

    def watch(self, service: "Service") -> None:
        """Also tell about the service, whose state is asked for at each reading."""
        self.registry.register(_ServiceCollector(service))

    def text(self) -> bytes:
        """All of them in Prometheus' format."""
        return generate_latest(self.registry)


class _ServiceCollector:
    """The service's own figures, as they are now."""

    def __init__(self, service: "Service"):
        self._service = service

    def describe(self) -> list[Metric]:
        """Nothing: the names are known once there is a service to ask."""
        return []

    def collect(self) -> Iterable[Metric]:
        """Health of the whole, then the totals of each app."""
        health = self._service.health()
        for name, text, value in (
            ("ready", "1 if the service can decide, log and learn.", health.ready),
            ("learner_running", "1 if the learner is running.", health.learner == "running"),
            ("learner_lag_records", "Closed decisions not learned yet.", health.lag_records),
            ("learner_lag_seconds", "Age of the oldest of them.", health.lag_seconds),
            ("queue_length", "Requests that wait to be written.", health.queue),
            ("queue_limit", "Requests that may wait.", health.queue_limit),
            ("writable", "1 if the last commit succeeded.", health.writable),
            ("disk_free_bytes", "Free space where the data is.", health.disk_free),
            ("log_position", "Position of the last record of the log.", health.log_position),
        ):
            yield GaugeMetricFamily(f"jostle_{name}", text, value=float(value))
        yield CounterMetricFamily(
            "jostle_learner_restarts", "Times the learner died.", value=health.learner_restarts
        )
        yield from self._apps()

    def _apps(self) -> Iterable[Metric]:
        counters = {
            name: CounterMetricFamily(f"jostle_{name}", text, labels=["app"])
            for name, text in (
                ("decisions", "Decisions."),
                ("rewards", "Rewards that were counted."),
                ("closed", "Decisions closed with a reward or the default reward."),
                ("late", "Rewards that came after their decision was closed."),
                ("duplicates", "Rewards that had come before."),
                ("defaulted", "Decisions closed with the default reward."),
                ("dropped", "Decisions closed without any reward."),
            )
        }
        gauges = {
            name: GaugeMetricFamily(f"jostle_app_{name}", text, labels=["app"])
            for name, text in (
                ("open", "Decisions that wait for rewards."),
                ("learned", "Observations the model has learned from."),
                ("reward_sum", "Sum of the rewards of closed decisions."),
                ("model_version", "The version that decides."),
            )
        }
        for app in self._service.apps():
            try:
                found = self._service.statistics(app, buckets=1)
            except Problem:  # removed meanwhile
                continue
            for name, counter in counters.items():
                counter.add_metric([app], getattr(found.totals, name))
            gauges["open"].add_metric([app], found.open)
            gauges["learned"].add_metric([app], found.learned)
            gauges["reward_sum"].add_metric([app], found.totals.reward_sum)
            gauges["model_version"].add_metric([app], found.model.version)
        yield from counters.values()
        yield from gauges.values()
