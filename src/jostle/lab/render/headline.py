"""What an experiment shows in one sentence a panel, and how surely in another."""

from jostle.lab.analysis.ablation import changes
from jostle.lab.analysis.intervals import gap
from jostle.lab.analysis.ranking import rows
from jostle.lab.analysis.speed import growths, rates
from jostle.lab.render.text import labels, sized_by
from jostle.lab.results.model import Comparison
from jostle.lab.results.outcome import Outcome
from jostle.lab.spec.plan import REGRET

FEW = "Fewer than three shared seeds say little; more would tell."


def headlines(outcome: Outcome) -> list[tuple[str, str]]:
    """A sentence for each panel of an experiment, with (maybe empty) how sure it is."""
    kind = outcome.experiment.figure
    if kind == "statistics":
        count = len(outcome.manifest.environments)
        return [(f"{count} environment{'s' * (count > 1)}; nothing was played.", "")]
    if kind == "bars":
        return [_pace(comparison) for comparison in outcome.comparisons]
    if kind == "growth":
        return _growth(outcome)
    if kind == "changes":
        return [_changed(comparison) for comparison in outcome.comparisons]
    if kind == "front":
        return [_worth(comparison) for comparison in outcome.comparisons]
    return [headline(comparison) for comparison in outcome.comparisons]


def headline(comparison: Comparison) -> tuple[str, str]:
    """Who is best, and (maybe empty) whether the runs suffice to say so."""
    plan = comparison.plan
    ranked, names = rows(comparison), labels(plan.policies)
    where = labels([plan.environment])[plan.environment]
    if not ranked:
        return f"No run on {where} was finished.", ""
    low = plan.measure == REGRET
    digits = ".1f" if low else ".3f"
    word = "regret" if low else "normalised reward"
    best = ranked[0]
    error = "" if best.error is None else f" ± {best.error:{digits}}"
    told = f"{best.mean:,{digits}}{error} after {plan.rounds:,} rounds of {where}"
    if len(ranked) == 1:
        return f"{names[best.policy]} has a mean {word} of {told}.", ""
    second = ranked[1]
    sentence = f"{names[best.policy]} has the {'lowest' if low else 'highest'} {word}: {told}"
    if second.mean > 0:
        share = round(100 * abs(1 - best.mean / second.mean))
        relation = f"{share}% {'below' if low else 'above'}" if share else "just ahead of"
        sentence += f", {relation} the {second.mean:,{digits}} of {names[second.policy]}"
    return f"{sentence}.", _certainty(comparison, second.policy, best.policy, digits)


def _certainty(comparison: Comparison, second: str, best: str, digits: str) -> str:
    """How sure the lead is, from the seeds that both have played: they met the same arms."""
    lead = gap(comparison, second, best)
    if lead is None:
        return FEW
    low, high = sorted((abs(lead.low), abs(lead.high)))
    if lead.clear:
        told = f"{abs(lead.mean):,{digits}} (95% interval {low:,{digits}} to {high:,{digits}})"
        return f"The lead is beyond the noise of {lead.seeds} seeds: {told}."
    told = f"{lead.mean:+,{digits}} (95% interval {lead.low:,{digits}} to {lead.high:,{digits}})"
    return f"The lead is within the noise of {lead.seeds} seeds: {told}."


def _worth(comparison: Comparison) -> tuple[str, str]:
    """Whether anything that costs less than the first policy is better, or what costs more."""
    plan = comparison.plan
    names, digits = labels(plan.policies), ".1f" if plan.measure == REGRET else ".3f"
    cost = {row.policy: row.round_ms for row in rows(comparison) if row.round_ms}
    first = next((row for row in rows(comparison) if row.policy == plan.policies[0]), None)
    if first is None or not first.round_ms:
        return headline(comparison)
    error = "" if first.error is None else f" ± {first.error:{digits}}"
    sentence = (
        f"{names[first.policy]} has a mean {plan.measure} of {first.mean:,{digits}}{error} at "
        f"{first.round_ms:.3g} ms a round of {labels([plan.environment])[plan.environment]}."
    )
    cheaper: list[str] = []
    dearer: list[str] = []
    for policy, price in cost.items():
        lead = gap(comparison, policy, first.policy)
        if lead is None:
            return sentence, FEW
        if lead.clear and (lead.mean < 0) == (plan.measure == REGRET):
            (cheaper if price < first.round_ms else dearer).append(names[policy])
    less = f"{_listed(cheaper)} better for less" if cheaper else "nothing is better for less"
    more = f"{_listed(dearer)} better for more" if dearer else "nothing is better for more"
    return sentence, f"Beyond the noise of the seeds {less}, and {more}."


def _changed(comparison: Comparison) -> tuple[str, str]:
    """Which changes to the first policy are beyond the noise."""
    plan = comparison.plan
    found = changes(comparison)
    if not found:
        return headline(comparison)
    told = []
    for verdict in ("better", "worse"):
        those = [change.label for change in found if change.verdict == verdict]
        told.append(f"{verdict}: {', '.join(those) or 'none'}")
    where = labels([plan.environment])[plan.environment]
    start = f"Of {len(found)} changes to {labels(plan.policies)[plan.policies[0]]} on {where}"
    return f"{start}, beyond the noise of the seeds, {'; '.join(told)}.", ""


def _listed(names: list[str]) -> str:
    return f"{', '.join(names)} {'is' if len(names) == 1 else 'are'}"


def _pace(comparison: Comparison) -> tuple[str, str]:
    """The fastest and the slowest."""
    plan = comparison.plan
    where, names = labels([plan.environment])[plan.environment], labels(plan.policies)
    ranked = rates(comparison)
    if not ranked:
        return f"Nothing was timed on {where}.", ""
    fastest, slowest = ranked[0], ranked[-1]
    told = f"{names[fastest.policy]} takes {fastest.total:.3g} ms a round of {where}"
    if fastest is slowest:
        return f"{told}.", ""
    ratio = f", {slowest.total / fastest.total:,.3g} times as much" if fastest.total > 0 else ""
    return f"{told}; {names[slowest.policy]} {slowest.total:.3g} ms{ratio}.", ""


def _growth(outcome: Outcome) -> list[tuple[str, str]]:
    """How much dearer a round gets from the smallest to the largest size."""
    word = sized_by((*outcome.experiment.environments, *outcome.experiment.policies))
    sentences = []
    for growth in growths(outcome):
        parts = []
        for line in growth.lines:
            first, last = line.choosing[0] + line.learning[0], line.choosing[-1] + line.learning[-1]
            if len(line.sizes) > 1 and first > 0:
                parts.append((last / first, line.label, line.sizes[0], line.sizes[-1]))
        if not parts:
            sentences.append((f"Too little was timed on {growth.environment}.", ""))
            continue
        parts.sort()
        low, high = min(part[2] for part in parts), max(part[3] for part in parts)
        told = ", ".join(f"{label} {ratio:.3g}" for ratio, label, *_ in parts)
        start = f"From {word} {low:,} to {high:,} on {growth.environment}"
        sentences.append((f"{start}, the time of a round grows by a factor of: {told}.", ""))
    return sentences
