"""The front page of the results: one table and one figure, and where to read on."""

from collections import Counter
from collections.abc import Callable, Sequence

from jostle.lab.analysis.glance import CHANCE, POLICIES, GlanceLine, in_paper_form
from jostle.lab.analysis.ranking import Row
from jostle.lab.render.text import count, label, listed, markdown_table, mean_error

DAGGER = "†"
NO_BREAK = "\u00a0"
ABOUT = (
    "Regret at the last round, every policy with its defaults and nothing tuned: the mean over the "
    "runs ± its standard error; a single run has no error. Lower is better, and the lowest of each "
    "line is in bold. On data sets regret is the number of mistakes. Where a policy has fewer runs "
    f"than others on its line, their number follows in parentheses. {DAGGER} marks a policy in the "
    "form of its paper (such as `lin-ucb.paper`), which takes rewards to be of the order of one; "
    "so does `neural-ucb.descent`, the algorithm of its paper with jostle's network. "
    "The defaults were not chosen with the same care for all ([how](../defaults.md))."
)
ABOUT_FIGURE = (
    "The same as percentages of the regret of uniform choices, on a logarithmic axis. Marks that "
    "are close together are not distinguished by these runs; the page of each experiment has the "
    "differences with their intervals."
)


def glance_table(lines: Sequence[GlanceLine], page_of: Callable[[str], str]) -> str:
    """One line per environment, one column per policy."""
    shown = [policy for policy in POLICIES if any(policy in line.rows for line in lines)]
    return markdown_table(
        ["environment", "runs", *(f"`{policy}`" for policy in shown)],
        [
            [
                f"[{label(line.environment)}]({page_of(line.experiment)}.md)",
                str(line.most_runs),
                *(_cell(line, policy) for policy in shown),
            ]
            for line in lines
        ],
    )


def best_counts(lines: Sequence[GlanceLine]) -> str:
    """On how many environments each policy has the lowest mean, in a sentence."""
    counts = Counter(policy for line in lines for policy in line.best if policy != CHANCE)
    ranked = [f"`{policy}` on {number}" for policy, number in counts.most_common()]
    single = sum(line.fewest_runs < 3 for line in lines)
    text = f"Of {count(len(lines), 'environment')}, the lowest mean is that of {listed(ranked)}."
    if single:
        text += (
            f" On {single} of them some policy has fewer than three runs so far, too few to tell "
            "differences from noise."
        )
    return text


def _cell(line: GlanceLine, policy: str) -> str:
    row = line.rows.get(policy)
    if row is None:
        return ""
    text = compact(row)
    if policy in line.best:
        text = f"**{text}**"
    few = f" ({row.runs})" if row.runs < line.most_runs else ""
    return text + (f" {DAGGER}" if in_paper_form(row) else "") + few


def compact(row: Row) -> str:
    """Mean ± standard error on one line, without decimals from a hundred on."""
    text = mean_error(row.mean, row.error, 0 if row.mean >= 100 else 1)
    return text.replace(" ", NO_BREAK)
