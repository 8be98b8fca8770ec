"""Headlines: what each panel of an experiment shows, in one sentence, and how certain that is."""

from collections.abc import Callable
from typing import NamedTuple

from jostle.lab.analysis.ablation import BETTER, WORSE, effects, verdict
from jostle.lab.analysis.data_sets import caveat
from jostle.lab.analysis.intervals import LEVEL, paired_difference
from jostle.lab.analysis.ranking import rows
from jostle.lab.analysis.speed import Scaling, ratios, round_times, scalings
from jostle.lab.render.text import (
    BEST,
    DIGITS,
    QUANTITY,
    change_label,
    count,
    fixed,
    interval,
    label,
    labels,
    mean_error,
    significant,
    size_word,
    timed_text,
)
from jostle.lab.results.model import Comparison
from jostle.lab.results.outcome import Outcome
from jostle.lab.spec.plan import REGRET

FEW_SEEDS = "Fewer than three shared seeds: too few to tell whether the difference is noise."


class Headline(NamedTuple):
    """A sentence, and (maybe empty) how certain it is and what to know about its data."""

    sentence: str
    certainty: str = ""
    caveat: str = ""

    @property
    def notes(self) -> str:
        """What follows the sentence."""
        return " ".join(filter(None, self[1:]))

    @property
    def text(self) -> str:
        """All of it."""
        return " ".join(filter(None, self))


def each_panel(headline: Callable[[Comparison], Headline]) -> Callable[[Outcome], list[Headline]]:
    """The headlines of an experiment, given that of one panel, with what to know about its data."""
    return lambda outcome: [
        headline(comparison)._replace(caveat=caveat(outcome, comparison.plan.environment))
        for comparison in outcome.comparisons
    ]


def best_policy(comparison: Comparison) -> Headline:
    """Which policy is best, and whether the runs suffice to say so."""
    plan = comparison.plan
    ranked, names, where = rows(comparison), labels(plan.policies), label(plan.environment)
    if not ranked:
        return Headline(f"No run on {where} is finished.")
    digits, quantity = DIGITS[plan.measure], QUANTITY[plan.measure]
    best = ranked[0]
    value = mean_error(best.mean, best.error, digits)
    value += f" after {plan.rounds:,} rounds of {where}"
    if len(ranked) == 1:
        return Headline(f"{names[best.policy]} has a mean {quantity} of {value}.")
    second = ranked[1]
    sentence = f"{names[best.policy]} has the {BEST[plan.measure]} {quantity}: {value}"
    if second.mean > 0:
        share = round(100 * abs(1 - best.mean / second.mean))
        side = "below" if plan.measure == REGRET else "above"
        relation = f"{share}% {side}" if share else "just ahead of"
        sentence += f", {relation} the {fixed(second.mean, digits)} of {names[second.policy]}"
    return Headline(f"{sentence}.", _certainty(comparison, second.policy, best.policy))


def _certainty(comparison: Comparison, second: str, best: str) -> str:
    """How certain the lead is, from the seeds that both have played."""
    lead = paired_difference(comparison, second, best)
    if lead is None:
        return FEW_SEEDS
    digits = DIGITS[comparison.plan.measure]
    if lead.significant:
        low, high = sorted((abs(lead.low), abs(lead.high)))
        ends = interval(low, high, digits)
        size = f"{fixed(abs(lead.mean), digits)} ({LEVEL:.0%} interval {ends})"
        return f"The lead is beyond the noise of {lead.seeds} seeds: {size}."
    ends = interval(lead.low, lead.high, digits)
    size = f"{fixed(lead.mean, digits, sign=True)} ({LEVEL:.0%} interval {ends})"
    return f"The lead is within the noise of {lead.seeds} seeds: {size}."


def worth_its_time(comparison: Comparison) -> Headline:
    """Whether any policy beats the first in less time, and which do so in more."""
    plan = comparison.plan
    names, ranked = labels(plan.policies), rows(comparison)
    first = next((row for row in ranked if row.policy == plan.policies[0]), None)
    if first is None or not first.round_ms:
        return best_policy(comparison)
    value = mean_error(first.mean, first.error, DIGITS[plan.measure])
    sentence = (
        f"{names[first.policy]} has a mean {plan.measure} of {value} at "
        f"{significant(first.round_ms)} ms per round of {label(plan.environment)}."
    )
    faster: list[str] = []
    slower: list[str] = []
    for row in ranked:
        lead = paired_difference(comparison, row.policy, first.policy)
        if lead is None:
            return Headline(sentence, FEW_SEEDS)
        if row.round_ms and verdict(comparison, lead) == BETTER:
            (faster if row.round_ms < first.round_ms else slower).append(names[row.policy])
    less = f"{_subject(faster)} better in less time"
    more = f"{_subject(slower)} better in more time"
    return Headline(sentence, f"Beyond the noise of the seeds, {less}, and {more}.")


