"""NPR on the data sets beside the best other policy, its own skyline, and what was published."""

from collections.abc import Mapping

from jostle.lab.analysis.ranking import Row, rows
from jostle.lab.render.text import labels
from jostle.lab.results.outcome import Outcome

PUBLISHED = {"mushroom": 69, "shuttle": 170, "magic": 1590, "adult": 1560, "covertype": 3480}
"""The fewest mistakes that we have found published, in as many rounds; none for letter."""

ABOUT = (
    "Mistakes with the practical encoding, each policy with its defaults. Told: the same NPR when "
    "it is told the right class after each choice, so that it need not find out."
)


def past(results: Mapping[str, Outcome]) -> str:
    """A Markdown table of the experiments ``practical`` and ``skyline``; nothing without them."""
    if "practical" not in results:
        return ""
    told = _npr(results["skyline"]) if "skyline" in results else {}
    lines = [
        "| data set | NPR | best other policy | NPR, told | best published |",
        "|---|---|---|---|---|",
    ]
    for comparison in results["practical"].comparisons:
        ranked, name = rows(comparison), comparison.plan.environment
        ours = next((row for row in ranked if row.policy == "npr"), None)
        others = [row for row in ranked if row.policy != "npr"]
        if ours is None or not others:
            continue
        other = f"{_cell(others[0])} ({labels(comparison.plan.policies)[others[0].policy]})"
        skyline = _cell(told[name]) if name in told else "-"
        published = f"{PUBLISHED[name]:,}" if name in PUBLISHED else "-"
        lines.append(f"| {name} | {_cell(ours)} | {other} | {skyline} | {published} |")
    return "\n".join(lines)


def _npr(outcome: Outcome) -> dict[str, Row]:
    """The row of NPR by the name of the data set."""
    return {
        comparison.plan.environment.partition(":")[0]: row
        for comparison in outcome.comparisons
        for row in rows(comparison)
    }


def _cell(row: Row) -> str:
    error = "" if row.error is None else f" ± {row.error:,.1f}"
    return f"{row.mean:,.1f}{error}"
