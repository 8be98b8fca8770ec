"""The page of the streams of applications: jostle's policies beside Vowpal Wabbit's explorers."""

from collections.abc import Mapping, Sequence

from jostle.lab.analysis.intervals import LEVEL, PairedDifference, paired_difference
from jostle.lab.analysis.ranking import Row, rows
from jostle.lab.render.glance import compact
from jostle.lab.render.sections import Links, contents
from jostle.lab.render.text import (
    DIGITS,
    UNKNOWN,
    difference,
    label,
    markdown_table,
    numbers_text,
)
from jostle.lab.results.model import Comparison
from jostle.lab.results.outcome import Outcome

EXPERIMENTS = ("field", "field-others", "field-offers")
NPR = "npr"
RIVALS = ("vw.squarecb", "vw.bag", "lin-ucb", "lin-ts")
TITLE = "Streams of applications, with Vowpal Wabbit beside"
ABOUT = (
    "The [streams](../streams.md) resemble applications: rare clicks, heavy tails, arms that come "
    "and go, drift, other units. Vowpal Wabbit's explorers (`vw.`) play the same rounds with the "
    "same seeds; [the guide](../streams.md#vowpal-wabbit-beside-jostles-policies) says what they "
    "are shown. Every policy has its defaults, Vowpal Wabbit's those of its own, and nothing is "
    "tuned."
)
ABOUT_DIFFERENCES = (
    f"`npr` minus another policy, seed by seed, with a {LEVEL:.0%} paired t-interval; negative "
    "means that `npr` has less regret. In bold where the interval excludes 0. Each difference is "
    "tested by itself. With fewer than three shared seeds nothing is tested, and the difference "
    "of the means is not shown."
)


def field_page(results: Mapping[str, Outcome], links: Links) -> list[str]:
    """The parts of the page; empty if none of its experiments was played."""
    played = [results[name] for name in EXPERIMENTS if name in results]
    if not played:
        return []
    parts = [f"# {TITLE}", ABOUT, _protocol(played), "## Regret", regret_table(played)]
    parts += [f"## {NPR} against others", ABOUT_DIFFERENCES, difference_table(played)]
    for outcome in played:
        experiment = outcome.experiment
        parts += [f"## {experiment.name}: {experiment.title}", *contents(outcome, links)]
    return parts


def regret_table(outcomes: Sequence[Outcome]) -> str:
    """Mean ± standard error of every policy, the lowest of each stream in bold."""
    streams: dict[str, dict[str, str]] = {}
    policies: dict[str, None] = {}
    for environment, found in _by_stream(outcomes).items():
        best = min(found, key=lambda policy: found[policy].mean)
        most = max(row.runs for row in found.values())
        for policy, row in found.items():
            text = f"**{compact(row)}**" if policy == best else compact(row)
            few = f" ({row.runs})" if row.runs < most else ""
            streams.setdefault(environment, {})[policy] = text + few
            policies[policy] = None
    heads = ["stream", *(f"`{policy}`" for policy in policies)]
    return markdown_table(
        heads,
        [[label(name), *(cells.get(p, "") for p in policies)] for name, cells in streams.items()],
    )


def difference_table(outcomes: Sequence[Outcome]) -> str:
    """NPR minus its rivals, stream by stream."""
    lines = []
    for outcome in outcomes:
        for panel in outcome.comparisons:
            cells = [_difference(panel, rival) for rival in RIVALS]
            if any(cell != UNKNOWN for cell in cells):
                lines.append([label(panel.plan.environment), *cells])
    if not lines:
        return "No stream has three seeds that both have finished."
    return markdown_table(["stream", *(f"minus `{rival}`" for rival in RIVALS)], lines)


def _by_stream(outcomes: Sequence[Outcome]) -> dict[str, dict[str, Row]]:
    """The rows of all policies that were played on each stream, whatever the experiment."""
    found: dict[str, dict[str, Row]] = {}
    for outcome in outcomes:
        for panel in outcome.comparisons:
            ranked = {row.policy: row for row in rows(panel)}
            for policy in panel.plan.policies:
                if policy in ranked:
                    found.setdefault(panel.plan.environment, {})[policy] = ranked[policy]
    return found


def _difference(panel: Comparison, rival: str) -> str:
    paired: PairedDifference | None = paired_difference(panel, NPR, rival)
    if paired is None:
        return UNKNOWN
    text = difference(paired, DIGITS[panel.plan.measure] if abs(paired.mean) < 100 else 0)
    return f"**{text}**" if paired.significant else text


def _protocol(outcomes: Sequence[Outcome]) -> str:
    sentences = []
    for outcome in outcomes:
        experiment = outcome.experiment
        done, asked = len(outcome.runs()), len(outcome.trials())
        sentences.append(
            f"`{experiment.name}`: {experiment.rounds:,} rounds, seeds "
            f"{numbers_text(experiment.seeds)}, {done:,} of {asked:,} runs finished."
        )
    return " ".join(sentences)
