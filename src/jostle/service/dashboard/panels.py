"""The questions that the page of an app answers: for each a sentence, and figures."""

from collections.abc import Sequence
from typing import NamedTuple

from jostle.service.dashboard import rewards
from jostle.service.dashboard.charts import Bar, Chart, Line, Time, bars, column_chart, line_chart
from jostle.service.dashboard.estimates import estimate, groups, quantile
from jostle.service.dashboard.text import (
    count,
    duration,
    milliseconds,
    number,
    percent,
    plus_minus,
    tick,
)
from jostle.service.messages import (
    DELAY_EDGES,
    LATENCY_EDGES,
    OTHER_ACTIONS,
    ActionStatistics,
    Bucket,
    Contribution,
    Statistics,
)

COLOURS = 8
"""Actions that have a colour of their own; the rest are drawn together."""
COARSE = 20
"""Points of a line of means; more would show noise."""
MOST_BARS = 12
CONSTANT = "constant"
"""What the encoder calls the feature that is always 1; it tells actions apart by nothing."""


class Figure(NamedTuple):
    """A chart over time, or bars."""

    note: str
    chart: Chart | None = None
    bars: Sequence[Bar] = ()
    title: str = ""
    head: str = ""
    unit: str = ""
    style: str = "c0"


class Panel(NamedTuple):
    """A question with its answer; ``empty`` says why there is none yet."""

    name: str
    title: str
    sentence: str = ""
    figures: Sequence[Figure] = ()
    empty: str = ""
    wide: bool = False
    """Whether it takes the whole width of a large screen."""


def panels(statistics: Statistics) -> list[Panel]:
    """All of them, in the order of the page."""
    buckets = statistics.buckets
    return [
        learning(statistics),
        choices(buckets),
        exploration(buckets),
        missing(buckets),
        latency(buckets),
        features(statistics.features),
        actions(statistics.actions),
    ]


def learning(statistics: Statistics) -> Panel:
    """Reward over time, against what choosing at random and the baseline would have earned."""
    name, title = "learning", "Is it learning?"
    buckets = statistics.buckets
    if not any(bucket.closed for bucket in buckets):
        waiting = f" {count(statistics.open)} wait for their rewards." if statistics.open else ""
        sentence = f"No decision was closed in this time.{waiting}"
        return Panel(name, title, empty=sentence, wide=True)
    slices = groups(len(buckets), COARSE)
    lines = []
    for series in rewards.series_of(statistics):
        found = rewards.over_time(series, buckets, slices)
        if any(found):
            lines.append(
                Line(
                    series.label,
                    series.style,
                    [each and each.value for each in found],
                    [each and each.low for each in found],
                    [each and each.high for each in found],
                )
            )
    if not lines:
        few = sum(bucket.closed for bucket in buckets)
        sentence = f"Only {count(few)} decisions were closed: too few to say."
        return Panel(name, title, empty=sentence, wide=True)
    chart = line_chart(
        "reward", "Reward per decision over time, with intervals", _coarse(buckets), lines, number
    )
    note = (
        "Mean reward of the decisions closed in each interval; bands are intervals of 95 %. What "
        "others would have earned is estimated from the same decisions by importance "
        "weighting (SNIPS)."
    )
    return Panel(name, title, rewards.verdict(statistics), [Figure(note, chart)], wide=True)


def choices(buckets: Sequence[Bucket]) -> Panel:
    """Shares of the actions over time."""
    name, title = "choices", "What does it choose?"
    totals: dict[str, int] = {}
    for bucket in buckets:
        for action, times in bucket.actions.items():
            totals[action] = totals.get(action, 0) + times
    everything = sum(totals.values())
    if not everything:
        return Panel(name, title, empty="No decision was made in this time.")
    named = sorted(
        (action for action in totals if action != OTHER_ACTIONS), key=lambda a: -totals[a]
    )
    if len(named) <= COLOURS and OTHER_ACTIONS not in totals:
        shown, rest = named, []
    else:
        shown, rest = named[: COLOURS - 1], [*named[COLOURS - 1 :], OTHER_ACTIONS]
    parts = [
        Line(action, f"c{place}", [_share(bucket, [action]) for bucket in buckets])
        for place, action in enumerate(shown)
    ]
    if rest:
        parts.append(Line("all others", "c8", [_share(bucket, rest) for bucket in buckets]))
    chart = column_chart(
        "shares",
        "Share of each action over time",
        _time(buckets),
        parts,
        percent,
        _percent_tick,
        1.0,
    )
    leading = ", ".join(
        f"{action} ({percent(totals[action] / everything)})" for action in named[:3]
    )
    sentence = f"{count(everything)} decisions among {_actions(len(named))}. Most often: {leading}."
    return Panel(name, title, sentence, [Figure("Share of the decisions in each interval.", chart)])


