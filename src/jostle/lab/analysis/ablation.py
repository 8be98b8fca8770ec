"""What one change at a time does to the first policy: paired differences, as a share of its own."""

from typing import NamedTuple

from jostle.core.grammar import parse
from jostle.lab.analysis.intervals import Gap, gap
from jostle.lab.analysis.ranking import rows
from jostle.lab.render.text import labels, settings_text
from jostle.lab.results.model import Comparison
from jostle.lab.results.outcome import Outcome
from jostle.lab.spec.plan import REGRET


class Change(NamedTuple):
    """How a policy differs from the first, in percent of what is measured of the first."""

    policy: str
    label: str
    percent: Gap
    better: bool

    @property
    def verdict(self) -> str:
        """Whether it is better or worse beyond the noise of the seeds, or level."""
        if not self.percent.clear:
            return "level"
        return "better" if self.better else "worse"


def changes(comparison: Comparison) -> list[Change]:
    """Each policy against the first, in the order of the plan; not those with too few seeds."""
    plan = comparison.plan
    first, *others = plan.policies
    told = {row.policy: row for row in rows(comparison)}
    if first not in told or not told[first].mean:
        return []
    found = []
    for policy in others:
        difference = gap(comparison, policy, first)
        if difference is None:
            continue
        share = 100 / abs(told[first].mean)
        mean, low, high, seeds = difference
        percent = Gap(share * mean, share * low, share * high, seeds)
        better = (mean < 0) == (plan.measure == REGRET)
        found.append(Change(policy, _label(policy, first, plan.policies), percent, better))
    return found


def as_markdown(outcome: Outcome) -> str:
    """A table of all changes on all environments; what is beyond the noise is in bold."""
    first = outcome.plans[0].policies[0]
    columns = [(each, changes(each)) for each in outcome.comparisons]
    names = dict.fromkeys(change.label for _, found in columns for change in found)
    heads = [each.plan.environment for each, _ in columns]
    lines = [f"| change to {first} | {' | '.join(labels(heads)[head] for head in heads)} |"]
    lines.append("|---" * (len(heads) + 1) + "|")
    lines.append(f"| none | {' | '.join(_own(each, first) for each, _ in columns)} |")
    by_label = [{change.label: change for change in found} for _, found in columns]
    for name in names:
        cells = [_percent(found.get(name)) for found in by_label]
        lines.append(f"| {name} | {' | '.join(cells)} |")
    return "\n".join(lines)


def _label(policy: str, first: str, policies: tuple[str, ...]) -> str:
    """Of npr:steps=1,network=paper, if the first is npr, "steps 1, network paper"."""
    head, settings = parse(policy)
    if head != parse(first)[0] or not settings:
        return labels(policies)[policy]
    words = [
        f"{key} {value}" if isinstance(value, str) else settings_text({key: value})
        for key, value in settings.items()
    ]
    return ", ".join(words)


def _own(comparison: Comparison, policy: str) -> str:
    row = next((row for row in rows(comparison) if row.policy == policy), None)
    if row is None:
        return "-"
    digits = ",.1f" if comparison.plan.measure == REGRET else ",.3f"
    return f"{row.mean:{digits}}" + ("" if row.error is None else f" ± {row.error:{digits}}")


def _percent(change: Change | None) -> str:
    if change is None:
        return "-"
    mean, low, high, _ = change.percent
    text = f"{mean:+,.0f}% ({low:+,.0f} to {high:+,.0f})"
    return f"**{text}**" if change.percent.clear else text
