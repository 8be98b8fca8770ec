"""Mean rewards of an app: what was earned, and what others would have earned, by evaluation."""

from collections.abc import Callable, Sequence
from typing import NamedTuple

from jostle.service.dashboard.estimates import Estimate, estimate, merged, spread_of
from jostle.service.dashboard.text import interval, plus_minus
from jostle.service.messages import Bucket, Moments, Statistics


class Series(NamedTuple):
    """Whose rewards, and how they are shown."""

    label: str
    style: str
    of: Callable[[Bucket], Moments]


def unweighted(count: int, reward_sum: float, reward_squares: float) -> Moments:
    """The sums of rewards that all have weight 1."""
    return Moments(count, count, count, reward_sum, reward_sum, reward_squares)


def _earned(bucket: Bucket) -> Moments:
    """The rewards of the actions that were taken, each of weight 1."""
    return unweighted(bucket.closed, bucket.reward_sum, bucket.reward_squares)


EARNED = Series("earned", "c0", _earned)
BASELINE = Series("your baseline", "c1", lambda bucket: bucket.baseline)
POLICY = Series("the policy", "c2", lambda bucket: bucket.policy)
UNIFORM = Series("choosing at random", "c8", lambda bucket: bucket.uniform)


def series_of(statistics: Statistics) -> list[Series]:
    """What can be compared: an apprentice with its baseline, others with two that know nothing."""
    if statistics.mode == "apprentice":
        return [EARNED._replace(label="your baseline", style="c1"), POLICY, UNIFORM]
    return [EARNED, BASELINE, UNIFORM]


def over_time(
    series: Series, buckets: Sequence[Bucket], slices: Sequence[slice]
) -> list[Estimate | None]:
    """Means over groups of buckets."""
    moments = [series.of(bucket) for bucket in buckets]
    spread = spread_of(merged(moments))
    return [estimate(merged(moments[each]), spread) for each in slices]


def overall(series: Series, buckets: Sequence[Bucket]) -> Estimate | None:
    """The mean over all buckets."""
    return estimate(merged(series.of(bucket) for bucket in buckets))


def verdict(statistics: Statistics) -> str:
    """What was earned, and whether that differs from the others by more than noise.

    Two means differ if their intervals do not overlap: the standard error of a difference is at
    most the sum of both, however the two depend on each other.
    """
    first, *others = series_of(statistics)
    earned = overall(first, statistics.buckets)
    if earned is None:
        return "Too few decisions were closed to say."
    subject = "Your baseline earned" if statistics.mode == "apprentice" else "It earned"
    sentences = [f"{subject} {interval(earned)} per decision."]
    for series in others:
        found = overall(series, statistics.buckets)
        if found is None:
            continue
        would = f"{series.label[0].upper()}{series.label[1:]} would have earned {interval(found)}"
        sentences.append(f"{would}: {_compared(earned, found)}.")
    return " ".join(sentences)


def headline(statistics: Statistics) -> str:
    """One sentence for the top of the page."""
    if not statistics.totals.decisions:
        return "Waiting for the first decision"
    if statistics.mode == "log_only":
        return "Logging, not learning"
    first, *others = series_of(statistics)
    earned = overall(first, statistics.buckets)
    known = [(series, found) for series in others if (found := overall(series, statistics.buckets))]
    if earned is None:
        return "Too few closed decisions in this time to say how it does"
    if not known:
        return f"It earns {plus_minus(earned)[0]} per decision"
    series, found = next((pair for pair in known if _differ(earned, pair[1])), known[0])
    ours, theirs = ("It earns", series.label)
    if statistics.mode == "apprentice":
        earned, found = found, earned
        ours = f"{series.label[0].upper()}{series.label[1:]} would earn"
        theirs = first.label
    if earned.low > found.high:
        return f"{ours} more than {theirs}"
    if earned.high < found.low:
        return f"{ours} less than {theirs}"
    return f"{ours} as much as {theirs}, within the noise"


def _differ(ours: Estimate, theirs: Estimate) -> bool:
    return ours.low > theirs.high or ours.high < theirs.low


def _compared(ours: Estimate, theirs: Estimate) -> str:
    if ours.low > theirs.high:
        return "less, beyond the noise"
    if ours.high < theirs.low:
        return "more, beyond the noise"
    return "no difference beyond the noise"