def exploration(buckets: Sequence[Bucket]) -> Panel:
    """How often something else than the likeliest action is chosen."""
    name, title = "exploration", "How much does it explore?"
    decided, explored = _sum(buckets, "decisions"), sum(bucket.exploration for bucket in buckets)
    if not decided:
        return Panel(name, title, empty="No decision was made in this time.")
    shares = [each.exploration / each.decisions if each.decisions else None for each in buckets]
    chart = line_chart(
        "explored",
        "Share of decisions that explore, over time",
        _time(buckets),
        [Line("explored", "c2", shares)],
        percent,
        _percent_tick,
    )
    sentence = (
        f"{percent(explored / decided)} of the decisions went to another action than the likeliest "
        "one, in expectation."
    )
    note = (
        "One less the largest probability, averaged over decisions. It falls as the policy becomes "
        "sure, but not below what the floor asks for, which evaluation needs."
    )
    return Panel(name, title, sentence, [Figure(note, chart)])


def features(found: Sequence[Contribution]) -> Panel:
    """What the scores depend on."""
    name, title = "features", "Which features matter?"
    found = [each for each in found if each.feature != CONSTANT]
    if not found:
        return Panel(
            name, title, empty="No decision has been explained yet. Some are, once it has learned."
        )
    ordered = sorted(found, key=lambda each: -abs(each.contribution))[:MOST_BARS]
    sizes = [abs(each.contribution) for each in ordered]
    names = [each.feature for each in ordered]
    note = (
        "By how much the score of the chosen action changes if a feature is left out, on average "
        "over recent decisions, in units of reward. It is about the model, not about causes."
    )
    drawn = bars(names, sizes, [number(size) for size in sizes])
    sentence = f"Most of all {names[0]}." if sizes[0] else "None so far."
    figure = Figure(note, bars=drawn, head="feature", unit="effect")
    return Panel(name, title, sentence, [figure])


def actions(found: Sequence[ActionStatistics]) -> Panel:
    """What each action has earned."""
    name, title = "actions", "What do the actions earn?"
    known = []
    for each in found:
        moments = rewards.unweighted(each.closed, each.reward_sum, each.reward_squares)
        mean = estimate(moments)
        if mean is not None:
            known.append((each.id, mean))
    if not known:
        return Panel(name, title, empty="No action has had enough closed decisions yet.")
    shown = sorted(known[:MOST_BARS], key=lambda pair: -pair[1].value)
    drawn = bars(
        [action for action, _ in shown],
        [mean.value for _, mean in shown],
        [" ".join(plus_minus(mean)) for _, mean in shown],
    )
    note = (
        "Mean reward of the decisions that chose an action, since the app was created, ± half an "
        "interval of 95 %. Actions are chosen where they promise most, so these are not what each "
        "would earn everywhere."
    )
    best, worst = shown[0][0], shown[-1][0]
    sentence = f"Most where it chose {best}" + (f", least {worst}." if best != worst else ".")
    figure = Figure(note, bars=drawn, head="action", unit="reward", style="c2")
    return Panel(name, title, sentence, [figure])