def effects_of_changes(comparison: Comparison) -> Headline:
    """Which changes to the first policy have an effect beyond the noise."""
    plan, found = comparison.plan, effects(comparison)
    if not found:
        return best_policy(comparison)
    better, worse = (
        [change_label(each.policy, plan.policies) for each in found if each.verdict == word]
        for word in (BETTER, WORSE)
    )
    where, first = label(plan.environment), labels(plan.policies)[plan.policies[0]]
    return Headline(
        f"Of {count(len(found), 'change')} to {first} on {where}, better beyond the noise of the "
        f"seeds: {'; '.join(better) or 'none'}. Worse: {'; '.join(worse) or 'none'}."
    )


def fastest_and_slowest(comparison: Comparison) -> Headline:
    """The fastest policy and the slowest."""
    plan = comparison.plan
    where, names, timed = label(plan.environment), labels(plan.policies), round_times(comparison)
    if not timed:
        return Headline(f"Nothing was timed on {where}.")
    fastest, slowest = timed[0], timed[-1]
    start = (
        f"{names[fastest.policy]} takes {significant(fastest.total)} ms per round of {where} "
        f"{timed_text(plan)}"
    )
    if fastest is slowest:
        return Headline(f"{start}.")
    ratio = ""
    if fastest.total > 0:
        ratio = f", {significant(slowest.total / fastest.total)} times as long"
    return Headline(f"{start}; {names[slowest.policy]} {significant(slowest.total)} ms{ratio}.")


def growth_with_size(outcome: Outcome) -> list[Headline]:
    """How much longer a round takes at the largest size than at the smallest."""
    word, by_rounds = size_word(outcome.experiment), bool(outcome.experiment.timed_after)
    found = []
    for scaling in scalings(outcome):
        where, names = label(scaling.environment), labels(scaling.policies)
        curves = [(curve.growth, curve) for curve in scaling.curves if curve.growth is not None]
        if not curves:
            found.append(Headline(f"Too little was timed on {where}."))
            continue
        curves.sort(key=lambda each: each[0])
        low = min(curve.sizes[0] for _, curve in curves)
        high = max(curve.sizes[-1] for _, curve in curves)
        growths = ", ".join(
            f"{names[curve.policy]} {significant(ratio)}" for ratio, curve in curves
        )
        start = f"From {word} {low:,} to {high:,} on {where}, {timed_text(outcome.plans[0])}"
        if by_rounds:
            start = f"From {low:,} to {high:,} rounds of {where}"
        sentence = f"{start}, the time of a round grows by a factor of: {growths}."
        if by_rounds:
            sentence += f" {_slowest_by_rounds(scaling)}"
        found.append(Headline(sentence, _lengthened(outcome)))
    return found


def _slowest_by_rounds(scaling: Scaling) -> str:
    """How many times as long as the fastest policy the slowest takes, after each of the rounds."""
    names = labels(scaling.policies)
    times = ", ".join(
        f"{significant(each.ratio)} after {each.size:,} rounds "
        f"({names[each.slowest]} against {names[each.fastest]})"
        for each in ratios(scaling)
    )
    return f"Times of the slowest over the fastest: {times}."


def _lengthened(outcome: Outcome) -> str:
    """What was played, where policies are timed after more rounds than that."""
    if not outcome.experiment.timed_after:
        return ""
    return (
        f"Only {outcome.experiment.rounds:,} rounds were played: what a policy keeps of each round "
        "was then repeated until it was as long as after so many, since times depend on how much "
        "there is and not on what it says."
    )


def environment_count(outcome: Outcome) -> list[Headline]:
    """For an experiment in which nothing is played."""
    number = count(len(outcome.manifest.environments), "environment")
    return [Headline(f"{number}; nothing was played.")]


def _subject(names: list[str]) -> str:
    if not names:
        return "nothing is"
    return f"{', '.join(names)} {'is' if len(names) == 1 else 'are'}"
