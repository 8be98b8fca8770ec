"""The page that says which policy suits which stream, from the results."""

from collections.abc import Callable, Mapping, Sequence

from jostle.lab.analysis.choosing import CLOSE, Advice, advice
from jostle.lab.analysis.intervals import LEVEL
from jostle.lab.analysis.ranking import Row
from jostle.lab.render.glance import compact
from jostle.lab.render.text import UNKNOWN, count, label, markdown_table, significant
from jostle.lab.results.outcome import Outcome

TITLE = "Which policy on which stream"
ABOUT = (
    "Each line is a situation, and a stream that resembles it. *Lowest regret* is the policy of "
    "jostle with the lowest mean after the rounds of its experiment, every policy with its "
    "defaults: mean ± standard error, and in parentheses as a percentage of the regret of uniform "
    f"choices. *As good* are those that the seeds do not tell from it, by a {LEVEL:.0%} paired "
    "t-interval of the difference, from the best mean on. Where fewer than three seeds are shared "
    f"nothing is tested, and those within {CLOSE - 1:.0%} of the lowest mean are named instead, "
    "marked with a question mark. *ms* is the wall time of a round of the best policy, environment "
    "included, on a busy machine. The best was picked on the same runs, which flatters it; read "
    "the table as advice on what to try first, and [evaluate](../evaluation.md) on data of your "
    "own."
)
MOST_NAMES = 4


def choosing_page(results: Mapping[str, Outcome], page_of: Callable[[str], str]) -> list[str]:
    """The parts of the page; empty if nothing was played."""
    found = advice(results)
    if not found:
        return []
    return [f"# {TITLE}", ABOUT, choosing_table(found, page_of)]


def choosing_table(found: Sequence[Advice], page_of: Callable[[str], str]) -> str:
    """One line per situation."""
    return markdown_table(
        ["if you have", "stream", "runs", "lowest regret", "as good", "ms"],
        [
            [
                each.situation.text,
                f"[{label(each.situation.environment)}]({page_of(each.experiment)}.md)",
                str(each.best.runs),
                f"`{each.best.policy}` {compact(each.best)}{_share(each)}",
                _names(each.beside, each.tested),
                significant(each.best.round_ms, 2),
            ]
            for each in found
        ],
    )


def _share(each: Advice) -> str:
    if each.chance is None or each.chance.mean <= 0:
        return ""
    return f" ({significant(100 * each.best.mean / each.chance.mean, 2)}%)"


def _names(beside: Sequence[Row], tested: bool) -> str:
    if not beside:
        return "none" if tested else UNKNOWN
    names = ", ".join(f"`{row.policy}`" for row in beside[:MOST_NAMES])
    more = f" and {count(len(beside) - MOST_NAMES, 'other')}" if len(beside) > MOST_NAMES else ""
    return f"{names}{more}{'' if tested else ' ?'}"