def missing(buckets: Sequence[Bucket]) -> Panel:
    """Rewards that never came, came too late, or came twice."""
    name, title = "missing", "Late and missing rewards"
    closed = _sum(buckets, "closed") + _sum(buckets, "dropped")
    without = _sum(buckets, "defaulted") + _sum(buckets, "dropped")
    late, counted, twice = (_sum(buckets, key) for key in ("late", "rewards", "duplicates"))
    if not (closed or late or counted):
        return Panel(name, title, empty="No reward came and no decision was closed in this time.")
    sentence = (
        f"{percent(without / closed if closed else None)} of the closed decisions had no reward; "
        f"{count(late)} rewards came after their decision was closed, {count(twice)} came twice."
    )
    no_reward = [
        (each.defaulted + each.dropped) / (each.closed + each.dropped)
        if each.closed + each.dropped
        else None
        for each in buckets
    ]
    too_late = [
        each.late / (each.late + each.rewards) if each.late + each.rewards else None
        for each in buckets
    ]
    chart = line_chart(
        "unrewarded",
        "Shares of decisions without a reward and of late rewards over time",
        _time(buckets),
        [
            Line("decisions without a reward", "c0", no_reward),
            Line("rewards too late", "c3", too_late),
        ],
        percent,
        _percent_tick,
    )
    note = (
        "Decisions without a reward count with the default reward, or not at all if there is none. "
        "A sudden rise means that rewards are lost on their way. Late rewards are logged, but not "
        "learned: a longer wait would catch them."
    )
    figures = [Figure(note, chart)]
    delays = _histogram(buckets, "delays", len(DELAY_EDGES) + 1)
    if sum(delays):
        median = quantile(delays, DELAY_EDGES, 0.5)
        texts = [percent(each / sum(delays)) for each in delays]
        ends = [f"up to {duration(edge)}" for edge in DELAY_EDGES]
        drawn = bars([*ends, f"over {duration(DELAY_EDGES[-1])}"], delays, texts)
        used = max(place for place, each in enumerate(delays) if each) + 1
        figures.append(
            Figure(
                f"Half of the rewards came within {duration(median or 0.0)}.",
                bars=drawn[:used],
                title="How long rewards take",
                head="after the decision",
                unit="rewards",
                style="c5",
            )
        )
    return Panel(name, title, sentence, figures)


def latency(buckets: Sequence[Bucket]) -> Panel:
    """How long decisions take, and how many there are."""
    name, title = "latency", "How fast is it?"
    decided = _sum(buckets, "decisions")
    if not decided:
        return Panel(name, title, empty="No decision was made in this time.")
    figures = []
    sentence = f"{count(decided)} decisions."
    counts = _histogram(buckets, "latencies", len(LATENCY_EDGES) + 1)
    if sum(counts):
        half, most = (quantile(counts, LATENCY_EDGES, share) for share in (0.5, 0.99))
        sentence = (
            f"Half of the decisions were durable within {milliseconds(half and 1000 * half)}, "
            f"99 % within {milliseconds(most and 1000 * most)}."
        )
        lines = [
            Line(label, style, [_latency(each.latencies, share) for each in buckets])
            for label, style, share in (("median", "c0", 0.5), ("99 %", "c3", 0.99))
        ]
        chart = line_chart(
            "latency",
            "Latency of decisions over time, in milliseconds",
            _time(buckets),
            lines,
            milliseconds,
        )
        note = "Milliseconds from the request until the decision was on the disk."
        figures.append(Figure(note, chart))
    rates = Line("decisions per second", "c0", [each.decisions / each.seconds for each in buckets])
    traffic = column_chart("traffic", "Decisions per second", _time(buckets), [rates], number)
    figures.append(Figure("Decisions per second.", traffic, title="Traffic"))
    return Panel(name, title, sentence, figures)


def p99(buckets: Sequence[Bucket]) -> float | None:
    """Milliseconds within which 99 % of the decisions were durable."""
    return _latency(_histogram(buckets, "latencies", len(LATENCY_EDGES) + 1), 0.99)


def _latency(counts: Sequence[int], share: float) -> float | None:
    found = quantile(counts, LATENCY_EDGES, share) if counts else None
    return None if found is None else 1000 * found


def _time(buckets: Sequence[Bucket]) -> Time:
    return Time([bucket.start for bucket in buckets], buckets[0].seconds)


def _coarse(buckets: Sequence[Bucket]) -> Time:
    """The time axis of groups of buckets; the first group may be shorter than the others."""
    slices = groups(len(buckets), COARSE)
    width = buckets[0].seconds * max(each.stop - each.start for each in slices)
    end = buckets[-1].start + buckets[-1].seconds
    return Time([end - width * left for left in range(len(slices), 0, -1)], width)


def _histogram(buckets: Sequence[Bucket], name: str, length: int) -> list[int]:
    total = [0] * length
    for bucket in buckets:
        for place, times in enumerate(getattr(bucket, name)):
            total[place] += times
    return total


def _sum(buckets: Sequence[Bucket], name: str) -> int:
    return sum(getattr(bucket, name) for bucket in buckets)


def _share(bucket: Bucket, actions: Sequence[str]) -> float | None:
    everything = sum(bucket.actions.values())
    if not everything:
        return None
    return sum(bucket.actions.get(action, 0) for action in actions) / everything


def _percent_tick(value: float, step: float) -> str:
    return f"{tick(100 * value, 100 * step)} %"


def _actions(number_of: int) -> str:
    return "one action" if number_of == 1 else f"{count(number_of)} actions"
