"""What tuning chose, out of what, and what that cost: it is part of the result."""

from collections import Counter
from html import escape
from typing import NamedTuple

from jostle.lab.render.html import markup
from jostle.lab.render.text import labels, settings_text
from jostle.lab.results.model import Comparison
from jostle.lab.results.outcome import Outcome

AS_NAMED = "as named"

HOW = {
    "grid": "every candidate played the first {rounds:,} rounds, and the best of them played on",
    "halving": "all candidates began; most were dropped after an eighth, a quarter and a half of "
    "the first {rounds:,} rounds; the best of the rest at their end played on",
}
CAVEAT = (
    "Candidates were compared by their regret on the first rounds of the very stream that is "
    "reported: the chosen one played on from there, so its first rounds are part of its result and "
    "were also what it was picked by. The more candidates a policy has, the more that flatters it."
)


class Choice(NamedTuple):
    """What tuning did for a policy on an environment, all seeds together."""

    policy: str
    chosen: list[tuple[str, int]]
    """Settings in words, and how many seeds chose them; the most frequent first."""
    candidates: int
    spent: int
    """Rounds that candidates played while they were compared."""
    played: int
    """Those and all others: what the runs took in all."""


def choices(comparison: Comparison) -> list[Choice]:
    """For each policy with a finished run, in the order of the plan."""
    found = []
    for policy in comparison.plan.policies:
        runs = comparison.of(policy)
        if not runs:
            continue
        counts = Counter(settings_text(run.settings) or AS_NAMED for run in runs)
        spent = sum(each.rounds for run in runs for each in run.candidates)
        # The chosen candidate was compared to the last, and plays on from there.
        further = sum(
            run.trial.rounds - max((each.rounds for each in run.candidates), default=0)
            for run in runs
        )
        most = max(len(run.candidates) for run in runs)
        found.append(Choice(policy, counts.most_common(), most, spent, spent + further))
    return found


def section(outcome: Outcome) -> str:
    """The HTML of what was tuned; nothing if nothing was."""
    tuning = outcome.experiment.tuning
    if tuning.method == "none" or not outcome.runs():
        return ""
    tables, spent, played = [], 0, 0
    for comparison in outcome.comparisons:
        found = choices(comparison)
        spent += sum(choice.spent for choice in found)
        played += sum(choice.played for choice in found)
        where = labels([comparison.plan.environment])[comparison.plan.environment]
        if len(outcome.comparisons) > 1:
            tables.append(f"<h3>{escape(where)}</h3>")
        tables.append(_table(comparison, found))
    cost = (
        f"{tuning.method.capitalize()}: {HOW[tuning.method].format(rounds=tuning.rounds)}. "
        f"Candidates played {spent:,} rounds while they were compared, "
        f"{spent / max(played, 1):.0%} of the {played:,} rounds in all "
        "(what was played again for want of memory is not counted)."
    )
    return "\n".join([markup.paragraph(cost), markup.paragraph(CAVEAT, "lead"), *tables])


def _table(comparison: Comparison, found: list[Choice]) -> str:
    names = labels(comparison.plan.policies)
    lines = []
    for choice in found:
        several = len(choice.chosen) > 1
        text = "; ".join(
            f"{settings} ({count} seed{'s' * (count > 1)})" if several else settings
            for settings, count in choice.chosen
        )
        if not choice.candidates:
            text = "nothing to tune: its name fixes it, or the grid has no setting of it"
        lines.append(
            [
                markup.Cell(names[choice.policy], choice.policy),
                markup.Cell(text, text),
                markup.Cell(str(choice.candidates or "-"), choice.candidates),
                markup.Cell(f"{choice.spent:,}", choice.spent),
                markup.Cell(f"{choice.spent / choice.played:.0%}", choice.spent / choice.played),
            ]
        )
    heads = ["policy", "chosen", "candidates", "rounds of tuning", "share of all"]
    return markup.table(heads, lines)
